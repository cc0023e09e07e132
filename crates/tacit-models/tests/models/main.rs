//! The embedders as their callers see them.

mod answers;
mod bundled_tier;
mod detection;
mod failures;
mod fake_server;
mod format;
mod golden;
mod properties;
mod requests;
mod secrets;
mod tokens;
mod wire;
