//! The pass over the text: from keyword to keyword, from finding to finding.
//!
//! Redacting twice must change nothing more. Two things see to it: markers are
//! stepped over, and nothing looks back beyond `floor`, the end of the last
//! finding or marker, so the scan behind a secret and the scan behind its marker
//! see the same text.

use crate::context;
use crate::keywords::{self, Detector};
use std::cell::Cell;

/// How every marker starts; the rule's id and `]` follow.
pub(crate) const MARKER_START: &str = "[redacted:";

/// A secret: the bytes to replace and the rule that knows them.
#[derive(Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rule: &'static str,
}

/// What a detector made of a keyword.
pub(crate) enum Outcome {
    Found(Hit),
    /// The right shape, but no secret: go on behind it.
    Skip(usize),
    No,
}

/// What detectors may know about the place they are asked at.
pub(crate) struct Place<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) floor: usize,
    /// Where the keyword starts.
    pub(crate) at: usize,
    pub(crate) keyword: &'static str,
    /// Up to here a long value was read and found harmless. What starts inside it
    /// is not read to the same end again, or `token:token:token:…` would be quadratic.
    pub(crate) read_to: &'t Cell<usize>,
}

/// Values shorter than this may be read again and again.
pub(crate) const LONG_VALUE: usize = 512;

/// The meaning of `<private>` in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tags {
    /// Prose: the author wants the block kept nowhere.
    Said,
    /// Code, which has tags of its own: no meaning.
    Code,
}

/// Finds secrets, in order and apart. A hit starts and ends between characters if its rule reads
/// ASCII alone, as all do; [`rounded`] makes sure.
pub(crate) fn scan(bytes: &[u8], tags: Tags) -> Vec<Hit> {
    let mut hits = Vec::new();
    let (mut at, mut floor, read_to) = (0, 0, Cell::new(0));
    while let Some((found, mut entry)) = keywords::next(bytes, at) {
        at = found + 1;
        while let Some(candidate) = entry {
            entry = candidate.next();
            if !candidate.is_at(bytes, found)
                || (tags == Tags::Code && candidate.keyword == context::private::KEYWORD)
            {
                continue;
            }
            let place =
                Place { bytes, floor, at: found, keyword: candidate.keyword, read_to: &read_to };
            let outcome = match candidate.detector {
                Detector::Token(rule) => rule.find(bytes, floor, found, candidate.keyword),
                Detector::Marker => {
                    if let Some(end) = marker_end(bytes, found) {
                        (at, floor) = (end, end);
                        break;
                    }
                    Outcome::No
                }
                Detector::Assignment(stem) => context::assignment::find(&place, stem),
                Detector::Other(find) => find(&place),
            };
            match outcome {
                Outcome::Found(hit) => {
                    (at, floor) = (hit.end, hit.end);
                    hits.push(hit);
                    break;
                }
                Outcome::Skip(end) => {
                    at = end;
                    break;
                }
                Outcome::No => {}
            }
        }
    }
    hits
}

/// Rounds hits outwards to whole characters, so that a mistake in a rule costs a character instead
/// of a panic.
pub(crate) fn rounded(text: &str, mut hits: Vec<Hit>) -> Vec<Hit> {
    for hit in &mut hits {
        hit.start = text.floor_char_boundary(hit.start);
        hit.end = text.ceil_char_boundary(hit.end);
    }
    hits
}

/// Returns the end of a marker that starts at `at`.
fn marker_end(bytes: &[u8], at: usize) -> Option<usize> {
    let id = at + MARKER_START.len();
    let end = id + crate::bytes::Class::new("-0-9a-z").run(bytes, id, 48);
    (end > id && bytes.get(end) == Some(&b']')).then_some(end + 1)
}

/// Gives a hit found by its context the name of the token it holds: `GITHUB_TOKEN=ghp_…`
/// is a GitHub token first and an assignment second. A token that starts inside
/// the hit and ends behind it belongs to it whole.
pub(crate) fn named(bytes: &[u8], floor: usize, mut hit: Hit) -> Hit {
    let (mut at, mut rule) = (hit.start, None);
    while let Some((found, mut entry)) = keywords::next(&bytes[..hit.end], at) {
        at = found + 1;
        while let Some(candidate) = entry {
            entry = candidate.next();
            let Detector::Token(token) = candidate.detector else { continue };
            if !candidate.is_at(bytes, found) {
                continue;
            }
            match token.find(bytes, floor, found, candidate.keyword) {
                Outcome::Found(token) => {
                    rule = rule.or(Some(token.rule));
                    hit.end = hit.end.max(token.end);
                    at = at.max(token.end);
                }
                Outcome::Skip(end) => at = at.max(end),
                Outcome::No => {}
            }
        }
    }
    Hit { rule: rule.unwrap_or(hit.rule), ..hit }
}
