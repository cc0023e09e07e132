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
mod keywords;
mod placeholder;
mod replace;
mod rules;
mod scan;
mod value;

use std::borrow::Cow;
use std::ops::Range;

/// A marker can bare what its secret hid: of two tokens glued together the first
/// only ends properly once the second is gone. So the result is scanned again
/// until nothing is found; the limit is for texts made to go on for ever.
const MOST_PASSES: usize = 8;

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
pub struct Finding {
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

    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.spans.is_empty()
    }

    /// Counts by rule, in order of first appearance.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for span in &self.spans {
            match findings.iter_mut().find(|finding| finding.rule == span.rule) {
                Some(finding) => finding.count += 1,
                None => findings.push(Finding { rule: span.rule, count: 1 }),
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
    let mut hits = scan::scan(text);
    if hits.is_empty() {
        return Redacted { text: Cow::Borrowed(text), spans: Vec::new() };
    }
    let mut out = replace::render(text, &hits);
    for _ in 1..MOST_PASSES {
        let more = scan::scan(&out);
        if more.is_empty() {
            break;
        }
        hits = replace::merge(&hits, &more);
        out = replace::render(text, &hits);
    }
    let spans = hits.iter().map(|hit| Span { rule: hit.rule, range: hit.start..hit.end }).collect();
    Redacted { text: Cow::Owned(out), spans }
}

/// The id of every rule, each once: what a marker can name.
pub fn rule_ids() -> Vec<&'static str> {
    let mut ids: Vec<_> =
        rules::TABLES.iter().flat_map(|table| table.iter().map(|rule| rule.id)).collect();
    ids.extend(context::IDS);
    ids.sort_unstable();
    ids.dedup();
    ids
}
