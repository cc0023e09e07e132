//! A counter of acknowledged writes beside the database, which reveals lost writes.
//!
//! SQLite treats a truncated, overwritten or deleted write-ahead log as a shorter one: later
//! commits are gone, and every check passes. Every change in the history has a growing number.
//! After a commit the last number is written here, without waiting for the disk; a database behind
//! it has lost writes.
//!
//! The number can only be too small (a process died before writing it, or two processes wrote out
//! of order), which never raises a false alarm. A database that was copied there later, such as a
//! backup, is recognised by its file time and starts a new count.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tacit_fs::platform;

const MAGIC: &[u8; 8] = b"TACITSQ1";
const BYTES: usize = 48;

/// The last acknowledged numbers and the losses found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    /// The number of the last change.
    change: u64,
    /// The greatest row number of a memory.
    memory: u64,
    lost: LostWrites,
}

/// Acknowledged writes that a database has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LostWrites {
    /// The number of lost changes.
    pub changes: u64,
    /// The number of lost memories.
    pub memories: u64,
}

/// The open file of the counter.
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

    /// Decodes a mark; `None` if it was only partly written.
    fn decode(bytes: &[u8; BYTES]) -> Option<Mark> {
        let value = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        let is_valid = &bytes[..8] == MAGIC && checksum(&bytes[..40]) == value(40);
        is_valid.then(|| Mark {
            change: value(8),
            memory: value(16),
            lost: LostWrites { changes: value(24), memories: value(32) },
        })
    }
}

/// Computes an FNV-1a checksum.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns the file of a database's counter.
pub(crate) fn file_of(database: &Path) -> PathBuf {
    database.with_extension("seq")
}

/// Returns the writes that a database lost, until they are acknowledged with
/// [`acknowledge_lost_writes`].
pub fn lost_writes(database: &Path) -> Option<LostWrites> {
    let write_counter = WriteCounter { file: tacit_fs::open(&file_of(database)).ok()? };
    write_counter.read().map(|mark| mark.lost).filter(|lost| *lost != LostWrites::default())
}

/// Acknowledges lost writes, so that they are no longer reported.
pub fn acknowledge_lost_writes(database: &Path) -> io::Result<()> {
    let write_counter = WriteCounter { file: tacit_fs::open_to_write(&file_of(database))? };
    match write_counter.read() {
        Some(mark) => write_counter.write(Mark { lost: LostWrites::default(), ..mark }),
        None => Ok(()),
    }
}

impl WriteCounter {
    /// Opens the counter of a database, if it exists and is readable. It may be read-only.
    pub(crate) fn open(database: &Path) -> Option<WriteCounter> {
        let path = file_of(database);
        let exists = tacit_fs::check_file(&path).ok()?;
        let file =
            exists.then(|| tacit_fs::open_to_write(&path).or_else(|_| tacit_fs::open(&path)));
        Some(WriteCounter { file: file?.ok()? })
    }

    /// Creates or continues the counter of a database.
    pub(crate) fn create(database: &Path) -> Option<WriteCounter> {
        Some(WriteCounter { file: tacit_fs::open_to_write(&file_of(database)).ok()? })
    }

    /// Compares the counter with the database and records lost writes. Every process calls this on
    /// opening, before it writes or checkpoints.
    pub(crate) fn compare(&self, database: &Path, connection: &Connection) {
        let Some(mark) = self.read() else { return };
        // Read after the mark, so that a concurrent commit cannot look like a loss.
        let Ok((change, memory)) = last_numbers(connection) else { return };
        if change >= mark.change {
            return;
        }
        let mut lost = mark.lost;
        // A backup has changes; an empty database is not one.
        if change == 0 || !self.is_older_than(database) {
            lost.changes += mark.change - change;
            lost.memories += mark.memory.saturating_sub(memory);
        }
        // If this fails, the next process finds the loss again.
        let _ = self.write(Mark { change, memory, lost });
    }

    /// Counts a committed change. A failed write only loses the count.
    pub(crate) fn note(&self, change: i64, memory: i64) {
        let mark = self.read().unwrap_or_default();
        let _ = self.write(Mark {
            change: mark.change.max(change.unsigned_abs()),
            memory: mark.memory.max(memory.unsigned_abs()),
            lost: mark.lost,
        });
    }

    /// Returns true if the database was replaced or written after the last count.
    fn is_older_than(&self, database: &Path) -> bool {
        let (Ok(noted), Ok(there)) = (self.file.metadata(), database.metadata()) else {
            return true;
        };
        platform::changed_at(&there) > platform::modified_at(&noted)
    }

    fn read(&self) -> Option<Mark> {
        let mut bytes = [0; BYTES];
        platform::read_exact_at(&self.file, &mut bytes, 0).ok()?;
        Mark::decode(&bytes)
    }

    fn write(&self, mark: Mark) -> io::Result<()> {
        platform::write_all_at(&self.file, &mark.encode(), 0)
    }
}

/// Returns the number of the last change and the greatest row number of a memory.
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
    fn marks_survive_a_round_trip_and_torn_ones_are_rejected() {
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
