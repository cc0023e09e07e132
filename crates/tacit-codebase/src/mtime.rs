//! Times of files: all are told by the clock of the file system, in nanoseconds since 1970.

use std::fs::{File, Metadata};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tacit_fs::Replacement;

use crate::error::{CodebaseError, CodebaseResult, io};
use crate::walk::FileStat;

/// A file that was written this shortly before it was read may be written again without looking
/// changed: it is read again next time.
const FRESH_NS: i64 = 2_000_000_000;

/// A moment by the clock of the file system, which may stand still for milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileTime(pub(crate) i64);

impl FileTime {
    /// The present one; `scratch` is written to be told.
    pub(crate) fn now(mut scratch: &File) -> std::io::Result<FileTime> {
        scratch.write_all(b".")?;
        scratch.set_len(0)?;
        Ok(FileTime(FileStat::of(&scratch.metadata()?).modified))
    }

    /// When a file, or what is in a folder, was last changed. Whoever writes a file can give it
    /// another time of writing, but not another one of this.
    pub(crate) fn changed_at(metadata: &Metadata) -> FileTime {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            FileTime(
                metadata
                    .ctime()
                    .saturating_mul(1_000_000_000)
                    .saturating_add(metadata.ctime_nsec()),
            )
        }
        #[cfg(not(unix))]
        FileTime(FileStat::of(metadata).modified)
    }

    /// The mark of a file that is read now, by which a later change will be seen.
    pub(crate) fn trusted(self, stat: FileStat) -> FileStat {
        match stat.modified < self.0.saturating_sub(FRESH_NS) {
            true => stat,
            false => FileStat { modified: 0, ..stat },
        }
    }

    /// When something that was made of files began to be made, or was last found to be as it would
    /// be if it were made again: whatever of these changed after that is later.
    pub(crate) fn built_at(metadata: &Metadata) -> FileTime {
        FileTime(FileStat::of(metadata).modified)
    }

    /// Writes a file that began to be made now beside the one in use, and puts it in its place.
    pub(crate) fn publish(self, path: &Path, bytes: &[u8]) -> CodebaseResult<()> {
        if path.is_dir() {
            return Err(CodebaseError::PathBlocked { path: path.to_path_buf() });
        }
        let write = || -> std::io::Result<()> {
            // There is one writer at a time; what is there is of one that was killed.
            tacit_fs::remove_temporaries(path)?;
            let mut replacement = Replacement::new(path)?;
            replacement.file().write_all(bytes)?;
            replacement.file().set_modified(self.as_time())?;
            replacement.publish_unsynced()
        };
        write().map_err(io(path))
    }

    /// Notes that a file, if it is there, would now be made as it is. Where that cannot be noted,
    /// the next answer takes longer.
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
