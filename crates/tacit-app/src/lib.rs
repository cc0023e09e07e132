//! The use cases of Tacit, each once. A door (a hook, the command line, the tools of a server)
//! reads its arguments, calls one of these, and renders what comes back.
//!
//! Arguments, wire formats, terminals and the reading of environment variables are elsewhere.

pub mod app;
pub mod briefing;
pub mod cochange;
pub mod code;
mod environment;
mod error;
pub mod exclude;
mod generation;
pub mod graph;
mod here;
pub mod hook;
pub mod human_time;
pub mod impact;
pub mod inject;
pub mod locate;
pub mod maintain;
pub mod panics;
mod project;
mod project_path;
mod prompt_query;
pub mod recall;
pub mod records;
pub mod remember;
pub mod scan;
pub mod topics;
pub mod triggers;

pub use app::App;
pub use environment::{Agent, ConfigOverride, Environment, ProgressKind, SilentWatcher, Watcher};
pub use error::{AppError, AppResult, Audience, ErrorCode, did_you_mean};
pub use project::{Obstacle, Project};
pub use project_path::path_in_project;
pub use prompt_query::{PromptQuery, parse_prompt};
