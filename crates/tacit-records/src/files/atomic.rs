//! Replacing a file: whoever reads it sees the old bytes or the new ones, also after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::paths::failed;
use crate::error::RecordResult;

/// How the name of a file that is not whole yet begins.
const BEGUN: &str = ".tacit-new-";

/// Writes beside the file, makes sure it is on the disk, renames, and makes sure of that too.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> RecordResult<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begun: PathBuf = directory.join(format!("{BEGUN}{name}"));
    let written = (|| {
        // What is left of a process that died is of no use, and may be a link.
        remove_if_there(&begun)?;
        let mut file = File::options().write(true).create_new(true).open(&begun)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&begun, path)?;
        sync_directory(directory)
    })();
    written.map_err(|error| {
        let _ = fs::remove_file(&begun);
        failed(path)(error)
    })
}

/// Removes a file, and makes sure that it stays removed.
pub(super) fn remove(path: &Path) -> RecordResult<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    remove_if_there(path).and_then(|()| sync_directory(directory)).map_err(failed(path))
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Where folders cannot be opened, a rename is as safe as the system makes it.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes a file that only this user can read, in a directory that only this user can enter. Both
/// are made; neither may be a link.
pub fn write_private(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why.to_owned()));
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        return refuse("the name of a file is needed, not a path");
    }
    fs::create_dir_all(directory)?;
    if !fs::symlink_metadata(directory)?.is_dir() {
        return refuse("the directory is a link");
    }
    let path = directory.join(name);
    remove_if_there(&path)?;
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        options.mode(0o600);
    }
    options.open(&path)?.write_all(bytes)?;
    Ok(path)
}
