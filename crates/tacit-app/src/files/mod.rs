//! Memories that follow files of the project: records, and sections of decision files.
//!
//! The files are authoritative: their memories are created, changed and taken out of use with them.
//! A file that is in the last commit and unchanged since is the word of the team, so its memories
//! count as confirmed. `sources.rs` reads the files, `sync.rs` compares them with the store, and
//! `state.rs` keeps what was synced, so that unchanged files are not read.

mod sources;
mod state;
mod sync;

pub use state::FileSyncState;
pub use sync::{SyncReport, sync, sync_if_changed};
