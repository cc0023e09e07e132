//! The two traits every store implements, and what they return.

use std::path::Path;

use serde::Serialize;
use tacit_core::{
    ContentHash, FingerprintDigest, Memory, MemoryId, RepoPath, ShortId, Signature, StatusKind,
    Timestamp, Tokens,
};

use crate::activity::ActivityStore;
use crate::error::StoreResult;
use crate::filter::{Filter, ListQuery, TextQuery};
use crate::history::{Action, Change, ChangeId, ChangeQuery};
use crate::links::LinkStore;
use crate::observed::ObserverStore;
use crate::vectors::{MemoryKey, VectorStore};

/// A store of memories.
pub trait Store: VectorStore + ActivityStore + ObserverStore + LinkStore {
    /// The memories with these identifiers, in the same order; those that are not there are left
    /// out.
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>>;

    /// The memories that a short identifier, or the beginning of one, can mean.
    fn find_short(&self, range: std::ops::RangeInclusive<u32>) -> StoreResult<Vec<IdMatch>>;

    /// A list of memories.
    fn list(&self, query: &ListQuery) -> StoreResult<Vec<Memory>>;

    /// The memories whose text matches, best first; equal scores are ordered by identifier.
    fn search_text(&self, query: &TextQuery) -> StoreResult<Vec<TextHit>>;

    /// The memories with these keys that pass the filter, in the same order.
    fn read_keys(
        &self,
        keys: &[MemoryKey],
        filter: &Filter,
    ) -> StoreResult<Vec<(MemoryKey, Memory)>>;

    /// How many memories there are, about, and in how many each token occurs.
    fn count_terms(&self, tokens: &[&str]) -> StoreResult<TermCounts>;

    /// Tokens that begin like this one, at most `limit`, and how many memories have each.
    fn known_terms(&self, beginning: &str, limit: usize) -> StoreResult<Vec<(String, u64)>>;

    /// The memories about one of these files that pass the filter, the newest first.
    fn keys_about(
        &self,
        files: &[RepoPath],
        filter: &Filter,
        limit: usize,
    ) -> StoreResult<Vec<MemoryKey>>;

    /// The tags that most of about the newest `among` memories have, each with how many, the commonest
    /// first.
    fn frequent_tags(&self, among: u64, limit: usize) -> StoreResult<Vec<(String, u64)>>;

    /// Notes which tokens occur in at least `least` memories, so that counting them is quick.
    fn note_common_terms(&mut self, least: u64) -> StoreResult<usize>;

    /// Brings at most so many rows that an earlier version wrote into the form that is read most
    /// quickly; returns how many.
    fn complete_rows(&mut self, limit: usize) -> StoreResult<usize>;

    /// Changes, the newest first.
    fn changes(&self, query: &ChangeQuery) -> StoreResult<Vec<Change>>;

    /// How many requests were claimed whose names begin like this.
    fn count_requests(&self, beginning: &str) -> StoreResult<u64>;

    /// Counts of what is kept.
    fn stats(&self) -> StoreResult<StoreStats>;

    /// Looks for damage; a thorough check reads everything.
    fn check(&self, thorough: bool) -> StoreResult<StoreCheck>;

    /// Looks for rows about sessions that cannot be read. Readers pass them over.
    fn unreadable(&self) -> StoreResult<Vec<UnreadableRows>>;

    /// Moves the rows that [`Store::unreadable`] finds out of the store, to the end of `file`: each is
    /// a line of JSON there, on the disk before it leaves the store. Returns how many there were.
    fn quarantine(&mut self, file: &Path, at: Timestamp) -> StoreResult<u64>;

    /// Makes sure that nothing of what was removed can be read from the disk. Takes time in
    /// proportion to what is kept.
    fn scrub(&mut self) -> StoreResult<()>;

    /// Counts one more showing of each memory, or is busy at once: nobody waits for a count. Not
    /// part of the history.
    fn touch(&mut self, ids: &[MemoryId], at: Timestamp) -> StoreResult<()>;

    /// Opens a transaction in which one action is done. No other process writes until it ends, so
    /// it must be short. Dropping it undoes everything.
    fn begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>>;

    /// As [`Store::begin`], but busy at once if another process writes.
    fn begin_now(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>>;
}

/// Writes that happen together or not at all.
pub trait Transaction {
    /// As [`Store::read`], seeing the writes of this transaction.
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>>;

    /// The memories with each of these identities, whatever their status.
    fn find_identical(&self, hash: &ContentHash) -> StoreResult<Vec<IdMatch>>;

    /// Memories in use that share a band with the signature, at most `limit`, newest first.
    fn find_similar(&self, signature: &Signature, limit: usize) -> StoreResult<Vec<MemoryId>>;

    /// Whether a memory has this short identifier.
    fn is_taken(&self, short: ShortId) -> StoreResult<bool>;

    /// The memories that are about a file.
    fn find_by_file(&self, path: &RepoPath) -> StoreResult<Vec<MemoryId>>;

    /// Whether a request with this name was done before; remembers that it now was.
    fn claim_request(&mut self, request: &str) -> StoreResult<bool>;

    /// Keeps a memory that was not there.
    fn insert(&mut self, memory: &Memory) -> StoreResult<()>;

    /// Replaces `before` with `after`, which has the same identifier.
    fn update(&mut self, before: &Memory, after: &Memory) -> StoreResult<()>;

    /// Removes a memory.
    fn remove(&mut self, memory: &Memory) -> StoreResult<()>;

    /// Removes what the history says of a memory, which makes the removal final: what it was, and why
    /// it was changed where nothing else was with it.
    fn erase_history(&mut self, id: &MemoryId) -> StoreResult<()>;

    /// Removes what the log of sessions, what was observed and the reasons of changes quote: rows that
    /// have one of these texts in them. Returns how many rows there were. Memories stay as they are.
    fn erase_quotes(&mut self, phrases: &[String]) -> StoreResult<u64>;

    /// Makes a memory's text findable, replacing what was there.
    fn index(&mut self, id: &MemoryId, entry: &IndexEntry) -> StoreResult<()>;

    /// Makes everything permanent; the number of the change, if anything changed.
    fn commit(self: Box<Self>) -> StoreResult<Option<ChangeId>>;
}

/// What a search finds a memory by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Tokens of the heading.
    pub title: Tokens,
    /// Tokens of the text and its reasoning.
    pub text: Tokens,
    /// Tokens of tags, files, modules and the type.
    pub labels: Tokens,
    /// By which likely twins are found.
    pub signature: Option<Signature>,
    /// Tells one text to embed from another; none for what is not embedded.
    pub meaning: Option<u64>,
    /// The error it was learnt from.
    pub fingerprint: Option<FingerprintDigest>,
}

/// A memory that an identifier or an identity can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdMatch {
    /// Its identifier.
    pub id: MemoryId,
    /// Whether it is in use.
    pub status: StatusKind,
}

/// A memory found by its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextHit {
    /// Its identifier.
    pub id: MemoryId,
    /// Its key.
    pub key: MemoryKey,
    /// How well it matches: BM25, larger is better.
    pub score: f64,
}

/// How often tokens occur.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TermCounts {
    /// How many memories there are, about.
    pub memories: u64,
    /// In how many memories each token occurs, in the order of the question.
    pub documents: Vec<u64>,
}

/// Counts of what is kept.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StoreStats {
    /// How many memories in each state.
    pub by_status: Vec<(String, u64)>,
    /// How many memories in use of each type.
    pub by_type: Vec<(String, u64)>,
    /// How many memories in use from each source.
    pub by_source: Vec<(String, u64)>,
    /// How many memories in use of each scope.
    pub by_scope: Vec<(String, u64)>,
    /// The tags of memories in use, the most frequent first.
    pub tags: Vec<(String, u64)>,
    /// How many memories in use somebody should look at.
    pub needs_review: u64,
    /// How many memories in use are about things that are gone.
    pub stale: u64,
    /// How many changes the history has.
    pub changes: u64,
    /// The size on disk, in bytes.
    pub bytes: u64,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StoreCheck {
    /// What is wrong, in words; empty if nothing is.
    pub problems: Vec<String>,
    /// Memories the text index does not know, or knows and should not.
    pub unindexed: u64,
    /// Rows about sessions that cannot be read, by table.
    pub unreadable: Vec<UnreadableRows>,
}

/// Rows of a table that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableRows {
    /// The table.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The reason for the first of them.
    pub why: String,
}
