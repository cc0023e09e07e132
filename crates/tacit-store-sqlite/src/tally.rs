//! A count of acknowledged writes, kept beside the database so that a loss is noticed.
//!
//! SQLite takes a write-ahead log that was cut, overwritten or removed for one that ends earlier:
//! what was committed after that is gone, and every check finds a healthy database. Each change of
//! the history has a number that only grows. The number of the last one is written here after its
//! commit, without waiting for the disk; a database that is behind it has lost something.
//!
//! The number can only be too small (a process died between its commit and this, or two wrote in the
//! other order), which never raises an alarm. A database that was put there after the last note,
//! such as one from a backup, is told by the time of the file, and begins a new count.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

const MAGIC: &[u8; 8] = b"TACITSQ1";
const BYTES: usize = 48;

/// The last acknowledged numbers, and the losses found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    /// The number of the last change.
    change: u64,
    /// The largest row number of a memory.
    memory: u64,
    lost: LostWrites,
}

/// Acknowledged writes that a database no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LostWrites {
    /// Changes of the history.
    pub changes: u64,
    /// Memories that came to be with them.
    pub memories: u64,
}

/// The file of the count, open.
#[derive(Debug)]
pub(crate) struct WriteCounter {
    file: File,
}

impl Mark {
    fn encode(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        let values = [self.change, self.memory, self.lost.changes, self.lost.memories];
        for (place, value) in bytes[8..40].chunks_exact_mut(8).zip(values) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        let sum = checksum(&bytes[..40]);
        bytes[40..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a mark; none from bytes that a power failure left half written.
    fn decode(bytes: &[u8; BYTES]) -> Option<Mark> {
        let value = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        let sound = &bytes[..8] == MAGIC && checksum(&bytes[..40]) == value(40);
        sound.then(|| Mark {
            change: value(8),
            memory: value(16),
            lost: LostWrites { changes: value(24), memories: value(32) },
        })
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The file of the count of a database.
pub(crate) fn file_of(database: &Path) -> PathBuf {
    database.with_extension("seq")
}

/// Acknowledged writes that were found to be lost from the database at `database`, until somebody
/// takes note of them with [`acknowledge_losses`].
pub fn losses(database: &Path) -> Option<LostWrites> {
    let tally = WriteCounter { file: tacit_fs::open(&file_of(database)).ok()? };
    tally.read().map(|mark| mark.lost).filter(|lost| *lost != LostWrites::default())
}

/// Takes note of losses, so that they are no longer told.
pub fn acknowledge_losses(database: &Path) -> io::Result<()> {
    let tally = WriteCounter { file: tacit_fs::open_to_write(&file_of(database))? };
    match tally.read() {
        Some(mark) => tally.write(Mark { lost: LostWrites::default(), ..mark }),
        None => Ok(()),
    }
}

impl WriteCounter {
    /// Opens the count of a database, if there is one that can be read. One that cannot be written
    /// serves as well.
    pub(crate) fn open(database: &Path) -> Option<WriteCounter> {
        let path = file_of(database);
        let exists = tacit_fs::check_file(&path).ok()?;
        let file =
            exists.then(|| tacit_fs::open_to_write(&path).or_else(|_| tacit_fs::open(&path)));
        Some(WriteCounter { file: file?.ok()? })
    }

    /// Begins a count, or goes on with the one that is there.
    pub(crate) fn create(database: &Path) -> Option<WriteCounter> {
        Some(WriteCounter { file: tacit_fs::open_to_write(&file_of(database)).ok()? })
    }

    /// Compares the count with the database, and keeps what is missing. Called by every process
    /// that opens the database before it writes there or folds the log back.
    pub(crate) fn compare(&self, database: &Path, connection: &Connection) {
        let Some(mark) = self.read() else { return };
        // After the mark: what another process commits meanwhile cannot make this smaller.
        let Ok((change, memory)) = last_numbers(connection) else { return };
        if change >= mark.change {
            return;
        }
        let mut lost = mark.lost;
        // A backup has changes; an empty database is none.
        if change == 0 || !self.is_older_than(database) {
            lost.changes += mark.change - change;
            lost.memories += mark.memory.saturating_sub(memory);
        }
        // What cannot be kept is found again by the next process.
        let _ = self.write(Mark { change, memory, lost });
    }

    /// Counts a change that was committed. A count that cannot be kept costs nothing but itself.
    pub(crate) fn note(&self, change: i64, memory: i64) {
        let mark = self.read().unwrap_or_default();
        let _ = self.write(Mark {
            change: mark.change.max(change.unsigned_abs()),
            memory: mark.memory.max(memory.unsigned_abs()),
            lost: mark.lost,
        });
    }

    /// Returns true if the database was put there, or last written, after the last note.
    #[cfg(unix)]
    fn is_older_than(&self, database: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let (Ok(noted), Ok(there)) = (self.file.metadata(), database.metadata()) else {
            return true;
        };
        (there.ctime(), there.ctime_nsec()) > (noted.mtime(), noted.mtime_nsec())
    }

    #[cfg(not(unix))]
    fn is_older_than(&self, database: &Path) -> bool {
        let modified = |meta: std::fs::Metadata| meta.modified();
        match (self.file.metadata().and_then(modified), database.metadata().and_then(modified)) {
            (Ok(noted), Ok(there)) => there > noted,
            _ => true,
        }
    }

    #[cfg(unix)]
    fn read(&self) -> Option<Mark> {
        use std::os::unix::fs::FileExt;
        let mut bytes = [0; BYTES];
        self.file.read_exact_at(&mut bytes, 0).ok()?;
        Mark::decode(&bytes)
    }

    #[cfg(unix)]
    fn write(&self, mark: Mark) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        self.file.write_all_at(&mark.encode(), 0)
    }

    #[cfg(not(unix))]
    fn read(&self) -> Option<Mark> {
        use std::io::{Read, Seek, SeekFrom};
        let mut bytes = [0; BYTES];
        (&self.file).seek(SeekFrom::Start(0)).ok()?;
        (&self.file).read_exact(&mut bytes).ok()?;
        Mark::decode(&bytes)
    }

    #[cfg(not(unix))]
    fn write(&self, mark: Mark) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        (&self.file).seek(SeekFrom::Start(0))?;
        (&self.file).write_all(&mark.encode())
    }
}

/// The number of the last change, and the largest row number that a memory had.
fn last_numbers(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    connection.query_row(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0),
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memories'), 0)",
        [],
        |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_back_and_torn_ones_do_not() {
        let lost = LostWrites { changes: 2, memories: 1 };
        let mark = Mark { change: 9, memory: 7, lost };
        let bytes = mark.encode();
        assert_eq!(Mark::decode(&bytes), Some(mark));
        for at in 0..BYTES {
            let mut torn = bytes;
            torn[at] ^= 1;
            assert_eq!(Mark::decode(&torn), None, "byte {at}");
        }
        assert_eq!(Mark::decode(&[0; BYTES]), None);
    }
}
