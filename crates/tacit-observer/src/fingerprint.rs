//! Fingerprints of failures, equal whatever directory, line or value they occurred with.
//!
//! A fingerprint is computed from the first finding of a checker, or from the error lines of the
//! output of another program, with everything replaced that differs between two runs; the name of
//! what is missing or unknown stays. The first error line is the key, or the last one for tools
//! that print the cause last. The other lines are only shown and searched.

mod codes;
mod lines;
mod normalise;
mod tables;
mod words;

use sha2::{Digest, Sha256};
use tacit_core::FingerprintDigest;

use crate::findings::{Finding, FindingKind, findings};
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
    let found = findings(text);
    if let Some(first) = found.first() {
        return of_finding(first, &found);
    }
    let text = shortened(text);
    let text = without_escapes(&text);
    let lines = lines::ranked_lines(&text);
    let (key, key_text) = key_line(&lines)?;
    let key = &lines[key];
    let mut shown = vec![key_text];
    let ranked_lines =
        lines.iter().filter(|line| line.rank != LineRank::Plain || key.rank == LineRank::Plain);
    for line in ranked_lines.take(MAX_LINES_READ) {
        push_line(&mut shown, normalise::normalise(&line.text));
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
    fingerprint(hasher, &shown)
}

/// Computes the fingerprint of one finding, equal to that of an output that begins with it.
pub(crate) fn finding_fingerprint(finding: &Finding) -> Option<FingerprintDigest> {
    of_finding(finding, std::slice::from_ref(finding)).map(|print| print.digest)
}

/// Computes the fingerprint of the first finding. A lint rule is the same wherever it is violated;
/// a failed assertion belongs to its test.
fn of_finding(first: &Finding, found: &[Finding]) -> Option<Fingerprint> {
    let mut shown = Vec::new();
    for finding in found.iter().take(MAX_LINES_READ) {
        let told = if finding.message.is_empty() { finding.text() } else { finding.labelled() };
        push_line(&mut shown, normalise::normalise(&told));
    }
    let mut hasher = Sha256::new();
    match &first.rule {
        Some(rule) if first.kind == FindingKind::Lint => {
            for part in [first.tool, rule, inner_rule(first)] {
                hasher.update(part.as_bytes());
                hasher.update([2]);
            }
        }
        _ => hasher.update(shown.first()?.as_bytes()),
    }
    let is_assertion = lines::is_assertion(&first.message)
        || first.message.is_empty()
        || matches!(first.tool, "go test" | "cargo test");
    if let Some(test) = first.test.as_ref().filter(|_| is_assertion) {
        hasher.update([1]);
        hasher.update(normalise::normalise(test).as_bytes());
    }
    fingerprint(hasher, &shown)
}

/// Returns the rule that a linter of linters names at the beginning of its message:
/// `unused-parameter: …`.
fn inner_rule(finding: &Finding) -> &str {
    finding
        .message
        .split_once(": ")
        .map(|(rule, _)| rule)
        .filter(|rule| finding.tool == "golangci-lint" && !rule.contains(' '))
        .unwrap_or_default()
}

fn push_line(shown: &mut Vec<String>, line: String) {
    if shown.len() < MAX_LINES && !line.is_empty() && !shown.contains(&line) {
        shown.push(line);
    }
}

fn fingerprint(hasher: Sha256, shown: &[String]) -> Option<Fingerprint> {
    let digits: String = hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let digest = FingerprintDigest::new(digits).ok()?;
    let mut text = shown.join("\n");
    text.truncate(text.floor_char_boundary(MAX_TEXT));
    Some(Fingerprint { digest, text })
}

/// Returns the error lines of an output: the findings of its checker, else the lines that name an
/// error, without indentation; first the one that the fingerprint is computed from, up to `most`
/// in total. Returns nothing if no line is about a failure. Logs and summaries are no error lines.
pub fn error_lines(text: &str, most: usize) -> Vec<String> {
    let found = findings(text);
    if !found.is_empty() {
        return found.iter().take(most).map(Finding::text).collect();
    }
    let text = shortened(text);
    let text = without_escapes(&text);
    let lines = lines::ranked_lines(&text);
    let Some((key, normal)) =
        key_line(&lines).filter(|(key, _)| lines[*key].rank > LineRank::Summary)
    else {
        return Vec::new();
    };
    let mut seen = vec![normal];
    let mut shown = vec![lines[key].text.trim().to_owned()];
    for line in lines.iter().filter(|line| line.rank > LineRank::Summary).take(MAX_LINES_READ) {
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
    [LineRank::Exact, LineRank::General, LineRank::Summary, LineRank::Plain, LineRank::Test]
        .into_iter()
        .find_map(|rank| {
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
        })
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
