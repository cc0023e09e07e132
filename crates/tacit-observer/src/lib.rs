//! From what agents did to what the project knows.
//!
//! Everything here is a function of values: the log of a session tree, what is kept of earlier ones,
//! and the moment. Steps become signals, rules make drafts of memories from them, and stages decide
//! which of those are kept. Nothing is read or written, and no model is asked.

pub mod application;
mod change;
pub mod corrections;
mod digest;
mod files;
pub mod log;
mod observe;
pub mod promotion;
pub mod recipes;
pub mod reverts;
pub mod rules;
pub mod scratchpad;
pub mod session_tree;
pub mod signals;
mod text;
mod timeline;
pub mod validation;

pub use change::Change;
pub use digest::{Digest, estimated_tokens};
pub use files::{Role, module, role};
pub use observe::{Observation, observe};
pub use timeline::{Act, Run, Step, Timeline};
