//! PEM blocks of private keys, whole or cut off. Certificates and public keys stay.

use crate::bytes::{BASE64, BASE64_PADDED, Class, entropy, find_folded};
use crate::scan::{Hit, Outcome, Place};

pub(super) const ID: &str = "private-key";
pub(super) const SERVICE_ACCOUNT: &str = "gcp-service-account-key";

const DASHES: &[u8] = b"-----";
const LABEL: Class = Class::new(" A-Z0-9");
/// Two blocks further apart than this are not one.
const LONGEST_BODY: usize = 32 * 1024;
/// Shorter base64 is a word.
const SHORTEST_LINE: usize = 16;

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let label = LABEL.run_back(bytes, place.floor, place.at, 32);
    let head = &bytes[place.floor..place.at - label];
    if !head.ends_with(DASHES) || !bytes[place.at - label..].starts_with(b"BEGIN ") {
        return Outcome::No;
    }
    let start = place.at - label - DASHES.len();
    let mut body = place.at + place.keyword.len();
    body += LABEL.run(bytes, body, 8);
    if !bytes[body..].starts_with(DASHES) {
        return Outcome::No;
    }
    body += DASHES.len();
    // Up to the next dashes and no further, so that a row of opening lines is read once.
    let text = &bytes[body..bytes.len().min(body + LONGEST_BODY)];
    let length =
        text.windows(DASHES.len()).position(|window| window == DASHES).unwrap_or(text.len());
    let text = &text[..length];
    let end =
        closed_end(bytes, body + length, text).or_else(|| cut_off_end(text).map(|end| body + end));
    let Some(end) = end else { return Outcome::No };
    let before = &bytes[place.floor.max(start.saturating_sub(24))..start];
    let rule = if find_folded(before, b"private_key").is_some() { SERVICE_ACCOUNT } else { ID };
    Outcome::Found(Hit { start, end, rule })
}

/// Returns the end of a block whose closing line is at `close`, if `text` holds key material.
fn closed_end(bytes: &[u8], close: usize, text: &[u8]) -> Option<usize> {
    let label = bytes.get(close..)?.strip_prefix(DASHES)?;
    if !label.starts_with(b"END ") || longest_run(text) < SHORTEST_LINE {
        return None;
    }
    let end = LABEL.run(label, 0, 48);
    let dashes = if label[end..].starts_with(DASHES) { DASHES.len() } else { 0 };
    Some(close + DASHES.len() + end + dashes)
}

/// Returns the end of the last line of key material in `bytes`, where the closing line is missing.
pub(super) fn cut_off_end(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut end) = (0, None);
    while at < bytes.len() {
        let length = line_length(&bytes[at..]);
        let line = &bytes[at..at + length];
        let trimmed = line.trim_ascii();
        let run = longest_run(line);
        let last_piece =
            end.is_some() && !trimmed.is_empty() && trimmed.iter().all(|b| BASE64_PADDED.has(*b));
        let header = [&b"Proc-Type:"[..], b"DEK-Info:", b"Version:", b"Comment:"]
            .iter()
            .any(|h| trimmed.starts_with(h));
        if (run >= SHORTEST_LINE && run * 2 >= trimmed.len()) || last_piece {
            end = Some(at + line.trim_ascii_end().len());
        } else if !header && !trimmed.is_empty() {
            break;
        }
        at += length;
        let rest = &bytes[at..];
        at += if rest.starts_with(b"\\n") || rest.starts_with(b"\\r") {
            2
        } else {
            usize::from(!rest.is_empty())
        };
    }
    end
}

/// Returns a line ends at a line feed, written as such or as `\n`.
fn line_length(text: &[u8]) -> usize {
    text.iter()
        .enumerate()
        .position(|(i, b)| {
            *b == b'\n'
                || *b == b'"'
                || (*b == b'\\' && matches!(text.get(i + 1), Some(b'n' | b'r')))
        })
        .unwrap_or(text.len())
}

/// Length of the longest run of base64 that is random enough to be key material.
fn longest_run(text: &[u8]) -> usize {
    text.split(|b| !BASE64.has(*b))
        .filter(|run| run.len() >= SHORTEST_LINE && entropy(run) >= 2.5)
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0)
}
