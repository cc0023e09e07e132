//! Asks a team's server for changes while the hook does its other work. An answer that comes in time is
//! applied to the copy on this machine, from which the hook answers the agent.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use tacit_core::{EventName, Timestamp};
use tacit_engine::{Engine, StoreScope};
use tacit_store::{ChangeId, Delta, StoreError, StoreResult};

use super::Hook;
use crate::panics;

/// The number of memories after which the server adds no further change to its answer; the rest is left to
/// `tacit maintain`.
const MOST_CHANGES: usize = 200;
/// The most memories that a hook writes into the copy.
const MOST_MEMORIES: usize = 2 * MOST_CHANGES;
/// The time after which a copy that could not follow within a hook is brought up to date by
/// `tacit maintain`, in milliseconds.
const STALE_AFTER: i64 = 10 * 60 * 1_000;

/// A question to the server, with the time until which its answer is of use.
pub(super) struct TeamQuestion {
    /// The last change that the copy includes.
    after: ChangeId,
    answer: Receiver<StoreResult<Delta>>,
    until: Instant,
}

impl Hook<'_> {
    /// Asks for the changes that the copy lacks. Only a session that starts and a prompt are worth the
    /// question, and nothing is asked soon after the server did not answer.
    pub(super) fn ask_team(&self, engine: &Engine<'_>) -> Option<TeamQuestion> {
        let relevant = [EventName::SessionStarted, EventName::PromptSubmitted];
        let server = engine.paths().server.clone()?;
        let state = self.project.places.team_state()?;
        let follows = state.server == server.address();
        if !follows || !relevant.contains(&self.event.name()) || !state.may_ask(self.now) {
            return None;
        }
        let Some(after) = engine.copied_upto().unwrap_or_default() else {
            // A copy that is filled anew takes longer than a hook has.
            self.team_is_behind.set(true);
            return None;
        };
        let patience = Duration::from_millis(self.config().timeouts_server_ms);
        let (send, answer) = mpsc::channel();
        let until = Instant::now() + patience;
        thread::spawn(move || {
            let asked = panics::catch(|| server.delta(after, MOST_CHANGES, patience));
            if let Ok(asked) = asked {
                // The hook may have stopped waiting.
                let _ = send.send(asked);
            }
        });
        Some(TeamQuestion { after, answer, until })
    }

    /// Applies the answer to the copy if it comes in time.
    pub(super) fn follow_team(&self, engine: &mut Engine<'_>, asked: Option<TeamQuestion>) {
        let Some(TeamQuestion { after, answer, until }) = asked else { return };
        let left = until.saturating_duration_since(Instant::now());
        let answered = answer.recv_timeout(left).unwrap_or_else(|_| {
            let detail = "no answer in time".to_owned();
            let server = engine.paths().server.as_ref();
            let server = server.map(|server| server.address()).unwrap_or_default();
            Err(StoreError::Unreachable { server, detail })
        });
        let followed = match answered {
            // One change can be of thousands of memories; a hook has no time to index them.
            Ok(delta) if delta.memories.len() > MOST_MEMORIES => Ok(false),
            // Maintenance removes what quotes a purged memory.
            Ok(delta) => engine
                .apply_delta(after, &delta)
                .map(|is_current| is_current && delta.purged.is_empty())
                .map_err(|error| error.to_string()),
            Err(error) => {
                self.project.places.note_server(self.now, Some(error.to_string()));
                Err(error.to_string())
            }
        };
        match followed {
            Ok(is_current) => {
                let requests_wait = !self.project.places.spool(StoreScope::Project).is_empty();
                self.team_is_behind.set(!is_current || requests_wait);
            }
            Err(problem) => {
                self.explain(|| format!("answered from this machine's copy: {problem}"));
                self.team_is_behind.set(self.copy_is_stale());
            }
        }
    }

    /// Returns true if the copy has not followed the server for a while.
    fn copy_is_stale(&self) -> bool {
        let age = |at: Timestamp| self.now.as_millis() - at.as_millis();
        let state = self.project.places.team_state();
        state.is_some_and(|state| state.followed_at.is_none_or(|at| age(at) > STALE_AFTER))
    }
}
