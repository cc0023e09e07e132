//! Measures recall: how often a session that had use for an entry used it.
//!
//! An opportunity is an entry whose trigger clearly matches what a session was doing, counted once
//! per session. The entry is used if it was invoked with `/when` or `/how`, if its section was
//! read, or if it was injected and the agent acted on it. An injection is not an opportunity by
//! itself, and never counts as the agent's own words.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufRead};

use serde_json::Value;

use crate::corpus::{Corpus, HeadingId, HeadingIndex};
use crate::fuzzy::Matcher;
use crate::index::TriggerEntry;
use crate::invocation::{Invocation, invocations};
use crate::offer::Offers;
use crate::operator::Operator;
use crate::recall_report::EntryUse;
pub use crate::recall_report::{DayRecall, EntryRecall, RecallReport, SessionRecall, UseCounts};
use crate::resolve::{QueryKind, find_section, find_trigger};
use crate::transcript::{LineCounts, TranscriptEvent, TranscriptStep, read_steps, strings};

/// The goal for the share of used opportunities.
pub const GOAL: f64 = 0.10;
/// The number of sessions to reach the goal in.
pub const GOAL_SESSIONS: usize = 30;

/// The opportunities and uses of a session, by entry number.
#[derive(Debug, Default)]
struct Session {
    day: Option<String>,
    opportunities: HashSet<usize>,
    uses: HashMap<usize, EntryUse>,
    read: HashSet<usize>,
    injected: HashSet<usize>,
    unresolved: usize,
}

/// Counts opportunities and uses over many transcripts.
#[derive(Debug)]
pub struct RecallMeasure<'a> {
    corpus: &'a Corpus,
    headings: HeadingIndex<'a>,
    entries: Vec<&'a TriggerEntry>,
    places: Vec<Option<HeadingId>>,
    offers: Offers<'a>,
    sessions: BTreeMap<String, Session>,
    since: Option<String>,
    lines: LineCounts,
}

impl<'a> RecallMeasure<'a> {
    /// Creates a measure of a corpus. Sessions that began before the day `since`, such as
    /// `2026-11-15`, are ignored.
    pub fn new(corpus: &'a Corpus, since: Option<String>) -> RecallMeasure<'a> {
        let headings = HeadingIndex::of(corpus);
        let mut matcher = Matcher::default();
        let places = corpus
            .entries()
            .map(|(index, entry)| headings.locate(&mut matcher, index, entry))
            .collect();
        let entries: Vec<&TriggerEntry> = corpus.entries().map(|(_, entry)| entry).collect();
        let offers = Offers::of(entries.iter().copied());
        let (sessions, lines) = (BTreeMap::new(), LineCounts::default());
        RecallMeasure { corpus, headings, entries, places, offers, sessions, since, lines }
    }

    /// Reads a transcript. `name` is the session id for lines without one.
    pub fn read(&mut self, name: &str, reader: impl BufRead) -> io::Result<()> {
        let counts = read_steps(reader, &mut |step| self.step(name, &step))?;
        self.lines.lines += counts.lines;
        self.lines.broken += counts.broken;
        self.lines.too_long += counts.too_long;
        Ok(())
    }

    fn step(&mut self, name: &str, step: &TranscriptStep) {
        let id = step.session.clone().unwrap_or_else(|| name.to_owned());
        let mut session = self.sessions.remove(&id).unwrap_or_default();
        if session.day.is_none() {
            session.day.clone_from(&step.day);
        }
        match &step.what {
            TranscriptEvent::Prompt(text) => {
                for invocation in invocations(text) {
                    self.invoked(&mut session, &invocation);
                }
                self.opportunities(&mut session, text);
            }
            TranscriptEvent::AgentMessage(text) => self.acts(&mut session, text),
            TranscriptEvent::ToolResult { error, .. } => {
                if let Some(text) = error {
                    self.opportunities(&mut session, text);
                }
            }
            TranscriptEvent::Injected(text) => self.injected(&mut session, text),
            TranscriptEvent::Tool { name, input, .. } => self.tool(&mut session, name, input),
        }
        self.sessions.insert(id, session);
    }

    fn matching(&self, text: &str) -> Vec<usize> {
        let offers = self.offers.matching(text, usize::MAX);
        let same =
            |entry: &TriggerEntry| self.entries.iter().position(|own| std::ptr::eq(*own, entry));
        offers.iter().filter_map(|offer| same(offer.entry)).collect()
    }

    fn opportunities(&self, session: &mut Session, text: &str) {
        session.opportunities.extend(self.matching(text));
    }

    /// Counts opportunities in the agent's words and actions, and uses of injected entries.
    fn acts(&self, session: &mut Session, text: &str) {
        for entry in self.matching(text) {
            session.opportunities.insert(entry);
            if session.injected.contains(&entry) {
                note(session, entry, EntryUse::ActedOn);
            }
        }
    }

    fn injected(&self, session: &mut Session, text: &str) {
        let shown = |(number, entry): (usize, &&TriggerEntry)| {
            let title = self.places[number].map(|place| self.corpus.heading(place).title.as_str());
            let there = text.contains(&entry.name()) || title.is_some_and(|t| text.contains(t));
            there.then_some(number)
        };
        let shown: Vec<usize> = self.entries.iter().enumerate().filter_map(shown).collect();
        session.injected.extend(shown);
    }

    fn tool(&self, session: &mut Session, name: &str, input: &Value) {
        let text = |key: &str| input[key].as_str().unwrap_or_default();
        match name {
            "Skill" | "SlashCommand" => {
                let skill = if text("skill").is_empty() { text("command") } else { text("skill") };
                let skill = skill.trim_start_matches('/');
                let (word, rest) = skill.split_once(char::is_whitespace).unwrap_or((skill, ""));
                // Skills of plugins have the plugin's name as a prefix.
                let word = word.rsplit(':').next().unwrap_or(word);
                if let Some(operator) = Operator::from_word(word) {
                    let query = if rest.is_empty() { text("args") } else { rest };
                    let query = query.trim().to_owned();
                    self.invoked(session, &Invocation { operator, query });
                    return;
                }
            }
            "Bash" => {
                let found = invocations(text("command"));
                for invocation in &found {
                    self.invoked(session, invocation);
                }
                if !found.is_empty() {
                    return;
                }
                let command = text("command");
                for (number, document) in self.corpus.documents.iter().enumerate() {
                    if command.contains(&document.path) {
                        self.read_lines(session, number, 1, usize::MAX);
                    }
                }
            }
            "Read" => {
                let path = text("file_path").replace('\\', "/");
                let from = input["offset"].as_u64().and_then(|n| usize::try_from(n).ok());
                let count = input["limit"].as_u64().and_then(|n| usize::try_from(n).ok());
                let from = from.unwrap_or(1).max(1);
                let to = from.saturating_add(count.unwrap_or(usize::MAX));
                for (number, document) in self.corpus.documents.iter().enumerate() {
                    let inside = path.strip_suffix(&document.path);
                    if inside.is_some_and(|before| before.is_empty() || before.ends_with('/')) {
                        self.read_lines(session, number, from, to);
                    }
                }
            }
            _ => {}
        }
        self.acts(session, &strings(input));
    }

    /// Marks entries as read whose headings are in a range of lines.
    fn read_lines(&self, session: &mut Session, document: usize, from: usize, to: usize) {
        for (number, place) in self.places.iter().enumerate() {
            let Some(place) = place.filter(|place| place.document == document) else { continue };
            if (from..to).contains(&self.corpus.heading(place).line) {
                session.read.insert(number);
            }
        }
    }

    fn invoked(&self, session: &mut Session, invocation: &Invocation) {
        let found: Vec<HeadingId> = match QueryKind::of(&invocation.query) {
            QueryKind::Trigger(trigger) => {
                find_trigger(self.corpus, &self.headings, invocation.operator, trigger)
                    .into_iter()
                    .collect()
            }
            QueryKind::Section(name) => find_section(self.corpus, name).into_iter().collect(),
            QueryKind::File(name) => {
                let document = self.corpus.documents.iter().position(|file| {
                    file.link_name().trim_end_matches(".md") == name.trim_end_matches(".md")
                });
                match document {
                    Some(document) => self.read_lines(session, document, 1, usize::MAX),
                    None => session.unresolved += 1,
                }
                return;
            }
        };
        if found.is_empty() {
            session.unresolved += 1;
        }
        for place in found {
            let body = &self.corpus.heading(place).body;
            for (number, own) in self.places.iter().enumerate() {
                let Some(own) = own.filter(|own| own.document == place.document) else { continue };
                let start = self.corpus.heading(own).start;
                if own == place || body.contains(&start) {
                    // An invocation shows that there was an opportunity.
                    session.opportunities.insert(number);
                    note(session, number, EntryUse::Invoked);
                }
            }
        }
    }

    /// Returns the report.
    pub fn report(&self) -> RecallReport {
        let mut recall = RecallReport { lines: self.lines, ..RecallReport::default() };
        let mut by_entry: Vec<UseCounts> = vec![UseCounts::default(); self.entries.len()];
        let mut by_day: BTreeMap<String, (usize, UseCounts)> = BTreeMap::new();
        for (id, session) in &self.sessions {
            let day = session.day.clone().unwrap_or_default();
            if self.since.as_ref().is_some_and(|since| day < *since) {
                continue;
            }
            let mut counts = UseCounts::default();
            for number in &session.opportunities {
                let used = session.uses.get(number).copied();
                let used = used.max(session.read.contains(number).then_some(EntryUse::Read));
                counts.count(used);
                by_entry[*number].count(used);
            }
            recall.unresolved += session.unresolved;
            let (sessions, of_day) = by_day.entry(day.clone()).or_default();
            *sessions += 1;
            of_day.add(counts);
            recall.total.add(counts);
            recall.sessions.push(SessionRecall { session: id.clone(), day, counts });
        }
        recall.sessions.sort_by(|a, b| (&a.day, &a.session).cmp(&(&b.day, &b.session)));
        recall.days = by_day
            .into_iter()
            .map(|(day, (sessions, counts))| DayRecall { day, sessions, counts })
            .collect();
        recall.entries = self
            .entries
            .iter()
            .zip(by_entry)
            .map(|(entry, counts)| EntryRecall {
                entry: entry.name(),
                file: entry.section.clone(),
                counts,
            })
            .collect();
        recall
    }
}

/// Records a use; the strongest one counts.
fn note(session: &mut Session, entry: usize, how: EntryUse) {
    let known = session.uses.entry(entry).or_insert(how);
    *known = (*known).max(how);
}
