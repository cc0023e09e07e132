//! Embedders and text generators.
//!
//! An [`Embedder`] is the [bundled] model or a [`ServerEmbedder`]; [`detect()`] chooses one. A
//! [`Generator`] is a [`ServerGenerator`] or a program; see [`generate`]. The requests and
//! responses of servers are described as data in [`protocol`]. The library reads no environment and
//! no files, and opens no connection and starts no program unless one is configured.

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
