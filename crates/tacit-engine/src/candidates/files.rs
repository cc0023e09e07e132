//! Candidates from the files and symbols of a query.

use std::collections::BTreeSet;

use tacit_core::{BuiltinType, MemoryType, RepoPath, SymbolRef};
use tacit_recall::FileLink;
use tacit_store::{Filter, MemoryKey, Store, StoreResult};

use crate::recall::RecallRequest;

/// The most candidates from the query's files.
const ABOUT_FILES: usize = 20;
/// The least weight of a link to a file that is used or changed together with one of the query's.
pub const MIN_LINK_WEIGHT: f64 = 0.6;
/// The most linked files, and the most memories about them.
pub const MAX_LINKED_FILES: usize = 5;
/// The types that are useful for linked files.
const LINKED_TYPES: [BuiltinType; 4] =
    [BuiltinType::Gotcha, BuiltinType::Pattern, BuiltinType::ErrorPattern, BuiltinType::DeadEnd];

/// The memories that the files and symbols of a query lead to.
#[derive(Default, Clone)]
pub(super) struct FileKeys {
    pub(super) symbols: BTreeSet<MemoryKey>,
    pub(super) direct: BTreeSet<MemoryKey>,
    pub(super) indirect: BTreeSet<MemoryKey>,
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
        found.direct.extend(store.keys_about(&files, &recall.filter, ABOUT_FILES)?);
        let linked = store.linked_files(&files, MIN_LINK_WEIGHT, MAX_LINKED_FILES)?;
        if !linked.is_empty() {
            let mut filter = recall.filter.clone();
            let asked_for = std::mem::take(&mut filter.types);
            filter.types = LINKED_TYPES
                .map(MemoryType::Builtin)
                .into_iter()
                .filter(|kind| asked_for.is_empty() || asked_for.contains(kind))
                .collect();
            if !filter.types.is_empty() {
                found.indirect.extend(store.keys_about(&linked, &filter, MAX_LINKED_FILES)?);
            }
        }
        Ok(found)
    }

    pub(super) fn link(&self, key: MemoryKey) -> FileLink {
        if self.symbols.contains(&key) {
            FileLink::Symbol
        } else if self.direct.contains(&key) {
            FileLink::Direct
        } else if self.indirect.contains(&key) {
            FileLink::Indirect
        } else {
            FileLink::None
        }
    }
}

/// The most paths and the most symbols that are taken from a query.
const MOST_NAMED: usize = 5;

/// Returns the words of a query that look like paths, including what follows a colon.
fn path_words(question: &str) -> impl Iterator<Item = &str> {
    question
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.contains('/') && word.contains('.') && !word.contains("//"))
}

/// Returns the paths that a query names.
fn named_files(question: &str) -> Vec<RepoPath> {
    path_words(question)
        .filter_map(|word| RepoPath::new(word.split(':').next().unwrap_or(word)).ok())
        .take(MOST_NAMED)
        .collect()
}

/// Returns the symbols that a query names as `path::name`.
fn named_symbols(question: &str) -> Vec<SymbolRef> {
    path_words(question).filter_map(|word| SymbolRef::new(word).ok()).take(MOST_NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_in_a_query_are_found() {
        let named = |text| named_symbols(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            named("why does `src/pool.rs::Pool::close()` block, and src/db.rs::open?"),
            ["src/pool.rs::Pool.close", "src/db.rs::open"]
        );
        assert!(named("src/pool.rs:42 std::mem::take Pool.close").is_empty());
    }

    #[test]
    fn paths_in_a_query_are_found() {
        let named = |text| named_files(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            named("why does `src/pool.rs:42` and (web/app.ts) break"),
            ["src/pool.rs", "web/app.ts"]
        );
        assert!(named("and/or https://example.org/a.html ../../etc/passwd.txt").len() <= 1);
        assert!(named("plain words. only").is_empty());
    }
}
