//! Finds secrets that are split by zero-width characters, soft hyphens or line continuations. The
//! text is scanned once more without them.

use crate::scan::{self, PrivateTags, SecretHit};

/// A text without invisible characters, with a mapping to the original positions.
pub(crate) struct VisibleText {
    pub(crate) bytes: Vec<u8>,
    /// For each cut, its position in `bytes` and the number of bytes removed so far, including it.
    cuts: Vec<(usize, usize)>,
}

impl VisibleText {
    /// Removes invisible characters; returns `None` if there are none.
    pub(crate) fn new(text: &[u8]) -> Option<VisibleText> {
        // Most texts are plain; both checks are vectorised.
        if text.is_ascii() && !text.contains(&b'\\') {
            return None;
        }
        let mut visible = VisibleText { bytes: Vec::new(), cuts: Vec::new() };
        let (mut copied, mut removed, mut at) = (0, 0, 0);
        while let Some(next) = text[at..].iter().position(|b| *b == b'\\' || *b >= 0xc2) {
            at += next;
            let length = invisible_len(&text[at..]);
            if length == 0 {
                at += 1;
                continue;
            }
            visible.bytes.extend_from_slice(&text[copied..at]);
            removed += length;
            visible.cuts.push((visible.bytes.len(), removed));
            at += length;
            copied = at;
        }
        if removed == 0 {
            return None;
        }
        visible.bytes.extend_from_slice(&text[copied..]);
        Some(visible)
    }

    /// Maps a position in `bytes` to the original text. At a cut, the end of a span maps to the
    /// position before the cut and its start to the one after.
    pub(crate) fn original(&self, at: usize, end: bool) -> usize {
        let passed = self.cuts.partition_point(|(cut, _)| if end { *cut < at } else { *cut <= at });
        at + passed.checked_sub(1).map_or(0, |last| self.cuts[last].1)
    }
}

/// Finds secrets in the text without invisible characters; positions refer to the original text.
pub(crate) fn scan(text: &[u8], tags: PrivateTags) -> Vec<SecretHit> {
    let Some(visible) = VisibleText::new(text) else { return Vec::new() };
    let hits = scan::scan(&visible.bytes, tags).into_iter();
    hits.map(|hit| SecretHit {
        start: visible.original(hit.start, false),
        end: visible.original(hit.end, true),
        rule: hit.rule,
    })
    .collect()
}

/// Returns the number of invisible bytes at the start of a text.
fn invisible_len(text: &[u8]) -> usize {
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
