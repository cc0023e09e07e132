//! Opening and reading files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::failpoint::step;
use crate::folder::is_ours;

/// Opens a file for reading and appending, and creates it if it is not there.
pub fn append(path: &Path) -> io::Result<File> {
    open_ours(path, File::options().read(true).append(true).create(true))
}

/// Opens a file for reading and writing, and creates it if it is not there. Its bytes stay.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    open_ours(path, File::options().read(true).write(true).create(true).truncate(false))
}

/// Creates a file that must not be there yet.
pub fn create_new(path: &Path) -> io::Result<File> {
    step();
    open_ours(path, File::options().write(true).create_new(true))
}

/// Opens a file of ours for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_ours(path, File::options().read(true))
}

/// Opens a regular file of anybody's for reading, following links: a source file, a README.
pub fn open_linked(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    let file = never_blocking(&mut options, 0).open(path)?;
    regular(&file)?;
    Ok(file)
}

/// Reads a file of ours. One of more than `most` bytes is an error.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, most)
}

/// Reads a file of ours as text. One of more than `most` bytes is an error.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Reads a regular file of anybody's, following links. One of more than `most` bytes is an error.
pub fn read_linked(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open_linked(path)?, most)
}

fn read_all(file: File, most: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("over {most} bytes"));
    if length > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may grow while it is read.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Checks that a path leads to a regular file of this user's, without opening it. Returns `Ok(false)`
/// if there is nothing there.
pub fn check_file(path: &Path) -> io::Result<bool> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if metadata.is_symlink() {
        return Err(refused("it is a symbolic link"));
    }
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(refused("it is not a regular file"));
    }
    if !is_ours(&metadata) {
        return Err(refused("it belongs to another user"));
    }
    Ok(true)
}

fn open_ours(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
        && fs::symlink_metadata(folder)?.is_symlink()
    {
        return Err(refused(&format!("`{}` is a symbolic link", folder.display())));
    }
    let file = never_blocking(options, NO_FOLLOW).open(path).map_err(|error| {
        // The system's own words for a link are "too many levels of symbolic links".
        match fs::symlink_metadata(path) {
            Ok(there) if there.is_symlink() => refused("it is a symbolic link"),
            _ => error,
        }
    })?;
    if !is_ours(&regular(&file)?) {
        return Err(refused("it belongs to another user"));
    }
    Ok(file)
}

fn regular(file: &File) -> io::Result<fs::Metadata> {
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return Ok(metadata);
    }
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Err(refused("it is not a regular file"))
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned())
}

#[cfg(unix)]
const NO_FOLLOW: i32 = nix::fcntl::OFlag::O_NOFOLLOW.bits();
#[cfg(not(unix))]
const NO_FOLLOW: i32 = 0;

/// Opening a pipe without a writer, or a terminal, would wait; with this it does not.
#[cfg(unix)]
fn never_blocking(options: &mut OpenOptions, flags: i32) -> &mut OpenOptions {
    use nix::fcntl::OFlag;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = flags | (OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits();
    options.mode(0o600).custom_flags(flags)
}

#[cfg(not(unix))]
fn never_blocking(options: &mut OpenOptions, _flags: i32) -> &mut OpenOptions {
    options
}
