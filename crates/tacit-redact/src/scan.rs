//! The scan of a text for secrets.
//!
//! Redacting twice must change nothing more. Two rules ensure that: markers are skipped, and
//! detectors never look back beyond `floor`, the end of the last finding or marker, so the scan
//! sees the same text after a secret and after its marker.

use crate::context;
use crate::keywords::{self, Detector};
use std::cell::Cell;

/// The start of every marker; the rule's id and `]` follow.
pub(crate) const MARKER_START: &str = "[redacted:";

/// A secret: its byte range and the rule that found it.
#[derive(Clone, Copy)]
pub(crate) struct SecretHit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) rule: &'static str,
}

/// The result of a detector.
pub(crate) enum Detection {
    Found(SecretHit),
    /// A token without a secret value: continue after it.
    Skip(usize),
    No,
}

/// A keyword in the text, as passed to detectors.
pub(crate) struct KeywordMatch<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) floor: usize,
    /// The position of the keyword.
    pub(crate) at: usize,
    pub(crate) keyword: &'static str,
    /// The end of the last long value that was read and found harmless. Detectors do not read to
    /// the same end again, or `token:token:token:…` would take quadratic time.
    pub(crate) read_to: &'t Cell<usize>,
}

/// Shorter values may be read repeatedly.
pub(crate) const LONG_VALUE: usize = 512;

/// The meaning of `<private>` in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrivateTags {
    /// Prose: the author does not want the block stored.
    Honoured,
    /// Code, which has tags of its own: no special meaning.
    Ignored,
}

/// Finds secrets, in order and without overlap. All rules read ASCII, so hits should end between
/// characters; [`rounded`] ensures that.
pub(crate) fn scan(bytes: &[u8], tags: PrivateTags) -> Vec<SecretHit> {
    let mut hits = Vec::new();
    let (mut at, mut floor, read_to) = (0, 0, Cell::new(0));
    while let Some((found, mut entry)) = keywords::next(bytes, at) {
        at = found + 1;
        while let Some(candidate) = entry {
            entry = candidate.next();
            if !candidate.is_at(bytes, found)
                || (tags == PrivateTags::Ignored && candidate.keyword == context::private::KEYWORD)
            {
                continue;
            }
            let matched = KeywordMatch {
                bytes,
                floor,
                at: found,
                keyword: candidate.keyword,
                read_to: &read_to,
            };
            let outcome = match candidate.detector {
                Detector::Token(rule) => rule.find(bytes, floor, found, candidate.keyword),
                Detector::Marker => {
                    if let Some(end) = marker_end(bytes, found) {
                        (at, floor) = (end, end);
                        break;
                    }
                    Detection::No
                }
                Detector::Assignment(stem) => context::assignment::find(&matched, stem),
                Detector::Other(find) => find(&matched),
            };
            match outcome {
                Detection::Found(hit) => {
                    (at, floor) = (hit.end, hit.end);
                    hits.push(hit);
                    break;
                }
                Detection::Skip(end) => {
                    at = end;
                    break;
                }
                Detection::No => {}
            }
        }
    }
    hits
}

/// Extends hits to whole characters, so that a mistake in a rule costs a character instead of a
/// panic.
pub(crate) fn rounded(text: &str, mut hits: Vec<SecretHit>) -> Vec<SecretHit> {
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

/// Gives a hit the rule of the token in it: `GITHUB_TOKEN=ghp_…` is a GitHub token first and an
/// assignment second. A token that starts inside the hit and ends after it extends it.
pub(crate) fn with_token_rule(bytes: &[u8], floor: usize, mut hit: SecretHit) -> SecretHit {
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
                Detection::Found(token) => {
                    rule = rule.or(Some(token.rule));
                    hit.end = hit.end.max(token.end);
                    at = at.max(token.end);
                }
                Detection::Skip(end) => at = at.max(end),
                Detection::No => {}
            }
        }
    }
    SecretHit { rule: rule.unwrap_or(hit.rule), ..hit }
}
