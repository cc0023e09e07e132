//! Writing files: whoever reads one sees the old bytes or the new ones, also after a crash.

use std::io;
use std::path::{Path, PathBuf};

use super::paths::failed;
use crate::error::RecordResult;

/// Replaces a file that is to be committed. Returns when it is on the disk. The caller is the one
/// writer, so that whatever was begun beside it is of a process that died.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> RecordResult<()> {
    tacit_fs::remove_temporaries(path)
        .and_then(|()| tacit_fs::replace_shared(path, bytes))
        .map_err(failed(path))
}

/// Removes a file, and makes sure that it stays removed.
pub(super) fn remove(path: &Path) -> RecordResult<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    tacit_fs::remove(path).and_then(|()| tacit_fs::sync_folder(directory)).map_err(failed(path))
}

/// Writes a file that only this user can read, in a directory that only this user can enter. Both
/// are made; neither may be a link.
pub fn write_private(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        let why = "the name of a file is needed, not a path";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    tacit_fs::own_folder(directory)?;
    let path = directory.join(name);
    tacit_fs::replace_light(&path, bytes)?;
    Ok(path)
}
