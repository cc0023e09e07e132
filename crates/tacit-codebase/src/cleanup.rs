//! Removes values that no worktree uses from the shared caches.
//!
//! A refresh holds a shared lock on the caches, so that no value is removed between being found and
//! becoming part of a graph. Cleanup holds the lock exclusively.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use tacit_fs::{LockMode, Wait};

use crate::content_cache::{CacheKind, ContentCache};
use crate::error::{CodebaseResult, io};
use crate::facts::{FACTS, Hash};
use crate::locate::search::SearchDepth;
use crate::open::Codebase;
use crate::tables;
use crate::words::{WORDS, open_word_index};

/// The number of removed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CleanupReport {
    /// Facts of files.
    pub facts: usize,
    /// Word lists.
    pub words: usize,
}

impl Codebase {
    /// Removes the values that no worktree uses, so that nothing of a deleted file remains. Does
    /// nothing while another process refreshes a worktree.
    pub fn drop_unused(&self) -> CodebaseResult<CleanupReport> {
        if !self.directory.exists() {
            return Ok(CleanupReport::default());
        }
        let lock = self.store_lock()?;
        if !tacit_fs::lock(&lock, LockMode::Exclusive, Wait::NONE).map_err(io(&self.directory))? {
            return Ok(CleanupReport::default());
        }
        let dropped = self.drop_unused_locked();
        // Closing is not enough: a process being started by another thread inherits the open file.
        lock.unlock().map_err(io(&self.directory))?;
        dropped
    }

    fn drop_unused_locked(&self) -> CodebaseResult<CleanupReport> {
        let drop = |kind: CacheKind, used: HashSet<Hash>| match ContentCache::open_current(
            &self.directory,
            kind,
        )? {
            Some(mut store) => store.drop_unused(&used),
            None => Ok(0),
        };
        Ok(CleanupReport {
            facts: drop(FACTS, self.used_facts()?)?,
            words: drop(WORDS, self.used_words()?)?,
        })
    }

    /// Runs work that uses the caches, while nothing is removed from them.
    pub(crate) fn with_shared_stores<T>(
        &self,
        work: impl FnOnce() -> CodebaseResult<T>,
    ) -> CodebaseResult<T> {
        let lock = self.store_lock()?;
        lock.lock_shared().map_err(io(&self.directory))?;
        let done = work();
        lock.unlock().map_err(io(&self.directory))?;
        done
    }

    fn store_lock(&self) -> CodebaseResult<File> {
        self.make_directory()?;
        let path = self.directory.join("stores.lock");
        tacit_fs::append(&path).map_err(io(&path))
    }

    /// Returns the facts that the graphs of all worktrees use. An unreadable graph is skipped: it
    /// is rebuilt, and its files are parsed again.
    fn used_facts(&self) -> CodebaseResult<HashSet<Hash>> {
        self.used("db", |path, used| {
            if [FACTS, WORDS].iter().all(|kind| kind.path(&self.directory) != path) {
                used.extend(tables::hashes(path).unwrap_or_default());
            }
        })
    }

    /// Returns the word lists that all worktrees use; unreadable indexes are skipped as well.
    fn used_words(&self) -> CodebaseResult<HashSet<Hash>> {
        self.used("words", |path, used| {
            if let Ok(Some(words)) = open_word_index(path, SearchDepth::Thorough) {
                let index = words.index();
                used.extend((0..index.files()).map(|file| index.version(file).hash));
            }
        })
    }

    fn used(
        &self,
        ending: &str,
        read: impl Fn(&Path, &mut HashSet<Hash>),
    ) -> CodebaseResult<HashSet<Hash>> {
        let mut used = HashSet::new();
        for entry in std::fs::read_dir(&self.directory).map_err(io(&self.directory))? {
            let path = entry.map_err(io(&self.directory))?.path();
            if path.extension().is_some_and(|found| found == ending) {
                read(&path, &mut used);
            }
        }
        Ok(used)
    }
}
