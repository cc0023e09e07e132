//! Detects values that stand in several files: the same value was replaced by the same in each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tacit_core::{FileRole, RepoPath};

use crate::files::role;
use crate::timeline::Timeline;

/// Number of files in which a value may stand; more is a rename.
const FILES: std::ops::RangeInclusive<usize> = 2..=4;
/// Minimum length of a value, in characters.
const MIN_VALUE: usize = 3;

/// A value that was replaced in several files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwinValue {
    /// The files, sorted by path.
    pub files: Vec<RepoPath>,
    /// The value before.
    pub old: String,
    /// The value after.
    pub new: String,
}

/// Returns the values that a timeline replaced in several files, sorted by value.
pub fn twin_values(timeline: &Timeline) -> Vec<TwinValue> {
    let mut replaced: BTreeMap<(&str, &str), BTreeSet<&RepoPath>> = BTreeMap::new();
    for (_, file, change) in timeline.changes() {
        let is_derived = matches!(role(file), FileRole::Docs | FileRole::Lock);
        if !is_derived && let Some(values) = replaced_value(&change.old, &change.new) {
            replaced.entry(values).or_default().insert(file);
        }
    }
    let shared = replaced.into_iter().filter(|(_, files)| FILES.contains(&files.len()));
    shared
        .map(|((old, new), files)| TwinValue {
            files: files.into_iter().cloned().collect(),
            old: old.to_owned(),
            new: new.to_owned(),
        })
        .collect()
}

/// Returns the value before and after an edit that replaces one value and nothing else.
fn replaced_value<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    let (before, after): (Vec<&str>, Vec<&str>) = (values(old).collect(), values(new).collect());
    if before.len() != after.len() {
        return None;
    }
    let mut differing = before.into_iter().zip(after).filter(|(old, new)| old != new);
    let (old, new) = differing.next()?;
    // Names of types and variables begin with a letter.
    let is_value = |text: &str| {
        let number = text.strip_prefix(['v', '^', '~', '@']).unwrap_or(text);
        text.chars().count() >= MIN_VALUE && number.starts_with(|c: char| c.is_ascii_digit())
    };
    (differing.next().is_none() && is_value(old) && is_value(new)).then_some((old, new))
}

fn values(text: &str) -> impl Iterator<Item = &str> {
    let between = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;=:".contains(c);
    text.split(between).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_replaced_value_is_recognised() {
        for (old, new, expected) in [
            ("version = \"1.2.0\"", "version = \"1.2.1\"", Some(("1.2.0", "1.2.1"))),
            ("__version__='1.2.0'", "__version__='1.2.1'", Some(("1.2.0", "1.2.1"))),
            ("FROM node:20-alpine", "FROM node:22-alpine", Some(("20-alpine", "22-alpine"))),
            ("uses: tool@v4.1", "uses: tool@v4.2", None),
            ("tool v4.1", "tool v4.2", Some(("v4.1", "v4.2"))),
            ("ttl: u32", "ttl: u64", None),
            ("a = old_name", "a = new_name", None),
            ("port = 80, host = 1.1.1.1", "port = 81, host = 2.2.2.2", None),
            ("x = 1", "x = 2", None),
            ("version = 1.2.0", "version = 1.2.1 # next", None),
        ] {
            assert_eq!(replaced_value(old, new), expected, "{old}");
        }
    }
}
