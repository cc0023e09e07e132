//! The use cases of Tacit. The CLI, the hooks and the MCP server read their arguments, call one of
//! these, and render the result.
//!
//! Arguments, wire formats, terminals and environment variables are handled elsewhere.

pub mod app;
pub mod backup;
pub mod briefing;
pub mod bulk;
pub mod change;
pub mod chat;
pub mod cochange;
pub mod code;
mod embed;
mod environment;
mod error;
pub mod exclude;
pub mod export;
pub mod files;
pub mod filter;
mod generation;
pub mod graph;
pub mod health;
mod here;
pub mod hook;
pub mod human_time;
pub mod impact;
pub mod inject;
pub mod jobs;
pub mod learn;
pub mod life;
pub mod locate;
pub mod maintain;
pub mod module_map;
pub mod panics;
mod project;
mod project_path;
mod prompt_query;
pub mod prune;
pub mod purge;
pub mod recall;
mod recent_files;
pub mod recipe;
pub mod records;
pub mod remember;
pub mod report;
pub mod review;
pub mod scan;
pub mod settings;
pub mod show;
pub mod team;
pub mod topics;
pub mod triggers;
pub mod verdict;

pub use app::App;
pub use environment::{
    Agent, ConfigOverride, Environment, PostgresVariables, ProgressKind, SilentWatcher, Watcher,
};
pub use error::{AppError, AppResult, Audience, ErrorCode, did_you_mean};
pub use project::{Obstacle, Project};
pub use project_path::path_in_project;
pub use prompt_query::{PromptQuery, parse_prompt};
