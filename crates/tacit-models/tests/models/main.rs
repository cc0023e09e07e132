//! Tests of embedders and generators through their public interface.

mod answers;
mod bundled_embedder;
mod chat;
mod detection;
mod failures;
mod format;
mod golden;
mod programs;
mod properties;
mod requests;
mod secrets;
mod tokens;
mod wire;
