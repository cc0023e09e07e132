//! The embedded store: one SQLite file per repository, shared by every process that works in it.
//!
//! Rules about what may be written live in the engine; here is how it is kept, found and proved
//! whole. Writers take the write lock at once and hold it for one short transaction; readers never
//! wait.

mod activity;
mod check;
mod error;
mod filter;
mod fold;
mod history;
mod links;
mod lists;
mod migrate;
mod observed;
mod open;
mod pending;
mod presence;
mod quotes;
mod repair;
mod row;
mod salvage;
mod search;
mod spool;
mod store;
mod tally;
#[cfg(feature = "test-support")]
pub mod test_support;
mod transaction;
mod unreadable;
mod upgrade;
mod vectors;

pub use fold::fold_log;
pub use migrate::LATEST as LATEST_SCHEMA;
pub use open::{OpenMode, OpenOptions};
pub use pending::{ClaimedWork, PendingWork};
pub use presence::DatabaseLock;
pub use repair::{DatabaseRepair, damaged_copies, log_of};
pub use salvage::{SalvageReport, salvage};
pub use spool::{Spool, SpoolEntry};
pub use store::SqliteStore;
pub use tally::{LostWrites, acknowledge_losses, losses};
