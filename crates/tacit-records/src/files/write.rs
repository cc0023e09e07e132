//! Changes records under a lock, by the rules of [`crate::protect`], and keeps the index up to
//! date.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tacit_core::Timestamp;
use tacit_fs::{LockMode, Wait};

use super::paths::io_error;
use super::{INDEX_FILE, RecordsFolder, StoredRecord, file_hash};
use crate::category::RecordCategory;
use crate::error::{RecordError, RecordResult};
use crate::protect;
use crate::record::Record;
use crate::settings::RecordSettings;
use crate::slug::Slug;
use crate::text::{IndexForm, index_markdown};

/// Larger indexes are not read, but replaced.
const MAX_INDEX_BYTES: u64 = 16 << 20;

/// Exclusive write access to the records of a worktree, until dropped.
#[derive(Debug)]
pub struct RecordWriter<'a> {
    folder: &'a RecordsFolder,
    settings: &'a RecordSettings,
    now: Timestamp,
    /// Closing the file releases the lock.
    _lock: File,
}

impl RecordsFolder {
    /// Waits for write access.
    pub fn writer<'a>(
        &'a self,
        settings: &'a RecordSettings,
        now: Timestamp,
        wait: Duration,
    ) -> RecordResult<RecordWriter<'a>> {
        // Checking one category also checks the root.
        self.check_directories(RecordCategory::Decision, true)?;
        // The folder itself is locked, so that git sees no lock file. Where folders cannot be
        // opened, an empty file in it is locked. The system releases the lock when the process
        // ends.
        let lock = tacit_fs::open_folder(&self.root).map_err(io_error(&self.root))?;
        let held = tacit_fs::lock(&lock, LockMode::Exclusive, Wait::AtMost(wait));
        if !held.map_err(io_error(&self.root))? {
            return Err(RecordError::Busy(self.root.clone()));
        }
        Ok(RecordWriter { folder: self, settings, now, _lock: lock })
    }

    /// Writes `.gitattributes` into the records folder, or removes it without a text. Returns its
    /// path.
    pub fn attributes(&self, text: Option<&str>) -> RecordResult<PathBuf> {
        let path = self.root.join(".gitattributes");
        if text.is_some() || self.root.exists() {
            self.check_directories(RecordCategory::Decision, text.is_some())?;
            match text {
                Some(text) => replace(&path, text.as_bytes())?,
                None => remove(&path)?,
            }
        }
        Ok(path)
    }
}

impl RecordWriter<'_> {
    /// Creates a record. Without a slug, the title gives its name.
    pub fn create(
        &self,
        category: RecordCategory,
        slug: Option<&Slug>,
        given: Map<String, Value>,
    ) -> RecordResult<StoredRecord> {
        if !self.settings.category(category).enabled {
            return Err(RecordError::Disabled(category));
        }
        let record = protect::new_record(category, slug, given, self.now)?;
        let there = self.folder.read(category, &record.id)?;
        protect::allow_create(there.as_ref().map(|stored| &stored.record), self.now)?;
        // The rolling window makes room for sessions.
        if category != RecordCategory::SessionSummary {
            self.check_room(category)?;
        }
        self.put(record)
    }

    /// Replaces a record. With a hash, only if the file has not changed since the author read it.
    pub fn update(
        &self,
        name: &str,
        given: Map<String, Value>,
        hash: Option<&str>,
    ) -> RecordResult<StoredRecord> {
        self.change(name, hash, |old| {
            protect::apply_update(old, given, self.now, &|path| self.folder.has_file(path))
        })
    }

    /// Merges fields into a record, with a note about the change.
    pub fn merge(
        &self,
        name: &str,
        given: &Map<String, Value>,
        note: &str,
        hash: Option<&str>,
    ) -> RecordResult<StoredRecord> {
        self.change(name, hash, |old| {
            let whole = protect::merge_fields(old, given, note, self.now);
            protect::apply_update(old, whole, self.now, &|path| self.folder.has_file(path))
        })
    }

    /// Retires a record.
    pub fn retire(
        &self,
        name: &str,
        reason: &str,
        hash: Option<&str>,
    ) -> RecordResult<StoredRecord> {
        self.change(name, hash, |old| protect::retire(old, reason, self.now))
    }

    /// Archives a record.
    pub fn archive(
        &self,
        name: &str,
        reason: &str,
        hash: Option<&str>,
    ) -> RecordResult<StoredRecord> {
        self.change(name, hash, |old| protect::archive(old, reason, self.now))
    }

    /// Makes a record active again.
    pub fn restore(&self, name: &str, hash: Option<&str>) -> RecordResult<StoredRecord> {
        let category = self.folder.find(name)?.record.category;
        if category != RecordCategory::SessionSummary {
            self.check_room(category)?;
        }
        self.change(name, hash, |old| protect::restore(old, self.now))
    }

    /// Deletes the file of a retired record whose grace period is over.
    pub fn remove(&self, record: &Record) -> RecordResult<()> {
        if !crate::lifecycle::is_removable(record, self.now, self.settings) {
            return Err(protect::transition(record, "deleted yet"));
        }
        remove(&self.folder.file(record.category, &record.id))?;
        self.write_index().map(drop)
    }

    /// Writes the index if it is outdated. Returns true if it was written.
    pub fn write_index(&self) -> RecordResult<bool> {
        let path = self.folder.root.join(INDEX_FILE);
        // A link or a very large file in its place is replaced, too.
        let there = tacit_fs::read_nofollow(&path, MAX_INDEX_BYTES).ok();
        let form = there.as_deref().map(String::from_utf8_lossy);
        let form = form.map_or(IndexForm::default(), |text| IndexForm::of(&text));
        let text = index_markdown(&self.folder.load()?.records(), form);
        if there.as_deref() == Some(text.as_bytes()) {
            return Ok(false);
        }
        replace(&path, text.as_bytes())?;
        Ok(true)
    }

    fn check_room(&self, category: RecordCategory) -> RecordResult<()> {
        let max = self.settings.max_per_category;
        let loaded = self.folder.load()?;
        let in_use = loaded.stored.iter().filter(|stored| {
            stored.record.category == category && stored.record.status.is_active()
        });
        if in_use.count() as u64 >= max {
            return Err(RecordError::Full { category, max });
        }
        Ok(())
    }

    fn change(
        &self,
        name: &str,
        hash: Option<&str>,
        change: impl FnOnce(&Record) -> RecordResult<Record>,
    ) -> RecordResult<StoredRecord> {
        let old = self.folder.find(name)?;
        if let Some(expected) = hash
            && !expected.eq_ignore_ascii_case(&old.hash)
        {
            let (path, expected) = (old.record.path(), expected.to_owned());
            return Err(RecordError::Conflict { path, expected, found: old.hash });
        }
        self.put(change(&old.record)?)
    }

    fn put(&self, record: Record) -> RecordResult<StoredRecord> {
        let bytes = record.to_bytes();
        if bytes.len() as u64 > super::MAX_RECORD_BYTES {
            let path = record.path();
            return Err(RecordError::Path { path, why: "it would be larger than 256 KiB".into() });
        }
        self.folder.check_directories(record.category, true)?;
        replace(&self.folder.file(record.category, &record.id), &bytes)?;
        self.write_index()?;
        Ok(StoredRecord { record, hash: file_hash(&bytes) })
    }
}

/// Replaces a file durably. The caller is the only writer, so temporary files are left over from a
/// crash.
fn replace(path: &Path, bytes: &[u8]) -> RecordResult<()> {
    tacit_fs::remove_temporaries(path)
        .and_then(|()| tacit_fs::replace_shared(path, bytes))
        .map_err(io_error(path))
}

/// Deletes a file durably.
fn remove(path: &Path) -> RecordResult<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    tacit_fs::remove(path).and_then(|()| tacit_fs::sync_folder(directory)).map_err(io_error(path))
}

/// Writes a file that only this user can read, in a directory that only this user can enter.
/// Creates both; neither may be a link.
pub fn write_private(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        let why = "expected a file name, not a path";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    tacit_fs::secure_folder(directory)?;
    let path = directory.join(name);
    tacit_fs::replace_unsynced(&path, bytes)?;
    Ok(path)
}
