//! Folders that only their owner can change.

use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use crate::open::none_if_missing;
use crate::platform;

/// The reason why a folder cannot be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderProblem {
    /// A symbolic link, which a repository could have planted.
    Link,
    /// A file, a pipe or a device.
    NotAFolder,
    /// A folder of another user, with that user's ID.
    Foreign(u32),
    /// A folder that other users can write to, with its permission bits.
    Writable(u32),
}

impl FolderProblem {
    /// Extracts the problem from an error of [`check_folder`].
    pub fn of(error: &io::Error) -> Option<FolderProblem> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl fmt::Display for FolderProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FolderProblem::Link => formatter.write_str("it is a symbolic link"),
            FolderProblem::NotAFolder => formatter.write_str("it is not a folder"),
            FolderProblem::Foreign(owner) => {
                write!(formatter, "it belongs to another user (ID {owner})")
            }
            FolderProblem::Writable(mode) => {
                write!(formatter, "other users can write to it (permissions {mode:04o})")
            }
        }
    }
}

impl std::error::Error for FolderProblem {}

/// Checks that `path` is a real folder, owned by this user and writable by no other.
///
/// Returns `Ok(false)` if `path` does not exist. A problem is reported as an error that contains a
/// [`FolderProblem`].
pub fn check_folder(path: &Path) -> io::Result<bool> {
    let Some(metadata) = none_if_missing(fs::symlink_metadata(path))? else { return Ok(false) };
    match problem(&metadata) {
        Some(problem) => Err(io::Error::new(io::ErrorKind::PermissionDenied, problem)),
        None => Ok(true),
    }
}

fn problem(metadata: &Metadata) -> Option<FolderProblem> {
    if let Some(owner) = platform::foreign_owner(metadata) {
        return Some(FolderProblem::Foreign(owner));
    }
    if metadata.is_symlink() {
        return Some(FolderProblem::Link);
    }
    if !metadata.is_dir() {
        return Some(FolderProblem::NotAFolder);
    }
    platform::writable_mode(metadata).map(FolderProblem::Writable)
}

/// Creates a folder and its missing parents, readable by this user only. An existing folder is
/// checked with [`check_folder`] and left unchanged.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if check_folder(path)? {
        return Ok(());
    }
    platform::create_private_folder(path)?;
    // Another process may have created something else there in between.
    check_folder(path).map(drop)
}

/// Creates a folder that only this user can read. Fails if the path exists or the parent does not.
pub fn create_new_folder(path: &Path) -> io::Result<()> {
    platform::create_new_private_folder(path)
}

/// Creates a folder like [`create_folder`], and removes the write permission of other users from an
/// existing one: earlier versions created folders with the user's umask.
pub fn secure_folder(path: &Path) -> io::Result<()> {
    if let Ok(metadata) = fs::symlink_metadata(path)
        && let Some(FolderProblem::Writable(_)) = problem(&metadata)
    {
        platform::set_mode(path, 0o700)?;
    }
    create_folder(path)
}

/// Returns true if `path` exists and belongs to another user.
pub fn is_foreign(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| platform::foreign_owner(&metadata).is_some())
}
