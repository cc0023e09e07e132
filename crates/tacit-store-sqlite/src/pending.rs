//! Pending work: operations that were interrupted by a crash.
//!
//! Such an operation notes its plan in a file in the folder `pending` beside the database and
//! removes it when done. The next process that opens the store finishes or undoes it. Without the
//! folder nothing is pending, so the check costs one `lstat`.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tacit_fs::Replacement;

/// The most bytes of a note. That of a purge may have the texts of hundreds of memories.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The pending work of a store.
#[derive(Debug, Clone)]
pub struct PendingWork {
    folder: PathBuf,
}

/// Pending work that this process has claimed. Other processes skip it until this is dropped.
#[derive(Debug)]
pub struct ClaimedWork {
    /// The name of the note.
    pub name: String,
    /// The contents of the note.
    pub bytes: Vec<u8>,
    /// Locked before the note gets its name.
    _file: File,
}

impl PendingWork {
    /// Returns the pending work of the store with this database.
    pub fn of(database: &Path) -> PendingWork {
        PendingWork { folder: database.with_file_name("pending") }
    }

    /// Returns true if nothing is pending. Costs one `lstat`, because every command asks.
    pub fn is_empty(&self) -> bool {
        fs::symlink_metadata(&self.folder).is_err()
    }

    /// Notes work before it starts and claims it. Returns once the note is on disk.
    pub fn begin(&self, name: &str, bytes: &[u8]) -> io::Result<ClaimedWork> {
        match self.write(name, bytes) {
            // Another process removed the empty folder, or took the unfinished note for one of a
            // dead process.
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.write(name, bytes),
            other => other,
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<ClaimedWork> {
        tacit_fs::create_folder(&self.folder)?;
        let path = self.folder.join(name);
        let mut replacement = Replacement::new(&path)?;
        // The second handle shares the lock and keeps it after the rename.
        let mut file = replacement.file().try_clone()?;
        file.try_lock()?;
        file.write_all(bytes)?;
        replacement.publish()?;
        self.sync_parent()?;
        Ok(ClaimedWork { name: name.to_owned(), bytes: bytes.to_vec(), _file: file })
    }

    /// Claims notes with a prefix, except those of running processes.
    pub fn claim(&self, beginning: &str) -> io::Result<Vec<ClaimedWork>> {
        let mut claimed = Vec::new();
        for name in self.names()? {
            if !name.starts_with(beginning) {
                continue;
            }
            let Some(file) = tacit_fs::none_if_missing(tacit_fs::open(&self.folder.join(&name)))?
            else {
                continue;
            };
            if file.try_lock().is_err() {
                continue;
            }
            let mut bytes = Vec::new();
            (&file).take(LARGEST).read_to_end(&mut bytes)?;
            claimed.push(ClaimedWork { name, bytes, _file: file });
        }
        Ok(claimed)
    }

    /// Returns the number of notes.
    pub fn count(&self) -> usize {
        self.names().map_or(0, |names| names.len())
    }

    /// Reads a note.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        tacit_fs::none_if_missing(tacit_fs::read(&self.folder.join(name), LARGEST))
    }

    /// Removes the note of work that is done.
    pub fn complete(&self, name: &str) -> io::Result<()> {
        tacit_fs::remove(&self.folder.join(name))?;
        self.tidy()
    }

    /// Removes unfinished notes of dead processes, and the folder if it is empty.
    pub fn tidy(&self) -> io::Result<()> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let unfinished = entry.file_name().as_encoded_bytes().starts_with(b".");
            if unfinished && tacit_fs::open(&entry.path()).is_ok_and(|file| file.try_lock().is_ok())
            {
                tacit_fs::remove(&entry.path())?;
            }
        }
        if fs::remove_dir(&self.folder).is_ok() {
            self.sync_parent()?;
        }
        Ok(())
    }

    fn sync_parent(&self) -> io::Result<()> {
        self.folder.parent().map_or(Ok(()), tacit_fs::sync_folder)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let entries = tacit_fs::none_if_missing(fs::read_dir(&self.folder))?.into_iter().flatten();
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort_unstable();
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_claimed_by_one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let pending = PendingWork::of(&folder.path().join("memory.db"));
        assert!(pending.is_empty());
        let mine = pending.begin("purge-1.json", b"{}").unwrap();
        assert_eq!((pending.is_empty(), pending.count()), (false, 1));
        assert_eq!(pending.claim("purge-").unwrap().len(), 0, "its process is at work");
        drop(mine);
        let claimed = pending.claim("purge-").unwrap();
        assert_eq!(
            (claimed[0].name.as_str(), claimed[0].bytes.as_slice()),
            ("purge-1.json", &b"{}"[..])
        );
        pending.complete("purge-1.json").unwrap();
        pending.complete("purge-1.json").unwrap();
        assert!(pending.is_empty());
    }

    #[test]
    fn unfinished_notes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let pending = PendingWork::of(&folder.path().join("memory.db"));
        tacit_fs::create_folder(&folder.path().join("pending")).unwrap();
        drop(tacit_fs::create_new(&folder.path().join("pending/.purge-1.json.tacit-1-0")).unwrap());
        assert_eq!(pending.claim("purge-").unwrap().len(), 0);
        pending.tidy().unwrap();
        assert!(pending.is_empty());
    }
}
