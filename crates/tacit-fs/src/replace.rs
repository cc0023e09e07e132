//! Replacing a file: readers see the old bytes or the new ones, also after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failpoint::step;
use crate::folder::sync_folder;
use crate::open::{create_new, create_new_shared, none_if_missing, open};

/// Replaces a file, or creates it. Returns when the new bytes are on the disk.
///
/// A link at `path` is replaced itself; what it points to stays as it is.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.file().write_all(bytes)?;
    replacement.publish()
}

/// As [`replace`], without waiting for the disk: for what can be made again.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.file().write_all(bytes)?;
    replacement.publish_unsynced()
}

/// As [`replace`], for a file that is not only ours, such as one that is committed. It keeps its
/// permissions; a new one gets what other programs would give it.
pub fn replace_shared(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::shared(path)?;
    replacement.file().write_all(bytes)?;
    replacement.publish()
}

/// A file that is written beside the one whose place it takes. It is removed when it is dropped
/// before that.
#[derive(Debug)]
pub struct Replacement {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    published: bool,
}

impl Replacement {
    /// Begins a file for this user only.
    pub fn new(path: &Path) -> io::Result<Replacement> {
        Replacement::begin(path, create_new)
    }

    /// Begins a file with the permissions of the one at `path`, or with ordinary ones.
    pub fn shared(path: &Path) -> io::Result<Replacement> {
        let replacement = Replacement::begin(path, create_new_shared)?;
        if let Ok(there) = fs::symlink_metadata(path)
            && there.is_file()
        {
            replacement.file.set_permissions(there.permissions())?;
        }
        Ok(replacement)
    }

    fn begin(path: &Path, create: fn(&Path) -> io::Result<File>) -> io::Result<Replacement> {
        let temporary = temporary_name(path);
        // Left by a process that died under the same number, or planted.
        remove(&temporary)?;
        let file = create(&temporary)?;
        Ok(Replacement { file, temporary, path: path.to_owned(), published: false })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts the file in its place. Returns when that is on the disk.
    pub fn publish(self) -> io::Result<()> {
        self.file.sync_all()?;
        step();
        let folder = folder_of(&self.path).to_owned();
        self.publish_unsynced()?;
        sync_folder(&folder)
    }

    /// Puts the file in its place without waiting for the disk: for what can be made again.
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

/// The folder that holds a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Keeps the bytes of a file under a second name, which must not be taken: as a link to the same
/// bytes where the file system has those, else as a copy that is whole from the moment it has its
/// name. One process at a time: what another left unfinished under the same name is removed.
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

/// A path with something added to its last component.
pub fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A name beside `path` that no other thread or process uses at the same time.
pub fn temporary_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!("{}{}-{count}", temporary_prefix(path), std::process::id()))
}

fn temporary_prefix(path: &Path) -> String {
    format!(".{}.tacit-", path.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes what processes that were killed left beside `path`. Only for a file that nobody else
/// replaces at the same time.
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

/// Removes a file or a link; one that is not there is fine.
pub fn remove(path: &Path) -> io::Result<()> {
    step();
    none_if_missing(fs::remove_file(path)).map(drop)
}
