//! Triggers through the public API: results, messages and properties.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod adding;
mod commits;
mod compressing;
mod fixing;
mod fuzzy;
mod indexing;
mod markdown;
mod measuring;
mod migrating;
mod offering;
mod parsing;
mod properties;
mod resolving;
mod rivals;
mod support;
mod validating;
