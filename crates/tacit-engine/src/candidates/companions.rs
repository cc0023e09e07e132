//! Companions of the best matches: memories that stand beside them and may be meant as well.
//!
//! A memory learnt just before or after a match in the same session often completes it, such as the
//! answer to a question. A memory about the same file often has the same cause. Neither need share
//! a word with the query.

use std::collections::BTreeSet;

use tacit_core::{RepoPath, Source};
use tacit_store::{Filter, MemoryKey, Store, StoreResult, VectorModel};

use super::Fetched;

/// The most files of the best matches that lead to other memories.
const MOST_FILES: usize = 5;
/// The most memories about these files.
const ABOUT_FILES: usize = 10;

impl Fetched {
    /// Adds the companions of the best matches.
    pub(super) fn add_companions(
        &mut self,
        store: &dyn Store,
        filter: &Filter,
        best: &[MemoryKey],
        model: Option<&VectorModel>,
    ) -> StoreResult<()> {
        let mut keys: BTreeSet<MemoryKey> = BTreeSet::new();
        let mut files: Vec<RepoPath> = Vec::new();
        for (key, read) in best.iter().filter_map(|key| Some((*key, self.0.get(key)?))) {
            if read.memory.body.subject.placement().session().is_some() {
                keys.extend([key.saturating_sub(1), key.saturating_add(1)]);
            }
            for file in read.memory.body.files.iter() {
                if files.len() < MOST_FILES && !files.contains(file) {
                    files.push(file.clone());
                }
            }
        }
        if !files.is_empty() {
            keys.extend(store.keys_about(&files, filter, ABOUT_FILES)?);
        }
        let keys: Vec<MemoryKey> =
            keys.into_iter().filter(|key| !self.0.contains_key(key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let mut beside = store.read_keys(&keys, filter)?;
        // Every file has commits.
        beside.retain(|(_, memory)| memory.body.origin.source != Source::CommitAuto);
        beside.retain(|(key, memory)| {
            let session = memory.body.subject.placement().session();
            let same_session = [key.saturating_sub(1), key.saturating_add(1)].iter().any(|other| {
                best.contains(other)
                    && self.0.get(other).is_some_and(|read| {
                        session.is_some()
                            && read.memory.body.subject.placement().session() == session
                    })
            });
            same_session || memory.body.files.iter().any(|file| files.contains(file))
        });
        let added: Vec<MemoryKey> = beside.iter().map(|(key, _)| *key).collect();
        self.add(store, beside, model)?;
        for key in added {
            if let Some(read) = self.0.get_mut(&key) {
                read.companion = true;
            }
        }
        Ok(())
    }
}
