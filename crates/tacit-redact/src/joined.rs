//! Secrets that something invisible splits: zero-width characters, soft hyphens, and lines that go
//! on behind a backslash. Such a text is looked at once more without them.

use crate::scan::{self, Hit, Tags};

/// A text without what nobody sees, and the way back.
pub(crate) struct Joined {
    pub(crate) bytes: Vec<u8>,
    /// For each cut, where it is in `bytes`, and how much was taken out up to and with it.
    cuts: Vec<(usize, usize)>,
}

impl Joined {
    /// Returns the text without what is invisible; none if nothing in it is.
    pub(crate) fn of(text: &[u8]) -> Option<Joined> {
        // Most texts are plain, and both questions are answered by wide instructions.
        if text.is_ascii() && !text.contains(&b'\\') {
            return None;
        }
        let mut joined = Joined { bytes: Vec::new(), cuts: Vec::new() };
        let (mut copied, mut removed, mut at) = (0, 0, 0);
        while let Some(next) = text[at..].iter().position(|b| *b == b'\\' || *b >= 0xc2) {
            at += next;
            let length = invisible(&text[at..]);
            if length == 0 {
                at += 1;
                continue;
            }
            joined.bytes.extend_from_slice(&text[copied..at]);
            removed += length;
            joined.cuts.push((joined.bytes.len(), removed));
            at += length;
            copied = at;
        }
        if removed == 0 {
            return None;
        }
        joined.bytes.extend_from_slice(&text[copied..]);
        Some(joined)
    }

    /// Maps a position in `bytes` to the original text. At a cut, the end of a span maps to the
    /// position before the cut and its start to the one behind.
    pub(crate) fn original(&self, at: usize, end: bool) -> usize {
        let passed = self.cuts.partition_point(|(cut, _)| if end { *cut < at } else { *cut <= at });
        at + passed.checked_sub(1).map_or(0, |last| self.cuts[last].1)
    }
}

/// Finds secrets in a text without what is invisible, told in terms of the text as it is.
pub(crate) fn scan(text: &[u8], tags: Tags) -> Vec<Hit> {
    let Some(joined) = Joined::of(text) else { return Vec::new() };
    let hits = scan::scan(&joined.bytes, tags).into_iter();
    hits.map(|hit| Hit {
        start: joined.original(hit.start, false),
        end: joined.original(hit.end, true),
        rule: hit.rule,
    })
    .collect()
}

/// Returns the number of invisible bytes at the start of a text.
fn invisible(text: &[u8]) -> usize {
    match text {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        // Soft hyphen, combining grapheme joiner, Arabic letter mark.
        [0xc2, 0xad, ..] | [0xcd, 0x8f, ..] | [0xd8, 0x9c, ..] => 2,
        // U+180E, U+200B to U+200F, U+202A to U+202E, U+2060 to U+206F.
        [0xe1, 0xa0, 0x8e, ..]
        | [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
        | [0xe2, 0x81, 0xa0..=0xaf, ..] => 3,
        // Variation selectors, and the byte order mark.
        [0xef, 0xb8, 0x80..=0x8f, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}
