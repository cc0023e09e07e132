//! The sync state of a worktree's records, saved beside the store: for each file its modification
//! time, size and hash, and the memory made from it. Comparing it with the folder needs only names
//! and times.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tacit_core::MemoryId;
use tacit_records::RecordResult;
use tacit_records::files::{RecordsFolder, write_private};

use super::short_hash;
use crate::error::AppResult;

/// Larger state files are not read.
const LARGEST: u64 = 64 << 20;

/// The state of one synced file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SyncedFile {
    /// The modification time in nanoseconds since 1970, and its size.
    pub(super) stamp: (u128, u64),
    /// The hash; empty if the file could not be read, so that every sync reads and reports it
    /// again.
    pub(super) hash: String,
    /// The memory made from the file.
    pub(super) memory: Option<MemoryId>,
}

impl SyncedFile {
    /// Creates the state of a file that could not be read.
    pub(super) fn unread(stamp: (u128, u64), memory: Option<MemoryId>) -> SyncedFile {
        SyncedFile { stamp, hash: String::new(), memory }
    }

    fn is_unread(&self) -> bool {
        self.hash.is_empty()
    }
}

/// The sync state of a worktree.
pub struct RecordSyncState {
    directory: PathBuf,
    worktree: PathBuf,
}

impl RecordSyncState {
    /// Locates the state of a worktree in the directory of the project store.
    pub fn of(project: &Path, worktree: &Path) -> RecordSyncState {
        RecordSyncState { directory: project.join("records"), worktree: worktree.to_owned() }
    }

    /// Returns true if no file was added, changed or deleted since the last sync.
    pub fn is_unchanged(&self, folder: &RecordsFolder) -> RecordResult<bool> {
        matches_folder(&self.read(), folder)
    }

    /// Returns true if, in addition, every file could be read.
    pub(super) fn is_current(&self, folder: &RecordsFolder) -> RecordResult<bool> {
        let files = self.read();
        Ok(!files.values().any(SyncedFile::is_unread) && matches_folder(&files, folder)?)
    }

    /// Reads the state; empty if it cannot be read, so that everything is synced again.
    pub(super) fn read(&self) -> BTreeMap<String, SyncedFile> {
        let files = parsed(&self.directory.join(self.name()));
        let files = files.and_then(|mut files| files.get_mut("files").map(Value::take));
        let Some(Value::Object(fields)) = files else { return BTreeMap::new() };
        fields
            .into_iter()
            .filter_map(|(path, file)| {
                let written = file["written"].as_str()?.parse().ok()?;
                let stamp = (written, file["size"].as_u64()?);
                let hash = file["hash"].as_str()?.to_owned();
                let memory = file["memory"].as_str().and_then(|id| id.parse().ok());
                Some((path, SyncedFile { stamp, hash, memory }))
            })
            .collect()
    }

    pub(super) fn write(&self, files: &BTreeMap<String, SyncedFile>) -> AppResult<()> {
        let fields: Map<String, Value> = files
            .iter()
            .map(|(path, file)| {
                let value = json!({
                    "written": file.stamp.0.to_string(), "size": file.stamp.1, "hash": file.hash,
                    "memory": file.memory.map(|id| id.to_string()),
                });
                (path.clone(), value)
            })
            .collect();
        let files = json!({"worktree": self.worktree, "files": fields});
        let text = format!("{files:#}\n");
        write_private(&self.directory, &self.name(), text.as_bytes())?;
        Ok(())
    }

    /// Returns true if another worktree still has a file that was deleted in this one.
    pub(super) fn is_elsewhere(&self, path: &str) -> bool {
        let own = self.name();
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return false };
        entries.flatten().filter(|entry| entry.file_name().to_str() != Some(&own)).any(|entry| {
            let files = parsed(&entry.path());
            files.as_ref().and_then(|files| files["worktree"].as_str()).is_some_and(|worktree| {
                PathBuf::from(worktree).join(".claude/memory").join(path).is_file()
            })
        })
    }

    fn name(&self) -> String {
        format!("{}.json", short_hash(&self.worktree))
    }
}

fn parsed(path: &Path) -> Option<Value> {
    serde_json::from_slice(&tacit_fs::read(path, LARGEST).ok()?).ok()
}

fn matches_folder(
    files: &BTreeMap<String, SyncedFile>,
    folder: &RecordsFolder,
) -> RecordResult<bool> {
    let paths = folder.paths()?;
    Ok(paths.len() == files.len()
        && paths.iter().all(|(category, slug)| {
            let file = files.get(&format!("{}/{slug}.json", category.folder()));
            file.is_some_and(|file| folder.stamp(*category, slug) == Some(file.stamp))
        }))
}
