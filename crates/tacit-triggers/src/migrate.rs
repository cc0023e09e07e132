//! Migrates an index of `Key — description` lines to triggers: converts entries, renames headings
//! and updates references.

mod convert;
mod references;

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use thiserror::Error;

use crate::corpus::{Corpus, HeadingId, PlannedEdit};
use crate::fix::{LineWriter, autofix};
use crate::fold;
use crate::index::{parse_entry, section_path};
use crate::install::{DEFAULT_DECISIONS, consumption_header};
use crate::lines::{front_matter, lines};
use crate::operator::Operator;
use crate::validate::{Issue, IssueSeverity, validate};

pub use convert::convert;
pub use references::{Mention, slug};
use references::{Rename, rewrite};

/// Sections to remove, because their content is always loaded.
pub const REMOVED_SECTIONS: &[&str] = &["Behavioral Rules"];

/// User-defined conversions by old key, which override the rules. `None` drops the entry.
#[derive(Debug, Clone, Default)]
pub struct Mapping(HashMap<String, Option<MappedEntry>>);

/// The operator, the trigger and the extra triggers of an entry.
type MappedEntry = (Operator, String, Vec<String>);

/// The word that drops an entry.
const DROP: &str = "drop";

/// An invalid line of a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} is not `Key => /when trigger | extras` or `Key => drop`")]
pub struct MappingError {
    /// The number of the line, from 1.
    pub line: usize,
}

impl Mapping {
    /// Parses lines of `Key => /when trigger | extras` or `Key => drop`. Blank lines and comments
    /// with `#` are skipped.
    pub fn parse(text: &str) -> Result<Mapping, MappingError> {
        let mut mapping = Mapping::default();
        mapping.parse_lines(text)?;
        Ok(mapping)
    }

    /// Adds such lines.
    pub fn parse_lines(&mut self, text: &str) -> Result<(), MappingError> {
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let parts = line
                .split_once("=>")
                .and_then(|(key, entry)| Some((fold::key(key), parse_mapped(entry)?)));
            let (key, entry) = parts.ok_or(MappingError { line: number + 1 })?;
            self.0.insert(key, entry);
        }
        Ok(())
    }

    /// Adds `ENTRY=drop` or `ENTRY=/when trigger | extras`. Returns false if it is neither.
    pub fn add(&mut self, text: &str) -> bool {
        let parts = text.split_once('=').and_then(|(key, entry)| {
            Some((fold::key(key), parse_mapped(entry)?)).filter(|(key, _)| !key.is_empty())
        });
        parts.map(|(key, entry)| self.0.insert(key, entry)).is_some()
    }

    fn drops(&self, key: &str) -> bool {
        self.0.get(&fold::key(key)).is_some_and(Option::is_none)
    }
}

/// Parses the new form of an entry; the inner `None` drops it.
fn parse_mapped(text: &str) -> Option<Option<MappedEntry>> {
    match text.trim() {
        DROP => Some(None),
        entry => parse_entry(entry).ok().flatten().map(Some),
    }
}

/// The conversion of one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Conversion {
    /// The old key, or the heading if there was no entry.
    pub key: String,
    /// The new entry; `None` if it was removed.
    pub entry: Option<String>,
    /// The file of its heading.
    pub file: Option<String>,
    /// The new heading.
    pub heading: Option<String>,
}

/// A planned migration.
#[derive(Debug, Clone, Default)]
pub struct MigrationPlan {
    /// The entries, in the order of the index.
    pub conversions: Vec<Conversion>,
    /// The edits of all files.
    pub edits: Vec<PlannedEdit>,
    /// The number of updated references per file.
    pub references: Vec<(String, usize)>,
    /// Texts that mention an old heading without clearly referring to it; they stay.
    pub mentions: Vec<Mention>,
}

/// The reason why a migration is not possible. Nothing is changed then.
#[derive(Debug, Clone, Error)]
pub enum MigrateError {
    /// No index has old entries.
    #[error("no index has entries of the form `Key — description`")]
    NothingToDo,
    /// Some entries have no heading, or several.
    #[error("{} of the old entries cannot be converted", problems.len())]
    Unclear {
        /// The problems, with file and line.
        problems: Vec<String>,
    },
    /// The result would not be valid.
    #[error("the migrated index would have {} problems", issues.len())]
    Invalid {
        /// The resulting problems.
        issues: Vec<Issue>,
    },
}

/// An old entry and its location.
struct OldEntry {
    index: usize,
    line: usize,
    key: String,
    description: String,
    place: Option<HeadingId>,
    removed: bool,
}

/// Plans a migration. `others` are the text files that may refer to headings.
pub fn plan(
    corpus: &Corpus,
    mapping: &Mapping,
    others: impl IntoIterator<Item = (String, Vec<u8>)>,
) -> Result<MigrationPlan, MigrateError> {
    let old = read_old(corpus, mapping)?;
    let (conversions, renames, lines_of) = convert_all(corpus, &old, mapping);
    let mut edits = Vec::new();
    for (at, document) in corpus.documents.iter().enumerate() {
        let after =
            renamed(&document.bytes, renames.iter().filter(|rename| rename.0.document == at));
        if after != document.bytes {
            let before = Some(document.bytes.clone());
            edits.push(PlannedEdit { path: document.path.clone(), before, after });
        }
    }
    for (at, file) in corpus.indexes.iter().enumerate() {
        let gone: HashSet<usize> =
            old.iter().filter(|o| o.index == at && o.removed).map(|o| o.line).collect();
        let after = new_index(corpus, at, &lines_of, &gone);
        edits.push(PlannedEdit {
            path: file.path.clone(),
            before: Some(file.bytes.clone()),
            after,
        });
    }
    tidy_indexes(corpus, &mut edits);
    let issues: Vec<Issue> = validate(&corpus.with(&edits))
        .into_iter()
        .filter(|issue| issue.severity == IssueSeverity::Error)
        .collect();
    if !issues.is_empty() {
        return Err(MigrateError::Invalid { issues });
    }
    let mut plan = MigrationPlan { conversions, edits, ..MigrationPlan::default() };
    update_references(corpus, &renames, others, &mut plan);
    plan.edits.retain(|edit| edit.before.as_ref() != Some(&edit.after));
    Ok(plan)
}

/// Finds the old entries and their headings.
fn read_old(corpus: &Corpus, mapping: &Mapping) -> Result<Vec<OldEntry>, MigrateError> {
    let mut by_title: HashMap<String, Vec<HeadingId>> = HashMap::new();
    let mut structural: HashSet<String> = HashSet::new();
    for place in corpus.places() {
        let heading = corpus.heading(place);
        if heading.is_semantic() {
            by_title.entry(fold::key(&heading.title)).or_default().push(place);
        } else {
            structural.insert(fold::key(&heading.title));
        }
    }
    let (mut old, mut problems) = (Vec::new(), Vec::new());
    for (index, file) in corpus.indexes.iter().enumerate() {
        let mut section: Option<String> = None;
        for line in lines(&file.bytes) {
            let Some(text) = line.text() else { continue };
            if let Some(path) = section_path(text) {
                section = Some(path);
                continue;
            }
            let Some(section) = &section else { continue };
            let Some((key, description)) = convert::old_entry(text) else { continue };
            let own = corpus.document_of(index, section);
            let places = by_title.get(&fold::key(&key)).map_or(&[][..], Vec::as_slice);
            let drops = mapping.drops(&key);
            let place = match places {
                [place] => Some(*place),
                several => several.iter().find(|place| Some(place.document) == own).copied(),
            };
            // Structural headings and titles of files have no entries.
            let groups = places.is_empty() && structural.contains(&fold::key(&key));
            let removed = drops || (place.is_none() && (groups || is_removed(section)));
            if place.is_none() && !removed {
                let why = if places.is_empty() { "no heading" } else { "several headings" };
                problems.push(format!("{}:{}: `{key}` has {why}", file.path, line.number));
            }
            old.push(OldEntry { index, line: line.number, key, description, place, removed });
        }
    }
    if old.is_empty() {
        return Err(MigrateError::NothingToDo);
    }
    if problems.is_empty() { Ok(old) } else { Err(MigrateError::Unclear { problems }) }
}

/// Returns true for a section to remove. Its heading may go on with a remark: `Behavioral Rules
/// (fragments — already loaded)`.
fn is_removed(section: &str) -> bool {
    REMOVED_SECTIONS.iter().any(|name| {
        let rest = section.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
        let rest = rest.map(|_| section[name.len()..].trim_start());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '—', '–', '-', ':', '[']))
    })
}

/// New lines by index and line number; those without a line are appended.
type NewLines = Vec<(usize, Option<usize>, String)>;

/// Converts the old entries, and headings that had no entry.
fn convert_all(
    corpus: &Corpus,
    old: &[OldEntry],
    mapping: &Mapping,
) -> (Vec<Conversion>, Vec<(HeadingId, String)>, NewLines) {
    let mut conversions = Vec::new();
    let mut renames: Vec<(HeadingId, String)> = Vec::new();
    let mut new_lines = Vec::new();
    let mut used = HashSet::new();
    let mut one = |key: &str, description: &str, place: HeadingId, index, line| {
        let known = mapping.0.get(&fold::key(key)).cloned().flatten();
        let (operator, trigger, mut extras) = known.unwrap_or_else(|| convert(key, description));
        extras.retain(|extra| used.insert((operator, fold::key(extra))));
        let entry = match extras.is_empty() {
            true => format!("/{operator} {trigger}"),
            false => format!("/{operator} {trigger} | {}", extras.join(", ")),
        };
        let heading = operator.heading(&trigger);
        let file = corpus.document(place).path.clone();
        conversions.push(Conversion {
            key: key.to_owned(),
            entry: Some(entry.clone()),
            file: Some(file),
            heading: Some(heading.clone()),
        });
        new_lines.push((index, line, entry));
        renames.push((place, heading));
    };
    let mut gone = Vec::new();
    for entry in old {
        match entry.place.filter(|_| !entry.removed) {
            Some(place) => {
                one(&entry.key, &entry.description, place, entry.index, Some(entry.line));
            }
            None => {
                gone.push(Conversion { key: entry.key.clone(), ..Conversion::default() });
            }
        }
    }
    let known: HashSet<HeadingId> = old.iter().filter_map(|entry| entry.place).collect();
    let migrated = crate::HeadingIndex::of(corpus);
    let mut matcher = crate::fuzzy::Matcher::default();
    let already: HashSet<HeadingId> = corpus
        .entries()
        .filter_map(|(index, entry)| migrated.locate(&mut matcher, index, entry))
        .collect();
    for place in migrated.places() {
        let title = &corpus.heading(*place).title;
        if !known.contains(place) && !already.contains(place) && !mapping.drops(title) {
            one(title, "", *place, 0, None);
        }
    }
    // A heading without an entry only groups others.
    let dropped = migrated
        .places()
        .iter()
        .filter(|place| !already.contains(place) && mapping.drops(&corpus.heading(**place).title));
    renames.extend(dropped.map(|place| (*place, format!(".{}", corpus.heading(*place).title))));
    conversions.extend(gone);
    (conversions, renames, new_lines)
}

/// Replaces headings in a file.
fn renamed<'a>(bytes: &[u8], renames: impl Iterator<Item = &'a (HeadingId, String)>) -> Vec<u8> {
    let headings = crate::markdown::outline(bytes);
    let mut changes: Vec<(std::ops::Range<usize>, &str)> = renames
        .filter_map(|(place, title)| {
            Some((headings.get(place.heading)?.text.clone(), title.as_str()))
        })
        .collect();
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for (range, title) in changes {
        out.extend_from_slice(bytes.get(from..range.start).unwrap_or_default());
        out.extend_from_slice(title.as_bytes());
        from = range.end;
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out
}

/// Replaces the head and the entries of an index.
fn new_index(corpus: &Corpus, at: usize, new: &NewLines, gone: &HashSet<usize>) -> Vec<u8> {
    let file = &corpus.indexes[at];
    let by_line: HashMap<usize, &str> = new
        .iter()
        .filter(|(index, _, _)| *index == at)
        .filter_map(|(_, line, entry)| Some(((*line)?, entry.as_str())))
        .collect();
    let mut out = LineWriter::new(&file.bytes);
    let begin = front_matter(&file.bytes);
    let mark = out.bytes.len();
    out.bytes.extend_from_slice(&file.bytes[mark.min(begin)..begin]);
    let decisions = corpus.decisions.first().map_or(DEFAULT_DECISIONS, String::as_str);
    consumption_header(decisions).lines().for_each(|line| out.line(line.as_bytes()));
    out.line(b"");
    let (mut in_body, mut in_removed) = (false, false);
    for line in lines(&file.bytes).filter(|line| line.start >= begin) {
        if let Some(section) = line.text().and_then(section_path) {
            let end = lines(&file.bytes)
                .skip_while(|other| other.number <= line.number)
                .find(|other| other.text().and_then(section_path).is_some())
                .map_or(usize::MAX, |next| next.number);
            // An entry that stays is moved from here to the file of its heading.
            let stays = by_line.keys().any(|number| (line.number..end).contains(number));
            (in_body, in_removed) = (true, is_removed(&section) && !stays);
        }
        if !in_body || in_removed || gone.contains(&line.number) {
            continue;
        }
        let ending = &file.bytes[line.start + line.bytes.len()..line.end];
        match by_line.get(&line.number) {
            Some(entry) => out.raw(entry.as_bytes(), ending),
            None => out.raw(line.bytes, ending),
        }
    }
    let added: Vec<&str> = new
        .iter()
        .filter(|(index, line, _)| *index == at && line.is_none())
        .map(|(_, _, entry)| entry.as_str())
        .collect();
    if !added.is_empty() {
        // Tidying moves the entries to their sections and removes this one.
        out.blank();
        out.line(b"## Unplaced");
        out.line(b"");
        added.iter().for_each(|entry| out.line(entry.as_bytes()));
    }
    out.bytes
}

/// Moves entries under their files, and removes empty sections.
fn tidy_indexes(corpus: &Corpus, edits: &mut [PlannedEdit]) {
    for fixed in autofix(&corpus.with(edits)) {
        if let Some(edit) = edits.iter_mut().find(|edit| edit.path == fixed.path) {
            edit.after = fixed.bytes;
        }
    }
    let after = corpus.with(edits);
    for (at, file) in after.indexes.iter().enumerate() {
        let all: Vec<_> = lines(&file.bytes).collect();
        let is_section =
            |line: &crate::lines::FileLine<'_>| line.text().and_then(section_path).is_some();
        let mut out = LineWriter::new(&file.bytes);
        let mut next = 0;
        while let Some(line) = all.get(next) {
            let end =
                all[next + 1..].iter().position(is_section).map_or(all.len(), |n| next + 1 + n);
            let path = line.text().and_then(section_path);
            let empty = all[next + 1..end].iter().all(crate::lines::FileLine::is_blank);
            let dropped = path.is_some_and(|path| after.document_of(at, &path).is_none()) && empty;
            for line in all[next..end].iter().filter(|_| !dropped) {
                out.raw(line.bytes, &file.bytes[line.start + line.bytes.len()..line.end]);
            }
            next = end;
        }
        if let Some(edit) = edits.iter_mut().find(|edit| edit.path == file.path) {
            edit.after = out.bytes;
        }
    }
}

/// Updates references in the edited decision files and in all other files.
fn update_references(
    corpus: &Corpus,
    renames: &[(HeadingId, String)],
    others: impl IntoIterator<Item = (String, Vec<u8>)>,
    plan: &mut MigrationPlan,
) {
    let renames: Vec<Rename<'_>> = renames
        .iter()
        .map(|(place, to)| Rename {
            file: &corpus.document(*place).path,
            from: &corpus.heading(*place).title,
            to: to.strip_prefix('.').unwrap_or(to),
        })
        .filter(|rename| rename.from != rename.to)
        .collect();
    let indexes: Vec<&str> = corpus.indexes.iter().map(|file| file.path.as_str()).collect();
    let mut note = |path: &str, count: usize, mentions: Vec<Mention>| {
        if count > 0 {
            plan.references.push((path.to_owned(), count));
        }
        plan.mentions.extend(mentions);
    };
    for document in &corpus.documents {
        let edit = plan.edits.iter().position(|edit| edit.path == document.path);
        let bytes = edit.map_or(&document.bytes, |edit| &plan.edits[edit].after);
        let (after, count, mentions) = rewrite(&document.path, bytes, &renames);
        note(&document.path, count, mentions);
        match (edit, after) {
            (Some(edit), Some(after)) => plan.edits[edit].after = after,
            (None, Some(after)) => {
                let before = Some(document.bytes.clone());
                plan.edits.push(PlannedEdit { path: document.path.clone(), before, after });
            }
            (_, None) => {}
        }
    }
    for (path, bytes) in others {
        let known = corpus.documents.iter().any(|document| document.path == path);
        if known || indexes.contains(&path.as_str()) {
            continue;
        }
        let (after, count, mentions) = rewrite(&path, &bytes, &renames);
        note(&path, count, mentions);
        if let Some(after) = after {
            plan.edits.push(PlannedEdit { path, before: Some(bytes), after });
        }
    }
}
