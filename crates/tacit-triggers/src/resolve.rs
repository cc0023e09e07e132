//! Resolves `/when` and `/how` queries: by trigger, by `.Section`, or by `..file.md`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::corpus::{Corpus, HeadingId, HeadingIndex};
use crate::fold;
use crate::fuzzy::{DEFAULT_LIMIT, Matcher, Score};
use crate::index::TriggerEntry;
use crate::navigate::{self, CONTAINER};
use crate::operator::{Operator, strip, trigger_key};
pub use crate::resolve_error::ResolveError;

/// The maximum number of entries suggested that share no word with the query.
const UNRELATED_SHOWN: usize = 3;
/// The maximum number of sections suggested.
const SECTIONS_SHOWN: usize = 10;

/// The kind of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind<'a> {
    /// A trigger, matched against the index.
    Trigger(&'a str),
    /// The heading of a section in any file.
    Section(&'a str),
    /// The name of a file in the decisions directory.
    File(&'a str),
}

impl<'a> QueryKind<'a> {
    /// Determines the kind by the leading dots.
    pub fn of(query: &'a str) -> QueryKind<'a> {
        let query = query.trim();
        if let Some(name) = query.strip_prefix("..") {
            QueryKind::File(name.trim())
        } else if let Some(name) = query.strip_prefix('.') {
            QueryKind::Section(name.trim())
        } else {
            QueryKind::Trigger(query)
        }
    }
}

/// A resolved section or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedSection {
    /// The heading; `None` for a whole file.
    pub title: Option<String>,
    /// The contents of the section below its heading, or of the file.
    pub content: Vec<u8>,
    /// The path of the file.
    pub path: String,
    /// The line of the heading, from 1.
    pub line: usize,
    /// Links to its parents, the nearest first.
    pub broader: Vec<String>,
    /// The entries of its siblings.
    pub related: Vec<String>,
}

impl ResolvedSection {
    /// Renders the section with its links; a file is returned as it is.
    pub fn render(&self) -> Vec<u8> {
        let Some(title) = &self.title else { return self.content.clone() };
        let mut out = format!("# {title}\n").into_bytes();
        let content = without_blank_ends(&self.content);
        if !content.is_empty() {
            out.push(b'\n');
            out.extend_from_slice(content);
            out.push(b'\n');
        }
        for (name, links) in [("Broader", &self.broader), ("Related", &self.related)] {
            if !links.is_empty() {
                out.extend_from_slice(format!("\n{name}:\n{}\n", links.join("\n")).as_bytes());
            }
        }
        out
    }
}

/// Removes blank lines at both ends.
fn without_blank_ends(content: &[u8]) -> &[u8] {
    let mut content = content.trim_ascii_end();
    while let Some(end) = content.iter().position(|byte| *byte == b'\n') {
        if !content[..end].trim_ascii().is_empty() {
            break;
        }
        content = &content[end + 1..];
    }
    content
}

/// Resolves a query.
pub fn resolve(
    corpus: &Corpus,
    operator: Operator,
    query: &str,
) -> Result<ResolvedSection, ResolveError> {
    match QueryKind::of(query) {
        QueryKind::File(name) => file(corpus, name),
        QueryKind::Section(name) => {
            let place = find_section(corpus, name)?;
            Ok(answer(corpus, &HeadingIndex::of(corpus), place))
        }
        QueryKind::Trigger(trigger) => {
            let headings = HeadingIndex::of(corpus);
            let place = find_trigger(corpus, &headings, operator, trigger)?;
            Ok(answer(corpus, &headings, place))
        }
    }
}

fn answer(corpus: &Corpus, headings: &HeadingIndex<'_>, place: HeadingId) -> ResolvedSection {
    let (document, heading) = (corpus.document(place), corpus.heading(place));
    ResolvedSection {
        title: Some(heading.title.clone()),
        content: document.slice(heading.body.clone()).to_vec(),
        path: document.path.clone(),
        line: heading.line,
        broader: navigate::broader(corpus, place),
        related: navigate::related(corpus, headings, place),
    }
}

/// A possible match of a query.
enum Candidate<'a> {
    Entry(usize, &'a TriggerEntry),
    Heading(HeadingId),
}

/// Finds the heading that a trigger opens.
pub fn find_trigger(
    corpus: &Corpus,
    headings: &HeadingIndex<'_>,
    operator: Operator,
    trigger: &str,
) -> Result<HeadingId, ResolveError> {
    let mut matcher = Matcher::default();
    let best = best_candidates(corpus, headings, operator, trigger, &mut matcher);
    let mut places: Vec<HeadingId> = Vec::new();
    let mut missing = None;
    for candidate in &best {
        let place = match candidate {
            Candidate::Heading(place) => Some(*place),
            Candidate::Entry(index, entry) => headings.locate(&mut matcher, *index, entry),
        };
        match (place, candidate) {
            (Some(place), _) if !places.contains(&place) => places.push(place),
            (None, Candidate::Entry(_, entry)) => missing = missing.or(Some(*entry)),
            _ => {}
        }
    }
    match (&places[..], missing) {
        ([place], _) => Ok(*place),
        ([], Some(entry)) => {
            Err(ResolveError::NoHeading { entry: entry.name(), file: entry.section.clone() })
        }
        ([], None) => Err(ResolveError::NoMatch {
            query: trigger.to_owned(),
            suggestions: nearest_entries(corpus, headings, operator, trigger),
        }),
        _ => Err(ResolveError::Ambiguous {
            query: trigger.to_owned(),
            suggestions: places
                .iter()
                .take(DEFAULT_LIMIT)
                .map(|place| suggestion(corpus, *place))
                .collect(),
        }),
    }
}

/// Returns the best candidates: exact matches, else those with the highest score. Triggers, extra
/// triggers and headings compete equally.
fn best_candidates<'a>(
    corpus: &'a Corpus,
    headings: &HeadingIndex<'_>,
    operator: Operator,
    trigger: &str,
    matcher: &mut Matcher,
) -> Vec<Candidate<'a>> {
    if trigger.is_empty() {
        return Vec::new();
    }
    let key = trigger_key(operator, trigger);
    let entries = || corpus.entries().filter(|(_, entry)| entry.operator == operator);
    let same = |text: &str| trigger_key(operator, text) == key;
    let primary: Vec<Candidate<'a>> = entries()
        .filter(|(_, entry)| same(&entry.trigger))
        .map(|(index, entry)| Candidate::Entry(index, entry))
        .collect();
    if !primary.is_empty() {
        return primary;
    }
    let exact: Vec<Candidate<'a>> =
        headings.exact_matches(operator, trigger).map(Candidate::Heading).collect();
    if !exact.is_empty() {
        return exact;
    }
    let extra: Vec<Candidate<'a>> = entries()
        .filter(|(_, entry)| entry.extra_triggers.iter().any(|extra| same(extra)))
        .map(|(index, entry)| Candidate::Entry(index, entry))
        .collect();
    if !extra.is_empty() {
        return extra;
    }
    let query = operator.query(trigger);
    let mut scored: Vec<(Score, Candidate<'a>)> = headings
        .matching(matcher, Some(operator), &query)
        .into_iter()
        .map(|(place, score)| (score, Candidate::Heading(place)))
        .collect();
    for (index, entry) in entries() {
        let scores = entry.triggers().filter_map(|text| matcher.score(&operator.query(text)));
        if let Some(score) = scores.max() {
            scored.push((score, Candidate::Entry(index, entry)));
        }
    }
    let Some(best) = scored.iter().map(|(score, _)| *score).max() else { return Vec::new() };
    let top = scored.into_iter().filter(|(score, _)| *score == best);
    top.map(|(_, candidate)| candidate).collect()
}

/// Returns the invocation that opens a heading.
fn suggestion(corpus: &Corpus, place: HeadingId) -> String {
    let title = &corpus.heading(place).title;
    let operator = Operator::of_heading(title).unwrap_or(Operator::When);
    format!("/{operator} {}", strip(operator, title).to_lowercase())
}

/// Returns the entries most similar to a trigger, those of the same operator first. If no word of
/// it occurs in any, spelling decides; without an index, headings are suggested.
fn nearest_entries(
    corpus: &Corpus,
    headings: &HeadingIndex<'_>,
    operator: Operator,
    trigger: &str,
) -> Vec<String> {
    let mut matcher = Matcher::new(strip(operator, trigger));
    let mut near: Vec<(i32, bool, &TriggerEntry)> = corpus
        .entries()
        .map(|(_, entry)| {
            let best = entry.triggers().map(|text| matcher.closeness(text)).max();
            (best.unwrap_or(0), entry.operator == operator, entry)
        })
        .filter(|(points, _, _)| *points > 0)
        .collect();
    near.sort_by_key(|(points, same, _)| Reverse((*points, *same)));
    if !near.is_empty() || trigger.is_empty() {
        return near.iter().take(DEFAULT_LIMIT).map(|(_, _, entry)| entry.name()).collect();
    }
    let entries = corpus.entries().map(|(_, entry)| {
        let best = entry.triggers().map(|text| shared_pairs(trigger, text)).max();
        (best.unwrap_or(0), entry.operator == operator, entry.name())
    });
    let mut near: Vec<(u32, bool, String)> = entries.collect();
    if near.is_empty() {
        near.extend(headings.places().iter().map(|place| {
            let title = &corpus.heading(*place).title;
            let own = Operator::of_heading(title) == Some(operator);
            (shared_pairs(trigger, title), own, suggestion(corpus, *place))
        }));
    }
    near.sort_by_key(|(points, same, _)| Reverse((*points, *same)));
    near.into_iter().take(UNRELATED_SHOWN).map(|(_, _, name)| name).collect()
}

/// Returns the share of pairs of adjacent letters that two texts have in common, in thousandths.
fn shared_pairs(one: &str, other: &str) -> u32 {
    let pairs = |text: &str| -> BTreeSet<(char, char)> {
        let letters: Vec<char> = fold::key(text).chars().filter(|c| !c.is_whitespace()).collect();
        letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (one, other) = (pairs(one), pairs(other));
    let shared = one.intersection(&other).count();
    u32::try_from(2_000 * shared / (one.len() + other.len()).max(1)).unwrap_or(0)
}

/// Finds a section by name; `file.md#Name` restricts it to a file.
pub fn find_section(corpus: &Corpus, name: &str) -> Result<HeadingId, ResolveError> {
    let name = name.strip_suffix(CONTAINER).unwrap_or(name).trim();
    let by_name = |name: &str, file: Option<&str>| -> Vec<HeadingId> {
        let key = fold::key(name);
        corpus
            .places()
            .filter(|place| fold::key(&corpus.heading(*place).title) == key)
            .filter(|place| file.is_none_or(|file| corpus.document(*place).link_name() == file))
            .collect()
    };
    let mut found = by_name(name, None);
    if found.is_empty()
        && let Some((file, name)) = name.split_once('#')
    {
        found = by_name(name, Some(file.trim()));
    }
    match found[..] {
        [place] => Ok(place),
        [] => Err(ResolveError::NoSection {
            name: name.to_owned(),
            available: nearest_sections(corpus, name),
        }),
        _ => Err(ResolveError::ManySections {
            name: name.to_owned(),
            candidates: found
                .iter()
                .map(|place| {
                    let (document, heading) = (corpus.document(*place), corpus.heading(*place));
                    let file = document.link_name();
                    format!(".{file}#{} (line {})", heading.title, heading.line)
                })
                .collect(),
        }),
    }
}

fn nearest_sections(corpus: &Corpus, name: &str) -> Vec<String> {
    let mut matcher = Matcher::new(name);
    let mut near: Vec<(i32, &str)> = corpus
        .places()
        .map(|place| corpus.heading(place))
        .filter(|heading| heading.level > 1 && !heading.title.is_empty())
        .map(|heading| (matcher.closeness(&heading.title), heading.title.as_str()))
        .collect();
    near.sort_by_key(|(points, _)| Reverse(*points));
    let mut names: Vec<String> = Vec::new();
    for (_, title) in near {
        let name = format!(".{title}");
        if names.len() < SECTIONS_SHOWN && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns a decision file. Only loaded files are searched, so that no name leads elsewhere.
fn file(corpus: &Corpus, name: &str) -> Result<ResolvedSection, ResolveError> {
    let find = |name: &str| {
        corpus.documents.iter().find(|document| document.name.as_deref() == Some(name))
    };
    let plain = name.strip_prefix("./").unwrap_or(name);
    let Some(document) = find(plain).or_else(|| find(&format!("{plain}.md"))) else {
        let names = corpus.documents.iter().filter_map(|document| document.name.as_deref());
        return Err(ResolveError::NoFile {
            name: name.to_owned(),
            directory: corpus.directory(),
            available: names.map(|name| format!("..{name}")).collect(),
        });
    };
    Ok(ResolvedSection {
        title: None,
        content: document.bytes.clone(),
        path: document.path.clone(),
        line: 1,
        broader: Vec::new(),
        related: Vec::new(),
    })
}
