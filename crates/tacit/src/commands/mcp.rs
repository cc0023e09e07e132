//! `tacit mcp`: what the server is given by this program; the protocol is in `tacit-mcp`.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tacit_codebase::Codebase;
use tacit_core::{Author, Clock, Config, IdSource, Memory, RepoPath, SessionId, Timestamp};
use tacit_engine::{Engine, Here, Places};
use tacit_mcp::Host;
use tacit_triggers::files::Layout;

use crate::app::{App, Haste, embedder, load_config, start_maintenance, with_meaning};
use crate::commands::triggers::layout_of;
use crate::error::{CliError, CliResult, Code};
use crate::moment;

/// Serve an agent's memory over the Model Context Protocol.
///
/// Reads requests on standard input and answers on standard output until its client goes. Agent
/// clients start it themselves; docs/mcp.md says how they are told to, and what tools there are.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  claude mcp add tacit -- tacit mcp
  tacit -C ~/src/shop mcp")]
pub(crate) struct Mcp {}

impl Mcp {
    pub(crate) fn run(self, app: App) -> CliResult<()> {
        crate::panics::print();
        let server = Server { app, user: OnceLock::new(), working: Arc::default() };
        tacit_mcp::serve_standard_streams(Arc::new(server)).map_err(|error| {
            CliError::new(Code::Failure, format!("the connection failed: {error}"))
        })
    }
}

struct Server {
    app: App,
    /// Git is asked for it, once.
    user: OnceLock<Author>,
    /// Whether work in the background was started and is not over.
    working: Arc<Mutex<bool>>,
}

impl Host for Server {
    fn places(&self) -> &Places {
        &self.app.places
    }

    fn clock(&self) -> &dyn Clock {
        &self.app.clock
    }

    fn ids(&self) -> &dyn IdSource {
        &self.app.ids
    }

    fn config(&self) -> Result<Config, String> {
        load_config(&self.app.environment, &self.app.places)
            .map(|loaded| loaded.config)
            .map_err(|error| error.message)
    }

    fn with_meaning<'e>(&self, engine: Engine<'e>, config: &Config) -> Engine<'e> {
        crate::records::follow(&self.app);
        with_meaning(engine, embedder(config, &self.app.environment, Haste::Command))
    }

    fn user(&self) -> Author {
        self.user.get_or_init(|| self.app.user()).clone()
    }

    fn here(&self) -> Here {
        self.app.here()
    }

    fn session(&self) -> Option<SessionId> {
        self.app.environment.agent_session.as_deref().and_then(|id| id.parse().ok())
    }

    fn triggers(&self, config: &Config) -> Layout {
        layout_of(&self.app, config)
    }

    fn codebase(&self) -> Codebase {
        crate::graph::codebase(&self.app)
    }

    fn link_learnt(&self, engine: &mut Engine<'_>, memory: &Memory) {
        // What is not linked now is by the next `tacit maintain`.
        let _ = crate::code::link_learnt(&self.app, engine, memory);
    }

    fn unknown(&self, files: &[String], symbols: &[String]) -> Vec<String> {
        crate::code::unknown(self.app.worktree(), files, symbols)
    }

    fn file(&self, typed: &str) -> Result<RepoPath, String> {
        self.app.repo_path(typed).map_err(|error| error.message)
    }

    fn moment(&self, text: &str) -> Result<Timestamp, String> {
        moment::parse(text, self.app.now()).map_err(|error| match error.hint {
            Some(hint) => format!("{}: {hint}", error.message),
            None => error.message,
        })
    }

    /// One at a time: calls may come faster than the work is done.
    fn leave_work(&self) {
        if !self.app.config().maintain_auto || self.app.config().embedding_provider == "off" {
            return;
        }
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        if *working {
            return;
        }
        let Some(mut child) = start_maintenance(&self.app.directory) else { return };
        *working = true;
        let over = self.working.clone();
        // Somebody has to take note of its end, or it would stay as a zombie.
        std::thread::spawn(move || {
            let _ = child.wait();
            *over.lock().unwrap_or_else(PoisonError::into_inner) = false;
        });
    }
}
