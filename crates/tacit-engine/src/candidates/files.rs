//! What the files and symbols at hand, and those a question names, lead to.

use std::collections::BTreeSet;

use tacit_core::{BuiltinType, MemoryType, RepoPath, SymbolRef};
use tacit_recall::FileLink;
use tacit_store::{Filter, MemoryKey, Store, StoreResult};

use crate::recall::RecallRequest;

/// How many candidates the files at hand give.
const ABOUT_FILES: usize = 20;
/// Files used together with one at hand more often than this, or more likely to change with it, are
/// looked at too.
pub const LINKED: f64 = 0.6;
/// How many such files, and how many memories about them.
pub const LINKED_FILES: usize = 5;
/// What is worth knowing about a file that is used together with one at hand.
const LINKED_TYPES: [BuiltinType; 4] =
    [BuiltinType::Gotcha, BuiltinType::Pattern, BuiltinType::ErrorPattern, BuiltinType::DeadEnd];

/// The memories that a file or symbol at hand leads to.
#[derive(Default, Clone)]
pub(super) struct FileKeys {
    pub(super) symbols: BTreeSet<MemoryKey>,
    pub(super) at_hand: BTreeSet<MemoryKey>,
    pub(super) linked: BTreeSet<MemoryKey>,
}

impl FileKeys {
    pub(super) fn find(store: &dyn Store, recall: &RecallRequest) -> StoreResult<FileKeys> {
        let mut found = FileKeys::default();
        let mut symbols = recall.symbols.clone();
        symbols.extend(named_symbols(&recall.query));
        let mut files = recall.files.clone();
        files.extend(named_files(&recall.query));
        files.extend(symbols.iter().map(SymbolRef::path));
        if files.is_empty() {
            return Ok(found);
        }
        if !symbols.is_empty() {
            let filter = Filter { symbols, ..recall.filter.clone() };
            found.symbols.extend(store.keys_about(&files, &filter, ABOUT_FILES)?);
        }
        found.at_hand.extend(store.keys_about(&files, &recall.filter, ABOUT_FILES)?);
        let linked = store.linked_files(&files, LINKED, LINKED_FILES)?;
        if !linked.is_empty() {
            let mut filter = recall.filter.clone();
            let asked_for = std::mem::take(&mut filter.types);
            filter.types = LINKED_TYPES
                .map(MemoryType::Builtin)
                .into_iter()
                .filter(|kind| asked_for.is_empty() || asked_for.contains(kind))
                .collect();
            if !filter.types.is_empty() {
                found.linked.extend(store.keys_about(&linked, &filter, LINKED_FILES)?);
            }
        }
        Ok(found)
    }

    pub(super) fn link(&self, key: MemoryKey) -> FileLink {
        if self.symbols.contains(&key) {
            FileLink::Symbol
        } else if self.at_hand.contains(&key) {
            FileLink::AtHand
        } else if self.linked.contains(&key) {
            FileLink::Linked
        } else {
            FileLink::None
        }
    }
}

/// How many paths, and how many symbols, of a question are looked at.
const MOST_NAMED: usize = 5;

/// The words of a question that look like paths, with whatever follows a colon.
fn path_words(question: &str) -> impl Iterator<Item = &str> {
    question
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.contains('/') && word.contains('.') && !word.contains("//"))
}

/// The paths that a question names.
fn named_files(question: &str) -> Vec<RepoPath> {
    path_words(question)
        .filter_map(|word| RepoPath::new(word.split(':').next().unwrap_or(word)).ok())
        .take(MOST_NAMED)
        .collect()
}

/// The symbols that a question names, as `path::name`.
fn named_symbols(question: &str) -> Vec<SymbolRef> {
    path_words(question).filter_map(|word| SymbolRef::new(word).ok()).take(MOST_NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_in_a_question_are_seen() {
        let named = |text| named_symbols(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            named("why does `src/pool.rs::Pool::close()` block, and src/db.rs::open?"),
            ["src/pool.rs::Pool.close", "src/db.rs::open"]
        );
        assert!(named("src/pool.rs:42 std::mem::take Pool.close").is_empty());
    }

    #[test]
    fn paths_in_a_question_are_seen() {
        let named = |text| named_files(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            named("why does `src/pool.rs:42` and (web/app.ts) break"),
            ["src/pool.rs", "web/app.ts"]
        );
        assert!(named("and/or https://example.org/a.html ../../etc/passwd.txt").len() <= 1);
        assert!(named("plain words. only").is_empty());
    }
}
