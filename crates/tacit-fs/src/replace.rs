//! Replacing a file: readers see the old bytes or the new ones, also after a crash.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failpoint::step;
use crate::folder::sync_folder;
use crate::open::{create_new, open};

/// Replaces a file, or creates it. Returns when the new bytes are on the disk.
///
/// A link at `path` is replaced itself; what it points to stays as it is.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_beside(path, bytes, true)?;
    sync_folder(folder_of(path))
}

/// As [`replace`], without waiting for the disk: for what can be made again.
pub fn replace_light(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_beside(path, bytes, false)
}

fn write_beside(path: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
    let temporary = temporary_name(path);
    let written = (|| {
        // Left by a process that died under the same number, or planted.
        remove(&temporary)?;
        let mut file = create_new(&temporary)?;
        step();
        file.write_all(bytes)?;
        if durable {
            file.sync_all()?;
        }
        step();
        fs::rename(&temporary, path)?;
        step();
        Ok(())
    })();
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Keeps the bytes of a file under a second name, which must not be taken: as a link to the same
/// bytes where the file system has those, else as a copy that is whole from the moment it has its
/// name. One process at a time: what another left unfinished under the same name is removed.
pub fn keep_copy(path: &Path, copy: &Path) -> io::Result<()> {
    step();
    if fs::hard_link(path, copy).is_ok() {
        step();
        return Ok(());
    }
    let mut temporary = copy.as_os_str().to_owned();
    temporary.push(".part");
    let temporary = PathBuf::from(temporary);
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

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name beside `path` that no other thread or process uses at the same time.
pub fn temporary_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tacit-{}-{count}", std::process::id()))
}

/// Removes a file or a link; one that is not there is fine.
pub fn remove(path: &Path) -> io::Result<()> {
    step();
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
