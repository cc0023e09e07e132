//! Storage of links between memories and symbols of the code. Links are derived from the code graph
//! and not part of the history.

use serde::{Deserialize, Serialize};
use tacit_core::{Memory, MemoryId, RepoPath, SymbolRef, Timestamp};

use crate::error::StoreResult;

/// A symbol that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeLink {
    /// The linked symbol.
    pub symbol: SymbolRef,
    /// The checksum of its source when the memory was learnt or last confirmed.
    pub checksum: u64,
}

/// The links of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryLinks {
    /// The linked memory.
    pub memory: MemoryId,
    /// The `updated_at` of the memory when its links were computed.
    pub memory_updated_at: Timestamp,
    /// All links of the memory.
    pub links: Vec<CodeLink>,
}

/// The part of a store that keeps links to the code.
pub trait LinkStore {
    /// Returns the links of these memories, in the order in which the memories were stored, then by
    /// file and name.
    fn links_of(&self, ids: &[MemoryId]) -> StoreResult<Vec<(MemoryId, CodeLink)>>;

    /// Returns the links of all active memories, in the same order.
    fn links(&self) -> StoreResult<Vec<(MemoryId, CodeLink)>>;

    /// Returns at most `limit` active memories whose links were never computed or are out of date, the
    /// first stored one first.
    fn unlinked(&self, limit: usize) -> StoreResult<Vec<Memory>>;

    /// Replaces all links of these memories.
    fn save_links(&mut self, links: &[MemoryLinks]) -> StoreResult<()>;

    /// Marks the links of all memories as out of date.
    fn reset_links(&mut self) -> StoreResult<()>;

    /// Moves the links from one file to another. One that the other file has already is replaced.
    fn move_links(&mut self, from: &RepoPath, to: &RepoPath) -> StoreResult<()>;

    /// Returns every file that active memories are about, relate to or are linked to, sorted.
    fn files_in_use(&self) -> StoreResult<Vec<RepoPath>>;
}
