//! Fixes an index: moves entries under the file of their heading and into its order, and removes
//! those of structural headings. All other lines stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{Corpus, HeadingIndex};
use crate::lines::lines;
use crate::validate::{EntryTarget, section_line, targets};

/// A fixed index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedIndex {
    /// The path of the index.
    pub path: String,
    /// The new contents.
    pub bytes: Vec<u8>,
    /// The changes, one line each.
    pub notes: Vec<String>,
}

/// Fixes the indexes of a corpus. Indexes without problems are not returned.
pub fn autofix(corpus: &Corpus) -> Vec<FixedIndex> {
    let headings = HeadingIndex::of(corpus);
    let targets: Vec<EntryTarget> =
        targets(corpus, &headings).into_iter().map(|(target, _)| target).collect();
    (0..corpus.indexes.len()).filter_map(|index| fix_index(corpus, index, &targets)).collect()
}

/// The line of an entry that is being moved.
#[derive(Clone, Copy)]
struct MovedLine<'a> {
    /// The number of its heading in the file; `None` keeps its position.
    rank: Option<usize>,
    bytes: &'a [u8],
}

fn fix_index(corpus: &Corpus, index: usize, targets: &[EntryTarget]) -> Option<FixedIndex> {
    let file = &corpus.indexes[index];
    let mut notes = Vec::new();
    let all: Vec<(usize, &[u8])> =
        lines(&file.bytes).map(|line| (line.number, line.bytes)).collect();
    let own = |number: usize| all[number - 1].1;
    // For each section, by its line: the entries that stay, and those that move there.
    let mut slots: BTreeMap<usize, Vec<(usize, MovedLine<'_>)>> = BTreeMap::new();
    let mut arrivals: BTreeMap<usize, Vec<MovedLine<'_>>> = BTreeMap::new();
    let mut created: Vec<(usize, Vec<MovedLine<'_>>)> = Vec::new();
    let mut taken: Vec<usize> = Vec::new();
    for ((_, entry), target) in corpus.entries().zip(targets).filter(|((at, _), _)| *at == index) {
        let line = entry.line_number;
        let section = section_line(corpus, index, entry);
        let moving = |rank| MovedLine { rank, bytes: own(line) };
        match target {
            EntryTarget::Structural => {
                notes.push(format!("removed `{}`: its heading is structural", entry.name()));
                taken.push(line);
            }
            EntryTarget::Heading(place)
                if corpus.document_of(index, &entry.section) != Some(place.document) =>
            {
                let path = &corpus.documents[place.document].path;
                notes.push(format!("moved `{}` under `{path}`", entry.name()));
                taken.push(line);
                let rank = Some(place.heading);
                let there = file.index.sections.iter().find(|section| {
                    corpus.document_of(index, &section.path) == Some(place.document)
                });
                if let Some(section) = there {
                    arrivals.entry(section.line_number).or_default().push(moving(rank));
                } else if let Some((_, entries)) =
                    created.iter_mut().find(|(document, _)| *document == place.document)
                {
                    entries.push(moving(rank));
                } else {
                    created.push((place.document, vec![moving(rank)]));
                }
            }
            EntryTarget::Heading(place) => {
                slots.entry(section).or_default().push((line, moving(Some(place.heading))));
            }
            EntryTarget::Unclear => slots.entry(section).or_default().push((line, moving(None))),
        }
    }
    let mut replaced: BTreeMap<usize, &[u8]> = BTreeMap::new();
    let mut after: BTreeMap<usize, Vec<&[u8]>> = BTreeMap::new();
    let sections: BTreeSet<usize> = slots.keys().chain(arrivals.keys()).copied().collect();
    for section in sections {
        let staying = slots.remove(&section).unwrap_or_default();
        let arrived = arrivals.remove(&section).unwrap_or_default();
        let places: Vec<usize> = staying.iter().map(|(line, _)| *line).collect();
        let mut entries: Vec<MovedLine<'_>> =
            staying.into_iter().map(|(_, moving)| moving).collect();
        let before: Vec<&[u8]> = entries.iter().map(|moving| moving.bytes).collect();
        sort_ranked(&mut entries);
        let unordered = entries.iter().map(|moving| moving.bytes).ne(before.iter().copied());
        entries.extend(arrived);
        sort_ranked(&mut entries);
        if unordered {
            let path = file.index.sections.iter().find(|s| s.line_number == section);
            notes.push(format!("sorted the entries of `{}`", path.map_or("", |s| &s.path)));
        }
        let count = places.len();
        for (line, moving) in places.iter().zip(&entries) {
            replaced.insert(*line, moving.bytes);
        }
        let rest: Vec<&[u8]> = entries[count..].iter().map(|moving| moving.bytes).collect();
        if !rest.is_empty() {
            after.entry(places.last().copied().unwrap_or(section)).or_default().extend(rest);
        }
    }
    if notes.is_empty() {
        return None;
    }
    let mut out = LineWriter::new(&file.bytes);
    for line in lines(&file.bytes) {
        if !taken.contains(&line.number) {
            let ending = &file.bytes[line.start + line.bytes.len()..line.end];
            out.raw(replaced.get(&line.number).copied().unwrap_or(line.bytes), ending);
        }
        if let Some(entries) = after.get(&line.number) {
            if file.index.sections.iter().any(|section| section.line_number == line.number) {
                out.line(b"");
            }
            entries.iter().for_each(|entry| out.line(entry));
        }
    }
    for (document, mut entries) in created {
        sort_ranked(&mut entries);
        out.blank();
        out.line(format!("## {}", corpus.documents[document].path).as_bytes());
        out.line(b"");
        entries.iter().for_each(|moving| out.line(moving.bytes));
    }
    (out.bytes != file.bytes).then(|| FixedIndex {
        path: file.path.clone(),
        bytes: out.bytes,
        notes,
    })
}

/// Sorts the entries that have a rank among themselves; the others keep their positions.
fn sort_ranked(entries: &mut [MovedLine<'_>]) {
    let mut ranked: Vec<MovedLine<'_>> =
        entries.iter().filter(|moving| moving.rank.is_some()).copied().collect();
    ranked.sort_by_key(|moving| moving.rank);
    let mut sorted = ranked.into_iter();
    for entry in entries.iter_mut().filter(|moving| moving.rank.is_some()) {
        if let Some(next) = sorted.next() {
            *entry = next;
        }
    }
}

/// Writes lines with the line endings of a file.
pub(crate) struct LineWriter {
    pub(crate) bytes: Vec<u8>,
    newline: &'static [u8],
}

impl LineWriter {
    /// Creates a writer with the line endings and byte order mark of an existing file.
    pub(crate) fn new(like: &[u8]) -> LineWriter {
        let first = like.iter().position(|byte| *byte == b'\n');
        let dos = first.is_some_and(|at| at > 0 && like[at - 1] == b'\r');
        let mark: &[u8] = b"\xef\xbb\xbf";
        let bytes = if like.starts_with(mark) { mark.to_vec() } else { Vec::new() };
        LineWriter { bytes, newline: if dos { b"\r\n" } else { b"\n" } }
    }

    /// Writes a line with the given ending, which may be empty.
    pub(crate) fn raw(&mut self, line: &[u8], ending: &[u8]) {
        self.fresh();
        self.bytes.extend_from_slice(line);
        self.bytes.extend_from_slice(ending);
    }

    /// Writes a line with the usual ending.
    pub(crate) fn line(&mut self, line: &[u8]) {
        self.raw(line, self.newline);
    }

    /// Writes a blank line, unless there is one.
    pub(crate) fn blank(&mut self) {
        self.fresh();
        let text = self.bytes.trim_ascii_end();
        let breaks = self.bytes[text.len()..].iter().filter(|byte| **byte == b'\n').count();
        if !text.is_empty() && breaks < 2 {
            self.line(b"");
        }
    }

    /// Ends the last line if it has no ending.
    fn fresh(&mut self) {
        if self.bytes.last().is_some_and(|byte| *byte != b'\n') && self.bytes != b"\xef\xbb\xbf" {
            self.bytes.extend_from_slice(self.newline);
        }
    }
}
