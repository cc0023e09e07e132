//! The indexes and decision files, as values; [`crate::files`] reads them.

use std::collections::HashMap;
use std::ops::Range;

use crate::fuzzy::{CandidatePool, Matcher, Score};
use crate::index::{TriggerEntry, TriggerIndex, parse_index};
use crate::markdown::{MarkdownHeading, outline};
use crate::operator::{Operator, heading_key, trigger_key};

/// A decision file.
#[derive(Debug, Clone)]
pub struct Document {
    /// The path from the root of the project, with `/`.
    pub path: String,
    /// The path from the decisions directory; `None` if it is elsewhere.
    pub name: Option<String>,
    /// The contents.
    pub bytes: Vec<u8>,
    /// The headings, in order.
    pub headings: Vec<MarkdownHeading>,
}

impl Document {
    /// Parses the headings of a file.
    pub fn new(path: impl Into<String>, name: Option<String>, bytes: Vec<u8>) -> Document {
        let headings = outline(&bytes);
        Document { path: path.into(), name, bytes, headings }
    }

    /// Returns the name that opens the file after `..`.
    pub fn link_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.path)
    }

    /// Returns the bytes of a range; empty if it is out of bounds.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Returns the parents of a heading, the nearest first, without the title of the file.
    pub fn ancestors(&self, heading: usize) -> impl Iterator<Item = &MarkdownHeading> {
        let parent = move |at: usize| self.headings.get(at).and_then(|heading| heading.parent);
        std::iter::successors(parent(heading), move |at| parent(*at))
            .filter_map(|at| self.headings.get(at))
            .filter(|heading| heading.level > 1)
    }
}

/// An index file.
#[derive(Debug, Clone)]
pub struct IndexFile {
    /// The path from the root of the project.
    pub path: String,
    /// The contents.
    pub bytes: Vec<u8>,
    /// The parsed contents.
    pub index: TriggerIndex,
}

impl IndexFile {
    /// Parses an index.
    pub fn new(path: impl Into<String>, bytes: Vec<u8>) -> IndexFile {
        let index = parse_index(&bytes);
        IndexFile { path: path.into(), bytes, index }
    }
}

/// All indexes and decision files of a project.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// The directories of the decision files, from the root of the project.
    pub decisions: Vec<String>,
    /// The indexes.
    pub indexes: Vec<IndexFile>,
    /// The decision files, by path.
    pub documents: Vec<Document>,
}

/// A planned change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEdit {
    /// The path from the root of the project.
    pub path: String,
    /// The old contents; `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
    /// The new contents.
    pub after: Vec<u8>,
}

/// The position of a heading: its file, and its number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeadingId {
    /// The number of the file in the corpus.
    pub document: usize,
    /// The number of the heading in the file.
    pub heading: usize,
}

impl Corpus {
    /// Returns the entries of all indexes, each with the number of its index.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &TriggerEntry)> {
        let indexes = self.indexes.iter().enumerate();
        indexes.flat_map(|(at, file)| file.index.entries.iter().map(move |entry| (at, entry)))
    }

    /// Formats the decisions directories for messages.
    pub fn directory(&self) -> String {
        let names = self.decisions.iter().map(|name| format!("{}/", name.trim_end_matches('/')));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Converts a path from the root of the project to one from the decisions directory.
    pub fn name_in_decisions(&self, path: &str) -> Option<String> {
        self.decisions.iter().find_map(|directory| {
            let inside = path.strip_prefix(directory.trim_end_matches('/'))?;
            Some(inside.strip_prefix('/')?.to_owned())
        })
    }

    /// Returns the corpus after some edits.
    #[must_use]
    pub fn with(&self, edits: &[PlannedEdit]) -> Corpus {
        let mut corpus = self.clone();
        for edit in edits {
            let path = &edit.path;
            if let Some(index) = corpus.indexes.iter_mut().find(|file| file.path == *path) {
                *index = IndexFile::new(path, edit.after.clone());
            } else if let Some(file) = corpus.documents.iter_mut().find(|file| file.path == *path) {
                *file = Document::new(path, file.name.clone(), edit.after.clone());
            } else if let Some(name) = self.name_in_decisions(path) {
                corpus.documents.push(Document::new(path, Some(name), edit.after.clone()));
            }
        }
        corpus
    }

    /// Returns a heading.
    pub fn heading(&self, place: HeadingId) -> &MarkdownHeading {
        &self.documents[place.document].headings[place.heading]
    }

    /// Returns the file of a heading.
    pub fn document(&self, place: HeadingId) -> &Document {
        &self.documents[place.document]
    }

    /// Returns all headings of all files.
    pub fn places(&self) -> impl Iterator<Item = HeadingId> {
        self.documents.iter().enumerate().flat_map(|(document, file)| {
            (0..file.headings.len()).map(move |heading| HeadingId { document, heading })
        })
    }

    /// Finds the file that a section of an index names: relative to the root of the project, to the
    /// index, or to the decisions directory.
    pub fn document_of(&self, index: usize, section: &str) -> Option<usize> {
        let find = |path: &str| self.documents.iter().position(|file| file.path == path);
        let beside = || {
            let (directory, _) = self.indexes.get(index)?.path.rsplit_once('/')?;
            find(&format!("{directory}/{section}"))
        };
        find(section)
            .or_else(beside)
            .or_else(|| self.documents.iter().position(|f| f.name.as_deref() == Some(section)))
    }
}

/// The headings that a trigger matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expansion {
    /// No heading.
    None,
    /// One heading.
    One(HeadingId),
    /// Several, the best first.
    Many(Vec<HeadingId>),
}

/// The headings that entries can open, prepared for searching.
#[derive(Debug)]
pub struct HeadingIndex<'a> {
    corpus: &'a Corpus,
    places: Vec<HeadingId>,
    pool: CandidatePool,
    exact: HashMap<String, Vec<usize>>,
}

impl<'a> HeadingIndex<'a> {
    /// Prepares the semantic headings of a corpus.
    pub fn of(corpus: &'a Corpus) -> HeadingIndex<'a> {
        let places: Vec<HeadingId> =
            corpus.places().filter(|place| corpus.heading(*place).is_semantic()).collect();
        let mut exact: HashMap<String, Vec<usize>> = HashMap::with_capacity(places.len());
        let mut pool = CandidatePool::default();
        for (number, place) in places.iter().enumerate() {
            let title = &corpus.heading(*place).title;
            pool.push(title);
            if let Some(key) = heading_key(title) {
                exact.entry(key).or_default().push(number);
            }
        }
        HeadingIndex { corpus, places, pool, exact }
    }

    /// The headings, in the order of the files.
    pub fn places(&self) -> &[HeadingId] {
        &self.places
    }

    /// Returns the headings with exactly the words of a trigger.
    pub fn exact_matches(
        &self,
        operator: Operator,
        trigger: &str,
    ) -> impl Iterator<Item = HeadingId> {
        let numbers = self.exact.get(&trigger_key(operator, trigger));
        numbers.into_iter().flatten().map(|number| self.places[*number])
    }

    /// Returns the headings that match a query, the best first. Without an operator, any may match.
    pub fn matching(
        &self,
        matcher: &mut Matcher,
        operator: Option<Operator>,
        query: &str,
    ) -> Vec<(HeadingId, Score)> {
        matcher.set_query(query);
        let mut found: Vec<(HeadingId, Score)> = (0..self.places.len())
            .filter_map(|number| Some((self.places[number], matcher.score_in(&self.pool, number)?)))
            .filter(|(place, _)| {
                operator.is_none_or(|operator| operator.allows(&self.corpus.heading(*place).title))
            })
            .collect();
        found.sort_by_key(|(place, score)| (std::cmp::Reverse(*score), *place));
        found
    }

    /// Expands a trigger: to the heading with exactly its words, else to all matching ones.
    pub fn expand(&self, matcher: &mut Matcher, operator: Operator, trigger: &str) -> Expansion {
        let mut places: Vec<HeadingId> = self.exact_matches(operator, trigger).collect();
        if places.is_empty() {
            let query = operator.query(trigger);
            let found = self.matching(matcher, Some(operator), &query);
            places = found.into_iter().map(|(place, _)| place).collect();
        }
        match places[..] {
            [] => Expansion::None,
            [place] => Expansion::One(place),
            _ => Expansion::Many(places),
        }
    }

    /// Finds the heading of an entry: an exact match, in its own file if possible, else the best
    /// match in its own file, else the only match anywhere.
    pub fn locate(
        &self,
        matcher: &mut Matcher,
        index: usize,
        entry: &TriggerEntry,
    ) -> Option<HeadingId> {
        let own = self.corpus.document_of(index, &entry.section);
        let exact = || self.exact_matches(entry.operator, &entry.trigger);
        if let Some(place) = exact().find(|place| Some(place.document) == own) {
            return Some(place);
        }
        if let Some(place) = exact().next() {
            return Some(place);
        }
        let query = entry.operator.query(&entry.trigger);
        let found = self.matching(matcher, Some(entry.operator), &query);
        let inside = found.iter().find(|(place, _)| Some(place.document) == own);
        match (inside, &found[..]) {
            (Some((place, _)), _) => Some(*place),
            (None, [(place, _)]) => Some(*place),
            _ => None,
        }
    }
}
