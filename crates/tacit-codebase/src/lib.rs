//! The code graph, the history and the word index of a worktree on disk, and the search for files
//! that a task is about.
//!
//! All files here are derived and can be rebuilt. `tacit-graph` interprets source text; nothing
//! here knows about memories.

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
pub use history::read::{CommitMessage, HistoryConsumer, HistoryReport, StoredCommit};
pub use locate::search::SearchDepth;
pub use open::{Codebase, OpenGraph};
pub use refresh::{IndexUse, RefreshOptions, RefreshReport};
pub use walk::FileStat;
pub use words::{OpenWords, WordsReport};
