//! The code graph of a worktree on disk: which files there are, what was parsed before, the
//! database of edges, and the packed graph that answers are read from; the commits of its history;
//! the words of its files.
//!
//! Everything here is derived and can be made again. What source text means is decided in
//! `tacit-graph`; nothing here knows about memories.

mod ask;
mod by_content;
mod compiler_index;
mod derived;
mod error;
mod facts;
mod fill;
pub mod history;
mod linked;
pub mod locate;
mod looked;
mod open;
mod refresh;
mod tables;
mod times;
mod together;
mod unused;
mod walk;
mod words;

pub use error::{CodebaseError, CodebaseResult};
pub use history::read::{Follows, HistoryRead, Message};
pub use locate::ask::Depth;
pub use open::{Codebase, OpenGraph};
pub use refresh::{IndexUse, Options, Refreshed};
pub use together::imports;
pub use unused::Dropped;
pub use walk::Mark;
pub use words::{OpenWords, WordsRead};
