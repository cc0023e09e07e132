//! PEM blocks of private keys, complete or truncated. Certificates and public keys are kept.

use crate::bytes::{BASE64, BASE64_PADDED, Class, entropy, find_folded};
use crate::scan::{Detection, KeywordMatch, SecretHit};

pub(super) const ID: &str = "private-key";
pub(super) const SERVICE_ACCOUNT: &str = "gcp-service-account-key";

const DASHES: &[u8] = b"-----";
const LABEL: Class = Class::new(" A-Z0-9");
/// Maximum length of a block.
const MAX_BODY: usize = 32 * 1024;
/// Minimum length of a line of key material; shorter base64 is a word.
const MIN_LINE: usize = 16;

pub(super) fn find(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let label = LABEL.run_back(bytes, matched.floor, matched.at, 32);
    let head = &bytes[matched.floor..matched.at - label];
    if !head.ends_with(DASHES) || !bytes[matched.at - label..].starts_with(b"BEGIN ") {
        return Detection::No;
    }
    let start = matched.at - label - DASHES.len();
    let mut body = matched.at + matched.keyword.len();
    body += LABEL.run(bytes, body, 8);
    if !bytes[body..].starts_with(DASHES) {
        return Detection::No;
    }
    body += DASHES.len();
    // Only up to the next dashes, so that many opening lines are not scanned repeatedly.
    let text = &bytes[body..bytes.len().min(body + MAX_BODY)];
    let length =
        text.windows(DASHES.len()).position(|window| window == DASHES).unwrap_or(text.len());
    let text = &text[..length];
    let end = closed_end(bytes, body + length, text)
        .or_else(|| truncated_end(text).map(|end| body + end));
    let Some(end) = end else { return Detection::No };
    let before = &bytes[matched.floor.max(start.saturating_sub(24))..start];
    let rule = if find_folded(before, b"private_key").is_some() { SERVICE_ACCOUNT } else { ID };
    Detection::Found(SecretHit { start, end, rule })
}

/// Returns the end of a block whose closing line starts at `close`, if `text` contains key
/// material.
fn closed_end(bytes: &[u8], close: usize, text: &[u8]) -> Option<usize> {
    let label = bytes.get(close..)?.strip_prefix(DASHES)?;
    if !label.starts_with(b"END ") || longest_run(text) < MIN_LINE {
        return None;
    }
    let end = LABEL.run(label, 0, 48);
    let dashes = if label[end..].starts_with(DASHES) { DASHES.len() } else { 0 };
    Some(close + DASHES.len() + end + dashes)
}

/// Returns the end of the last line of key material if the closing line is missing.
pub(super) fn truncated_end(bytes: &[u8]) -> Option<usize> {
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
        if (run >= MIN_LINE && run * 2 >= trimmed.len()) || last_piece {
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

/// Returns the length of the first line. It ends at a line feed, either as a byte or written as
/// `\n`.
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

/// Returns the length of the longest run of base64 that is random enough to be key material.
fn longest_run(text: &[u8]) -> usize {
    text.split(|b| !BASE64.has(*b))
        .filter(|run| run.len() >= MIN_LINE && entropy(run) >= 2.5)
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0)
}
