//! Reading the index, over bytes in which nothing is believed.

use std::ops::Range;

use super::kind::FileKind;
use super::pack::{FILE, FileVersion, HEAD, MAGIC, PIECE, SUM, WORD, sum_of};

/// A file of the index, by its place in the order of paths.
pub type FileNumber = u32;

/// The words of all files.
#[derive(Debug, Clone, Copy)]
pub struct WordIndex<'a> {
    files: &'a [u8],
    pieces: &'a [u8],
    words: &'a [u8],
    names: &'a [u8],
    postings: &'a [u8],
    total: u64,
}

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceRow<'a> {
    /// Its file.
    pub file: FileNumber,
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The qualified name of what it defines; empty for what is in no definition.
    pub name: &'a str,
    /// How many words it has.
    pub length: u32,
}

/// A word of the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordRow<'a> {
    /// How many pieces have it.
    pub(crate) pieces: u32,
    /// How many files have it.
    pub(crate) files: u32,
    /// How many pieces have it in names that they define.
    pub(crate) named: u32,
    postings: &'a [u8],
    paths: &'a [u8],
}

/// That a piece has a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) piece: u32,
    /// How often it is in the text.
    pub(crate) text: u32,
    /// How often it is in names that the piece defines.
    pub(crate) name: u32,
}

impl<'a> WordIndex<'a> {
    /// The index in these bytes; none if they are not one.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Option<WordIndex<'a>> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let count = |at: usize| {
            let eight = rest.get(at * 8..at * 8 + 8)?;
            usize::try_from(u64::from_le_bytes(eight.try_into().ok()?)).ok()
        };
        let mut start = HEAD;
        let mut part = |rows: usize, size: usize| {
            let end = start.checked_add(rows.checked_mul(size)?)?;
            let part = bytes.get(start..end)?;
            start = end;
            Some(part)
        };
        Some(WordIndex {
            files: part(count(0)?, FILE)?,
            pieces: part(count(1)?, PIECE)?,
            words: part(count(2)?, WORD)?,
            names: part(count(3)?, 1)?,
            postings: part(count(4)?, 1)?,
            total: count(5)? as u64,
        })
    }

    /// Whether the bytes of an index are as they were written. Nothing else looks: what reads a
    /// damaged one gets a wrong answer, and never more than that.
    #[must_use]
    pub fn is_sound(bytes: &[u8]) -> bool {
        sum_of(bytes) == Some(u64_at(bytes, SUM))
    }

    /// How many files there are.
    #[must_use]
    pub fn files(&self) -> u32 {
        (self.files.len() / FILE) as u32
    }

    /// How many pieces there are.
    #[must_use]
    pub fn pieces(&self) -> u32 {
        (self.pieces.len() / PIECE) as u32
    }

    /// How many words a piece has on average.
    pub(crate) fn piece_length(&self) -> f32 {
        self.total as f32 / self.pieces().max(1) as f32
    }

    /// How many words a file has on average.
    pub(crate) fn file_length(&self) -> f32 {
        self.total as f32 / self.files().max(1) as f32
    }

    fn file_row(&self, file: FileNumber) -> Option<&'a [u8]> {
        self.files.get(file as usize * FILE..)?.get(..FILE)
    }

    fn text(&self, place: u32, length: u32) -> &'a str {
        let bytes = self.names.get(place as usize..).and_then(|rest| rest.get(..length as usize));
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    /// The path of a file; empty if there is none.
    #[must_use]
    pub fn path(&self, file: FileNumber) -> &'a str {
        self.file_row(file).map_or("", |row| self.text(u32_at(row, 0), u32_at(row, 4)))
    }

    /// What sort of file it is.
    #[must_use]
    pub fn kind(&self, file: FileNumber) -> FileKind {
        let at = self.file_row(file).map_or(0, |row| u32_at(row, 12));
        FileKind::ALL.get(at as usize).copied().unwrap_or(FileKind::Source)
    }

    /// How a file looked when its words were read.
    #[must_use]
    pub fn stamp(&self, file: FileNumber) -> FileVersion {
        let Some(row) = self.file_row(file) else { return FileVersion::default() };
        FileVersion {
            modified: u64_at(row, 16) as i64,
            size: u64_at(row, 24),
            hash: std::array::from_fn(|at| row[32 + at]),
        }
    }

    pub(crate) fn words_of(&self, file: FileNumber) -> u64 {
        self.file_row(file).map_or(0, |row| u64_at(row, 48))
    }

    /// The pieces of a file.
    #[must_use]
    pub fn pieces_of(&self, file: FileNumber) -> Range<u32> {
        let first = |file| self.file_row(file).map_or(self.pieces(), |row| u32_at(row, 8));
        let end = first(file.saturating_add(1)).min(self.pieces());
        first(file).min(end)..end
    }

    /// A piece.
    #[must_use]
    pub fn piece(&self, piece: u32) -> Option<PieceRow<'a>> {
        let row = self.pieces.get(piece as usize * PIECE..)?.get(..PIECE)?;
        Some(PieceRow {
            file: u32_at(row, 0),
            line: u32_at(row, 4),
            end_line: u32_at(row, 8),
            length: u32_at(row, 12),
            name: self.text(u32_at(row, 16), u32_at(row, 20)),
        })
    }

    /// The file of a piece, without the rest of it.
    pub(crate) fn file_of(&self, piece: u32) -> FileNumber {
        self.pieces.get(piece as usize * PIECE..).map_or(u32::MAX, |row| u32_at(row, 0))
    }

    pub(crate) fn length_of(&self, piece: u32) -> u32 {
        self.pieces.get(piece as usize * PIECE..).map_or(0, |row| u32_at(row, 12))
    }

    /// A file by its path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileNumber> {
        let at = first_from(self.files(), |file| self.path(file) < path);
        (self.path(at) == path && at < self.files()).then_some(at)
    }

    /// A word.
    pub(crate) fn word(&self, word: &str) -> Option<WordRow<'a>> {
        let row = |at: u32| self.words.get(at as usize * WORD..).and_then(|row| row.get(..WORD));
        let name = |at: u32| row(at).map_or("", |row| self.text(u32_at(row, 0), u32_at(row, 4)));
        let at = first_from((self.words.len() / WORD) as u32, |at| name(at) < word);
        let row = row(at).filter(|_| name(at) == word)?;
        let start = usize::try_from(u64_at(row, 16)).ok()?;
        let split = start.checked_add(u32_at(row, 24) as usize)?;
        let end = split.checked_add(u32_at(row, 28) as usize)?;
        Some(WordRow {
            pieces: u32_at(row, 8),
            files: u32_at(row, 12),
            named: u32_at(row, 32),
            postings: self.postings.get(start..split)?,
            paths: self.postings.get(split..end)?,
        })
    }
}

impl<'a> WordRow<'a> {
    /// The pieces that have it, in order.
    pub(crate) fn postings(self) -> impl Iterator<Item = Posting> + use<'a> {
        let mut numbers = Numbers(self.postings);
        let mut piece = 0_u32;
        std::iter::from_fn(move || {
            piece = piece.checked_add(u32::try_from(numbers.next()?).ok()?)?;
            let counts = numbers.next()? as u32;
            Some(Posting { piece, text: counts >> 2, name: counts & 3 })
        })
    }

    /// The files that have it in their path, in order, twice if it is in their name.
    pub(crate) fn paths(self) -> impl Iterator<Item = FileNumber> + use<'a> {
        let mut file = 0_u32;
        Numbers(self.paths).map_while(move |step| {
            file = file.checked_add(u32::try_from(step).ok()?)?;
            Some(file)
        })
    }
}

struct Numbers<'a>(&'a [u8]);

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

fn first_from(count: u32, before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn u32_at(row: &[u8], at: usize) -> u32 {
    let four = row.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map_or(0, u32::from_le_bytes)
}

fn u64_at(row: &[u8], at: usize) -> u64 {
    let eight = row.get(at..at + 8).and_then(|eight| eight.try_into().ok());
    eight.map_or(0, u64::from_le_bytes)
}
