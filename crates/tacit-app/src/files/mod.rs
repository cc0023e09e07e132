//! Memories that follow files of the project: records, and sections of decision files.
//!
//! The files are authoritative: their memories are created, changed and taken out of use with them.
//! A file that is in the last commit and unchanged since is the word of the team, so its memories
//! count as confirmed. `sources.rs` reads the files, `sync.rs` compares them with what was synced,
//! which `state.rs` keeps so that unchanged files are not read, and `apply.rs` changes the memories.

mod apply;
mod sources;
mod state;
mod sync;

pub use state::FileSyncState;
pub use sync::{SyncReport, sync, sync_if_changed};
