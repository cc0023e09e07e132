//! What makes two failures the same, whatever directory, line or name they were met with.
//!
//! A fingerprint is taken from the lines of an output that tell what went wrong, with all that
//! differs between two runs taken out. The first of them, or where a tool tells the cause last, the
//! last, is the key; the others are shown and searched with it.

mod codes;
mod lines;
mod normalise;
mod tables;
mod words;

use sha2::{Digest, Sha256};
use tacit_core::FingerprintDigest;

use lines::{LineRank, RankedLine};
pub use normalise::without_escapes;

/// Of a longer output the beginning and the end are read.
const MAX_HEAD: usize = 64 * 1024;
const MAX_TAIL: usize = 64 * 1024;
const MAX_TEXT: usize = 500;
const MAX_LINES: usize = 4;
/// Lines of one failure stand near each other; the hundredth says what the first did.
const MAX_LINES_READ: usize = 16;

/// A failure without what differs each time it is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    digest: FingerprintDigest,
    text: String,
}

impl Fingerprint {
    /// The key, equal for equal failures.
    pub fn digest(&self) -> &FingerprintDigest {
        &self.digest
    }

    /// The telling lines with placeholders, the key's first; at most 500 bytes.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The fingerprint of what a tool printed when it failed, or `None` if it says nothing.
///
/// The tool counts only where no line of the output is known to be an error: `done with 3 problems`
/// of two programs are two failures.
///
/// ```
/// use tacit_observer::error_fingerprint;
/// let one = error_fingerprint("cargo", "error[E0308]: mismatched types\n --> src/a.rs:3:5").unwrap();
/// let two = error_fingerprint("cargo", "error[E0308]: mismatched types\n --> /tmp/b.rs:9:1").unwrap();
/// assert_eq!(one.digest(), two.digest());
/// ```
pub fn error_fingerprint(tool: &str, text: &str) -> Option<Fingerprint> {
    let text = shortened(text);
    let text = without_escapes(&text);
    let lines = lines::ranked_lines(&text);
    let (key, key_text) = key_line(&lines)?;
    let key = &lines[key];
    let mut shown = vec![key_text];
    let ranked_lines =
        lines.iter().filter(|line| line.rank != LineRank::Plain || key.rank == LineRank::Plain);
    for line in ranked_lines.take(MAX_LINES_READ) {
        let normal = normalise::normalise(&line.text);
        if shown.len() < MAX_LINES && !normal.is_empty() && !shown.contains(&normal) {
            shown.push(normal);
        }
    }
    let mut hasher = Sha256::new();
    hasher.update(shown[0].as_bytes());
    if key.rank == LineRank::Plain {
        hasher.update([0]);
        hasher.update(program(tool).as_bytes());
    }
    // An assertion that fails says little without the test in which it fails.
    if (key.is_assertion || key.rank != LineRank::Exact)
        && let Some(test) = lines.iter().find(|line| line.rank == LineRank::Test)
    {
        hasher.update([1]);
        hasher.update(normalise::normalise(&test.text).as_bytes());
    }
    let digits: String = hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let digest = FingerprintDigest::new(digits).ok()?;
    let mut shown = shown.join("\n");
    shown.truncate(shown.floor_char_boundary(MAX_TEXT));
    Some(Fingerprint { digest, text: shown })
}

/// The lines of an output that tell what went wrong, as they were printed but for their indentation
/// (a panic and its message, which are two lines, become one): first the one that a fingerprint is
/// taken from, then up to `most` in all that say something else. None if no line is about a failure.
pub fn error_lines(text: &str, most: usize) -> Vec<String> {
    let text = shortened(text);
    let text = without_escapes(&text);
    let lines = lines::ranked_lines(&text);
    let Some((key, normal)) =
        key_line(&lines).filter(|(key, _)| lines[*key].rank > LineRank::Plain)
    else {
        return Vec::new();
    };
    let mut seen = vec![normal];
    let mut told = vec![lines[key].text.trim().to_owned()];
    for line in lines.iter().filter(|line| line.rank > LineRank::Plain).take(MAX_LINES_READ) {
        let normal = normalise::normalise(&line.text);
        if told.len() < most && !normal.is_empty() && !seen.contains(&normal) {
            told.push(line.text.trim().to_owned());
            seen.push(normal);
        }
    }
    told.truncate(most);
    told
}

/// The line that is the failure, and its text: of the highest rank the first, or the last where
/// that is the cause.
fn key_line(lines: &[RankedLine<'_>]) -> Option<(usize, String)> {
    [LineRank::Exact, LineRank::General, LineRank::Plain, LineRank::Test].into_iter().find_map(
        |rank| {
            let causes = lines.iter().any(|line| line.rank == rank && line.cause_is_last);
            let mut candidates = lines
                .iter()
                .enumerate()
                .filter(|(_, line)| line.rank == rank && (line.cause_is_last || !causes))
                .map(|(index, line)| (index, normalise::normalise(&line.text)))
                .filter(|(_, text)| !text.is_empty());
            if causes || rank == LineRank::Plain {
                candidates.next_back()
            } else {
                candidates.next()
            }
        },
    )
}

fn shortened(text: &str) -> String {
    let mut text = text.to_owned();
    tacit_core::shorten_text(&mut text, MAX_HEAD, MAX_TAIL);
    text
}

/// The program's name, however it was called.
fn program(tool: &str) -> &str {
    let first = tool.split_whitespace().next().unwrap_or_default();
    first.rsplit('/').next().unwrap_or(first)
}
