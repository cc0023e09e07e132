//! File times by the clock of the file system, in nanoseconds since 1970.

use std::fs::{File, Metadata};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tacit_fs::Replacement;

use crate::error::{CodebaseError, CodebaseResult, io};
use crate::walk::FileStat;

/// A file written this shortly before it is read may change again without a new time, so it is read
/// again next time.
const FRESH_NS: i64 = 2_000_000_000;

/// A time by the clock of the file system, which may stand still for milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileTime(pub(crate) i64);

impl FileTime {
    /// Returns the current time by writing to `scratch`.
    pub(crate) fn now(mut scratch: &File) -> std::io::Result<FileTime> {
        scratch.write_all(b".")?;
        scratch.set_len(0)?;
        Ok(FileTime(FileStat::from_metadata(&scratch.metadata()?).modified))
    }

    /// Returns the time of the last change to a file or directory. Programs can set the
    /// modification time of a file, but not this one.
    pub(crate) fn changed_at(metadata: &Metadata) -> FileTime {
        FileTime(tacit_fs::platform::changed_at(metadata))
    }

    /// Returns the metadata of a file that is read now, with its time cleared if a later change
    /// might go unnoticed.
    pub(crate) fn trusted(self, stat: FileStat) -> FileStat {
        match stat.modified < self.0.saturating_sub(FRESH_NS) {
            true => stat,
            false => FileStat { modified: 0, ..stat },
        }
    }

    /// Returns the time at which a derived file was started or last found current: every later
    /// change to its inputs is newer.
    pub(crate) fn built_at(metadata: &Metadata) -> FileTime {
        FileTime(FileStat::from_metadata(metadata).modified)
    }

    /// Replaces a derived file atomically, dated to this time.
    pub(crate) fn publish(self, path: &Path, bytes: &[u8]) -> CodebaseResult<()> {
        if path.is_dir() {
            return Err(CodebaseError::PathBlocked { path: path.to_path_buf() });
        }
        let write = || -> std::io::Result<()> {
            // There is one writer at a time, so leftovers are those of a killed process.
            tacit_fs::remove_temporaries(path)?;
            let mut replacement = Replacement::new(path)?;
            replacement.file().write_all(bytes)?;
            replacement.file().set_modified(self.as_time())?;
            replacement.publish_unsynced()
        };
        write().map_err(io(path))
    }

    /// Dates an existing derived file to this time. If that fails, the next query takes longer.
    pub(crate) fn touch(self, path: &Path) {
        if let Ok(true) = tacit_fs::check_file(path)
            && let Ok(file) = tacit_fs::append(path)
        {
            let _ = file.set_modified(self.as_time());
        }
    }

    fn as_time(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(u64::try_from(self.0).unwrap_or(0))
    }
}
