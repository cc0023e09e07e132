//! The traits that every store implements, and their results.

use std::path::Path;

use serde::Serialize;
use tacit_core::{
    ContentHash, FingerprintDigest, Memory, MemoryId, Quotations, RepoPath, ShortId, Signature,
    StatusKind, Timestamp, Tokens,
};

use crate::activity::ActivityStore;
use crate::error::StoreResult;
use crate::filter::{Filter, ListQuery, TextQuery};
use crate::history::{Action, Change, ChangeId, ChangeQuery};
use crate::links::LinkStore;
use crate::observed::ObserverStore;
use crate::transfer::TransferStore;
use crate::vectors::{MemoryKey, VectorStore};

/// A store of memories.
///
/// Texts are compared and ordered by their bytes, never by a language's rules. Memories that are
/// stored later have greater keys, and a key is never reused. Ties are broken in a defined order, so
/// that pages and different stores agree.
pub trait Store: VectorStore + ActivityStore + ObserverStore + LinkStore + TransferStore {
    /// Returns the memories with these identifiers in the same order. Unknown identifiers are
    /// skipped.
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>>;

    /// Returns the active memories that supersede or conflict with one of these by a stated relation,
    /// in the order in which they were stored.
    fn relating_to(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>>;

    /// Returns the memories whose short identifiers are in a range, at most 20, ordered by
    /// identifier.
    fn find_by_short_id(&self, range: std::ops::RangeInclusive<u32>) -> StoreResult<Vec<IdMatch>>;

    /// Returns a list of memories.
    fn list(&self, query: &ListQuery) -> StoreResult<Vec<Memory>>;

    /// Returns the number of memories that pass the filter.
    fn count(&self, filter: &Filter) -> StoreResult<usize>;

    /// Returns the memories whose text matches, best first, with the score of [`TextScore`]. Only the
    /// first terms of the query count (see [`search_terms`]). Of equal matches the last stored ones
    /// are returned, ordered by identifier.
    ///
    /// [`TextScore`]: crate::TextScore
    /// [`search_terms`]: crate::search_terms
    fn search_text(&self, query: &TextQuery) -> StoreResult<Vec<TextHit>>;

    /// Returns the memories with these keys that pass the filter, in the same order, each once.
    fn read_keys(
        &self,
        keys: &[MemoryKey],
        filter: &Filter,
    ) -> StoreResult<Vec<(MemoryKey, Memory)>>;

    /// Returns the approximate number of memories and the number that contain each token. Inactive
    /// memories count, removed ones do not. Counts that [`Store::cache_common_terms`] cached may be
    /// as old as the cache.
    fn count_terms(&self, tokens: &[&str]) -> StoreResult<TermCounts>;

    /// Returns the first `limit` tokens with a prefix, each with the number of memories that contain
    /// it.
    fn terms_with_prefix(&self, beginning: &str, limit: usize) -> StoreResult<Vec<(String, u64)>>;

    /// Returns the memories about or linked to one of these files that pass the filter, the last
    /// stored one first. Unlike those of a filter, the files are no folders.
    fn keys_about(
        &self,
        files: &[RepoPath],
        filter: &Filter,
        limit: usize,
    ) -> StoreResult<Vec<MemoryKey>>;

    /// Returns the most frequent tags among about the last stored `among` memories, with their
    /// counts. Equally frequent ones are ordered by name.
    fn frequent_tags(&self, among: u64, limit: usize) -> StoreResult<Vec<(String, u64)>>;

    /// Caches the counts of tokens that occur in at least `least` memories in place of those that were
    /// cached. Returns their number. A store that counts fast need not cache them.
    fn cache_common_terms(&mut self, least: u64) -> StoreResult<usize>;

    /// Upgrades at most `limit` rows of an earlier version to the form that reads fastest. Returns
    /// their number.
    fn upgrade_rows(&mut self, limit: usize) -> StoreResult<usize>;

    /// Returns changes, newest first.
    fn changes(&self, query: &ChangeQuery) -> StoreResult<Vec<Change>>;

    /// Returns the number of changes that the query selects, whatever its limit.
    fn count_changes(&self, query: &ChangeQuery) -> StoreResult<usize>;

    /// Returns the number of claimed requests whose names start with `beginning`.
    fn count_requests(&self, beginning: &str) -> StoreResult<u64>;

    /// Returns statistics of the store.
    fn stats(&self) -> StoreResult<StoreStats>;

    /// Checks the store for damage; a thorough check reads everything.
    fn check(&self, thorough: bool) -> StoreResult<StoreCheck>;

    /// Returns the unreadable rows about sessions, by table. Readers skip them.
    fn unreadable(&self) -> StoreResult<Vec<UnreadableRows>>;

    /// Moves the rows that [`Store::unreadable`] reports to the end of `file`, as lines of JSON
    /// that are flushed to disk before the rows are deleted. Returns their number.
    fn quarantine(&mut self, file: &Path, at: Timestamp) -> StoreResult<u64>;

    /// Deletes incomplete vectors, and queues memories without vectors for embedding. Returns the
    /// number of queued memories.
    fn queue_missing_vectors(&mut self) -> StoreResult<u64>;

    /// Erases deleted content from the disk. The time it takes grows with the size of the store.
    fn scrub(&mut self) -> StoreResult<()>;

    /// Counts an access to each memory; unknown ones are skipped, the counter stops at `i64::MAX`, and
    /// the time only grows. Fails at once if the database is locked, because a counter is not worth
    /// waiting for. Not part of the history.
    fn record_access(&mut self, ids: &[MemoryId], at: Timestamp) -> StoreResult<()>;

    /// Opens a transaction for one action. No other process can change memories until it ends, so it
    /// must be short; another one waits, and fails with [`StoreError::Busy`] if it waits too long.
    /// Hence a memory that the transaction has read is the latest version until it is written: of two
    /// editors the second one sees the version of the first, and the history has both. Dropping it
    /// rolls back, and so does the end of the process.
    ///
    /// [`StoreError::Busy`]: crate::StoreError::Busy
    fn begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>>;

    /// Like [`Store::begin`], but fails at once if another process is writing.
    fn try_begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>>;
}

/// Writes that are committed together or not at all.
pub trait Transaction {
    /// Like [`Store::read`], including the writes of this transaction.
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>>;

    /// Returns the memories with this identity hash, of any status, ordered by identifier.
    fn find_identical(&self, hash: &ContentHash) -> StoreResult<Vec<IdMatch>>;

    /// Returns active memories that share a band with the signature, at most `limit`, the last stored
    /// one first. Of each band only the last four are looked at.
    fn find_similar(&self, signature: &Signature, limit: usize) -> StoreResult<Vec<MemoryId>>;

    /// Returns true if a memory has this short identifier.
    fn is_taken(&self, short: ShortId) -> StoreResult<bool>;

    /// Returns the memories about a file, related or linked to it, ordered by identifier.
    fn find_by_file(&self, path: &RepoPath) -> StoreResult<Vec<MemoryId>>;

    /// Claims a request by name. Returns false if it was claimed before.
    fn claim_request(&mut self, request: &str) -> StoreResult<bool>;

    /// Inserts a new memory. Fails if there is one with its identifier.
    fn insert(&mut self, memory: &Memory) -> StoreResult<()>;

    /// Replaces `before`, which this transaction has read, with `after`, which has the same
    /// identifier. If they differ in nothing but usage, nothing is written.
    fn update(&mut self, before: &Memory, after: &Memory) -> StoreResult<()>;

    /// Removes a memory.
    fn remove(&mut self, memory: &Memory) -> StoreResult<()>;

    /// Erases a memory from the history, which makes a purge final: its old fields, and the reasons
    /// of changes that have no fields of other memories. The reason of a purge is kept.
    fn erase_history(&mut self, id: &MemoryId) -> StoreResult<()>;

    /// Deletes or blanks rows of the session log, observations and the history that quote a memory.
    /// Returns their numbers, by tables of the store that have any. Memories are not changed, and
    /// neither is the history of a memory that still says the same.
    ///
    /// Events, notes, errors and signals are deleted, and texts of injections, reasons of changes,
    /// and digests with the shares of their trees are removed where they quote. In the history of
    /// other memories the strings that quote become `[purged]`.
    fn erase_quotes(&mut self, quotations: &Quotations) -> StoreResult<Vec<ErasedRows>>;

    /// Indexes a memory, replacing its earlier entry.
    fn index(&mut self, id: &MemoryId, entry: &IndexEntry) -> StoreResult<()>;

    /// Commits everything. Returns the number of the change, if anything changed.
    fn commit(self: Box<Self>) -> StoreResult<Option<ChangeId>>;
}

/// Rows of a table that were deleted or blanked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErasedRows {
    /// The table.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
}

/// The index entry of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Tokens of the title.
    pub title: Tokens,
    /// Tokens of the content and the reasoning.
    pub text: Tokens,
    /// Tokens of the type, tags, files, symbols and modules.
    pub labels: Tokens,
    /// Tokens of the cues.
    pub cues: Tokens,
    /// The signature for finding near-duplicates.
    pub signature: Option<Signature>,
    /// The hash of the text and the cues to embed; `None` if the memory is not embedded.
    pub embedding_hash: Option<u64>,
    /// The fingerprint of the error it is about.
    pub fingerprint: Option<FingerprintDigest>,
}

/// A memory that matches an identifier or a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdMatch {
    /// The memory's identifier.
    pub id: MemoryId,
    /// The memory's status.
    pub status: StatusKind,
}

/// A full-text match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextHit {
    /// The memory's identifier.
    pub id: MemoryId,
    /// The memory's key.
    pub key: MemoryKey,
    /// The BM25 score; larger is better.
    pub score: f64,
}

/// Term frequencies in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TermCounts {
    /// The approximate number of memories.
    pub memories: u64,
    /// The number of memories that contain each token, in the order of the query.
    pub documents: Vec<u64>,
}

/// Statistics of a store.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StoreStats {
    /// Memories by status.
    pub by_status: Vec<(String, u64)>,
    /// Active memories by type.
    pub by_type: Vec<(String, u64)>,
    /// Active memories by source.
    pub by_source: Vec<(String, u64)>,
    /// Active memories by scope.
    pub by_scope: Vec<(String, u64)>,
    /// Tags of active memories, most frequent first.
    pub tags: Vec<(String, u64)>,
    /// Active memories that are stale.
    pub stale: u64,
    /// Changes in the history.
    pub changes: u64,
    /// The size on disk, in bytes.
    pub bytes: u64,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StoreCheck {
    /// Descriptions of the problems; empty if there are none.
    pub problems: Vec<String>,
    /// The number of memories that are missing from the text index or wrongly in it.
    pub unindexed: u64,
    /// Unreadable rows about sessions, by table.
    pub unreadable: Vec<UnreadableRows>,
    /// The number of memories whose vectors are missing or incomplete without waiting for new ones.
    pub without_vectors: u64,
    /// The time of the newest row, if there is any.
    pub newest: Option<Timestamp>,
}

/// Unreadable rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableRows {
    /// The name of the table.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The reason for the first of them.
    pub why: String,
}
