//! Agent clients: parsing their events, rendering replies, and installation.
//!
//! Only this crate knows the JSON of clients. [`Client::parse`] converts a payload to a
//! [`tacit_core::AgentEvent`], and [`Client::render`] converts a [`Reply`] to the client's format;
//! other crates decide what to recall. Every hook runs this code: nothing is compiled, and only the
//! used parts of a large payload are copied.

mod client;
mod clients;
mod event;
mod fence;
pub mod install;
mod loaded_files;
mod outcome;
mod payload;
mod reply;
mod shell_report;
mod tools;
mod transcript;
pub mod transcripts;

pub use client::{Client, ClientFolders, Hook, InstallScope};
pub use clients::CLIENTS;
pub use fence::{
    BYTES_PER_TOKEN, FencedNote, NOTES_NOTICE, RenderedNotes, render_notes, safe_text,
};
pub use payload::PayloadError;
pub use reply::{CONTEXT_LIMIT, Reply, ReplyPart};
pub use transcript::{MissingExitCode, TailSearch, add_exit_code};
