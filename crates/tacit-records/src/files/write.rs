//! Changing records: under the lock, by the rules of [`crate::protect`], and the index with them.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use tacit_core::Timestamp;

use super::atomic;
use super::{Folder, INDEX, Stored, hash_of, lock};
use crate::category::RecordCategory;
use crate::error::{RecordError, RecordResult};
use crate::protect;
use crate::record::Record;
use crate::settings::Settings;
use crate::slug::Slug;
use crate::text::index_markdown;

/// The right to change the records of a worktree, held until dropped.
#[derive(Debug)]
pub struct Writer<'a> {
    folder: &'a Folder,
    settings: &'a Settings,
    now: Timestamp,
    /// Closing it lets go of the lock.
    _lock: File,
}

impl Folder {
    /// Waits for the right to change records.
    pub fn writer<'a>(
        &'a self,
        settings: &'a Settings,
        now: Timestamp,
        wait: Duration,
    ) -> RecordResult<Writer<'a>> {
        // The way to one category is the way to the root and one step more.
        self.check_way(RecordCategory::Decision, true)?;
        let lock = lock::acquire(&self.root, wait)?;
        Ok(Writer { folder: self, settings, now, _lock: lock })
    }
}

impl Folder {
    /// Writes `.gitattributes` into the folder of records, or takes it away if it is given none.
    /// Returns where it is.
    pub fn attributes(&self, text: Option<&str>) -> RecordResult<PathBuf> {
        let path = self.root.join(".gitattributes");
        if text.is_some() || self.root.exists() {
            self.check_way(RecordCategory::Decision, text.is_some())?;
            match text {
                Some(text) => atomic::replace(&path, text.as_bytes())?,
                None => atomic::remove(&path)?,
            }
        }
        Ok(path)
    }
}

impl Writer<'_> {
    /// A new record. `slug` names it; else its title does.
    pub fn create(
        &self,
        category: RecordCategory,
        slug: Option<&Slug>,
        given: Map<String, Value>,
    ) -> RecordResult<Stored> {
        if !self.settings.of(category).enabled {
            return Err(RecordError::Disabled(category));
        }
        let record = protect::new_record(category, slug, given, self.now)?;
        let there = self.folder.read(category, &record.id)?;
        protect::allow_create(there.as_ref().map(|stored| &stored.record), self.now)?;
        // The window makes room for a session by itself.
        if category != RecordCategory::SessionSummary {
            self.check_room(category)?;
        }
        self.put(record)
    }

    /// Replaces a record by the whole of what its author wants. With a hash, only if the file is
    /// still what the author read.
    pub fn update(
        &self,
        name: &str,
        given: Map<String, Value>,
        hash: Option<&str>,
    ) -> RecordResult<Stored> {
        self.change(name, hash, |old| {
            protect::updated(old, given, self.now, &|path| self.folder.has_file(path))
        })
    }

    /// Adds to a record what is given, with a note that says what changed.
    pub fn merge(
        &self,
        name: &str,
        given: &Map<String, Value>,
        note: &str,
        hash: Option<&str>,
    ) -> RecordResult<Stored> {
        self.change(name, hash, |old| {
            let whole = protect::merged(old, given, note, self.now);
            protect::updated(old, whole, self.now, &|path| self.folder.has_file(path))
        })
    }

    /// Takes a record out of use.
    pub fn retire(&self, name: &str, reason: &str, hash: Option<&str>) -> RecordResult<Stored> {
        self.change(name, hash, |old| protect::retired(old, reason, self.now))
    }

    /// Takes a record out of use and keeps it.
    pub fn archive(&self, name: &str, reason: &str, hash: Option<&str>) -> RecordResult<Stored> {
        self.change(name, hash, |old| protect::archived(old, reason, self.now))
    }

    /// Brings a record back into use.
    pub fn restore(&self, name: &str, hash: Option<&str>) -> RecordResult<Stored> {
        let category = self.folder.find(name)?.record.category;
        if category != RecordCategory::SessionSummary {
            self.check_room(category)?;
        }
        self.change(name, hash, |old| protect::restored(old, self.now))
    }

    /// Removes the file of a record whose time is over.
    pub fn remove(&self, record: &Record) -> RecordResult<()> {
        if !crate::lifecycle::removable(record, self.now, self.settings) {
            let (path, from) = (record.path(), record.status.as_str());
            return Err(RecordError::Transition { path, from, to: "removed yet" });
        }
        atomic::remove(&self.folder.file(record.category, &record.id))?;
        self.write_index().map(drop)
    }

    /// Writes the index, if it is not what it should be; whether it was written.
    pub fn write_index(&self) -> RecordResult<bool> {
        let text = index_markdown(&self.folder.load()?.records());
        let path = self.folder.root.join(INDEX);
        // Whatever else is there is replaced: a link, or more than an index would be.
        let there = tacit_fs::read_unlinked(&path, text.len() as u64).ok();
        if there.as_deref() == Some(text.as_bytes()) {
            return Ok(false);
        }
        atomic::replace(&path, text.as_bytes())?;
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
    ) -> RecordResult<Stored> {
        let old = self.folder.find(name)?;
        if let Some(expected) = hash
            && !expected.eq_ignore_ascii_case(&old.hash)
        {
            let (path, expected) = (old.record.path(), expected.to_owned());
            return Err(RecordError::Conflict { path, expected, found: old.hash });
        }
        self.put(change(&old.record)?)
    }

    fn put(&self, record: Record) -> RecordResult<Stored> {
        let bytes = record.to_bytes();
        if bytes.len() as u64 > super::MAX_BYTES {
            let path = record.path();
            return Err(RecordError::Path { path, why: "it would be larger than 256 KiB".into() });
        }
        self.folder.check_way(record.category, true)?;
        atomic::replace(&self.folder.file(record.category, &record.id), &bytes)?;
        self.write_index()?;
        Ok(Stored { record, hash: hash_of(&bytes) })
    }
}
