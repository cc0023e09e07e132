//! The files of a commit that an agent made.

use std::path::Path;

use tacit_core::log::NoteRecord;
use tacit_core::{AgentEvent, RepoPath};
use tacit_store::Note;

/// The maximum number of files noted per commit; the files of larger commits say little.
const MAX_FILES: usize = 100;

/// Adds the changed files to a note about a commit; other notes stay as they are. Commits are rare
/// enough to start git for each.
pub(super) fn with_files(mut note: Note, event: &AgentEvent, root: &Path) -> Note {
    let NoteRecord::Commit(commit) = &note.record else { return note };
    let cwd = event.cwd.as_deref().unwrap_or(root);
    let directory = commit.dir.as_ref().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
    if let Some(names) = tacit_git::changed_files(&directory, commit.sha.as_str()) {
        let paths = names.into_iter().filter_map(|name| RepoPath::new(name).ok());
        note.files = paths.take(MAX_FILES).collect();
    }
    note
}
