//! What a call has at hand: the host, who calls, and the session it belongs to.

use std::sync::{Arc, Mutex, PoisonError};

use tacit_app::App;
use tacit_app::app::{Caller, attach_embedder, embedder, start_maintenance};
use tacit_core::log::LogRecord;
use tacit_core::{Author, Config, RepoPath, SessionId, Timestamp};
use tacit_engine::{CaptureState, Engine, Requester, StoreAccess, redact_record};
use tacit_redact::redact;
use tacit_store::{ActivityBatch, Event, SessionChange, SessionUpdate};

use crate::host::Host;
use crate::tool_result::{ToolError, field, shortened};

/// The most characters of a client's name.
const LONGEST_NAME: usize = 100;

/// What a call has at hand.
pub(crate) struct ToolContext<'h> {
    pub(crate) host: &'h dyn Host,
    /// True while work in the background is not over.
    pub(crate) working: Arc<Mutex<bool>>,
    /// The client that calls, with its version.
    pub(crate) client: String,
    /// The session of this connection, for clients of which no other is known.
    pub(crate) connection: SessionId,
    /// Tells how far a call has come: steps done, of how many.
    pub(crate) progress: Box<dyn Fn(usize, usize) + 'h>,
    /// Whether nobody waits for the answer any more.
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

    /// Ends a call that nobody waits for, before it changes anything.
    pub(crate) fn go_on(&self) -> Result<(), ToolError> {
        if (self.cancelled)() { Err(ToolError::Cancelled) } else { Ok(()) }
    }

    /// The project.
    pub(crate) fn app(&self) -> &'h App {
        self.host.app()
    }

    /// Opens the stores for the agent, in whose name everything is written.
    pub(crate) fn engine(&self, needs: StoreAccess) -> Result<Engine<'h>, ToolError> {
        self.go_on()?;
        let engine = self.app().engine_as(needs, self.config()?, author(&self.client))?;
        Ok(engine.speaking_as(Requester::Agent))
    }

    /// The same with whoever embeds text, once records that changed are known.
    pub(crate) fn engine_with_embedder(&self, needs: StoreAccess) -> Result<Engine<'h>, ToolError> {
        let engine = self.engine(needs)?;
        tacit_app::records::sync_if_changed(self.app());
        let embedder = embedder(engine.config(), &self.app().environment, Caller::Command);
        Ok(attach_embedder(engine, embedder))
    }

    /// A file as the agent names it.
    pub(crate) fn file(&self, typed: &str) -> Result<RepoPath, ToolError> {
        Ok(self.app().repo_path(typed)?)
    }

    /// Files as the agent names them.
    pub(crate) fn files(&self, typed: Option<Vec<String>>) -> Result<Vec<RepoPath>, ToolError> {
        typed.unwrap_or_default().iter().map(|file| self.file(file)).collect()
    }

    /// Starts the long work that a call left behind, and does not wait for it. One at a time: calls
    /// may come faster than the work is done.
    pub(crate) fn leave_work(&self, config: &Config) {
        if !config.maintain_auto || config.embedding_provider == "off" {
            return;
        }
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        if *working {
            return;
        }
        let Some(mut child) = start_maintenance(&self.app().directory) else { return };
        *working = true;
        let over = self.working.clone();
        // Somebody has to take note of its end, or it would stay as a zombie.
        std::thread::spawn(move || {
            let _ = child.wait();
            *over.lock().unwrap_or_else(PoisonError::into_inner) = false;
        });
    }

    /// The session the call belongs to: the one the server was told of, else the one in which
    /// something last happened here and that is not over, else that of the connection.
    pub(crate) fn session(&self, engine: &Engine<'_>) -> SessionId {
        self.host
            .session()
            .or_else(|| engine.session_in_use())
            .unwrap_or_else(|| self.connection.clone())
    }

    /// Writes that something happened in the session; secrets in it are taken out before.
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

    /// Returns true if the session may be captured without being asked.
    pub(crate) fn captures(
        &self,
        engine: &Engine<'_>,
        session: &SessionId,
    ) -> Result<bool, ToolError> {
        Ok(!self.config()?.capture_paused && engine.capture_of(session) != CaptureState::Off)
    }

    /// That the session goes on.
    pub(crate) fn seen(&self, session: &SessionId) -> SessionUpdate {
        SessionUpdate {
            id: session.clone(),
            client: self.client.clone(),
            at: self.now(),
            change: SessionChange::Seen,
        }
    }
}

/// A client's name and version, as a line that can be kept, whatever the client says.
pub(crate) fn client_name(name: &str, version: &str) -> String {
    let parse_all = format!("{name} {version}");
    let parse_all = redact(&parse_all).text;
    let line: Vec<&str> = parse_all.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = line.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let line = shortened(&line, LONGEST_NAME);
    if line.is_empty() { "an MCP client".to_owned() } else { line }
}

/// The agent as the author of a change.
fn author(client: &str) -> Author {
    Author::new(client)
        .or_else(|_| Author::new("agent"))
        .unwrap_or_else(|_| unreachable!("`agent` is a name"))
}

/// Words of a closed list.
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
    fn names_of_clients_fit_on_a_line() {
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
