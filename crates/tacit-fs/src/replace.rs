//! Replaces files atomically: readers see the old bytes or the new ones, even after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use crate::failpoint::step;
use crate::open::{create_new, create_new_shared, none_if_missing, open};
use crate::platform::sync_folder;

/// Replaces or creates a file. Returns once the new bytes are on disk.
///
/// If `path` is a symbolic link, the link is replaced and its target stays unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.file().write_all(bytes)?;
    replacement.publish()
}

/// Replaces a file like [`replace`], without waiting for the disk. For files that can be rebuilt.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.file().write_all(bytes)?;
    replacement.publish_unsynced()
}

/// Replaces a file like [`replace`], keeping its permissions. A new file gets the default
/// permissions. For files that are committed or belong to other programs.
pub fn replace_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::shared(path)?;
    replacement.file().write_all(bytes)?;
    replacement.publish()
}

/// A new version of a file, written next to it until it is published. Dropping an unpublished
/// replacement deletes it.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    published: bool,
}

impl Replacement {
    /// Creates a replacement that only this user can read.
    pub fn new(path: &Path) -> io::Result<Replacement> {
        Replacement::begin(path, create_new)
    }

    /// Creates a replacement with the permissions of the file at `path`, or the default ones.
    pub fn shared(path: &Path) -> io::Result<Replacement> {
        let replacement = Replacement::begin(path, create_new_shared)?;
        if let Ok(metadata) = fs::symlink_metadata(path)
            && metadata.is_file()
        {
            replacement.file.set_permissions(metadata.permissions())?;
        }
        Ok(replacement)
    }

    fn begin(path: &Path, create: fn(&Path) -> io::Result<File>) -> io::Result<Replacement> {
        let temporary = temporary_name(path);
        // Left by a crashed process with the same ID, or planted.
        remove(&temporary)?;
        let file = create(&temporary)?;
        Ok(Replacement { file, temporary, path: path.to_owned(), published: false })
    }

    /// Returns the file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Moves the replacement into place. Returns once the rename is on disk.
    pub fn publish(self) -> io::Result<()> {
        self.file.sync_all()?;
        step();
        let folder = folder_of(&self.path).to_owned();
        self.publish_unsynced()?;
        sync_folder(&folder)
    }

    /// Moves the replacement into place without waiting for the disk. For files that can be
    /// rebuilt.
    pub fn publish_unsynced(mut self) -> io::Result<()> {
        step();
        fs::rename(&self.temporary, &self.path)?;
        step();
        self.published = true;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.published {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Returns the folder of a file; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Keeps the bytes of a file under a second name, which must not exist. Makes a hard link if
/// possible, else a complete copy that is renamed into place.
///
/// Only one process may do so at a time: an unfinished copy of another process is deleted.
pub fn link_or_copy(path: &Path, copy: &Path) -> io::Result<()> {
    step();
    if fs::hard_link(path, copy).is_ok() {
        step();
        return Ok(());
    }
    let temporary = with_suffix(copy, ".part");
    let copied = (|| {
        remove(&temporary)?;
        let mut file = create_new(&temporary)?;
        io::copy(&mut open(path)?, &mut file)?;
        file.sync_all()?;
        step();
        fs::rename(&temporary, copy)
    })();
    copied.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Appends a suffix to the last component of a path.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns a name next to `path` that no other thread or process uses at the same time.
pub fn temporary_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!("{}{}-{count}", temporary_prefix(path), std::process::id()))
}

fn temporary_prefix(path: &Path) -> String {
    format!(".{}.tacit-", path.file_name().unwrap_or_default().to_string_lossy())
}

/// Deletes temporary files that killed processes left next to `path`. No other process may replace
/// the file at the same time.
pub fn remove_temporaries(path: &Path) -> io::Result<()> {
    let prefix = temporary_prefix(path);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    for entry in fs::read_dir(folder_of(path))? {
        let name = entry?.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.split_once('-'));
        if numbers.is_some_and(|(process, count)| is_number(process) && is_number(count)) {
            remove(&path.with_file_name(name))?;
        }
    }
    Ok(())
}

/// Deletes temporary files that were last written before a time, in a folder and `depth` folders
/// below it. Links are not followed. A file that cannot be deleted stays.
pub fn remove_abandoned(folder: &Path, depth: usize, before: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
        if kind.is_dir() && depth > 0 {
            remove_abandoned(&entry.path(), depth - 1, before);
        }
        let name = name.to_string_lossy();
        let is_temporary = (name.starts_with('.') && name.contains(".tacit-"))
            || [".tmp", ".part"].iter().any(|ending| name.ends_with(ending));
        let is_old = || entry.metadata().and_then(|it| it.modified()).is_ok_and(|at| at < before);
        if kind.is_file() && is_temporary && is_old() {
            let _ = remove(&entry.path());
        }
    }
}

/// Deletes a file or a link. A missing file is not an error.
pub fn remove(path: &Path) -> io::Result<()> {
    step();
    none_if_missing(fs::remove_file(path)).map(drop)
}
