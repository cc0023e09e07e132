//! Asks a team's server for changes while the hook does its other work. An answer that comes in time is
//! applied to the copy on this machine, from which the hook answers the agent.

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use tacit_core::{EventName, Timestamp};
use tacit_engine::{Engine, StoreScope};
use tacit_store::{Delta, StoreError, StoreResult};

use super::Hook;
use crate::panics;

/// The most changes that a hook takes; the rest is left to `tacit maintain`.
const MOST_CHANGES: usize = 200;
/// The time after which a copy that could not follow within a hook is brought up to date by
/// `tacit maintain`, in milliseconds.
const STALE_AFTER: i64 = 10 * 60 * 1_000;

/// A question to the server, with the time until which its answer is of use.
pub(super) struct TeamQuestion {
    answer: Receiver<StoreResult<Delta>>,
    until: Instant,
}

impl Hook<'_> {
    /// Asks for the changes that the copy lacks. Only a session that starts and a prompt are worth the
    /// question, and nothing is asked soon after the server did not answer.
    pub(super) fn ask_team(&self) -> Option<TeamQuestion> {
        let relevant = [EventName::SessionStarted, EventName::PromptSubmitted];
        let server = self.server()?;
        let state = self.project.places.team_state()?;
        let follows = state.server == server.address();
        if !follows || !relevant.contains(&self.event.name()) || !state.may_ask(self.now) {
            return None;
        }
        let patience = Duration::from_millis(self.config().timeouts_server_ms);
        let (send, answer) = mpsc::channel();
        let until = Instant::now() + patience;
        thread::spawn(move || {
            let asked = panics::catch(|| server.delta(state.change, MOST_CHANGES, patience));
            if let Ok(asked) = asked {
                // The hook may have stopped waiting.
                let _ = send.send(asked);
            }
        });
        Some(TeamQuestion { answer, until })
    }

    /// Applies the answer to the copy if it comes in time.
    pub(super) fn follow_team(&self, engine: &mut Engine<'_>, asked: Option<TeamQuestion>) {
        let Some(TeamQuestion { answer, until }) = asked else { return };
        let left = until.saturating_duration_since(Instant::now());
        let answered = answer.recv_timeout(left).unwrap_or_else(|_| {
            let detail = "no answer in time".to_owned();
            let server = self.server().map(|server| server.address()).unwrap_or_default();
            Err(StoreError::Unreachable { server, detail })
        });
        let followed = match answered {
            Ok(delta) => {
                // Maintenance removes what quotes a purged memory.
                let is_left = delta.more || !delta.purged.is_empty();
                self.team_is_behind
                    .set(is_left || !self.project.places.spool(StoreScope::Project).is_empty());
                engine.apply_delta(&delta).map_err(|error| error.to_string())
            }
            Err(error) => {
                self.project.places.note_server(self.now, Some(error.to_string()));
                Err(error.to_string())
            }
        };
        if let Err(problem) = followed {
            self.explain(|| format!("answered from this machine's copy: {problem}"));
            self.team_is_behind.set(self.copy_is_stale());
        }
    }

    /// Returns true if the copy has not followed the server for a while.
    fn copy_is_stale(&self) -> bool {
        let age = |at: Timestamp| self.now.as_millis() - at.as_millis();
        let state = self.project.places.team_state();
        state.is_some_and(|state| state.followed_at.is_none_or(|at| age(at) > STALE_AFTER))
    }
}
