//! The sync state of a worktree's files, saved beside the store: the commit, and for each file its
//! modification time, size and hash, and the memories made from it. Comparing it with the worktree
//! needs only names and times.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tacit_core::MemoryId;
use tacit_records::files::{RecordsFolder, write_private};
use tacit_records::{RecordCategory, RecordResult, Slug};
use tacit_triggers::files::plain::{self, FileStamp};

use super::layout::FollowedLayout;
use crate::error::AppResult;
use crate::records::short_hash;

/// The folder of records from the root of the worktree.
pub(super) const RECORDS: &str = ".claude/memory";
/// Larger state files are not read.
const LARGEST: u64 = 64 << 20;
/// The version of the state. Others are not read; everything is then synced again.
const VERSION: u64 = 2;
/// The version of the rendering of files as memories. Raise it when the same file gives another
/// text; memories with an earlier rendering are then written again.
pub(super) const RENDERING: u64 = 2;

/// The state of one synced file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SyncedFile {
    /// The modification time in nanoseconds since 1970, and the size.
    pub(super) stamp: FileStamp,
    /// The hash; empty if the file could not be read, so that every sync reads and reports it
    /// again.
    pub(super) hash: String,
    /// True if the file was in the last commit, unchanged.
    pub(super) committed: bool,
    /// The memories made from the file, by their place in it.
    pub(super) memories: BTreeMap<String, MemoryId>,
    /// Hashes of what the file says, by place. In a file of rules, whose places are hashes of their
    /// texts, the lines.
    pub(super) texts: BTreeMap<String, String>,
    /// True for a file of rules.
    pub(super) rules: bool,
}

/// The state of all synced files.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SyncedFiles {
    /// The mark of the commit they were compared with.
    pub(super) head: String,
    /// The version of the rendering of their memories.
    pub(super) rendering: u64,
    /// The files by their path from the root of the worktree.
    pub(super) files: BTreeMap<String, SyncedFile>,
}

impl SyncedFiles {
    /// Returns true if every file could be read, and is rendered as it would be now.
    pub(super) fn is_complete(&self) -> bool {
        self.is_rendered() && self.files.values().all(|file| !file.hash.is_empty())
    }

    /// Returns the files of rules.
    pub(super) fn rule_files(&self) -> BTreeMap<String, SyncedFile> {
        let files = self.files.iter().filter(|(_, file)| file.rules);
        files.map(|(path, file)| (path.clone(), file.clone())).collect()
    }

    /// Returns true if the memories have the text that their files would give now.
    pub(super) fn is_rendered(&self) -> bool {
        self.rendering == RENDERING
    }
}

/// The sync state of a worktree.
pub struct FileSyncState {
    pub(super) directory: PathBuf,
    worktree: PathBuf,
}

impl FileSyncState {
    /// Locates the state of a worktree in the directory of the project store.
    pub fn of(project: &Path, worktree: &Path) -> FileSyncState {
        FileSyncState { directory: project.join("records"), worktree: worktree.to_owned() }
    }

    /// Returns true if no file was added, changed, deleted or committed since the last sync. `head`
    /// returns the mark of the current commit.
    pub fn is_unchanged(&self, layout: &FollowedLayout, head: impl FnOnce() -> String) -> bool {
        // Commands report a folder that cannot be read.
        let Ok(listed) = list(layout) else { return true };
        let state = self.read();
        if listed.is_empty() && state.files.is_empty() {
            return true;
        }
        state.is_rendered() && self.matches(&state, &listed, layout) && state.head == head()
    }

    /// Returns true if the state has exactly the files that are there, as they are. Files outside
    /// the listed directories are those that an index names.
    pub(super) fn matches(
        &self,
        state: &SyncedFiles,
        listed: &BTreeMap<String, FileStamp>,
        layout: &FollowedLayout,
    ) -> bool {
        let is_same = |path: &String, file: &SyncedFile| {
            let stamp = listed.get(path).copied();
            let is_followed = !file.rules || layout.written.wants(path);
            is_followed && stamp.or_else(|| plain::stamp(&self.worktree, path)) == Some(file.stamp)
        };
        listed.keys().all(|path| state.files.contains_key(path))
            && state.files.iter().all(|(path, file)| is_same(path, file))
    }

    /// Reads the state; empty if it cannot be read, so that everything is synced again.
    pub(super) fn read(&self) -> SyncedFiles {
        let saved = parsed(&self.directory.join(self.name()));
        let Some(mut saved) = saved.filter(|saved| saved["version"] == VERSION) else {
            return SyncedFiles::default();
        };
        let head = saved["head"].as_str().unwrap_or_default().to_owned();
        let Value::Object(files) = saved["files"].take() else { return SyncedFiles::default() };
        let read = |file: &Value| {
            let memories = file["memories"].as_object()?.iter();
            let memory =
                |(key, id): (&String, &Value)| Some((key.clone(), id.as_str()?.parse().ok()?));
            let texts = file["texts"].as_object().into_iter().flatten();
            let text =
                |(key, hash): (&String, &Value)| Some((key.clone(), hash.as_str()?.to_owned()));
            Some(SyncedFile {
                stamp: (file["written"].as_str()?.parse().ok()?, file["size"].as_u64()?),
                hash: file["hash"].as_str()?.to_owned(),
                committed: file["committed"].as_bool()?,
                memories: memories.filter_map(memory).collect(),
                texts: texts.filter_map(text).collect(),
                rules: file["rules"].as_bool().unwrap_or(false),
            })
        };
        let files = files.into_iter().filter_map(|(path, file)| Some((path, read(&file)?)));
        // Earlier states have no such field.
        let rendering = saved["rendering"].as_u64().unwrap_or(1);
        SyncedFiles { head, rendering, files: files.collect() }
    }

    pub(super) fn write(&self, state: &SyncedFiles) -> AppResult<()> {
        let fields: Map<String, Value> = state
            .files
            .iter()
            .map(|(path, file)| {
                let memories = file.memories.iter().map(|(key, id)| (key.clone(), id.to_string()));
                let memories: BTreeMap<String, String> = memories.collect();
                let value = json!({
                    "written": file.stamp.0.to_string(), "size": file.stamp.1, "hash": file.hash,
                    "committed": file.committed, "memories": memories, "texts": file.texts,
                    "rules": file.rules,
                });
                (path.clone(), value)
            })
            .collect();
        let saved = json!({
            "version": VERSION, "rendering": state.rendering, "worktree": self.worktree,
            "head": state.head, "files": fields,
        });
        write_private(&self.directory, &self.name(), format!("{saved:#}\n").as_bytes())?;
        Ok(())
    }

    /// Returns true if another worktree still has a file that was deleted in this one.
    pub(super) fn is_elsewhere(&self, path: &str) -> bool {
        let own = self.name();
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return false };
        entries.flatten().filter(|entry| entry.file_name().to_str() != Some(&own)).any(|entry| {
            let files = parsed(&entry.path());
            files
                .as_ref()
                .and_then(|files| files["worktree"].as_str())
                .is_some_and(|worktree| PathBuf::from(worktree).join(path).is_file())
        })
    }

    fn name(&self) -> String {
        format!("{}.json", short_hash(&self.worktree))
    }
}

/// Lists the files that memories follow, with their stamps, except for instructions in folders of
/// the code, which are looked for when anything else has changed. Reads none of them.
pub(super) fn list(layout: &FollowedLayout) -> RecordResult<BTreeMap<String, FileStamp>> {
    let folder = RecordsFolder::at(&layout.triggers.root);
    let mut listed: BTreeMap<String, FileStamp> = layout.written.list();
    listed.extend(plain::list(&layout.triggers));
    for (category, slug) in folder.paths()? {
        if let Some(stamp) = folder.stamp(category, &slug) {
            listed.insert(record_file(category, &slug), stamp);
        }
    }
    Ok(listed)
}

/// Returns the path of a record from the root of the worktree.
pub(super) fn record_file(category: RecordCategory, slug: &Slug) -> String {
    format!("{RECORDS}/{}/{slug}.json", category.folder())
}

fn parsed(path: &Path) -> Option<Value> {
    serde_json::from_slice(&tacit_fs::read(path, LARGEST).ok()?).ok()
}
