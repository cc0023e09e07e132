//! Validates that indexes and decision files agree: every entry opens one heading, and every
//! heading has one entry.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Serialize;

use crate::corpus::{Corpus, Expansion, HeadingId, HeadingIndex};
use crate::fold;
use crate::fuzzy::Matcher;
use crate::index::TriggerEntry;
use crate::naming;
use crate::operator::trigger_key;

/// The severity of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IssueSeverity {
    /// An error: a target is missing or ambiguous.
    Error,
    /// A warning: an entry could be better.
    Warning,
}

/// The rule that an issue violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the page about triggers says what each is")]
pub enum TriggerCheck {
    Format,
    Section,
    Uniqueness,
    Expansion,
    OrphanEntry,
    OrphanHeading,
    Collision,
    DuplicateHeading,
    Structural,
    Placement,
    Ordering,
    Naming,
}

impl TriggerCheck {
    /// Returns true if [`crate::fix::autofix`] fixes violations.
    pub fn is_fixed(self) -> bool {
        matches!(self, TriggerCheck::Structural | TriggerCheck::Placement | TriggerCheck::Ordering)
    }
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Issue {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The severity.
    pub severity: IssueSeverity,
    /// The violated rule.
    pub check: TriggerCheck,
    /// A description.
    pub message: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            IssueSeverity::Error => "error",
            IssueSeverity::Warning => "warning",
        };
        write!(f, "{}:{}: {severity}: {}", self.file, self.line, self.message)
    }
}

/// The heading of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryTarget {
    /// One heading.
    Heading(HeadingId),
    /// A structural heading, which only groups others.
    Structural,
    /// No heading, or several.
    Unclear,
}

/// Validates a corpus. Returns the issues sorted by file and line.
pub fn validate(corpus: &Corpus) -> Vec<Issue> {
    let headings = HeadingIndex::of(corpus);
    let mut checker = Checker { corpus, issues: Vec::new() };
    checker.format();
    checker.sections();
    checker.uniqueness();
    checker.duplicate_headings(&headings);
    let targets = checker.expansions(&headings);
    checker.collisions(&headings, &targets);
    checker.order(&targets);
    checker.naming();
    let mut issues = checker.issues;
    issues.sort();
    issues.dedup();
    issues
}

/// Returns the heading and the expansion of each entry, in the order of [`Corpus::entries`].
pub(crate) fn targets(
    corpus: &Corpus,
    headings: &HeadingIndex<'_>,
) -> Vec<(EntryTarget, Expansion)> {
    let mut matcher = Matcher::default();
    let structural: HashSet<String> = corpus
        .places()
        .map(|place| corpus.heading(place))
        .filter(|heading| heading.structural)
        .map(|heading| fold::key(&heading.title))
        .collect();
    corpus
        .entries()
        .map(|(_, entry)| {
            let expansion = headings.expand(&mut matcher, entry.operator, &entry.trigger);
            let groups = || {
                structural.contains(&fold::key(&entry.trigger))
                    || structural.contains(&fold::key(&entry.operator.heading(&entry.trigger)))
            };
            let target = match &expansion {
                Expansion::One(place) => EntryTarget::Heading(*place),
                // Only if nothing else matches, because autofix removes entries of structural
                // headings.
                Expansion::None if groups() => EntryTarget::Structural,
                _ => EntryTarget::Unclear,
            };
            (target, expansion)
        })
        .collect()
}

struct Checker<'a> {
    corpus: &'a Corpus,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    fn report(&mut self, file: &str, line: usize, check: TriggerCheck, message: String) {
        let severity = if check == TriggerCheck::Naming {
            IssueSeverity::Warning
        } else {
            IssueSeverity::Error
        };
        self.issues.push(Issue { file: file.to_owned(), line, severity, check, message });
    }

    fn on_entry(
        &mut self,
        index: usize,
        entry: &TriggerEntry,
        check: TriggerCheck,
        message: String,
    ) {
        let corpus = self.corpus;
        self.report(&corpus.indexes[index].path, entry.line_number, check, message);
    }

    fn format(&mut self) {
        for file in &self.corpus.indexes {
            for malformed in &file.index.malformed {
                let message = malformed.error.to_string();
                self.report(&file.path, malformed.line_number, TriggerCheck::Format, message);
            }
        }
    }

    /// Checks that sections with entries name a decision file, and each file once.
    fn sections(&mut self) {
        for (at, file) in self.corpus.indexes.iter().enumerate() {
            let mut seen: HashMap<usize, usize> = HashMap::new();
            for section in &file.index.sections {
                let (path, line) = (&section.path, section.line_number);
                match self.corpus.document_of(at, path) {
                    Some(document) => {
                        if let Some(first) = seen.insert(document, line) {
                            let message =
                                format!("section `{path}` already exists on line {first}");
                            self.report(&file.path, line, TriggerCheck::Section, message);
                        }
                    }
                    None if file.index.entries.iter().any(|entry| entry.section == *path) => {
                        let message = format!("section `{path}` names no decision file");
                        self.report(&file.path, line, TriggerCheck::Section, message);
                    }
                    None => {}
                }
            }
        }
    }

    /// Checks that primary triggers are unique, and warns about ambiguous extra triggers.
    fn uniqueness(&mut self) {
        let corpus = self.corpus;
        let mut primary: HashMap<String, (usize, &TriggerEntry)> = HashMap::new();
        for (index, entry) in corpus.entries() {
            let key = trigger_key(entry.operator, &entry.trigger);
            if let Some((first_index, first)) = primary.get(&key) {
                let at = format!("{}:{}", corpus.indexes[*first_index].path, first.line_number);
                let message = format!("trigger `{}` already exists at {at}", entry.name());
                self.on_entry(index, entry, TriggerCheck::Uniqueness, message);
            } else {
                primary.insert(key, (index, entry));
            }
        }
        let mut extras: HashMap<String, &TriggerEntry> = HashMap::new();
        for (index, entry) in corpus.entries() {
            for extra in &entry.extra_triggers {
                let key = trigger_key(entry.operator, extra);
                let other = primary.get(&key).map(|(_, entry)| *entry);
                let other = other.or_else(|| extras.insert(key, entry));
                if let Some(other) = other {
                    let message =
                        format!("extra trigger `{extra}` also belongs to `{}`", other.name());
                    self.on_entry(index, entry, TriggerCheck::Naming, message);
                }
            }
        }
    }

    fn duplicate_headings(&mut self, headings: &HeadingIndex<'_>) {
        let corpus = self.corpus;
        let mut seen: HashMap<String, HeadingId> = HashMap::new();
        for place in headings.places() {
            let heading = corpus.heading(*place);
            if let Some(first) = seen.get(&fold::key(&heading.title)) {
                let at =
                    format!("{}:{}", corpus.document(*first).path, corpus.heading(*first).line);
                let message = format!("heading `{}` already exists at {at}", heading.title);
                let path = &corpus.document(*place).path;
                self.report(path, heading.line, TriggerCheck::DuplicateHeading, message);
            } else {
                seen.insert(fold::key(&heading.title), *place);
            }
        }
    }

    /// Checks that every trigger expands to one heading, in the file of its section.
    fn expansions(&mut self, headings: &HeadingIndex<'_>) -> Vec<EntryTarget> {
        let corpus = self.corpus;
        let found = targets(corpus, headings);
        for ((index, entry), (target, expansion)) in corpus.entries().zip(&found) {
            let name = entry.name();
            match (target, expansion) {
                (EntryTarget::Structural, _) => {
                    let message = format!("`{name}` names a structural heading");
                    self.on_entry(index, entry, TriggerCheck::Structural, message);
                }
                (_, Expansion::None) => {
                    let heading = entry.operator.heading(&entry.trigger);
                    let message = format!("`{name}` has no heading; expected `{heading}`");
                    self.on_entry(index, entry, TriggerCheck::OrphanEntry, message);
                }
                (_, Expansion::Many(places)) => {
                    let several: Vec<String> = places
                        .iter()
                        .take(3)
                        .map(|place| {
                            let (file, heading) = (corpus.document(*place), corpus.heading(*place));
                            format!("`{}` ({}:{})", heading.title, file.path, heading.line)
                        })
                        .collect();
                    let more = places.len() - several.len();
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    let message = format!("`{name}` is ambiguous: {}{more}", several.join(", "));
                    self.on_entry(index, entry, TriggerCheck::Expansion, message);
                }
                (_, Expansion::One(place)) => {
                    let own = corpus.document_of(index, &entry.section);
                    if own != Some(place.document) {
                        let path = &corpus.document(*place).path;
                        let message =
                            format!("`{name}` belongs under `{path}`, where its heading is");
                        self.on_entry(index, entry, TriggerCheck::Placement, message);
                    }
                }
            }
        }
        found.into_iter().map(|(target, _)| target).collect()
    }

    /// Checks that every heading has exactly one entry.
    fn collisions(&mut self, headings: &HeadingIndex<'_>, targets: &[EntryTarget]) {
        let corpus = self.corpus;
        let mut reached: HashMap<HeadingId, (usize, &TriggerEntry)> = HashMap::new();
        for ((index, entry), target) in corpus.entries().zip(targets) {
            let EntryTarget::Heading(place) = target else { continue };
            if let Some((first_index, first)) = reached.get(place) {
                let at = format!("{}:{}", corpus.indexes[*first_index].path, first.line_number);
                let title = &corpus.heading(*place).title;
                let message = format!(
                    "`{}` opens `{title}`, and so does `{}` at {at}",
                    entry.name(),
                    first.name()
                );
                self.on_entry(index, entry, TriggerCheck::Collision, message);
            } else {
                reached.insert(*place, (index, entry));
            }
        }
        for place in headings.places() {
            if !reached.contains_key(place) {
                let heading = corpus.heading(*place);
                let message = format!("heading `{}` has no entry in the index", heading.title);
                let path = &corpus.document(*place).path;
                self.report(path, heading.line, TriggerCheck::OrphanHeading, message);
            }
        }
    }

    /// Checks that entries are in the order of their headings.
    fn order(&mut self, targets: &[EntryTarget]) {
        let corpus = self.corpus;
        let mut last: HashMap<(usize, usize, usize), usize> = HashMap::new();
        for ((index, entry), target) in corpus.entries().zip(targets) {
            let EntryTarget::Heading(place) = target else { continue };
            if corpus.document_of(index, &entry.section) != Some(place.document) {
                continue;
            }
            let section = section_line(corpus, index, entry);
            let before = last.entry((index, section, place.document)).or_insert(place.heading);
            if *before > place.heading {
                let message =
                    format!("`{}` is not in the order of the headings in the file", entry.name());
                self.on_entry(index, entry, TriggerCheck::Ordering, message);
            }
            *before = (*before).max(place.heading);
        }
    }

    fn naming(&mut self) {
        let corpus = self.corpus;
        for (index, entry) in corpus.entries() {
            for problem in naming::naming_problems(&entry.trigger) {
                let message = format!("`{}`: {problem}", entry.name());
                self.on_entry(index, entry, TriggerCheck::Naming, message);
            }
        }
    }
}

/// Returns the line of the section that contains an entry.
pub(crate) fn section_line(corpus: &Corpus, index: usize, entry: &TriggerEntry) -> usize {
    let sections = &corpus.indexes[index].index.sections;
    let before = sections.iter().rev().find(|section| section.line_number < entry.line_number);
    before.map_or(0, |section| section.line_number)
}
