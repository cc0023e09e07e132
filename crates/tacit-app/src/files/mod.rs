//! Memories that follow files of the project: records, sections of decision files, and the rules
//! that people write into files such as CLAUDE.md and AGENTS.md.
//!
//! The files are authoritative: their memories are created, changed and taken out of use with them.
//! A file that is in the last commit and unchanged since is the word of the team, so its memories
//! count as confirmed. `sources.rs` reads the files, `sync.rs` compares them with what was synced,
//! which `state.rs` keeps so that unchanged files are not read, and `apply.rs` changes the memories.
//! Files of rules are found by `written.rs` and followed by `rules.rs` and `rule_memory.rs`.

mod apply;
mod followed;
mod layout;
mod rule_memory;
mod rules;
mod sources;
mod state;
mod sync;
mod written;

pub use followed::{FollowedRules, followed_rules};
pub use layout::FollowedLayout;
pub use state::FileSyncState;
pub use sync::{SyncReport, sync, sync_if_changed};
