//! The environment of a use case, as the program that runs it has read it: clock, configuration and
//! identity. Nothing here reads the environment itself.

use std::path::PathBuf;
use std::sync::Arc;

use tacit_core::{Clock, IdSource, KeyName};

/// The agent client that runs this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The name of the client.
    pub name: String,
    /// The environment variable that shows it.
    pub variable: &'static str,
}

/// A configuration key that an environment variable sets.
#[derive(Debug, Clone)]
pub struct ConfigOverride {
    /// The name of the key, which may be an old one.
    pub key: KeyName,
    /// The value of the key, as text.
    pub text: String,
    /// The variable's name.
    pub variable: String,
}

/// The variables of PostgreSQL's own clients that say who the user is.
#[derive(Clone, Default)]
pub struct PostgresVariables {
    /// `PGUSER`.
    pub user: Option<String>,
    /// `PGPASSWORD`.
    pub password: Option<String>,
    /// `PGPASSFILE`.
    pub pass_file: Option<PathBuf>,
}

/// The machine and the user.
pub struct Environment {
    /// The current directory; an error if it no longer exists.
    pub directory: std::io::Result<PathBuf>,
    /// The user's home directory.
    pub home: PathBuf,
    /// The folder of Claude Code's settings and transcripts, if it is not the usual one.
    pub claude_home: Option<PathBuf>,
    /// The session id that the agent client passes, if it does.
    pub agent_session: Option<String>,
    /// The agent client that runs this process; also set for hooks and `tacit mcp`.
    pub agent: Option<Agent>,
    /// The project directory that the agent client passes.
    pub agent_project: Option<PathBuf>,
    /// True if the agent client says that a person watches the session.
    pub attended: bool,
    /// The directories that programs are looked up in.
    pub search_path: Vec<PathBuf>,
    /// The folder of the global store.
    pub data_home: PathBuf,
    /// The folder of the user's configuration.
    pub config_home: PathBuf,
    /// The user's name in the operating system.
    pub user: Option<String>,
    /// The configuration keys that environment variables set, those with their present names first.
    pub overrides: Vec<ConfigOverride>,
    /// The OpenAI API key.
    pub openai_key: Option<String>,
    /// The Anthropic API key.
    pub anthropic_key: Option<String>,
    /// The variables of PostgreSQL's own clients.
    pub postgres: PostgresVariables,
    /// True if a text generator that Tacit itself runs started this process.
    pub nested: bool,
    /// True if the plugin for Claude Code started this process.
    pub in_plugin: bool,
    /// True if hooks print what they decide and why.
    pub debug: bool,
    /// True if hooks do nothing at all.
    pub off: bool,
    /// The source of the current time.
    pub clock: Arc<dyn Clock + Send + Sync>,
    /// The source of identifiers.
    pub ids: Arc<dyn IdSource + Send + Sync>,
}

impl Environment {
    /// Returns the folder of Claude Code's own files.
    pub fn claude_files(&self) -> PathBuf {
        self.claude_home.clone().unwrap_or_else(|| self.home.join(".claude"))
    }
}

/// Receives notes, warnings and progress of a running use case.
pub trait Watcher: Send + Sync {
    /// Shows a note beside the output.
    fn note(&self, text: &str);

    /// Shows a warning beside the output.
    fn warn(&self, text: &str);

    /// Reports that `done` of `total` things are done; the last call has `done == total`.
    fn progress(&self, kind: ProgressKind, done: u64, total: u64);
}

/// A kind of long work that reports progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressKind {
    /// Reading files into the code graph.
    Files,
    /// Embedding memories.
    Vectors,
    /// Describing modules.
    Modules,
    /// Reading commits.
    Commits,
    /// Reading sessions.
    Sessions,
    /// Copying memories from a server.
    Memories,
    /// Copying the rows of a store.
    Rows,
}

/// A watcher that ignores everything.
#[derive(Debug, Clone, Copy)]
pub struct SilentWatcher;

impl Watcher for SilentWatcher {
    fn note(&self, _: &str) {}

    fn warn(&self, _: &str) {}

    fn progress(&self, _: ProgressKind, _: u64, _: u64) {}
}
