//! The prefilter: which detectors are worth asking at a place.
//!
//! Three bytes, case folded, are hashed into a table of chains. The table is
//! computed by the compiler, so a fresh process has nothing to build (an
//! Aho-Corasick automaton over as many keywords takes half a millisecond to build,
//! forty times what the whole call takes on a short text).

use crate::context::{self, Stem};
use crate::rules::{TABLES, Token};
use crate::scan::{MARKER_START, Outcome, Place};

/// Whom to ask where a keyword was found.
#[derive(Clone, Copy)]
pub(crate) enum Detector {
    Token(&'static Token),
    Assignment(Stem),
    Other(fn(&Place<'_>) -> Outcome),
    Marker,
}

/// A keyword, its detector, and the next keyword that shares its hash.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) keyword: &'static str,
    pub(crate) detector: Detector,
    /// Tokens are spelt one way; the words of people and programs are not.
    folded: bool,
    /// Place in `ENTRIES` plus one; zero ends the chain.
    next: u16,
}

const HASH_BITS: u32 = 12;
const FOLD: u8 = 0x20;

const fn hash(window: u32) -> usize {
    (window.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

const COUNT: usize = {
    let mut count = context::KEYWORDS.len() + 1;
    let mut t = 0;
    while t < TABLES.len() {
        let mut r = 0;
        while r < TABLES[t].len() {
            count += TABLES[t][r].starts.len();
            r += 1;
        }
        t += 1;
    }
    count
};

struct Index {
    heads: [u16; 1 << HASH_BITS],
    entries: [Entry; COUNT],
}

static INDEX: Index = build();

const fn build() -> Index {
    let blank = Entry { keyword: "", detector: Detector::Marker, folded: false, next: 0 };
    let mut entries = [blank; COUNT];
    entries[0].keyword = MARKER_START;
    let mut filled = 1;
    let mut t = 0;
    while t < TABLES.len() {
        let mut r = 0;
        while r < TABLES[t].len() {
            let rule = &TABLES[t][r];
            let mut s = 0;
            while s < rule.starts.len() {
                entries[filled] = Entry {
                    keyword: rule.starts[s],
                    detector: Detector::Token(rule),
                    folded: false,
                    next: 0,
                };
                filled += 1;
                s += 1;
            }
            r += 1;
        }
        t += 1;
    }
    let mut k = 0;
    while k < context::KEYWORDS.len() {
        let (keyword, detector) = context::KEYWORDS[k];
        entries[filled] = Entry { keyword, detector, folded: true, next: 0 };
        filled += 1;
        k += 1;
    }
    // Chained from the back, so that each chain is tried in table order.
    let mut heads = [0u16; 1 << HASH_BITS];
    let mut i = COUNT;
    while i > 0 {
        i -= 1;
        let keyword = entries[i].keyword.as_bytes();
        assert!(keyword.len() >= 3, "the prefilter looks at three bytes");
        let window = ((keyword[0] | FOLD) as u32) << 16
            | ((keyword[1] | FOLD) as u32) << 8
            | (keyword[2] | FOLD) as u32;
        entries[i].next = heads[hash(window)];
        heads[hash(window)] = i as u16 + 1;
    }
    Index { heads, entries }
}

/// Returns the first place at or after `from` where a keyword may start.
pub(crate) fn next(bytes: &[u8], from: usize) -> Option<(usize, Option<&'static Entry>)> {
    let text = bytes.get(from..)?;
    let [first, second, rest @ ..] = text else { return None };
    let mut window = u32::from(first | FOLD) << 8 | u32::from(second | FOLD);
    for (offset, byte) in rest.iter().enumerate() {
        window = (window << 8 | u32::from(byte | FOLD)) & 0x00FF_FFFF;
        let head = INDEX.heads[hash(window)];
        if head != 0 {
            return Some((from + offset, entry(head)));
        }
    }
    None
}

fn entry(link: u16) -> Option<&'static Entry> {
    INDEX.entries.get(usize::from(link).checked_sub(1)?)
}

impl Entry {
    pub(crate) fn next(&self) -> Option<&'static Entry> {
        entry(self.next)
    }

    pub(crate) fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let Some(text) = bytes.get(at..at + self.keyword.len()) else { return false };
        let keyword = self.keyword.as_bytes();
        text == keyword || (self.folded && text.eq_ignore_ascii_case(keyword))
    }
}
