//! Reading git repositories. Nothing here writes to git.

mod discover;

pub use discover::{Repository, discover};
