//! Embedders and text generators.
//!
//! Two traits: an [`Embedder`] is the [bundled] model or a [`ServerEmbedder`], and [`detect()`] picks
//! one; a [`Generator`] is a [`ServerGenerator`] or a program, see [`generate`]. What a server is
//! sent and what it answers is data, in [`protocol`]. The library reads no environment and no files,
//! and unless a server or a program was configured it opens no connection and starts nothing.

mod ahead;
pub mod answer;
pub mod budget;
pub mod bundled;
mod complaint;
pub mod detect;
pub mod embedder;
mod endpoint;
mod error;
pub mod generate;
pub mod http;
pub mod protocol;
mod secret;
pub mod server;

pub use ahead::Ahead;
pub use bundled::Bundled;
pub use detect::{Choice, Provider, Settings, Tier, detect};
pub use embedder::{Embedder, ModelId, Reach, TextKind};
pub use error::EmbedError;
pub use generate::{GenerateError, Generated, Generator, Prompt};
pub use secret::Secret;
pub use server::{ServerEmbedder, ServerGenerator};
