//! A durable queue beside the database, for writes that could not wait for its lock.
//!
//! Each entry is one file, complete from the moment it has its name: it is written under another
//! name, flushed, and renamed. Names begin with a number one larger than that of the last entry, so
//! that entries are taken in the order in which they were put, whatever the clock says. An entry
//! is removed only after what it asked for is committed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tacit_core::MemoryId;
use tacit_fs::failpoint::step;

/// The directory of entries.
#[derive(Debug, Clone)]
pub struct Spool {
    directory: PathBuf,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpoolEntry {
    /// Its name, by which the database knows whether it was done.
    pub name: String,
    /// What was put.
    pub bytes: Vec<u8>,
}

const EXTENSION: &str = "json";
const BROKEN: &str = "broken";
/// No entry is larger: a request is as long as a memory can be, a record of events much shorter.
const LARGEST: u64 = 64 * 1024 * 1024;

impl Spool {
    /// The spool in a directory, which is created with the first entry.
    pub fn at(directory: impl Into<PathBuf>) -> Spool {
        Spool { directory: directory.into() }
    }

    /// Puts an entry and does not return before it is on the disk. Its name ends with `id`, which
    /// makes it the only one of that name there ever was.
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

    /// Puts an entry that a power failure may take back: nobody waits for the disk. It is as whole
    /// as others are, and ordered by the time in `id`.
    pub fn put_light(&self, id: &MemoryId, bytes: &[u8]) -> io::Result<()> {
        let unfinished = self.directory.join(format!("{id}.tmp"));
        let created = tacit_fs::create_new(&unfinished).or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            tacit_fs::create_folder(&self.directory)?;
            tacit_fs::create_new(&unfinished)
        });
        created?.write_all(bytes)?;
        // Identifiers that are made from a seed come back in the next process.
        let taken = |number: &u32| self.file(&format!("{id}-{number}")).exists();
        let number = (0..u32::MAX).find(|number| !taken(number)).unwrap_or_default();
        fs::rename(&unfinished, self.file(&format!("{id}-{number}")))
    }

    /// The number of the last entry; processes that put at the same time may take the same one.
    fn last_number(&self) -> io::Result<u64> {
        let names = self.names()?;
        let number = |name: &String| name.split_once('-')?.0.parse::<u64>().ok();
        Ok(names.iter().filter_map(number).filter(|number| *number < u64::MAX).max().unwrap_or(0))
    }

    /// Whether there is anything to take; cheap, for every command asks.
    pub fn is_empty(&self) -> bool {
        self.names().is_ok_and(|names| names.is_empty())
    }

    /// How many entries wait.
    pub fn len(&self) -> io::Result<usize> {
        self.names().map(|names| names.len())
    }

    /// How many entries could not be understood and were set aside.
    pub fn set_aside_count(&self) -> usize {
        files(&self.directory, BROKEN).map_or(0, |names| names.len())
    }

    /// All entries in order. One that vanishes while we look was taken by another process.
    pub fn entries(&self) -> io::Result<Vec<SpoolEntry>> {
        let mut entries = Vec::new();
        for name in self.names()? {
            let bytes = tacit_fs::none_if_missing(tacit_fs::read(&self.file(&name), LARGEST))?;
            entries.extend(bytes.map(|bytes| SpoolEntry { name, bytes }));
        }
        Ok(entries)
    }

    /// The first entries in order whose name is `wanted`, at most `count`. One of more than `largest`
    /// bytes, or that is no file of ours, is set aside.
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
                Err(_) => drop(self.set_aside(&SpoolEntry { name, bytes: Vec::new() })),
            }
        }
        Ok(entries)
    }

    /// Removes an entry that is done.
    pub fn remove(&self, entry: &SpoolEntry) -> io::Result<()> {
        tacit_fs::none_if_missing(fs::remove_file(self.file(&entry.name))).map(drop)
    }

    /// Sets aside an entry that cannot be understood, so that it neither blocks the queue nor is
    /// lost.
    pub fn set_aside(&self, entry: &SpoolEntry) -> io::Result<PathBuf> {
        let aside = self.directory.join(format!("{}.{BROKEN}", entry.name));
        fs::rename(self.file(&entry.name), &aside)?;
        Ok(aside)
    }

    /// Removes what was set aside before a moment, by the time of its file; how many there were.
    pub fn drop_set_aside(&self, before: SystemTime) -> usize {
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

    fn names(&self) -> io::Result<Vec<String>> {
        files(&self.directory, EXTENSION)
    }
}

/// The names of files with an extension, without it, sorted.
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
    fn entries_come_back_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path().join("spool"));
        assert!(spool.is_empty());
        // The clock may be set back meanwhile.
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
    fn light_entries_are_ordered_by_time() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path().join("uses"));
        for millis in [3_000, 1_000, 2_000] {
            spool.put_light(&id(millis), millis.to_string().as_bytes()).unwrap();
        }
        let entries = spool.entries().unwrap();
        let texts: Vec<_> =
            entries.iter().map(|entry| String::from_utf8_lossy(&entry.bytes)).collect();
        assert_eq!(texts, ["1000", "2000", "3000"]);
    }

    #[test]
    fn an_unfinished_entry_is_not_an_entry() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        fs::write(directory.path().join("0.tmp"), "half").unwrap();
        assert!(spool.is_empty());
        assert_eq!(spool.entries().unwrap(), []);
    }

    #[test]
    fn what_cannot_be_understood_is_set_aside() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        spool.put(&id(1), b"?").unwrap();
        let aside = spool.set_aside(&spool.entries().unwrap()[0]).unwrap();
        assert_eq!(fs::read(aside).unwrap(), b"?");
        assert!(spool.is_empty());
        assert_eq!(spool.set_aside_count(), 1);
    }

    #[test]
    fn what_was_set_aside_long_ago_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::at(directory.path());
        spool.put(&id(1), b"?").unwrap();
        spool.put(&id(2), b"!").unwrap();
        let entries = spool.entries().unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(9);
        let aside = spool.set_aside(&entries[0]).unwrap();
        File::options().write(true).open(aside).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(spool.drop_set_aside(long_ago), 0);
        assert_eq!(spool.drop_set_aside(long_ago + Duration::from_secs(1)), 1);
        assert_eq!((spool.set_aside_count(), spool.len().unwrap()), (0, 1));
    }
}
