//! The files of a commit that an agent made.

use std::path::Path;

use tacit_core::log::NoteRecord;
use tacit_core::{AgentEvent, RepoPath};
use tacit_store::Note;

/// The files of a larger commit say little.
const MOST_FILES: usize = 100;

/// A note of a commit with the files it changed, as git tells them; other notes as they are. Commits
/// are rare enough for a process of their own.
pub(super) fn with_files(mut note: Note, event: &AgentEvent, root: &Path) -> Note {
    let NoteRecord::Commit(commit) = &note.record else { return note };
    let cwd = event.cwd.as_deref().unwrap_or(root);
    let directory = commit.dir.as_ref().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
    if let Some(names) = tacit_git::changed_files(&directory, commit.sha.as_str()) {
        let paths = names.into_iter().filter_map(|name| RepoPath::new(name).ok());
        note.files = paths.take(MOST_FILES).collect();
    }
    note
}
