//! Adds an entry: its line in the index together with its heading in a decision file.

use thiserror::Error;

use crate::corpus::{Corpus, HeadingId, HeadingIndex, PlannedEdit};
use crate::fix::LineWriter;
use crate::fuzzy::Matcher;
use crate::index::TriggerEntry;
use crate::lines::lines;
use crate::naming::{NamingProblem, naming_problems};
use crate::operator::Operator;
use crate::validate::{Issue, IssueSeverity, TriggerCheck, section_line, validate};

/// An entry to add.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// `/when` for behaviour, `/how` for procedures.
    pub operator: Operator,
    /// The trigger.
    pub trigger: String,
    /// Additional triggers.
    pub extra_triggers: Vec<String>,
    /// The path of the decision file from the root of the project. It is created if needed.
    pub file: String,
    /// The heading to put it under; `None` appends it to the file.
    pub under: Option<String>,
    /// The text of the section.
    pub body: String,
}

/// The planned addition of an entry.
#[derive(Debug, Clone)]
pub struct PlannedEntry {
    /// The new entry of the index.
    pub entry: TriggerEntry,
    /// The new heading of the decision file.
    pub heading: String,
    /// The edits of both files.
    pub edits: Vec<PlannedEdit>,
    /// Suggestions for a better trigger.
    pub remarks: Vec<String>,
}

/// The reason why an entry cannot be added.
#[derive(Debug, Clone, Error)]
pub enum AddError {
    /// A trigger is not plain prose.
    #[error("`{trigger}`: {}", joined(naming_problems))]
    Naming {
        /// The invalid trigger.
        trigger: String,
        /// All its problems.
        naming_problems: Vec<NamingProblem>,
    },
    /// The project has no index.
    #[error("there is no index to add to")]
    NoIndex,
    /// The file is not in a decisions directory.
    #[error("`{file}` is not a markdown file in {directory}")]
    NotADecisionFile {
        /// The file.
        file: String,
        /// The decisions directories.
        directory: String,
    },
    /// The file does not have the heading.
    #[error("`{file}` has no heading `{under}`")]
    NoSuchHeading {
        /// The file.
        file: String,
        /// The heading.
        under: String,
    },
    /// The text has a heading that would end its section.
    #[error("the text has a heading of level {level} or above, which would end its section")]
    HeadingInBody {
        /// The level of the new heading.
        level: u8,
    },
    /// The heading already exists.
    #[error("heading `{heading}` already exists at {at}")]
    Exists {
        /// The heading.
        heading: String,
        /// The file and line.
        at: String,
    },
    /// An entry would become ambiguous.
    #[error("cannot add `{entry}`: {}", root_cause(issues))]
    NotUnique {
        /// The entry.
        entry: String,
        /// The resulting validation errors.
        issues: Vec<Issue>,
    },
}

/// Returns the root cause: that something is ambiguous. Other errors follow from that.
fn root_cause(issues: &[Issue]) -> &str {
    let cause = issues
        .iter()
        .find(|issue| matches!(issue.check, TriggerCheck::Expansion | TriggerCheck::Collision));
    cause.or(issues.first()).map_or("", |issue| &issue.message)
}

fn joined(naming_problems: &[NamingProblem]) -> String {
    naming_problems.iter().map(NamingProblem::to_string).collect::<Vec<_>>().join("; ")
}

/// Plans the addition of an entry. Nothing is written.
pub fn plan_add(corpus: &Corpus, new: &NewEntry) -> Result<PlannedEntry, AddError> {
    let mut remarks = Vec::new();
    for trigger in std::iter::once(&new.trigger).chain(&new.extra_triggers) {
        let found = naming_problems(trigger);
        let (refused, remarked): (Vec<_>, Vec<_>) =
            found.into_iter().partition(NamingProblem::is_error);
        if !refused.is_empty() {
            return Err(AddError::Naming { trigger: trigger.clone(), naming_problems: refused });
        }
        if trigger == &new.trigger {
            remarks.extend(remarked.iter().map(NamingProblem::to_string));
        }
    }
    let heading = new.operator.heading(&new.trigger);
    let existing = HeadingIndex::of(corpus).exact_matches(new.operator, &new.trigger).next();
    if let Some(existing) = existing {
        let at = format!("{}:{}", corpus.document(existing).path, corpus.heading(existing).line);
        return Err(AddError::Exists { heading: corpus.heading(existing).title.clone(), at });
    }
    let document = with_heading(corpus, new, &heading)?;
    let next = corpus.with(std::slice::from_ref(&document));
    let at = next.documents.iter().position(|file| file.path == document.path);
    let (Some(at), Some(owner)) = (at, index_for(&next, &document.path)) else {
        return Err(AddError::NoIndex);
    };
    let mut entry = TriggerEntry {
        operator: new.operator,
        trigger: new.trigger.split_whitespace().collect::<Vec<_>>().join(" "),
        extra_triggers: new.extra_triggers.iter().map(|extra| extra.trim().to_owned()).collect(),
        line_number: 0,
        section: document.path.clone(),
    };
    let place = next.documents[at]
        .headings
        .iter()
        .rposition(|own| own.title == heading)
        .map(|heading| HeadingId { document: at, heading });
    let index = with_entry(&next, owner, &entry, place);
    let edits = vec![document, index];
    let after = corpus.with(&edits);
    let line = after.indexes[owner].index.entries.iter().find(|own| own.name() == entry.name());
    entry.line_number = line.map_or(0, |own| own.line_number);
    let before: Vec<String> = errors(corpus).into_iter().map(|issue| issue.message).collect();
    let issues: Vec<Issue> =
        errors(&after).into_iter().filter(|issue| !before.contains(&issue.message)).collect();
    if !issues.is_empty() {
        return Err(AddError::NotUnique { entry: entry.name(), issues });
    }
    Ok(PlannedEntry { entry, heading, edits, remarks })
}

fn errors(corpus: &Corpus) -> Vec<Issue> {
    let mut issues = validate(corpus);
    issues.retain(|issue| issue.severity == IssueSeverity::Error);
    issues
}

/// Returns the index with a section for a file, else the first index.
fn index_for(corpus: &Corpus, path: &str) -> Option<usize> {
    let document = corpus.documents.iter().position(|file| file.path == path)?;
    let names = |index: usize| {
        let sections = &corpus.indexes[index].index.sections;
        sections.iter().any(|s| corpus.document_of(index, &s.path) == Some(document))
    };
    let indexes = 0..corpus.indexes.len();
    indexes.clone().find(|index| names(*index)).or_else(|| indexes.clone().next())
}

/// Builds the edit of the decision file.
fn with_heading(corpus: &Corpus, new: &NewEntry, heading: &str) -> Result<PlannedEdit, AddError> {
    let not_ours =
        || AddError::NotADecisionFile { file: new.file.clone(), directory: corpus.directory() };
    let document = corpus.documents.iter().find(|file| file.path == new.file);
    let (bytes, before) = match document {
        Some(document) => (document.bytes.clone(), Some(document.bytes.clone())),
        None => {
            let name = corpus.name_in_decisions(&new.file).ok_or_else(not_ours)?;
            let stem = name.strip_suffix(".md").ok_or_else(not_ours)?;
            let plain = stem.split('/').all(|part| {
                !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', '\0'])
            });
            if !plain {
                return Err(not_ours());
            }
            let title = stem.rsplit('/').next().unwrap_or(stem).replace(['-', '_'], " ");
            (format!("# {}\n", capitalised(&title)).into_bytes(), None)
        }
    };
    let (level, end) = match (&new.under, document) {
        (None, _) => (2, bytes.len()),
        (Some(under), document) => {
            let wanted = under.trim().trim_start_matches('.');
            let found = document.and_then(|file| {
                file.headings
                    .iter()
                    .find(|own| own.level > 1 && own.title.eq_ignore_ascii_case(wanted))
            });
            let found = found.ok_or_else(|| AddError::NoSuchHeading {
                file: new.file.clone(),
                under: under.clone(),
            })?;
            ((found.level + 1).min(6), found.body.end)
        }
    };
    let body = new.body.trim();
    let ends_section = crate::markdown::outline(body.as_bytes());
    if ends_section.iter().any(|own| own.level <= level) {
        return Err(AddError::HeadingInBody { level });
    }
    let mut out = LineWriter::new(&bytes);
    let mark = out.bytes.len();
    out.bytes.extend_from_slice(&bytes[mark..end]);
    out.blank();
    out.line(format!("{} {heading}", "#".repeat(usize::from(level))).as_bytes());
    if !body.is_empty() {
        out.line(b"");
        body.lines().for_each(|line| out.line(line.as_bytes()));
    }
    if end < bytes.len() {
        out.line(b"");
    }
    out.bytes.extend_from_slice(&bytes[end..]);
    Ok(PlannedEdit { path: new.file.clone(), before, after: out.bytes })
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Builds the edit of the index, with the entry in the order of the file's headings.
fn with_entry(
    corpus: &Corpus,
    owner: usize,
    entry: &TriggerEntry,
    place: Option<HeadingId>,
) -> PlannedEdit {
    let file = &corpus.indexes[owner];
    let headings = HeadingIndex::of(corpus);
    let mut matcher = Matcher::default();
    let document = place.map(|place| place.document);
    let section = file
        .index
        .sections
        .iter()
        .find(|section| corpus.document_of(owner, &section.path) == document);
    let mut out = LineWriter::new(&file.bytes);
    let Some(section) = section else {
        out.bytes.clone_from(&file.bytes);
        out.blank();
        out.line(format!("## {}", entry.section).as_bytes());
        out.line(b"");
        out.line(entry.to_string().as_bytes());
        return PlannedEdit {
            path: file.path.clone(),
            before: Some(file.bytes.clone()),
            after: out.bytes,
        };
    };
    let own: Vec<(usize, Option<HeadingId>)> = file
        .index
        .entries
        .iter()
        .filter(|other| section_line(corpus, owner, other) == section.line_number)
        .map(|other| (other.line_number, headings.locate(&mut matcher, owner, other)))
        .collect();
    let last_before = own.iter().rev().find(|(_, other)| *other < place && other.is_some());
    let (before, after) = match (last_before, own.first()) {
        (Some((line, _)), _) => (None, Some(*line)),
        (None, Some((line, _))) => (Some(*line), None),
        (None, None) => (None, Some(section.line_number)),
    };
    for line in lines(&file.bytes) {
        if before == Some(line.number) {
            out.line(entry.to_string().as_bytes());
        }
        out.raw(line.bytes, &file.bytes[line.start + line.bytes.len()..line.end]);
        if after == Some(line.number) {
            if own.is_empty() {
                out.line(b"");
            }
            out.line(entry.to_string().as_bytes());
        }
    }
    PlannedEdit { path: file.path.clone(), before: Some(file.bytes.clone()), after: out.bytes }
}
