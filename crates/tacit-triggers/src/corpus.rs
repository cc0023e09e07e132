//! The indexes and the decision files together, as values: who reads them from where is in
//! [`crate::files`].

use std::collections::HashMap;
use std::ops::Range;

use crate::fuzzy::{CandidatePool, Matcher, Score};
use crate::index::{IndexEntry, TriggerIndex, parse_index};
use crate::markdown::{MarkdownHeading, outline};
use crate::operator::{Operator, heading_key, trigger_key};

/// A decision file.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its path from the root of the project, with `/`.
    pub path: String,
    /// Its path from the decisions directory; none if it is elsewhere.
    pub name: Option<String>,
    /// What it says.
    pub bytes: Vec<u8>,
    /// Its headings, in order.
    pub headings: Vec<MarkdownHeading>,
}

impl Document {
    /// A file with what it says.
    pub fn new(path: impl Into<String>, name: Option<String>, bytes: Vec<u8>) -> Document {
        let headings = outline(&bytes);
        Document { path: path.into(), name, bytes, headings }
    }

    /// What stands for the file after `..`.
    pub fn link_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.path)
    }

    /// The bytes of a range.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// The headings around a heading, the nearest first; the title of the file is none of them.
    pub fn ancestors(&self, heading: usize) -> impl Iterator<Item = &MarkdownHeading> {
        let parent = move |at: usize| self.headings.get(at).and_then(|heading| heading.parent);
        std::iter::successors(parent(heading), move |at| parent(*at))
            .filter_map(|at| self.headings.get(at))
            .filter(|heading| heading.level > 1)
    }
}

/// An index with where it is.
#[derive(Debug, Clone)]
pub struct IndexFile {
    /// Its path from the root of the project.
    pub path: String,
    /// What it says, byte by byte.
    pub bytes: Vec<u8>,
    /// What that means.
    pub index: TriggerIndex,
}

impl IndexFile {
    /// An index with what it says.
    pub fn new(path: impl Into<String>, bytes: Vec<u8>) -> IndexFile {
        let index = parse_index(&bytes);
        IndexFile { path: path.into(), bytes, index }
    }
}

/// Everything there is to recall.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// The directories of the decision files, from the root of the project.
    pub decisions: Vec<String>,
    /// The indexes.
    pub indexes: Vec<IndexFile>,
    /// The decision files, by path.
    pub documents: Vec<Document>,
}

/// A file as it was and as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Its path from the root of the project.
    pub path: String,
    /// What it said; none if it was not there.
    pub before: Option<Vec<u8>>,
    /// What it is to say.
    pub after: Vec<u8>,
}

/// Where a heading is: the file, and the heading in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeadingId {
    /// The number of the file in the corpus.
    pub document: usize,
    /// The number of the heading in the file.
    pub heading: usize,
}

impl Corpus {
    /// The entries of all indexes, each with the number of its index.
    pub fn entries(&self) -> impl Iterator<Item = (usize, &IndexEntry)> {
        let indexes = self.indexes.iter().enumerate();
        indexes.flat_map(|(at, file)| file.index.entries.iter().map(move |entry| (at, entry)))
    }

    /// The directories of the decision files, as people know them.
    pub fn directory(&self) -> String {
        let names = self.decisions.iter().map(|name| format!("{}/", name.trim_end_matches('/')));
        names.collect::<Vec<_>>().join(", ")
    }

    /// What a path from the root of the project is called in the decisions directory.
    pub fn name_in_decisions(&self, path: &str) -> Option<String> {
        self.decisions.iter().find_map(|directory| {
            let inside = path.strip_prefix(directory.trim_end_matches('/'))?;
            Some(inside.strip_prefix('/')?.to_owned())
        })
    }

    /// The corpus with other contents of some of its files, or with more files.
    #[must_use]
    pub fn with(&self, edits: &[FileEdit]) -> Corpus {
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

    /// The heading at a place.
    pub fn heading(&self, place: HeadingId) -> &MarkdownHeading {
        &self.documents[place.document].headings[place.heading]
    }

    /// The file at a place.
    pub fn document(&self, place: HeadingId) -> &Document {
        &self.documents[place.document]
    }

    /// Every heading.
    pub fn places(&self) -> impl Iterator<Item = HeadingId> {
        self.documents.iter().enumerate().flat_map(|(document, file)| {
            (0..file.headings.len()).map(move |heading| HeadingId { document, heading })
        })
    }

    /// The file that a section of an index names: from the root of the project, from where the
    /// index is, or from the decisions directory.
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

/// What a trigger can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expansion {
    /// No heading.
    None,
    /// One heading.
    One(HeadingId),
    /// Several, the best first.
    Many(Vec<HeadingId>),
}

/// The headings that entries stand for, made ready to be searched.
#[derive(Debug)]
pub struct HeadingIndex<'a> {
    corpus: &'a Corpus,
    places: Vec<HeadingId>,
    pool: CandidatePool,
    exact: HashMap<String, Vec<usize>>,
}

impl<'a> HeadingIndex<'a> {
    /// The headings of a corpus that stand for knowledge.
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

    /// The places, in the order of the files.
    pub fn places(&self) -> &[HeadingId] {
        &self.places
    }

    /// The headings with exactly the words of a trigger.
    pub fn exact_matches(
        &self,
        operator: Operator,
        trigger: &str,
    ) -> impl Iterator<Item = HeadingId> {
        let numbers = self.exact.get(&trigger_key(operator, trigger));
        numbers.into_iter().flatten().map(|number| self.places[*number])
    }

    /// The headings a query matches, the best first. Without an operator, any.
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

    /// What a trigger means: the heading with exactly its words, else whatever matches.
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

    /// The heading that an entry most likely stands for: one with its words, in its own file
    /// before others; else the best match in its own file; else the only match anywhere.
    pub fn locate(
        &self,
        matcher: &mut Matcher,
        index: usize,
        entry: &IndexEntry,
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
