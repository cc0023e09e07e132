//! Folders that only their owner can change.

use std::fmt;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::path::Path;

use crate::open::none_if_missing;

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
    #[cfg(unix)]
    if !is_ours(metadata) {
        use std::os::unix::fs::MetadataExt;
        return Some(FolderProblem::Foreign(metadata.uid()));
    }
    if metadata.is_symlink() {
        return Some(FolderProblem::Link);
    }
    if !metadata.is_dir() {
        return Some(FolderProblem::NotAFolder);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mode = metadata.mode() & 0o7777;
        if mode & 0o022 != 0 {
            return Some(FolderProblem::Writable(mode));
        }
    }
    None
}

/// Returns true if this user owns the file.
#[cfg(unix)]
pub(crate) fn is_ours(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == nix::unistd::geteuid().as_raw()
}

#[cfg(not(unix))]
pub(crate) fn is_ours(_metadata: &Metadata) -> bool {
    true
}

/// Creates a folder and its missing parents, readable by this user only. An existing folder is
/// checked with [`check_folder`] and left unchanged.
pub fn create_folder(path: &Path) -> io::Result<()> {
    if check_folder(path)? {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)?;
    // Another process may have created something else there in between.
    check_folder(path).map(drop)
}

/// Creates a folder like [`create_folder`], and removes the write permission of other users from an
/// existing one: earlier versions created folders with the user's umask.
pub fn secure_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Ok(metadata) = fs::symlink_metadata(path)
        && let Some(FolderProblem::Writable(_)) = problem(&metadata)
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    create_folder(path)
}

/// Makes renames and deletions in a folder durable across a power failure.
#[cfg(unix)]
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Does nothing: folders cannot be opened on this system.
#[cfg(not(unix))]
pub fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns true if `path` exists and belongs to another user.
pub fn is_foreign(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| !is_ours(&metadata))
}

/// Opens a folder so that it can be locked. Fails if it is a symbolic link.
#[cfg(unix)]
pub fn open_folder(path: &Path) -> io::Result<File> {
    use nix::fcntl::OFlag;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY | OFlag::O_NONBLOCK;
    File::options().read(true).custom_flags(flags.bits()).open(path)
}

/// Opens a file inside the folder instead: folders cannot be opened on this system.
#[cfg(not(unix))]
pub fn open_folder(path: &Path) -> io::Result<File> {
    crate::open::append(&path.join(".tacit-lock"))
}
