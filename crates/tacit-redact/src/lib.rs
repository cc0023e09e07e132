//! Finds credentials in text and replaces each with a visible marker.
//!
//! [`redact`] is pure: text in, text and findings out. It is called on the way
//! into the store, in hooks that live for milliseconds, so the rules are constant
//! tables: nothing is compiled or allocated before a secret is found.
//!
//! One pass looks at every three bytes and asks a table whether a keyword starts
//! there (`keywords`). Where one does, its detector is tried on the spot:
//! a token rule (`rules`) or a reader of the words around a value
//! (`context`). Findings never overlap: the scan goes on behind each one.
//!
//! Invariants, held by property tests: text outside the findings is unchanged;
//! redacting twice changes nothing more; time grows in proportion to length.

mod bytes;
mod context;
mod identifier;
mod joined;
mod keywords;
mod placeholder;
mod replace;
mod rules;
mod scan;
mod value;

pub use identifier::identifier;

use std::borrow::Cow;
use std::ops::Range;

use scan::{Hit, Tags};

/// A marker can bare what its secret hid: of two tokens glued together the first
/// only ends properly once the second is gone. So the result is scanned again
/// until nothing is found; the limit is for texts made to go on for ever.
const MOST_PASSES: usize = 8;

/// A longer value of a field is a text, and judged as one.
const LONGEST_FIELD: usize = 4096;

/// Text without its secrets, and what was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text with markers; borrowed where nothing was found.
    pub text: Cow<'t, str>,
    /// Each replaced piece of the original text, in order, without overlap.
    pub spans: Vec<Span>,
}

/// One replaced piece of the original text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The rule that recognised it.
    pub rule: &'static str,
    /// Its byte range in the text that was given to [`redact`].
    pub range: Range<usize>,
}

/// How often one rule found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretFinding {
    /// The rule's id, as it stands in the marker.
    pub rule: &'static str,
    /// How many secrets it replaced.
    pub count: usize,
}

impl Redacted<'_> {
    /// How many secrets were replaced.
    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// Returns true if nothing was found.
    pub fn is_clean(&self) -> bool {
        self.spans.is_empty()
    }

    /// Counts by rule, in order of first appearance.
    pub fn findings(&self) -> Vec<SecretFinding> {
        let mut findings: Vec<SecretFinding> = Vec::new();
        for span in &self.spans {
            match findings.iter_mut().find(|finding| finding.rule == span.rule) {
                Some(finding) => finding.count += 1,
                None => findings.push(SecretFinding { rule: span.rule, count: 1 }),
            }
        }
        findings
    }
}

/// Replaces every secret in `text` with `[redacted:<rule>]`.
///
/// The text around a secret stays: the key of an assignment, the scheme, user
/// and host of a URL, the name of a header.
///
/// ```
/// let redacted = tacit_redact::redact("DB=postgres://app:s3cr3t-9x@db:5432/app");
/// assert_eq!(redacted.text, "DB=postgres://app:[redacted:url-password]@db:5432/app");
/// ```
pub fn redact(text: &str) -> Redacted<'_> {
    let mut hits = find(text);
    if hits.is_empty() {
        return Redacted { text: Cow::Borrowed(text), spans: Vec::new() };
    }
    let mut out = replace::render(text, &hits);
    for _ in 1..MOST_PASSES {
        let more = find(&out);
        if more.is_empty() {
            break;
        }
        hits = replace::merge(&hits, &more);
        out = replace::render(text, &hits);
    }
    let spans = hits.iter().map(|hit| Span { rule: hit.rule, range: hit.start..hit.end }).collect();
    Redacted { text: Cow::Owned(out), spans }
}

/// Replaces every secret in the value of a field: `hunter22` is one behind `password`.
///
/// ```
/// assert_eq!(tacit_redact::redact_field("password", "hunter22").text, "[redacted:generic-secret]");
/// assert!(tacit_redact::redact_field("user", "hunter22").is_clean());
/// ```
pub fn redact_field<'t>(name: &str, value: &'t str) -> Redacted<'t> {
    let redacted = redact(value);
    if !redacted.is_clean() || value.is_empty() || value.len() > LONGEST_FIELD {
        return redacted;
    }
    let before = format!("\"{name}\": \"");
    let inside = before.len()..before.len() + value.len();
    let mut spans = redact(&format!("{before}{value}\"")).spans;
    spans.retain(|span| inside.start <= span.range.start && span.range.end <= inside.end);
    if spans.is_empty() {
        return redacted;
    }
    for span in &mut spans {
        span.range = span.range.start - inside.start..span.range.end - inside.start;
    }
    let hits: Vec<Hit> = spans
        .iter()
        .map(|span| Hit { start: span.range.start, end: span.range.end, rule: span.rule })
        .collect();
    Redacted { text: Cow::Owned(replace::render(value, &hits)), spans }
}

/// Secrets as they stand, and those that something invisible splits.
fn find(text: &str) -> Vec<Hit> {
    scan::rounded(text, find_in(text.as_bytes(), Tags::Said))
}

fn find_in(bytes: &[u8], tags: Tags) -> Vec<Hit> {
    let mut hits = scan::scan(bytes, tags);
    let split = joined::scan(bytes, tags);
    if !split.is_empty() {
        hits.extend(split);
        hits = replace::united(hits);
    }
    hits
}

/// Overwrites letters and digits of every secret with an ASCII byte. Signs and line ends stay, and
/// with them places in the text and the syntax of code. Private blocks are left: in source code they
/// are tags.
///
/// ```
/// let masked = tacit_redact::mask(b"PASSWORD=hunter2\n", b'x');
/// assert_eq!(&*masked, b"PASSWORD=xxxxxxx\n");
/// ```
pub fn mask(bytes: &[u8], with: u8) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(bytes);
    for _ in 0..MOST_PASSES {
        let mut changed = false;
        for hit in find_in(&masked, Tags::Code) {
            for at in hit.start..hit.end {
                let tells = masked[at].is_ascii_alphanumeric() || !masked[at].is_ascii();
                if tells && masked[at] != with {
                    masked.to_mut()[at] = with;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    masked
}

/// Takes out text that its author marked with `<private>…</private>`, without leaving a mark; its
/// line ends stay.
///
/// ```
/// let said = tacit_redact::without_private("deploy it <private>to the bunker</private>now");
/// assert_eq!(said, "deploy it now");
/// ```
pub fn without_private(text: &str) -> Cow<'_, str> {
    let visible = joined::Joined::of(text.as_bytes());
    let bytes = visible.as_ref().map_or(text.as_bytes(), |joined| &joined.bytes);
    let original = |at: usize, end: bool| match &visible {
        Some(joined) => joined.original(at, end),
        None => at,
    };
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = bytes[at..].iter().position(|b| *b == b'<') {
        let start = at + found;
        let Some(end) = context::private::block(bytes, start) else {
            at = start + 1;
            continue;
        };
        out.push_str(&text[copied..text.floor_char_boundary(original(start, false))]);
        copied = text.ceil_char_boundary(original(end, true));
        out.extend(bytes[start..end].iter().filter(|b| **b == b'\n').map(|_| '\n'));
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns the id of every rule, each once: what a marker can name.
pub fn rule_ids() -> Vec<&'static str> {
    let mut ids: Vec<_> =
        rules::TABLES.iter().flat_map(|table| table.iter().map(|rule| rule.id)).collect();
    ids.extend(context::IDS);
    ids.sort_unstable();
    ids.dedup();
    ids
}
