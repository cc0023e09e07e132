//! What no worktree of a repository has any more leaves the stores that all of them share.
//!
//! Whoever brings a worktree up to date holds the stores together with others, so that nothing is
//! dropped between being found and being part of a graph; who drops holds them alone.

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

/// How much was dropped from the stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CleanupReport {
    /// Of how many contents the facts were.
    pub facts: usize,
    /// Of how many contents the words were.
    pub words: usize,
}

impl Codebase {
    /// Drops from the stores what no worktree has any more: nothing of a file that is gone stays.
    /// While another process brings a worktree up to date nothing is dropped.
    pub fn drop_unused(&self) -> CodebaseResult<CleanupReport> {
        if !self.directory.exists() {
            return Ok(CleanupReport::default());
        }
        let lock = self.store_lock()?;
        if !tacit_fs::lock(&lock, LockMode::Exclusive, Wait::NONE).map_err(io(&self.directory))? {
            return Ok(CleanupReport::default());
        }
        let dropped = self.drop_alone();
        // Closing it is not enough: a program that another thread is just starting has it open too.
        lock.unlock().map_err(io(&self.directory))?;
        dropped
    }

    fn drop_alone(&self) -> CodebaseResult<CleanupReport> {
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

    /// Does something that finds things in the stores, none of which are dropped meanwhile.
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

    /// What the graphs of all worktrees were made of. One that cannot be read is made anew, and what
    /// it needs is read again if it is not there.
    fn used_facts(&self) -> CodebaseResult<HashSet<Hash>> {
        self.used("db", |path, used| {
            if [FACTS, WORDS].iter().all(|kind| kind.path(&self.directory) != path) {
                used.extend(tables::hashes(path).unwrap_or_default());
            }
        })
    }

    /// What the indexes of words of all worktrees were made of; the same holds for them.
    fn used_words(&self) -> CodebaseResult<HashSet<Hash>> {
        self.used("words", |path, used| {
            if let Ok(Some(words)) = open_word_index(path, SearchDepth::Thorough) {
                let index = words.index();
                used.extend((0..index.files()).map(|file| index.stamp(file).hash));
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
