//! Embedders and text generators.
//!
//! Three tiers behind one trait, [`Embedder`]: the [bundled] model, a server of [`Ollama`], and
//! [`OpenAi`] or whatever speaks its interface; [`detect()`] picks one. The library reads no
//! environment and no files, and without an [`Ollama`] or [`OpenAi`] it opens no connection.

pub mod answer;
mod batches;
pub mod budget;
pub mod bundled;
mod complaint;
pub mod detect;
pub mod embedder;
mod endpoint;
mod error;
pub mod http;
pub mod ollama;
pub mod openai;
mod secret;

pub use bundled::Bundled;
pub use detect::{Choice, Provider, Settings, Tier, detect};
pub use embedder::{Embedder, ModelId, Reach, TextKind};
pub use error::EmbedError;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use secret::Secret;
