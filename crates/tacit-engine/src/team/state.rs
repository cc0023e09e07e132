//! The place of this project in a team, as this machine knows it: which server it follows, and whether that
//! answered. How far the copy follows is in its database.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::{Config, Timestamp};
use tacit_store::{CopyOrigin, StoreError};

use crate::backup::exclusive;
use crate::engine::{StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// The name of the file beside the store.
const FILE: &str = "team.json";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;
/// The time for which hooks do not ask a server that did not answer, in milliseconds.
const REST: i64 = 30_000;

/// The place of this project in a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TeamState {
    /// The address of the server, without a password.
    pub server: String,
    /// The identity of the project on the server.
    pub project: String,
    /// True while a command moves the memories to the server or back. Others read meanwhile, and leave what
    /// they write in the spool.
    #[serde(default)]
    pub moving: bool,
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
    /// Creates the state of a project whose memories are about to be moved to a server.
    pub fn moving(server: String, project: String) -> TeamState {
        TeamState {
            server,
            project,
            moving: true,
            followed_at: None,
            digests_upto: None,
            failed_at: None,
            failure: None,
        }
    }

    /// Returns the project on the server that the copy follows.
    pub fn origin(&self) -> CopyOrigin {
        CopyOrigin { server: self.server.clone(), project: self.project.clone() }
    }

    /// Notes that the server answered, and that the copy is up to date.
    pub(super) fn note_answer(&mut self, now: Timestamp) {
        (self.followed_at, self.failed_at, self.failure) = (Some(now), None, None);
    }

    /// Returns true if hooks may ask the server: it answered the last time, or failed long
    /// enough ago.
    pub fn may_ask(&self, now: Timestamp) -> bool {
        let since = |at: Timestamp| now.as_millis() - at.as_millis();
        !self.moving && self.failed_at.is_none_or(|at| !(0..REST).contains(&since(at)))
    }
}

impl StorePaths {
    fn team_file(&self) -> PathBuf {
        self.project.join(FILE)
    }

    /// Returns the place of this project in a team; `None` if it is in none.
    pub fn team_state(&self) -> Option<TeamState> {
        self.read_team_state().unwrap_or_default()
    }

    /// Like [`StorePaths::team_state`]. Fails if the file cannot be read: a copy must never be taken for the
    /// project's own store.
    pub(crate) fn read_team_state(&self) -> EngineResult<Option<TeamState>> {
        let path = self.team_file();
        let bytes = tacit_fs::none_if_missing(tacit_fs::read(&path, LARGEST))
            .map_err(|source| EngineError::Io { path: path.clone(), source })?;
        let Some(bytes) = bytes else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|_| {
            let why = "it does not say which team's server this project follows".to_owned();
            StoreError::Refused { path, why }.into()
        })
    }

    /// Returns true if the memories of this project are on a team's server, whether or not this process has a
    /// connection to it.
    pub fn is_in_team(&self) -> bool {
        self.team_state().is_some_and(|state| !state.moving)
    }

    /// Changes the state, unless the project has left its team meanwhile.
    pub(crate) fn update_team_state(
        &self,
        change: impl FnOnce(&mut TeamState),
    ) -> EngineResult<()> {
        let Some(mut state) = self.read_team_state()? else { return Ok(()) };
        let before = state.clone();
        change(&mut state);
        if state == before { Ok(()) } else { self.save_team_state(&state) }
    }

    fn save_team_state(&self, state: &TeamState) -> EngineResult<()> {
        let path = self.team_file();
        let bytes = serde_json::to_vec_pretty(state)?;
        tacit_fs::replace(&path, &bytes).map_err(|source| EngineError::Io { path, source })
    }

    /// Saves a new state once no other process has the store open: those that open it from now on know. Calls
    /// `waiting` if it has to wait.
    pub(crate) fn enter_team(
        &self,
        state: &TeamState,
        config: &Config,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<()> {
        let _alone = exclusive(&self.database(StoreScope::Project), config, waiting)?;
        self.save_team_state(state)
    }

    /// Notes that the memories are on the server.
    pub fn end_move(&self) -> EngineResult<()> {
        self.update_team_state(|state| state.moving = false)
    }

    /// Forgets the team, once no other process has the store open. The copy becomes the project's own store.
    pub fn leave_team(&self, config: &Config, waiting: &mut dyn FnMut(&str)) -> EngineResult<()> {
        let _alone = exclusive(&self.database(StoreScope::Project), config, waiting)?;
        self.remove_team_state()
    }

    pub(crate) fn remove_team_state(&self) -> EngineResult<()> {
        let path = self.team_file();
        tacit_fs::none_if_missing(fs::remove_file(&path))
            .map(drop)
            .map_err(|source: io::Error| EngineError::Io { path, source })
    }

    /// Saves whether the server answered. Does no harm if it cannot be saved.
    pub fn note_server(&self, now: Timestamp, failure: Option<String>) {
        let _ = self.update_team_state(|state| {
            if failure.is_some() || state.failure.is_some() {
                state.failed_at = failure.is_some().then_some(now);
                state.failure = failure;
            }
        });
    }
}
