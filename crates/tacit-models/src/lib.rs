//! Embedders and text generators.
//!
//! Two traits: an [`Embedder`] is the [bundled] model or a [`ServerEmbedder`], and [`detect()`] picks
//! one; a [`Generator`] is a [`ServerGenerator`] or a program, see [`generate`]. What a server is
//! sent and what it answers is data, in [`protocol`]. The library reads no environment and no files,
//! and unless a server or a program was configured it opens no connection and starts nothing.

pub mod answer;
pub mod budget;
pub mod bundled;
pub mod detect;
pub mod embedder;
mod endpoint;
mod error;
pub mod generate;
pub mod http;
mod prefetch;
pub mod protocol;
mod secret;
pub mod server;
mod server_message;

pub use bundled::BundledEmbedder;
pub use detect::{EmbedderChoice, EmbedderSettings, Provider, Tier, detect};
pub use embedder::{Embedder, EmbedderReach, ModelId, TextKind};
pub use error::EmbedError;
pub use generate::{GenerateError, Generated, Generator, Prompt};
pub use prefetch::PrefetchedEmbedding;
pub use secret::Secret;
pub use server::{ServerEmbedder, ServerGenerator};
