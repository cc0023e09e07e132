//! A durable queue beside the database, for writes that could not wait for its lock.
//!
//! Each entry is a file that is written under another name, flushed and renamed, so it is always
//! complete. Names start with a growing number, so that entries are processed in order even if the
//! clock is set back. An entry is removed only after its work is committed. One that a server refuses is
//! set apart with the reason, so that it does not block those behind it, until somebody retries it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tacit_core::MemoryId;
use tacit_fs::failpoint::step;

/// A directory of entries.
#[derive(Debug, Clone)]
pub struct Spool {
    directory: PathBuf,
}

/// A spooled entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpoolEntry {
    /// The name, by which the database knows whether it was processed.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl SpoolEntry {
    /// Returns the identifier of the entry: its name without the number that orders it.
    pub fn id(&self) -> &str {
        self.name.split_once('-').map_or(self.name.as_str(), |(_, id)| id)
    }
}

/// An entry that a server refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEntry {
    /// The entry.
    pub entry: SpoolEntry,
    /// The reason, as the server gave it.
    pub reason: String,
}

const EXTENSION: &str = "json";
const BROKEN: &str = "broken";
/// The extension of an entry that a server refused: a line with the reason, then the entry.
const REFUSED: &str = "refused";
/// The largest entry, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

impl Spool {
    /// Creates a spool in a directory, which is created with the first entry.
    pub fn at(directory: impl Into<PathBuf>) -> Spool {
        Spool { directory: directory.into() }
    }

    /// Adds an entry and waits until it is on disk. Its name ends with `id`, so it is unique.
    pub fn put(&self, id: &MemoryId, bytes: &[u8]) -> io::Result<()> {
        tacit_fs::create_folder(&self.directory)?;
        let unfinished = self.directory.join(format!("{id}.tmp"));
        let mut file = tacit_fs::create_new(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        step();
        let number = self.last_number()? + 1;
        fs::rename(&unfinished, self.file(&format!("{number:010}-{id}")))?;
        step();
        tacit_fs::sync_folder(&self.directory)
    }

    /// Adds an entry without waiting for the disk; a power failure may lose it. The entry is
    /// complete, and ordered by the time in `id`.
    pub fn put_unsynced(&self, id: &MemoryId, bytes: &[u8]) -> io::Result<()> {
        let unfinished = self.directory.join(format!("{id}.tmp"));
        let created = tacit_fs::create_new(&unfinished).or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            tacit_fs::create_folder(&self.directory)?;
            tacit_fs::create_new(&unfinished)
        });
        created?.write_all(bytes)?;
        // Identifiers from a seed repeat in the next process.
        let taken = |number: &u32| self.file(&format!("{id}-{number}")).exists();
        let number = (0..u32::MAX).find(|number| !taken(number)).unwrap_or_default();
        fs::rename(&unfinished, self.file(&format!("{id}-{number}")))
    }

    /// Returns the number of the last entry. Concurrent processes may use the same number.
    fn last_number(&self) -> io::Result<u64> {
        let mut names = self.names()?;
        // Refused entries that are retried come before those that are added after them.
        names.extend(files(&self.directory, REFUSED)?);
        let number = |name: &String| name.split_once('-')?.0.parse::<u64>().ok();
        Ok(names.iter().filter_map(number).filter(|number| *number < u64::MAX).max().unwrap_or(0))
    }

    /// Returns true if there are no entries. Cheap, because every command asks.
    pub fn is_empty(&self) -> bool {
        self.names().is_ok_and(|names| names.is_empty())
    }

    /// Returns the number of entries.
    pub fn len(&self) -> io::Result<usize> {
        self.names().map(|names| names.len())
    }

    /// Returns the number of quarantined entries.
    pub fn quarantined_count(&self) -> usize {
        files(&self.directory, BROKEN).map_or(0, |names| names.len())
    }

    /// Returns all entries in order. An entry that vanishes was processed by another process.
    pub fn entries(&self) -> io::Result<Vec<SpoolEntry>> {
        let mut entries = Vec::new();
        for name in self.names()? {
            let bytes = tacit_fs::none_if_missing(tacit_fs::read(&self.file(&name), LARGEST))?;
            entries.extend(bytes.map(|bytes| SpoolEntry { name, bytes }));
        }
        Ok(entries)
    }

    /// Returns the first `count` entries whose names pass `wanted`. Entries above `largest` bytes
    /// and foreign files are quarantined.
    pub fn entries_up_to(
        &self,
        largest: u64,
        count: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> io::Result<Vec<SpoolEntry>> {
        let mut entries = Vec::new();
        let names = self.names()?.into_iter().filter(|name| wanted(name));
        for name in names.take(count) {
            match tacit_fs::none_if_missing(tacit_fs::read(&self.file(&name), largest)) {
                Ok(bytes) => entries.extend(bytes.map(|bytes| SpoolEntry { name, bytes })),
                Err(_) => drop(self.quarantine(&SpoolEntry { name, bytes: Vec::new() })),
            }
        }
        Ok(entries)
    }

    /// Removes a processed entry, and what is left of an earlier refusal.
    pub fn remove(&self, entry: &SpoolEntry) -> io::Result<()> {
        tacit_fs::none_if_missing(fs::remove_file(self.refused_file(&entry.name)))?;
        tacit_fs::none_if_missing(fs::remove_file(self.file(&entry.name))).map(drop)
    }

    /// Quarantines an unreadable entry, so that it neither blocks the queue nor is lost.
    pub fn quarantine(&self, entry: &SpoolEntry) -> io::Result<PathBuf> {
        let aside = self.directory.join(format!("{}.{BROKEN}", entry.name));
        fs::rename(self.file(&entry.name), &aside)?;
        Ok(aside)
    }

    /// Sets an entry apart that a server refuses, with the reason, until [`Spool::retry_refused`].
    pub fn refuse(&self, entry: &SpoolEntry, reason: &str) -> io::Result<()> {
        let mut bytes = reason.replace(['\n', '\r'], " ").into_bytes();
        bytes.push(b'\n');
        bytes.extend(&entry.bytes);
        tacit_fs::replace(&self.refused_file(&entry.name), &bytes)?;
        step();
        tacit_fs::none_if_missing(fs::remove_file(self.file(&entry.name)))?;
        step();
        tacit_fs::sync_folder(&self.directory)
    }

    /// Returns the refused entries in order, with the reasons.
    pub fn refused(&self) -> io::Result<Vec<RefusedEntry>> {
        let mut refused = Vec::new();
        for name in files(&self.directory, REFUSED)? {
            let read = tacit_fs::read(&self.refused_file(&name), LARGEST);
            let Some(mut reason) = tacit_fs::none_if_missing(read)? else { continue };
            let end = reason.iter().position(|byte| *byte == b'\n').unwrap_or(reason.len());
            let bytes = reason.get(end + 1..).unwrap_or_default().to_vec();
            reason.truncate(end);
            let reason = String::from_utf8_lossy(&reason).into_owned();
            refused.push(RefusedEntry { entry: SpoolEntry { name, bytes }, reason });
        }
        Ok(refused)
    }

    /// Returns the number of refused entries.
    pub fn refused_count(&self) -> usize {
        files(&self.directory, REFUSED).map_or(0, |names| names.len())
    }

    /// Puts all refused entries back into their places in the queue.
    pub fn retry_refused(&self) -> io::Result<()> {
        for RefusedEntry { entry, .. } in self.refused()? {
            tacit_fs::replace(&self.file(&entry.name), &entry.bytes)?;
            step();
            tacit_fs::none_if_missing(fs::remove_file(self.refused_file(&entry.name)))?;
            step();
        }
        Ok(())
    }

    /// Deletes entries that were quarantined before a time, by file time. Returns their number.
    pub fn delete_quarantined(&self, before: SystemTime) -> usize {
        let names = files(&self.directory, BROKEN).unwrap_or_default();
        let paths = names.iter().map(|name| self.directory.join(format!("{name}.{BROKEN}")));
        let is_old = |path: &PathBuf| {
            fs::metadata(path).and_then(|data| data.modified()).is_ok_and(|at| at < before)
        };
        paths.filter(is_old).filter(|path| fs::remove_file(path).is_ok()).count()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.{EXTENSION}"))
    }

    fn refused_file(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.{REFUSED}"))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        files(&self.directory, EXTENSION)
    }
}

/// Returns the sorted names of files with an extension, without it.
fn files(directory: &Path, extension: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in tacit_fs::none_if_missing(fs::read_dir(directory))?.into_iter().flatten() {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension)
            && let Some(name) = path.file_stem().and_then(|stem| stem.to_str())
        {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::Duration;
    use tacit_core::Timestamp;

    fn id(millis: i64) -> MemoryId {
        MemoryId::from_parts(Timestamp::from_millis(millis).unwrap(), [7; 10])
    }

    #[test]
    fn entries_keep_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path().join("spool"));
        assert!(spool.is_empty());
        // The clock may be set back.
        for millis in [3_000, 1_000, 2_000] {
            spool.put(&id(millis), millis.to_string().as_bytes()).unwrap();
        }
        let entries = spool.entries().unwrap();
        let texts: Vec<_> =
            entries.iter().map(|entry| String::from_utf8_lossy(&entry.bytes)).collect();
        assert_eq!(texts, ["3000", "1000", "2000"]);
        for entry in &entries {
            spool.remove(entry).unwrap();
            spool.remove(entry).unwrap();
        }
        assert!(spool.is_empty());
    }

    #[test]
    fn unsynced_entries_are_ordered_by_time() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path().join("uses"));
        for millis in [3_000, 1_000, 2_000] {
            spool.put_unsynced(&id(millis), millis.to_string().as_bytes()).unwrap();
        }
        let entries = spool.entries().unwrap();
        let texts: Vec<_> =
            entries.iter().map(|entry| String::from_utf8_lossy(&entry.bytes)).collect();
        assert_eq!(texts, ["1000", "2000", "3000"]);
    }

    #[test]
    fn unfinished_entries_are_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        fs::write(directory.path().join("0.tmp"), "half").unwrap();
        assert!(spool.is_empty());
        assert_eq!(spool.entries().unwrap(), []);
    }

    #[test]
    fn unreadable_entries_are_quarantined() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        spool.put(&id(1), b"?").unwrap();
        let aside = spool.quarantine(&spool.entries().unwrap()[0]).unwrap();
        assert_eq!(fs::read(aside).unwrap(), b"?");
        assert!(spool.is_empty());
        assert_eq!(spool.quarantined_count(), 1);
    }

    #[test]
    fn refused_entries_keep_their_reason_and_their_place() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        for text in ["first", "second"] {
            spool.put(&id(1), text.as_bytes()).unwrap();
        }
        for entry in spool.entries().unwrap() {
            spool.refuse(&entry, "readers only read").unwrap();
            spool.refuse(&entry, "readers only read").unwrap();
        }
        spool.put(&id(1), b"third").unwrap();
        assert_eq!((spool.len().unwrap(), spool.refused_count()), (1, 2));
        let refused = spool.refused().unwrap();
        assert_eq!(refused[1].entry.bytes, b"second");
        assert_eq!(refused[1].reason, "readers only read");
        spool.retry_refused().unwrap();
        let entries = spool.entries().unwrap();
        let texts: Vec<_> = entries.iter().map(|entry| entry.bytes.as_slice()).collect();
        assert_eq!(texts, [&b"first"[..], b"second", b"third"]);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3);
    }

    #[test]
    fn old_quarantined_entries_are_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        spool.put(&id(1), b"?").unwrap();
        spool.put(&id(2), b"!").unwrap();
        let entries = spool.entries().unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(9);
        let aside = spool.quarantine(&entries[0]).unwrap();
        File::options().write(true).open(aside).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(spool.delete_quarantined(long_ago), 0);
        assert_eq!(spool.delete_quarantined(long_ago + Duration::from_secs(1)), 1);
        assert_eq!((spool.quarantined_count(), spool.len().unwrap()), (0, 1));
    }
}
