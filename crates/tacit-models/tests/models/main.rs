//! The embedders and generators as their callers see them.

mod answers;
mod bundled_tier;
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
