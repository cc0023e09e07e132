//! Recognises errors that teach a fact about an interface: a member that does not exist, a function
//! that takes other arguments.

use std::collections::BTreeSet;

use tacit_core::LineChange;

use super::error_fix::clean_message;
use super::failures::TrackedEdit;
use super::fix_lines::{can_fix, is_name, quoted_parts};
use crate::code_lines::{defines, has_word, identifiers, is_comment, line_hunks};
use crate::findings::Finding;
use crate::text::{MAX_QUOTE, one_line, quote};

/// Phrases of errors about a member that does not exist.
const MISSING_MEMBER: [&str; 24] = [
    "has no field",
    "no field",
    "unknown field",
    "no attribute",
    "cannot import name",
    "not exported",
    "no exported member",
    "no method named",
    "no method",
    "has no member",
    "no member named",
    "does not exist on type",
    "does not provide an export",
    "does not exist in type",
    "unresolved import",
    "undefined: ",
    "is not a function",
    "cannot find function",
    "cannot find method",
    "no function or associated",
    "undefined method",
    "does not contain a definition",
    "no variant",
    "deprecated",
];
/// Phrases of errors about a call with other arguments than the function takes.
const OTHER_ARGUMENTS: [&str; 13] = [
    "not enough arguments in call",
    "too many arguments in call",
    "argument was supplied",
    "arguments were supplied",
    "arguments but",
    "arguments, but got",
    "argument, but got",
    "unexpected keyword argument",
    "required positional argument",
    "positional arguments but",
    "cannot be applied to given types",
    "wrong number of arguments",
    "no overload",
];

/// A fact about an interface, told by the line that failed and the line that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiFact {
    /// The change of the line that uses the interface.
    pub(super) change: LineChange,
    /// The file of that line.
    pub(super) file: tacit_core::RepoPath,
}

/// Returns true if a message is about an interface: a missing member, or a call with other
/// arguments.
pub(super) fn is_about_interface(message: &str) -> bool {
    MISSING_MEMBER.iter().chain(&OTHER_ARGUMENTS).any(|phrase| message.contains(phrase))
}

/// Returns the fact that a finding and its fix teach about something that the session did not write
/// itself. `earlier` are the edits before the finding.
pub(super) fn api_fact(
    finding: &Finding,
    earlier: &[&TrackedEdit<'_>],
    fix: &[&TrackedEdit<'_>],
) -> Option<ApiFact> {
    let message = &finding.message;
    let symbols = symbols(message);
    if !is_about_interface(message)
        || symbols.is_empty()
        || symbols.iter().any(|symbol| is_own(symbol, earlier))
        || quoted_parts(message).iter().any(|part| is_own_type(part, earlier))
    {
        return None;
    }
    let missing = MISSING_MEMBER.iter().any(|phrase| message.contains(phrase));
    // The last edit that replaces a use of the symbol tells what works.
    fix.iter().rev().filter(|edit| can_fix(&edit.file) && !edit.edit.whole_file).find_map(|edit| {
        line_hunks(&edit.edit.old, &edit.edit.new).iter().find_map(|hunk| {
            let code = |line: &&&str| !is_comment(edit.file.as_str(), line);
            let symbol_in = |line: &str| symbols.iter().find(|symbol| has_word(line, symbol));
            let (old, symbol) = hunk
                .removed
                .iter()
                .filter(code)
                .find_map(|line| symbol_in(line).map(|symbol| (*line, symbol)))?;
            let replaces = |line: &&&str| {
                let kept = has_word(line, symbol);
                line.len() <= MAX_QUOTE && alike(old, line) && if missing { !kept } else { kept }
            };
            let new = hunk.added.iter().filter(code).find(replaces)?;
            if identifiers(new).any(|name| is_slip(symbol, name)) {
                return None;
            }
            let quote = |line: &str| Some(one_line(line, MAX_QUOTE));
            let change = LineChange { removed: quote(old), added: quote(new) };
            (old.len() <= MAX_QUOTE).then(|| ApiFact { change, file: (*edit.file).clone() })
        })
    })
}

/// Renders a fact: the error, what works and what does not.
pub(super) fn describe(finding: &Finding, fact: &ApiFact) -> String {
    let side = |line: &Option<String>| quote(line.as_deref().unwrap_or_default());
    format!(
        "{}: {} works, {} does not.",
        clean_message(&finding.message),
        side(&fact.change.added),
        side(&fact.change.removed)
    )
}

/// Returns the names that a message is about: those in quotes, or names of code, each by its last
/// part.
fn symbols(message: &str) -> Vec<&str> {
    let last = |name: &'_ str| -> usize { name.rfind(['.', ':', '/']).map_or(0, |at| at + 1) };
    let mut found: Vec<&str> = quoted_parts(message)
        .into_iter()
        .map(|name| name.trim_end_matches("()"))
        .map(|name| &name[last(name)..])
        .filter(|name| name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect();
    if let Some(rest) = message.strip_prefix("undefined: ") {
        // A name without a package is one of the session's own half-done edits.
        found.extend(rest.split_once('.').map(|(_, name)| name));
        return found;
    }
    for before in ["unknown field ", "no field or method "] {
        if let Some((_, rest)) = message.split_once(before) {
            found.extend(identifiers(rest).next().filter(|name| !found.contains(name)));
        }
    }
    if found.is_empty() {
        found.extend(identifiers(message).filter(|word| is_name(word)));
    }
    found
}

/// Returns true if the session defined a name itself, or removed its definition.
fn is_own(symbol: &str, earlier: &[&TrackedEdit<'_>]) -> bool {
    earlier.iter().any(|edit| {
        line_hunks(&edit.edit.old, &edit.edit.new)
            .iter()
            .flat_map(|hunk| hunk.removed.iter().chain(&hunk.added))
            .any(|line| defines(line, symbol))
    })
}

/// Returns true if a name is another one misspelt: one letter is missing, doubled, wrong or swapped.
/// Singular and plural are two names.
fn is_slip(wrong: &str, right: &str) -> bool {
    let (wrong, right): (Vec<char>, Vec<char>) = (wrong.chars().collect(), right.chars().collect());
    if wrong.len().min(right.len()) < 4 || wrong == right {
        return false;
    }
    let start = wrong.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let (a, b) = (&wrong[start..], &right[start..]);
    let one_more = |long: &[char], short: &[char]| {
        long.len() == short.len() + 1 && long[1..] == *short && long != ['s']
    };
    let swapped = || a.len() >= 2 && a.len() == b.len() && a[0] == b[1] && a[1] == b[0];
    let letters = || a[0].is_lowercase() && b[0].is_lowercase();
    one_more(a, b)
        || one_more(b, a)
        || (swapped() && a[2..] == b[2..])
        || (a.len() == b.len() && !a.is_empty() && letters() && a[1..] == b[1..])
}

/// Returns true if the session wrote a type that an error names, such as `impl Iterator<Item = u8>`.
fn is_own_type(part: &str, earlier: &[&TrackedEdit<'_>]) -> bool {
    part.contains([' ', '<', '[', '&'])
        && earlier.iter().any(|edit| edit.edit.new.contains(part) && !edit.edit.old.contains(part))
}

/// Returns true if two lines share half of their identifiers, so that one replaces the other.
fn alike(one: &str, other: &str) -> bool {
    let (one, other): (BTreeSet<&str>, BTreeSet<&str>) =
        (identifiers(one).collect(), identifiers(other).collect());
    2 * one.intersection(&other).count() >= one.len().max(other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_told_from_other_names() {
        for (wrong, right, expected) in [
            ("acent", "accent", true),
            ("recieve", "receive", true),
            ("lenght", "length", true),
            ("colour", "color", true),
            ("as_text", "to_text", false),
            ("item", "items", false),
            ("useV1", "useV2", false),
            ("total", "total", false),
            ("get", "got", false),
        ] {
            assert_eq!(is_slip(wrong, right), expected, "{wrong} {right}");
        }
    }
}
