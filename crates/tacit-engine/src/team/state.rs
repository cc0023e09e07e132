//! The state of this machine's copy of a team's memories: which server it follows, and how far.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;
use tacit_store::ChangeId;

use crate::engine::StorePaths;
use crate::error::{EngineError, EngineResult};

/// The name of the file beside the store.
const FILE: &str = "team.json";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;
/// The time for which hooks do not ask a server that did not answer, in milliseconds.
const REST: i64 = 30_000;

/// The state of this machine's copy of a team's memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TeamState {
    /// The address of the server, without a password.
    pub server: String,
    /// The identity of the project on the server.
    pub project: String,
    /// The number of the last change that the copy includes.
    pub change: ChangeId,
    /// The time at which the copy was last brought up to date.
    pub followed_at: Option<Timestamp>,
    /// The last activity of the observed sessions whose digests the server has.
    pub digests_upto: Option<Timestamp>,
    /// The time at which the server last did not answer; `None` if it has answered since.
    pub failed_at: Option<Timestamp>,
    /// The reason why it did not answer.
    pub failure: Option<String>,
}

impl TeamState {
    /// Creates the state of a copy that is still empty.
    pub fn new(server: String, project: String) -> TeamState {
        TeamState {
            server,
            project,
            change: 0,
            followed_at: None,
            digests_upto: None,
            failed_at: None,
            failure: None,
        }
    }

    /// Returns true if hooks may ask the server: it answered the last time, or failed long
    /// enough ago.
    pub fn may_ask(&self, now: Timestamp) -> bool {
        let since = |at: Timestamp| now.as_millis() - at.as_millis();
        self.failed_at.is_none_or(|at| !(0..REST).contains(&since(at)))
    }
}

impl StorePaths {
    fn team_file(&self) -> PathBuf {
        self.project.join(FILE)
    }

    /// Returns the state of the copy; `None` if this project is not in a team.
    pub fn team_state(&self) -> Option<TeamState> {
        let bytes = tacit_fs::read(&self.team_file(), LARGEST).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Saves the state of the copy.
    pub fn save_team_state(&self, state: &TeamState) -> EngineResult<()> {
        let path = self.team_file();
        let bytes = serde_json::to_vec_pretty(state)?;
        tacit_fs::replace(&path, &bytes).map_err(|source| EngineError::Io { path, source })
    }

    /// Forgets the team. The copy becomes the project's own store.
    pub fn remove_team_state(&self) -> EngineResult<()> {
        let path = self.team_file();
        tacit_fs::none_if_missing(fs::remove_file(&path))
            .map(drop)
            .map_err(|source| EngineError::Io { path, source })
    }

    /// Saves whether the server answered. Does no harm if it cannot be saved.
    pub fn note_server(&self, now: Timestamp, failure: Option<String>) {
        let Some(state) = self.team_state() else { return };
        let failed_at = failure.is_some().then_some(now);
        if failure.is_some() || state.failure.is_some() {
            let _ = self.save_team_state(&TeamState { failed_at, failure, ..state });
        }
    }
}
