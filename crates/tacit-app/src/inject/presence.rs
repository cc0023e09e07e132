//! The existence of the files that memories are about, checked before a memory is shown.
//!
//! Maintenance marks such memories as stale; until then, this keeps hooks from showing them, and marks
//! them where they are shown on request.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;

use tacit_core::{Memory, RepoPath, StaleKind, StatusKind, depends_on_files};

use crate::life::has_visible_files;

/// The most files of a memory that are looked up.
const MOST_FILES: usize = 8;
/// The most files that are looked up for one event.
const MOST_LOOKUPS: u32 = 64;

/// The files that were looked up for an event.
#[derive(Debug, Default)]
pub struct FilePresence {
    known: RefCell<HashMap<RepoPath, bool>>,
    has_files: OnceCell<bool>,
    lookups: Cell<u32>,
}

impl FilePresence {
    /// Returns the reason for which a memory is not shown unasked, if there is one.
    pub fn objection(&self, root: &Path, memory: &Memory) -> Option<&'static str> {
        if memory.status.kind() != StatusKind::Active {
            return Some("no longer in use");
        }
        if memory.body.trust.stale_at.is_some() {
            return Some("about things that no longer exist");
        }
        self.lacks_file(root, memory).then_some("a file it is about no longer exists")
    }

    /// Returns true if a file that a memory is about does not exist.
    pub fn lacks_file(&self, root: &Path, memory: &Memory) -> bool {
        let mut files = memory.body.files.iter().take(MOST_FILES);
        depends_on_files(memory) && files.any(|path| !self.exists(root, path))
    }

    /// Returns true if a memory that is shown on request has to be marked, because a file that it is
    /// about does not exist and maintenance has not seen that yet.
    pub fn is_unnoticed(&self, root: &Path, memory: &Memory) -> bool {
        memory.status.kind() == StatusKind::Active
            && matches!(memory.body.trust.stale_cause(), None | Some(StaleKind::Reported))
            && self.lacks_file(root, memory)
    }

    /// Notes files that exist: a tool has just used them.
    pub(super) fn note_used(&self, files: &[RepoPath]) {
        self.known.borrow_mut().extend(files.iter().map(|file| (file.clone(), true)));
    }

    /// Returns false for an empty project, whose files are yet to be written.
    fn has_files(&self, root: &Path) -> bool {
        *self.has_files.get_or_init(|| has_visible_files(root))
    }

    /// Returns true for files that exist, and for files beyond the limit.
    fn exists(&self, root: &Path, path: &RepoPath) -> bool {
        if let Some(exists) = self.known.borrow().get(path) {
            return *exists;
        }
        if self.lookups.get() >= MOST_LOOKUPS {
            return true;
        }
        self.lookups.set(self.lookups.get() + 1);
        let exists = root.join(path.as_str()).exists() || !self.has_files(root);
        self.known.borrow_mut().insert(path.clone(), exists);
        exists
    }
}
