//! The vocabulary: a hash table that is searched in place.
//!
//! Open addressing over a power of two of slots. A slot holds sixteen bits of the hash and the
//! token id plus one, so that nearly every miss is decided without reading the text of a token.
//! Pieces that continue a word (`##ing`) are stored without their prefix under another seed.

use super::format::{FormatError, Sections};

/// Minimum number of slots per token.
const SLOTS_PER_TOKEN: usize = 2;
/// The bit of an offset that marks a token that continues a word.
const CONTINUES: u32 = 1 << 31;

/// The position of a piece in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PiecePosition {
    /// At the start of the word.
    Start,
    /// After another piece.
    Inside,
}

/// The hash of a prefix, extended one byte at a time.
#[derive(Clone, Copy, Debug)]
pub struct PrefixHash(u32);

impl PrefixHash {
    /// Returns the hash of the empty prefix.
    pub fn new(position: PiecePosition) -> Self {
        match position {
            PiecePosition::Start => Self(0x9e37_79b9),
            PiecePosition::Inside => Self(0x85eb_ca6b),
        }
    }

    /// Extends the hash by one byte.
    #[must_use]
    pub fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// Mixes the hash so that the low bits (the slot) and the high bits (the tag) depend on every
    /// byte.
    fn mixed(self) -> u32 {
        let hash = (self.0 ^ (self.0 >> 15)).wrapping_mul(0x2c1b_3c6d);
        hash ^ (hash >> 13)
    }

    fn from_text(text: &[u8], position: PiecePosition) -> Self {
        text.iter().fold(Self::new(position), |hash, &b| hash.with(b))
    }
}

/// A view of the vocabulary in a weights file.
#[derive(Clone, Copy, Debug)]
pub struct Vocab<'a> {
    slots: &'a [u32],
    offsets: &'a [u32],
    text: &'a [u8],
    longest: usize,
}

impl<'a> Vocab<'a> {
    /// Reads the four sections that [`sections`] writes.
    ///
    /// # Errors
    /// Fails if the sections are missing or do not fit together.
    pub fn open(sections: &mut Sections<'a>) -> Result<Self, FormatError> {
        let longest = sections.u32s()?;
        let &[longest] = longest else {
            return Err(sections.damaged());
        };
        let slots = sections.u32s()?;
        if !slots.len().is_power_of_two() || !slots.contains(&0) {
            return Err(sections.damaged());
        }
        let offsets = sections.u32s()?;
        if offsets.is_empty() {
            return Err(sections.damaged());
        }
        Ok(Self { slots, offsets, text: sections.bytes()?, longest: longest as usize })
    }

    /// Returns the length of the longest token in bytes.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns true if there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks up a piece by its text and hash.
    pub fn find(&self, piece: &[u8], position: PiecePosition, hash: PrefixHash) -> Option<u32> {
        let hash = hash.mixed();
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let id = (slot & 0xffff) - 1;
            if slot >> 16 == hash >> 16 && self.token(id) == Some((piece, position)) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Returns the text and position of a token.
    pub fn token(&self, id: u32) -> Option<(&'a [u8], PiecePosition)> {
        let at = id as usize;
        let (start, end) = (*self.offsets.get(at)?, *self.offsets.get(at + 1)?);
        let position =
            if start & CONTINUES == 0 { PiecePosition::Start } else { PiecePosition::Inside };
        let range = (start & !CONTINUES) as usize..(end & !CONTINUES) as usize;
        self.text.get(range).map(|text| (text, position))
    }
}

/// Builds the four sections of a vocabulary: the longest length, slots, offsets and text. Tokens
/// are in the order of their ids.
///
/// # Panics
/// Panics if there are more tokens than sixteen bits can number.
pub fn sections(tokens: &[&str]) -> [Vec<u8>; 4] {
    assert!(tokens.len() < usize::from(u16::MAX), "ids take sixteen bits");
    let mut slots = vec![0_u32; (tokens.len() * SLOTS_PER_TOKEN).next_power_of_two()];
    let mask = slots.len() - 1;
    let (mut offsets, mut text) = (Vec::new(), Vec::new());
    let mut longest = 0;
    for (id, token) in (1_u32..).zip(tokens) {
        let (piece, position, mark) = match token.strip_prefix("##") {
            Some(piece) if !piece.is_empty() => (piece, PiecePosition::Inside, CONTINUES),
            _ => (*token, PiecePosition::Start, 0),
        };
        offsets.push(text.len() as u32 | mark);
        text.extend(piece.as_bytes());
        longest = longest.max(piece.len() as u32);
        let hash = PrefixHash::from_text(piece.as_bytes(), position).mixed();
        let mut at = hash as usize & mask;
        while slots[at] != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = (hash & 0xffff_0000) | id;
    }
    offsets.push(text.len() as u32);
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    [bytes(&[longest]), bytes(&slots), bytes(&offsets), text]
}
