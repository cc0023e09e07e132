//! The files of a commit that an agent made.

use std::path::Path;

use serde_json::Value;
use tacit_core::{AgentEvent, RepoPath};
use tacit_store::Note;

/// The files of a larger commit say little.
const MOST_FILES: usize = 100;

/// A note of a commit with the files it changed, as git tells them; other notes as they are. Commits
/// are rare enough for a process of their own.
pub(super) fn with_files(mut note: Note, event: &AgentEvent, root: &Path) -> Note {
    if note.kind != "commit" {
        return note;
    }
    let body: Value = serde_json::from_str(&note.body).unwrap_or_default();
    let Some(sha) = body["sha"].as_str() else { return note };
    let cwd = event.cwd.as_deref().unwrap_or(root);
    let directory = body["dir"].as_str().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
    if let Some(names) = tacit_git::files_of(&directory, sha) {
        let paths = names.into_iter().filter_map(|name| RepoPath::new(name).ok());
        note.files = paths.take(MOST_FILES).collect();
    }
    note
}
