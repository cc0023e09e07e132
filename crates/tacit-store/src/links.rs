//! Which symbols of the code memories are about: found by comparing them with the code graph, kept
//! beside the memories, and no part of their history.

use tacit_core::{Memory, MemoryId, RepoPath, SymbolRef, Timestamp};

use crate::error::StoreResult;

/// A symbol that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLink {
    /// The symbol.
    pub symbol: SymbolRef,
    /// A sum of its source as it was when the memory was learnt or last confirmed.
    pub checksum: u64,
}

/// The links of a memory, as they were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryLinks {
    /// The memory.
    pub memory: MemoryId,
    /// When it was last changed, as it was looked at.
    pub memory_updated_at: Timestamp,
    /// All its links.
    pub links: Vec<CodeLink>,
}

/// A store of links to the code.
pub trait LinkStore {
    /// The links of some memories, in the order of memories and symbols.
    fn links_of(&self, ids: &[MemoryId]) -> StoreResult<Vec<(MemoryId, CodeLink)>>;

    /// The links of every memory in use, in the order of memories and symbols.
    fn links(&self) -> StoreResult<Vec<(MemoryId, CodeLink)>>;

    /// Memories in use whose links were not found yet, or that changed since, at most `limit`.
    fn unlinked(&self, limit: usize) -> StoreResult<Vec<Memory>>;

    /// Replaces all links of each of these memories.
    fn save_links(&mut self, links: &[MemoryLinks]) -> StoreResult<()>;

    /// The links of all memories are to be found again.
    fn reset_links(&mut self) -> StoreResult<()>;

    /// The links to what is defined in one file lead to another.
    fn move_links(&mut self, from: &RepoPath, to: &RepoPath) -> StoreResult<()>;

    /// Every file that memories in use are about, relate to or are linked to, in order.
    fn files_in_use(&self) -> StoreResult<Vec<RepoPath>>;
}
