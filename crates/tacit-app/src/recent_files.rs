//! The files of the last commits of each worktree, in a small file beside the database: a session
//! that starts must not run git. `tacit maintain` writes it when it reads new commits.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacit_codebase::history::History;

/// The number of commits whose files are recent, and the most files.
const COMMITS: usize = 10;
const MAX_FILES: usize = 60;
/// The most worktrees that are kept.
const MAX_WORKTREES: usize = 50;
const LARGEST: u64 = 1 << 20;

/// The recently committed files by worktree, last committed first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RecentFiles {
    #[serde(default)]
    worktrees: BTreeMap<String, Vec<String>>,
}

/// Reads the files of the last commits in a worktree; none if nobody wrote them.
pub(crate) fn read(store: &Path, worktree: &Path) -> Vec<String> {
    let mut recent = load(store);
    recent.worktrees.remove(&*worktree.to_string_lossy()).unwrap_or_default()
}

/// Writes the files of the last commits of a worktree.
pub(crate) fn write(store: &Path, worktree: &Path, history: &History) -> io::Result<()> {
    let mut recent = load(store);
    recent.worktrees.retain(|other, _| Path::new(other).exists());
    if recent.worktrees.len() < MAX_WORKTREES {
        let name = worktree.to_string_lossy().into_owned();
        recent.worktrees.insert(name, last_files(history));
    }
    let bytes = serde_json::to_vec(&recent).map_err(io::Error::other)?;
    tacit_fs::replace_unsynced(&file(store), &bytes)
}

fn last_files(history: &History) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for commit in history.commits.iter().rev().take(COMMITS) {
        for path in commit.files.iter().filter_map(|file| history.names.path(*file)) {
            if files.len() < MAX_FILES && !files.iter().any(|known| known == path) {
                files.push(path.to_owned());
            }
        }
    }
    files
}

fn load(store: &Path) -> RecentFiles {
    let bytes = tacit_fs::read(&file(store), LARGEST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn file(store: &Path) -> PathBuf {
    store.join("recent-files.json")
}
