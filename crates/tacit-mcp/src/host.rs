//! What the server is given by the program it runs in: it reads no environment and no clock.

use tacit_codebase::Codebase;
use tacit_core::{Author, Clock, Config, IdSource, Memory, RepoPath, SessionId, Timestamp};
use tacit_engine::{Engine, Here, Places};
use tacit_triggers::files::Layout;

/// The machine, the project and the user, as the server sees them. Problems are told in words.
pub trait Host: Send + Sync + 'static {
    /// Where the stores are.
    fn places(&self) -> &Places;

    /// The clock to go by.
    fn clock(&self) -> &dyn Clock;

    /// The source of identifiers.
    fn ids(&self) -> &dyn IdSource;

    /// The configuration as it is now: a server lives for hours, and files change meanwhile.
    fn config(&self) -> Result<Config, String>;

    /// The engine with whoever embeds text, as configured. Nothing is loaded before it is needed.
    fn with_meaning<'e>(&self, engine: Engine<'e>, config: &Config) -> Engine<'e>;

    /// The user.
    fn user(&self) -> Author;

    /// The session of the agent, if the one who started the server told.
    fn session(&self) -> Option<SessionId>;

    /// Where the agent works; its session is told by [`Host::session`].
    fn here(&self) -> Here;

    /// Where the index of triggers and the decision files are.
    fn triggers(&self, config: &Config) -> Layout;

    /// The code of the worktree, and where its graph is kept.
    fn codebase(&self) -> Codebase;

    /// Links what was learnt to the code as it is now, where that is known.
    fn link_learnt(&self, engine: &mut Engine<'_>, memory: &Memory);

    /// Tells which of some files, and of some symbols as `path::name`, the project does not have.
    fn unknown(&self, files: &[String], symbols: &[String]) -> Vec<String>;

    /// A path as an agent writes it, as it is kept: relative to the root of the worktree.
    fn file(&self, typed: &str) -> Result<RepoPath, String>;

    /// A moment as an agent writes it: `3d` ago, a date, or a time.
    fn moment(&self, text: &str) -> Result<Timestamp, String>;

    /// Starts the long work that a call left behind, and does not wait for it.
    fn leave_work(&self);
}
