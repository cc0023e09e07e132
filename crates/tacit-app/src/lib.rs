//! The use cases of Tacit, each once. A door (a hook, the command line, the tools of a server)
//! reads its arguments, calls one of these, and renders what comes back.
//!
//! Arguments, wire formats, terminals and the reading of environment variables are elsewhere.

pub mod app;
pub mod cochange;
pub mod code;
pub mod context;
mod environment;
mod error;
pub mod exclude;
mod generation;
pub mod graph;
mod here;
pub mod hook;
pub mod impact;
pub mod inject;
mod inside;
pub mod locate;
pub mod maintain;
pub mod moment;
pub mod panics;
mod project;
mod question;
pub mod recall;
pub mod records;
pub mod remember;
pub mod review;
pub mod scan;
pub mod topics;
pub mod triggers;
pub mod verdict;

pub use app::App;
pub use environment::{Agent, Environment, Override, Unwatched, Watcher, Work};
pub use error::{AppError, AppResult, Audience, Code, did_you_mean};
pub use inside::inside;
pub use project::{Obstacle, Project};
pub use question::{Question, question};
