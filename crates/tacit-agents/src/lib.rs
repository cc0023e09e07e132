//! Agent clients: what they tell, what they are told, and how they are set up.
//!
//! The JSON of every client ends here. [`Client::parse`] turns a payload into one
//! [`tacit_core::AgentEvent`], and [`Client::render`] turns a [`Reply`] into what the client takes;
//! what is recalled in between is decided elsewhere. This is on the way of every hook: nothing is
//! compiled, and of a large payload only what the event keeps is copied.

mod client;
mod clients;
mod event;
mod fence;
pub mod install;
mod outcome;
mod reply;
mod tools;
mod wire;

pub use client::{Client, Hook, InstallScope};
pub use clients::CLIENTS;
pub use fence::{FencedNote, RenderedNotes, render_notes, safe_text};
pub use reply::Reply;
pub use wire::PayloadError;
