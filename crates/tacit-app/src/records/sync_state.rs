//! What was indexed, noted beside the database for each worktree: when a file was last written, its
//! hash, and the memory made from it. Whoever wants to know whether a file came, changed or went
//! compares these with what is there; nothing is read for it but the names and times of files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tacit_core::MemoryId;
use tacit_records::RecordResult;
use tacit_records::files::{RecordsFolder, write_private};

use super::short_hash;
use crate::error::AppResult;

/// Notes of more bytes are not read.
const LARGEST: u64 = 64 << 20;

/// What is known of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SyncedFile {
    /// When it was last written, and its size.
    pub(super) mark: (u128, u64),
    /// Empty if it could not be read: then it is read, and told of, every time.
    pub(super) hash: String,
    /// The memory made from it.
    pub(super) memory: Option<MemoryId>,
}

impl SyncedFile {
    /// A file that cannot be read.
    pub(super) fn unread(mark: (u128, u64), memory: Option<MemoryId>) -> SyncedFile {
        SyncedFile { mark, hash: String::new(), memory }
    }

    fn is_unread(&self) -> bool {
        self.hash.is_empty()
    }
}

/// The notes of a worktree.
pub struct SyncState {
    directory: PathBuf,
    worktree: PathBuf,
}

impl SyncState {
    /// Those of a worktree, in the directory of the project's store.
    pub fn of(project: &Path, worktree: &Path) -> SyncState {
        SyncState { directory: project.join("records"), worktree: worktree.to_owned() }
    }

    /// Whether every file that is there was looked at since it was last written, and none is gone.
    pub fn is_followed(&self, folder: &RecordsFolder) -> RecordResult<bool> {
        follows(&self.read(), folder)
    }

    /// The same, and each of them could be read.
    pub(super) fn is_current(&self, folder: &RecordsFolder) -> RecordResult<bool> {
        let notes = self.read();
        Ok(!notes.values().any(SyncedFile::is_unread) && follows(&notes, folder)?)
    }

    /// What was noted; nothing, if that cannot be read, and everything is indexed again.
    pub(super) fn read(&self) -> BTreeMap<String, SyncedFile> {
        let notes = parsed(&self.directory.join(self.name()));
        let files = notes.and_then(|mut notes| notes.get_mut("files").map(Value::take));
        let Some(Value::Object(fields)) = files else { return BTreeMap::new() };
        fields
            .into_iter()
            .filter_map(|(path, noted)| {
                let written = noted["written"].as_str()?.parse().ok()?;
                let mark = (written, noted["size"].as_u64()?);
                let hash = noted["hash"].as_str()?.to_owned();
                let memory = noted["memory"].as_str().and_then(|id| id.parse().ok());
                Some((path, SyncedFile { mark, hash, memory }))
            })
            .collect()
    }

    pub(super) fn write(&self, notes: &BTreeMap<String, SyncedFile>) -> AppResult<()> {
        let fields: Map<String, Value> = notes
            .iter()
            .map(|(path, noted)| {
                let value = json!({
                    "written": noted.mark.0.to_string(), "size": noted.mark.1, "hash": noted.hash,
                    "memory": noted.memory.map(|id| id.to_string()),
                });
                (path.clone(), value)
            })
            .collect();
        let notes = json!({"worktree": self.worktree, "files": fields});
        let text = format!("{notes:#}\n");
        write_private(&self.directory, &self.name(), text.as_bytes())?;
        Ok(())
    }

    /// Whether another worktree has the file that is gone from this one, as on another branch.
    pub(super) fn is_elsewhere(&self, path: &str) -> bool {
        let own = self.name();
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return false };
        entries.flatten().filter(|entry| entry.file_name().to_str() != Some(&own)).any(|entry| {
            let notes = parsed(&entry.path());
            notes.as_ref().and_then(|notes| notes["worktree"].as_str()).is_some_and(|worktree| {
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

fn follows(notes: &BTreeMap<String, SyncedFile>, folder: &RecordsFolder) -> RecordResult<bool> {
    let paths = folder.paths()?;
    Ok(paths.len() == notes.len()
        && paths.iter().all(|(category, slug)| {
            let noted = notes.get(&format!("{}/{slug}.json", category.folder()));
            noted.is_some_and(|noted| folder.mark(*category, slug) == Some(noted.mark))
        }))
}
