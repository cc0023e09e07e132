//! Embedders and text generators.
//!
//! Three tiers behind one trait, [`Embedder`]: the [bundled] model, a server of [`Ollama`], and
//! [`OpenAi`] or whatever speaks its interface; [`detect()`] picks one. Four ways to have text
//! written behind another, [`Generator`]: see [`generate`]. The library reads no environment and no
//! files, and unless a server or a program was configured it opens no connection and starts nothing.

mod ahead;
pub mod answer;
mod batches;
pub mod budget;
pub mod bundled;
mod complaint;
pub mod detect;
pub mod embedder;
mod endpoint;
mod error;
pub mod generate;
pub mod http;
pub mod ollama;
pub mod openai;
mod secret;

pub use ahead::Ahead;
pub use bundled::Bundled;
pub use detect::{Choice, Provider, Settings, Tier, detect};
pub use embedder::{Embedder, ModelId, Reach, TextKind};
pub use error::EmbedError;
pub use generate::{GenerateError, Generated, Generator, Prompt};
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use secret::Secret;
