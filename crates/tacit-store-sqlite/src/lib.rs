//! The SQLite store: one file per repository, shared by all processes that work in it.
//!
//! Rules about what may be written live in the engine; this crate stores, searches and checks.
//! Writers take the write lock at once and hold it for one short transaction; readers never wait.

mod activity;
mod backup;
mod check;
mod checkpoint;
mod error;
mod filter;
mod history;
mod index;
mod links;
mod lists;
mod lock;
mod migrate;
mod observed;
mod open;
mod pending;
mod quotes;
mod repair;
mod row;
mod salvage;
mod search;
mod store;
mod team_copy;
#[cfg(feature = "test-support")]
pub mod test_support;
mod transaction;
mod transfer;
mod unreadable;
mod upgrade;
mod vectors;
mod write_counter;

pub use backup::{
    DatabaseContents, back_up, check_backup, contents, purge_backup, remove_unfinished,
};
pub use checkpoint::checkpoint;
pub use lock::DatabaseLock;
pub use migrate::LATEST as LATEST_SCHEMA;
pub use open::{OpenMode, OpenOptions};
pub use pending::{ClaimedWork, PendingWork};
pub use repair::{DatabaseRepair, damaged_copies, replaced_copies, wal_of};
pub use salvage::{SalvageReport, salvage};
pub use store::SqliteStore;
pub use write_counter::{LostWrites, acknowledge_lost_writes, lost_writes};
