//! Writing the index: the words of all files, by word.
//!
//! Parts follow each other: a head, files, pieces, words in order, bytes of names, postings. All
//! numbers are little-endian. A posting is the distance to the piece before, and the counts, as
//! numbers of as few bytes as they need. Where a word is in a path, the file follows, twice if the
//! word is in its name: folders say less.

use std::collections::HashMap;

use super::kind::FileKind;
use super::words::{FileWords, is_word};
use tacit_core::tokenize;
use tacit_graph::checksum;

pub(crate) const MAGIC: [u8; 8] = *b"tacitw\x00\x03";
/// Numbers in the head after the mark: files, pieces, words, bytes of names, bytes of postings,
/// words of all pieces; then a sum of all bytes but its own.
pub(crate) const HEAD: usize = SUM + 8;
pub(crate) const SUM: usize = 8 + 6 * 8;
/// Path (place, length), first piece, kind, time, size, hash, words.
pub(crate) const FILE: usize = 4 * 4 + 8 + 8 + 16 + 8;
/// File, first line, last line, words, name (place, length).
pub(crate) const PIECE: usize = 6 * 4;
/// Name (place, length), pieces that have it, files that have it, postings (place as 8 bytes,
/// length), how many bytes of paths follow them, pieces that are named by it.
pub(crate) const WORD: usize = 4 * 4 + 8 + 3 * 4;

/// A file as it looked when its words were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileVersion {
    /// When it was last written, in nanoseconds.
    pub modified: i64,
    /// How long it is.
    pub size: u64,
    /// The hash of its bytes.
    pub hash: [u8; 16],
}

#[derive(Default)]
struct Word {
    pieces: u32,
    files: u32,
    named: u32,
    last_piece: u32,
    last_file: u32,
    postings: Vec<u8>,
    last_path: u32,
    paths: Vec<u8>,
}

/// Takes in files, in the order of their paths, and gives the index.
#[derive(Default)]
pub struct IndexPacker {
    words: HashMap<String, Word>,
    files: Vec<u8>,
    pieces: Vec<u8>,
    names: Vec<u8>,
    file_count: u32,
    piece_count: u32,
    total: u64,
}

impl IndexPacker {
    /// Takes in a file.
    pub fn push(&mut self, path: &str, stamp: FileVersion, words: &FileWords<'_>) {
        let file = self.file_count;
        self.file_count += 1;
        let name = path.rsplit('/').next().unwrap_or(path);
        for part in [path, name] {
            for token in tokenize(part).distinct().into_iter().filter(|token| is_word(token)) {
                let word = self.words.entry(token.to_owned()).or_default();
                number(&mut word.paths, u64::from(file - word.last_path));
                word.last_path = file;
            }
        }
        let first = self.piece_count;
        let mut length = 0_u64;
        for piece in &words.pieces {
            let at = self.piece_count;
            self.piece_count += 1;
            let own: u64 = piece.counts.iter().map(|(_, text, _)| u64::from(*text)).sum();
            length += own;
            let (place, long) = self.name(&piece.name);
            for value in [file, piece.line, piece.end_line, own as u32, place, long] {
                self.pieces.extend(value.to_le_bytes());
            }
            for (word, text, name) in &piece.counts {
                let Some(word) = words.words.get(*word as usize) else { continue };
                self.count(word, at, file, *text, *name);
            }
        }
        self.total += length;
        let (place, long) = self.name(path);
        for value in [place, long, first, FileKind::of(path) as u32] {
            self.files.extend(value.to_le_bytes());
        }
        self.files.extend(stamp.modified.to_le_bytes());
        self.files.extend(stamp.size.to_le_bytes());
        self.files.extend(stamp.hash);
        self.files.extend(length.to_le_bytes());
    }

    fn count(&mut self, word: &str, piece: u32, file: u32, text: u8, name: u8) {
        let entry = match self.words.get_mut(word) {
            Some(entry) => entry,
            None => self.words.entry(word.to_owned()).or_default(),
        };
        number(&mut entry.postings, u64::from(piece - entry.last_piece));
        number(&mut entry.postings, u64::from(text) << 2 | u64::from(name.min(3)));
        if entry.pieces == 0 || entry.last_file != file {
            entry.files += 1;
        }
        entry.named += u32::from(name > 0);
        entry.last_piece = piece;
        entry.last_file = file;
        entry.pieces += 1;
    }

    fn name(&mut self, name: &str) -> (u32, u32) {
        let place = self.names.len() as u32;
        self.names.extend(name.as_bytes());
        (place, name.len() as u32)
    }

    /// The index.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let mut words: Vec<(String, Word)> = std::mem::take(&mut self.words).into_iter().collect();
        words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let (mut rows, mut postings) = (Vec::with_capacity(words.len() * WORD), Vec::new());
        for (name, word) in &words {
            let (place, long) = self.name(name);
            for value in [place, long, word.pieces, word.files] {
                rows.extend(value.to_le_bytes());
            }
            rows.extend((postings.len() as u64).to_le_bytes());
            rows.extend((word.postings.len() as u32).to_le_bytes());
            rows.extend((word.paths.len() as u32).to_le_bytes());
            rows.extend(word.named.to_le_bytes());
            postings.extend(&word.postings);
            postings.extend(&word.paths);
        }
        let mut bytes = MAGIC.to_vec();
        for count in [
            u64::from(self.file_count),
            u64::from(self.piece_count),
            words.len() as u64,
            self.names.len() as u64,
            postings.len() as u64,
            self.total,
        ] {
            bytes.extend(count.to_le_bytes());
        }
        bytes.resize(HEAD, 0);
        for part in [&self.files, &self.pieces, &rows, &self.names, &postings] {
            bytes.extend(part);
        }
        let sum = sum_of(&bytes).unwrap_or(0);
        bytes[SUM..HEAD].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// The sum of an index, without its own bytes; none if it is too short to be one.
pub(crate) fn sum_of(bytes: &[u8]) -> Option<u64> {
    Some(checksum(bytes.get(..SUM)?) ^ checksum(bytes.get(HEAD..)?))
}

/// Seven bits a byte, the lowest first.
fn number(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}
