//! The code graph of a worktree on disk: which files there are, what was parsed before, the
//! database of edges, and the packed graph that answers are read from; the commits of its history;
//! the words of its files.
//!
//! Everything here is derived and can be made again. What source text means is decided in
//! `tacit-graph`; nothing here knows about memories.

mod cleanup;
mod cochange;
mod compiler_index;
mod content_cache;
mod current_graph;
mod derived;
mod error;
mod facts;
pub mod history;
pub mod locate;
mod memory_links;
mod mtime;
mod open;
mod parse_files;
mod refresh;
mod scan_state;
mod tables;
mod walk;
mod words;

pub use cleanup::CleanupReport;
pub use cochange::import_pairs;
pub use error::{CodebaseError, CodebaseResult};
pub use history::read::{CommitMessage, HistoryConsumer, HistoryReport};
pub use locate::search::SearchDepth;
pub use open::{Codebase, OpenGraph};
pub use refresh::{IndexUse, RefreshOptions, RefreshReport};
pub use walk::FileStat;
pub use words::{OpenWords, WordsReport};
