//! Fingerprints of failures, equal whatever directory, line or name they occurred with.
//!
//! A fingerprint is computed from the error lines of an output, with everything replaced that
//! differs between two runs. The first error line is the key, or the last one for tools that print
//! the cause last. The other lines are only shown and searched.

mod codes;
mod lines;
mod normalise;
mod tables;
mod words;

use sha2::{Digest, Sha256};
use tacit_core::FingerprintDigest;

use lines::{LineRank, RankedLine};
pub use normalise::without_escapes;

/// Longer outputs are read at the beginning and the end only, in bytes.
const MAX_HEAD: usize = 64 * 1024;
const MAX_TAIL: usize = 64 * 1024;
const MAX_TEXT: usize = 500;
const MAX_LINES: usize = 4;
/// Error lines are close to each other, and later ones repeat the first.
const MAX_LINES_READ: usize = 16;

/// A failure without the parts that differ each time it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    digest: FingerprintDigest,
    text: String,
}

impl Fingerprint {
    /// Returns the key, equal for equal failures.
    pub fn digest(&self) -> &FingerprintDigest {
        &self.digest
    }

    /// Returns up to four error lines with placeholders, the key line first; at most 500 bytes.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Computes the fingerprint of a failed tool's output, or returns `None` if it shows no error.
///
/// The tool counts only if no line is a known error: `done with 3 problems` of two programs are two
/// failures.
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
    // A failed assertion says little without the name of its test.
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

/// Returns the error lines of an output as printed, without indentation: first the line that the
/// fingerprint is computed from, then others, up to `most` in total. A panic and its message,
/// printed on two lines, become one. Returns nothing if no line is about a failure.
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
    let mut shown = vec![lines[key].text.trim().to_owned()];
    for line in lines.iter().filter(|line| line.rank > LineRank::Plain).take(MAX_LINES_READ) {
        let normal = normalise::normalise(&line.text);
        if shown.len() < most && !normal.is_empty() && !seen.contains(&normal) {
            shown.push(line.text.trim().to_owned());
            seen.push(normal);
        }
    }
    shown.truncate(most);
    shown
}

/// Returns the index and the normalised text of the key line: the first line of the highest rank,
/// or the last one where the cause comes last.
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

/// Returns the program's name without its directory and arguments.
fn program(tool: &str) -> &str {
    let first = tool.split_whitespace().next().unwrap_or_default();
    first.rsplit('/').next().unwrap_or(first)
}
