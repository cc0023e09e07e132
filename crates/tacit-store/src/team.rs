//! A store that several people share on a server, as seen from one machine.
//!
//! The machine keeps a copy of the memories, from which hooks answer without waiting for the server.
//! The copy follows the server by the numbers of changes. The log of the machine's own sessions stays
//! on the machine.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacit_core::{Memory, MemoryId, Timestamp};

use crate::error::StoreResult;
use crate::history::ChangeId;
use crate::store::{IndexEntry, Store};
use crate::transfer::{TransferRow, TransferTable};

/// The address of a shared store and everything that is needed to open it.
pub trait TeamServer: fmt::Debug + Send + Sync {
    /// Returns the address without a password, for people to read.
    fn address(&self) -> String;

    /// Returns the identity of the project.
    fn project(&self) -> &str;

    /// Opens the shared store of this project.
    fn open(&self) -> StoreResult<Box<dyn SharedStore>>;

    /// Connects and returns what changed, all within a deadline.
    fn delta(&self, after: ChangeId, limit: usize, deadline: Duration) -> StoreResult<Delta>;
}

/// A store on a server.
pub trait SharedStore: Store {
    /// Returns the memories that changed after a change, ordered by identifier. One round trip.
    fn delta(&self, after: ChangeId, limit: usize) -> StoreResult<Delta>;

    /// Returns the rows of these memories in the table of links or of vectors.
    fn rows_of(&self, table: TransferTable, ids: &[MemoryId]) -> StoreResult<Vec<TransferRow>>;

    /// Returns those of these memories that were purged.
    fn purged(&self, ids: &[MemoryId]) -> StoreResult<Vec<MemoryId>>;

    /// Returns the commit whose checkout was last compared with the memories; `None` at first.
    fn judged_commit(&self) -> StoreResult<Option<JudgedCommit>>;

    /// Notes the commit whose checkout is about to be compared with the memories.
    fn set_judged_commit(&mut self, judged: &JudgedCommit) -> StoreResult<()>;

    /// Removes everything that the project has, for a move that begins again. Fails unless the user is
    /// its only member.
    fn clear(&mut self) -> StoreResult<()>;

    /// Returns who this connection acts for.
    fn membership(&self) -> StoreResult<Membership>;
}

/// The project on a server that a copy follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyOrigin {
    /// The address of the server, without a password.
    pub server: String,
    /// The identity of the project on the server.
    pub project: String,
}

/// A store on this machine that can be the copy of a shared store. It knows how far it follows the server, in
/// the same transactions as the memories, so that several processes may bring it up to date at once.
pub trait CopyStore: Store {
    /// Returns the last change on the server that this copy includes; `None` if the store is no copy of that
    /// project, or does not know.
    fn copied_upto(&self, origin: &CopyOrigin) -> StoreResult<Option<ChangeId>>;

    /// Makes the store, whose memories are those of the server, a copy that includes this change.
    fn set_copied_upto(&mut self, origin: &CopyOrigin, change: ChangeId) -> StoreResult<()>;

    /// Makes the store a copy of no project.
    fn end_copy(&mut self) -> StoreResult<()>;

    /// Writes what changed on the server after a change. Returns false, and writes nothing, if the copy lacks
    /// changes before that, or has these already: older rows never replace newer ones.
    fn apply(
        &mut self,
        origin: &CopyOrigin,
        after: ChangeId,
        delta: &Delta,
        index: &dyn Fn(&Memory) -> IndexEntry,
    ) -> StoreResult<bool>;

    /// Replaces all memories, in one transaction, with those of the server: `next` returns its changes after
    /// one. The memories that were there vanish with their history. Returns the number of memories.
    fn refill(
        &mut self,
        origin: &CopyOrigin,
        next: &mut dyn FnMut(ChangeId) -> StoreResult<Delta>,
        index: &dyn Fn(&Memory) -> IndexEntry,
    ) -> StoreResult<u64>;
}

/// A commit whose checkout was compared with the memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedCommit {
    /// The identifier of the commit.
    pub commit: String,
    /// The time of the comparison.
    pub at: Timestamp,
}

/// The memories that changed after a change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Delta {
    /// The changed memories, as they are now.
    pub memories: Vec<Memory>,
    /// The memories that are gone.
    pub removed: Vec<MemoryId>,
    /// The removed memories that were purged, and not only undone.
    pub purged: Vec<MemoryId>,
    /// The number of the last change that is included. Less than the change that was asked about if the server
    /// has lost changes, because it was restored from a backup for example.
    pub upto: ChangeId,
    /// True if there are more changes.
    pub more: bool,
}

/// A person's place in a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The name of the person on the server.
    pub name: String,
    /// The role of the person in this project.
    pub role: TeamRole,
    /// True if the person bypasses row-level security, as a superuser does, and sees everything.
    pub is_unbound: bool,
}

/// The rights of a person in a project. Each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamRole {
    /// Reads memories.
    Reader,
    /// Also adds, corrects and flags memories.
    Contributor,
    /// Also decides reviews of others, purges memories and manages members.
    Curator,
}

impl TeamRole {
    /// All roles, the one with the fewest rights first.
    pub const ALL: [TeamRole; 3] = [TeamRole::Reader, TeamRole::Contributor, TeamRole::Curator];

    /// Returns the word for the role.
    pub fn as_str(self) -> &'static str {
        match self {
            TeamRole::Reader => "reader",
            TeamRole::Contributor => "contributor",
            TeamRole::Curator => "curator",
        }
    }

    /// Parses the word for a role.
    pub fn from_word(word: &str) -> Option<TeamRole> {
        TeamRole::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

impl fmt::Display for TeamRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
