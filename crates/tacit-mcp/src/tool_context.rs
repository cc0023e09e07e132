//! The context of a call: the host, the client, and the session it belongs to.

use std::sync::{Arc, Mutex, PoisonError};

use tacit_app::App;
use tacit_app::app::{Caller, attach_embedder, embedder};
use tacit_core::log::LogRecord;
use tacit_core::{Author, Config, RepoPath, SessionId, Timestamp};
use tacit_engine::{CaptureState, Engine, Requester, StoreAccess, WorkContext, redact_record};
use tacit_redact::redact;
use tacit_store::{ActivityBatch, Event, SessionChange, SessionUpdate};

use crate::host::Host;
use crate::tool_result::{ToolError, field, shortened};

/// The most characters of a client's name and version.
const MAX_NAME: usize = 100;

/// The context of a call.
pub(crate) struct ToolContext<'h> {
    pub(crate) host: &'h dyn Host,
    /// True while `tacit maintain` runs in the background.
    pub(crate) maintaining: Arc<Mutex<bool>>,
    /// The name and version of the calling client.
    pub(crate) client: String,
    /// The session to use if no other is known.
    pub(crate) connection: SessionId,
    /// Reports progress: steps done, and the total.
    pub(crate) progress: Box<dyn Fn(usize, usize) + 'h>,
    /// Returns true if the client cancelled the call.
    pub(crate) cancelled: Box<dyn Fn() -> bool + 'h>,
}

impl<'h> ToolContext<'h> {
    pub(crate) fn config(&self) -> Result<Config, ToolError> {
        self.host.config().map_err(ToolError::error)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.app().now()
    }

    pub(crate) fn new_id(&self) -> String {
        self.app().environment.ids.next_id(self.now()).to_string()
    }

    /// Returns an error if the call was cancelled. Called before anything is changed.
    pub(crate) fn check_cancelled(&self) -> Result<(), ToolError> {
        if (self.cancelled)() { Err(ToolError::Cancelled) } else { Ok(()) }
    }

    /// The project the server works on.
    pub(crate) fn app(&self) -> &'h App {
        self.host.app()
    }

    /// Opens the stores; changes are attributed to the agent.
    pub(crate) fn engine(&self, needs: StoreAccess) -> Result<Engine<'h>, ToolError> {
        self.check_cancelled()?;
        let engine = self.app().engine_as(needs, self.config()?, author(&self.client))?;
        Ok(engine.on_behalf_of(Requester::Agent))
    }

    /// Opens the stores with an embedder, after syncing changed files.
    pub(crate) fn engine_with_embedder(&self, needs: StoreAccess) -> Result<Engine<'h>, ToolError> {
        let engine = self.engine(needs)?;
        tacit_app::files::sync_if_changed(self.app());
        let embedder = embedder(engine.config(), &self.app().environment, Caller::Command);
        Ok(attach_embedder(engine, embedder))
    }

    /// Opens the stores for a query, which a configured text model may extend.
    pub(crate) fn engine_for_query(&self) -> Result<Engine<'h>, ToolError> {
        Ok(self.app().with_generator(self.engine_with_embedder(StoreAccess::Recall)?))
    }

    /// Parses a path from the agent.
    pub(crate) fn file(&self, typed: &str) -> Result<RepoPath, ToolError> {
        Ok(self.app().repo_path(typed)?)
    }

    /// Parses paths from the agent.
    pub(crate) fn files(&self, typed: Option<Vec<String>>) -> Result<Vec<RepoPath>, ToolError> {
        typed.unwrap_or_default().iter().map(|file| self.file(file)).collect()
    }

    /// Starts `tacit maintain` in the background, unless it is already running: calls may come
    /// faster than it finishes.
    pub(crate) fn start_maintenance(&self, config: &Config) {
        if !config.maintain_auto || config.embedding_provider == "off" {
            return;
        }
        let mut maintaining = self.maintaining.lock().unwrap_or_else(PoisonError::into_inner);
        if *maintaining {
            return;
        }
        let Some(mut child) = tacit_app::app::start_maintenance(&self.app().directory) else {
            return;
        };
        *maintaining = true;
        let done = self.maintaining.clone();
        // Waiting for the child keeps it from becoming a zombie.
        std::thread::spawn(move || {
            let _ = child.wait();
            *done.lock().unwrap_or_else(PoisonError::into_inner) = false;
        });
    }

    /// Returns the session that the call belongs to: the one that the host names, else the last
    /// active one that has not ended, else that of the connection.
    pub(crate) fn session(&self, engine: &Engine<'_>) -> SessionId {
        self.host
            .session()
            .or_else(|| engine.current_session())
            .unwrap_or_else(|| self.connection.clone())
    }

    /// Returns the session, branch and worktree of the call.
    pub(crate) fn here(&self, engine: &Engine<'_>) -> WorkContext {
        WorkContext { session: Some(self.session(engine)), ..self.app().here() }
    }

    /// Records an event of the session, with secrets redacted.
    pub(crate) fn record_event(
        &self,
        engine: &mut Engine<'_>,
        record: LogRecord,
    ) -> Result<SessionId, ToolError> {
        let session = self.session(engine);
        if !self.captures(engine, &session)? {
            return Ok(session);
        }
        let event = Event {
            id: self.new_id(),
            session: session.clone(),
            at: self.now(),
            record: redact_record(record)?,
        };
        let sessions = vec![self.seen(&session)];
        engine.record(ActivityBatch {
            sessions,
            events: vec![event],
            ..ActivityBatch::default()
        })?;
        Ok(session)
    }

    /// Returns true if the session may be captured without being asked to.
    pub(crate) fn captures(
        &self,
        engine: &Engine<'_>,
        session: &SessionId,
    ) -> Result<bool, ToolError> {
        Ok(!self.config()?.capture_paused && engine.capture_state(session) != CaptureState::Off)
    }

    /// Returns the update that marks the session as active.
    pub(crate) fn seen(&self, session: &SessionId) -> SessionUpdate {
        SessionUpdate {
            id: session.clone(),
            client: self.client.clone(),
            at: self.now(),
            change: SessionChange::Seen,
            held_out: None,
        }
    }
}

/// Formats a client's name and version as one short line, whatever the client sends.
pub(crate) fn client_name(name: &str, version: &str) -> String {
    let parse_all = format!("{name} {version}");
    let parse_all = redact(&parse_all).text;
    let line: Vec<&str> = parse_all.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = line.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line = shortened(&line, MAX_NAME);
    if line.is_empty() { "an MCP client".to_owned() } else { line }
}

/// Returns the agent as an author of changes.
fn author(client: &str) -> Author {
    Author::new(client)
        .or_else(|_| Author::new("agent"))
        .unwrap_or_else(|_| unreachable!("`agent` is a name"))
}

/// Parses each text of a list argument.
pub(crate) fn parse_all<T: std::str::FromStr<Err = tacit_core::Problem>>(
    name: &str,
    texts: Option<Vec<String>>,
) -> Result<Vec<T>, ToolError> {
    texts
        .unwrap_or_default()
        .into_iter()
        .map(|text| text.parse().map_err(|problem| field(name, problem)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_names_become_one_short_line() {
        for (name, version, expected) in [
            ("claude-code", "2.1.0", "claude-code 2.1.0"),
            (" a\nb\u{0}c ", "", "a b c"),
            ("", " \t", "an MCP client"),
        ] {
            assert_eq!(client_name(name, version), expected);
        }
        assert!(Author::new(client_name(&"é".repeat(1 << 20), "1")).is_ok());
    }
}
