//! The surroundings of a use case, as the program that runs it has read them: clock, configuration
//! and identity. Nothing here reads them itself.

use std::path::PathBuf;
use std::sync::Arc;

use tacit_core::{Clock, IdSource, KeyName};

/// The agent client below which this process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The name of the client.
    pub name: String,
    /// The variable that tells.
    pub variable: &'static str,
}

/// A configuration key that a variable sets.
#[derive(Debug, Clone)]
pub struct ConfigOverride {
    /// The name of the key, which may be an old one.
    pub key: KeyName,
    /// The value of the key, as text.
    pub text: String,
    /// The variable's name.
    pub variable: String,
}

/// The machine and the user, as the environment tells.
pub struct Environment {
    /// The current directory; an error if it is gone.
    pub directory: std::io::Result<PathBuf>,
    /// The user's home.
    pub home: PathBuf,
    /// The folder of Claude Code's own files, settings and transcripts among them, if it is not the
    /// usual one.
    pub claude_home: Option<PathBuf>,
    /// The session of the agent client that started us, if it tells.
    pub agent_session: Option<String>,
    /// The agent client below which this process runs. Hooks and `tacit mcp` do, too.
    pub agent: Option<Agent>,
    /// The project as the agent client names it.
    pub agent_project: Option<PathBuf>,
    /// The directories in which programs are looked up.
    pub search_path: Vec<PathBuf>,
    /// The folder of the user's own store.
    pub data_home: PathBuf,
    /// The folder of the user's configuration.
    pub config_home: PathBuf,
    /// The name of the user, as the system knows it.
    pub user: Option<String>,
    /// The keys that variables set, those with their present names first.
    pub overrides: Vec<ConfigOverride>,
    /// The key for OpenAI's servers.
    pub openai_key: Option<String>,
    /// The key for Anthropic's servers.
    pub anthropic_key: Option<String>,
    /// True if a program that writes text for us started this process.
    pub nested: bool,
    /// True if hooks explain themselves.
    pub debug: bool,
    /// True if hooks do nothing at all.
    pub off: bool,
    /// The clock to go by.
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

/// Receives notes, warnings and progress while a use case runs.
pub trait Watcher: Send + Sync {
    /// Tells something beside the answer.
    fn note(&self, text: &str);

    /// Warns beside the answer.
    fn warn(&self, text: &str);

    /// Tells that so many of `total` things are done; the last call is with all of them.
    fn progress(&self, what: ProgressKind, done: u64, total: u64);
}

/// Long work that somebody may watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressKind {
    /// Files are read into the graph.
    Files,
    /// Memories are given vectors.
    Vectors,
    /// Modules are described.
    Modules,
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct SilentWatcher;

impl Watcher for SilentWatcher {
    fn note(&self, _: &str) {}

    fn warn(&self, _: &str) {}

    fn progress(&self, _: ProgressKind, _: u64, _: u64) {}
}
