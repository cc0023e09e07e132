//! Copying of a whole store to another database, as rows that do not depend on the database.
//!
//! Rows name memories by their identifiers, never by the keys of a store. Everything that a store
//! derives from its rows is left out and made again: the text index, signatures, counts of terms.

mod digest;
mod row;

use tacit_core::Memory;

use crate::error::StoreResult;
use crate::store::IndexEntry;

pub use digest::{RowsDigest, digest_of_rows};
pub use row::{
    ChangeRow, ErrorPatternRow, FilePairRow, FilePairSource, FileUsageRow, InjectionRow, LinksRow,
    MemoryRow, ModelRow, ObservedSessionRow, RequestRow, SessionRow, SignalsRow, TimedSignal,
    TransferRow, VectorsRow,
};

/// The part of a store that a copy to another database reads and writes.
pub trait TransferStore {
    /// Returns at most `limit` rows of a table after a place that an earlier page returned, in an
    /// order that later writes do not change: rows that readers see in the order of their creation,
    /// such as memories and events, are returned in that order. Unreadable rows about sessions are
    /// skipped.
    fn transfer_rows(
        &self,
        table: TransferTable,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<TransferPage>;

    /// Stores rows as they are, in one transaction: a memory without a change in the history, a
    /// change with its number, counters with their values. `index` returns the entry of a memory.
    /// Later changes have greater numbers than the copied ones.
    ///
    /// A row replaces the one with the same key, which keeps its place in the order of creation, so
    /// that an interrupted copy can be continued or repeated. Rows that only the target has stay.
    /// Links and vectors of a memory that the target does not have are skipped, and vectors of a
    /// model that it does not have.
    fn put_rows(
        &mut self,
        rows: &[TransferRow],
        index: &dyn Fn(&Memory) -> IndexEntry,
    ) -> StoreResult<()>;

    /// Returns the number of rows of a table, which may include unreadable ones.
    fn count_rows(&self, table: TransferTable) -> StoreResult<u64>;
}

/// A page of rows of one table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransferPage {
    /// The rows; there may be none on a page that is not the last.
    pub rows: Vec<TransferRow>,
    /// The place after the last row; `None` after the last page.
    pub next: Option<String>,
}

/// A table of rows to transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TransferTable {
    /// Memories with their usage counters.
    Memories,
    /// The history.
    Changes,
    /// Claimed requests.
    Requests,
    /// Links between memories and the code.
    Links,
    /// Embedding models.
    Models,
    /// Vectors, and memories that wait for them.
    Vectors,
    /// Sessions of agents.
    Sessions,
    /// Events of sessions.
    Events,
    /// Memories and notes that agents were shown.
    Injections,
    /// Notes of sessions.
    Notes,
    /// Counted uses of memories.
    Uses,
    /// Sessions that were observed, with their digests.
    ObservedSessions,
    /// Usage of files.
    FileUsage,
    /// Pairs of files that are used or changed together.
    FilePairs,
    /// Errors that occurred.
    ErrorPatterns,
    /// Signals that the observer considered.
    Signals,
}

impl TransferTable {
    /// All tables, in the order in which they must be stored.
    pub const ALL: [TransferTable; 16] = [
        TransferTable::Memories,
        TransferTable::Changes,
        TransferTable::Requests,
        TransferTable::Links,
        TransferTable::Models,
        TransferTable::Vectors,
        TransferTable::Sessions,
        TransferTable::Events,
        TransferTable::Injections,
        TransferTable::Notes,
        TransferTable::Uses,
        TransferTable::ObservedSessions,
        TransferTable::FileUsage,
        TransferTable::FilePairs,
        TransferTable::ErrorPatterns,
        TransferTable::Signals,
    ];

    /// Returns the name for progress, problems and files.
    pub fn as_str(self) -> &'static str {
        match self {
            TransferTable::Memories => "memories",
            TransferTable::Changes => "changes",
            TransferTable::Requests => "requests",
            TransferTable::Links => "links",
            TransferTable::Models => "models",
            TransferTable::Vectors => "vectors",
            TransferTable::Sessions => "sessions",
            TransferTable::Events => "events",
            TransferTable::Injections => "injections",
            TransferTable::Notes => "notes",
            TransferTable::Uses => "uses",
            TransferTable::ObservedSessions => "observed_sessions",
            TransferTable::FileUsage => "file_usage",
            TransferTable::FilePairs => "file_pairs",
            TransferTable::ErrorPatterns => "error_patterns",
            TransferTable::Signals => "signals",
        }
    }

    /// Returns true for rows about sessions, which stay on the machine on which they were recorded unless the
    /// whole store is moved.
    pub fn is_of_sessions(self) -> bool {
        match self {
            TransferTable::Memories
            | TransferTable::Changes
            | TransferTable::Requests
            | TransferTable::Links
            | TransferTable::Models
            | TransferTable::Vectors => false,
            TransferTable::Sessions
            | TransferTable::Events
            | TransferTable::Injections
            | TransferTable::Notes
            | TransferTable::Uses
            | TransferTable::ObservedSessions
            | TransferTable::FileUsage
            | TransferTable::FilePairs
            | TransferTable::ErrorPatterns
            | TransferTable::Signals => true,
        }
    }

    /// Parses the name.
    pub fn from_word(word: &str) -> Option<TransferTable> {
        TransferTable::ALL.into_iter().find(|table| table.as_str() == word)
    }
}
