//! Opening and reading files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::failpoint::step;
use crate::platform::{NO_FOLLOW, foreign_owner, never_blocking};

/// Opens a file for reading and appending. Creates it if it is missing.
pub fn append(path: &Path) -> io::Result<File> {
    open_ours(path, File::options().read(true).append(true).create(true))
}

/// Opens a file for reading and writing without truncating it. Creates it if it is missing.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    open_ours(path, File::options().read(true).write(true).create(true).truncate(false))
}

/// Creates a file. Fails if the path exists.
pub fn create_new(path: &Path) -> io::Result<File> {
    step();
    open_ours(path, File::options().write(true).create_new(true))
}

/// Creates a file with the default permissions of the user's umask, for files that are shared with
/// others. Fails if the path exists.
pub fn create_new_shared(path: &Path) -> io::Result<File> {
    open_checked(path, File::options().write(true).create_new(true), 0o666)
}

/// Checks that `path` is a regular file of this user, without opening it: closing a file that this
/// process also has open as a database would release the database's locks.
///
/// Returns `Ok(false)` if `path` does not exist.
pub fn check_file(path: &Path) -> io::Result<bool> {
    let metadata = none_if_missing(check_parent(path).and_then(|()| fs::symlink_metadata(path)))?;
    let Some(metadata) = metadata else { return Ok(false) };
    if metadata.is_symlink() {
        return Err(refused("it is a symbolic link"));
    }
    check_owner(&check_regular(metadata)?).map(|()| true)
}

/// Turns a "not found" error into `None`.
pub fn none_if_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Opens a file of this user for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_ours(path, File::options().read(true))
}

/// Opens a regular file of any owner for reading, following links: for example a source file.
pub fn open_following(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    let file = never_blocking(&mut options, 0, PRIVATE).open(path)?;
    check_regular(file.metadata()?)?;
    Ok(file)
}

/// Opens a file for reading that the user named, following links. Below `/dev` and `/proc` it may
/// be a pipe or a device, such as a shell creates for `<(…)`: no repository has files there.
pub fn open_user_path(path: &Path) -> io::Result<File> {
    let in_memory = path.starts_with("/dev/shm");
    if !in_memory && (path.starts_with("/dev") || path.starts_with("/proc")) {
        return File::open(path);
    }
    open_following(path)
}

/// Opens a regular file of any owner for reading. Fails if it is a symbolic link. For files that a
/// repository tracks.
pub fn open_nofollow(path: &Path) -> io::Result<File> {
    open_regular(path, File::options().read(true), PRIVATE).map(|(file, _)| file)
}

/// Reads a file of this user. Fails if it is larger than `max_bytes`.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, max_bytes)
}

/// Reads a file of this user as UTF-8. Fails if it is larger than `max_bytes`.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    to_text(read(path, max_bytes)?)
}

/// Reads a regular file of any owner, following links. Fails if it is larger than `max_bytes`.
pub fn read_following(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_all(open_following(path)?, max_bytes)
}

/// Reads a regular file of any owner as UTF-8, following links. Fails if it is larger than
/// `max_bytes`.
pub fn read_text_following(path: &Path, max_bytes: u64) -> io::Result<String> {
    to_text(read_following(path, max_bytes)?)
}

/// Reads the first `max_bytes` of a regular file of any owner, following links.
pub fn read_start_following(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_following(path)?.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file of any owner. Fails if it is a symbolic link or larger than `max_bytes`.
pub fn read_nofollow(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_all(open_nofollow(path)?, max_bytes)
}

/// Reads the rest of an open file. Fails if the file is larger than `max_bytes`.
pub fn read_all(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let too_large =
        || io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {max_bytes} bytes"));
    if length > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may grow while it is read.
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large());
    }
    Ok(bytes)
}

fn to_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

fn open_ours(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    open_checked(path, options, PRIVATE)
}

fn open_checked(path: &Path, options: &mut OpenOptions, mode: u32) -> io::Result<File> {
    let (file, metadata) = open_regular(path, options, mode)?;
    check_owner(&metadata).map(|()| file)
}

fn open_regular(
    path: &Path,
    options: &mut OpenOptions,
    mode: u32,
) -> io::Result<(File, fs::Metadata)> {
    check_parent(path)?;
    let file = never_blocking(options, NO_FOLLOW, mode).open(path).map_err(|error| {
        // The system's own message would be "too many levels of symbolic links".
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => refused("it is a symbolic link"),
            _ => error,
        }
    })?;
    let metadata = check_regular(file.metadata()?)?;
    Ok((file, metadata))
}

fn check_parent(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if fs::symlink_metadata(folder)?.is_symlink() => {
            Err(refused(&format!("`{}` is a symbolic link", folder.display())))
        }
        _ => Ok(()),
    }
}

fn check_regular(metadata: fs::Metadata) -> io::Result<fs::Metadata> {
    if metadata.is_file() {
        return Ok(metadata);
    }
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Err(refused("it is not a regular file"))
}

fn check_owner(metadata: &fs::Metadata) -> io::Result<()> {
    match foreign_owner(metadata) {
        None => Ok(()),
        Some(_) => Err(refused("it belongs to another user")),
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned())
}

/// The mode of files that only this user may access.
const PRIVATE: u32 = 0o600;
