//! Observation of sessions: learning from what agents did.
//!
//! `gather.rs` reads the data of sessions, `tacit_observer::learn` draws conclusions with the help
//! of `project_memories.rs` and `lessons.rs`, and `apply.rs` stores them. A session is observed once it ends or its
//! work is reported, and again after new activity; each conclusion is drawn once.

mod apply;
mod components;
mod explain;
mod gather;
mod lessons;
mod open_turn;
mod outcome;
mod project_memories;
mod recount;
mod related;
mod report;
mod scratchpad;
pub(crate) mod transcript;

use serde::Serialize;
use tacit_core::SessionId;
use tacit_observer::{Conclusions, examine, learn};
use tacit_store::{ObservedState, Session};

pub use explain::Explanation;
pub(crate) use gather::{entries, task_definitions};
pub use outcome::SessionLog;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::session_ends::is_left;
use gather::GatheredTree;
use project_memories::ProjectMemories;

/// The most sessions per run.
const SESSIONS: usize = 200;
/// The days without activity after which a session counts as ended.
pub(crate) const SILENT_DAYS: f64 = 0.125;

/// The result of observing sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ObservationSummary {
    /// The number of observed session trees.
    pub sessions: usize,
    /// The number of new memories.
    pub stored: usize,
    /// The number of reinforced memories.
    pub reinforced: usize,
    /// The number of updated memories.
    pub updated: usize,
    /// The number of trees that wait for others.
    pub waiting: usize,
}

impl Engine<'_> {
    /// Returns true if the configuration permits learning from sessions.
    pub fn observer_enabled(&self) -> bool {
        matches!(self.config.capture_extractor.as_str(), "auto" | "agent" | "model" | "rules")
    }

    /// Observes every session that ended or was reported on and has not been observed since.
    pub fn observe_pending(&mut self) -> EngineResult<ObservationSummary> {
        self.observe_only(&|_| true)
    }

    /// Observes those of the pending sessions that are meant.
    pub(crate) fn observe_only(
        &mut self,
        is_meant: &dyn Fn(&SessionId) -> bool,
    ) -> EngineResult<ObservationSummary> {
        self.recount_confirmations()?;
        let now = self.clock.now();
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let mut sessions = store.sessions_to_observe(now.plus_days(-SILENT_DAYS), SESSIONS)?;
        let starts = self.recent_starts()?;
        for session in store.sessions_to_observe(now, SESSIONS)? {
            if is_left(&session, now, &starts) && !sessions.iter().any(|it| it.id == session.id) {
                sessions.push(session);
            }
        }
        sessions.retain(|session| is_meant(&session.id));
        for session in &sessions {
            self.record_continuation(&session.id)?;
        }
        let mut observed = ObservationSummary::default();
        let mut seen: Vec<SessionId> = Vec::new();
        let mut failed = None;
        let mut asks = self.asks_for_lessons();
        for session in sessions {
            if !seen.contains(&session.id) {
                match self.observe_tree(&session.id, &mut observed, &mut asks) {
                    Ok(tree) => seen.extend(tree.into_iter().map(|session| session.id)),
                    Err(error) if error.is_busy() => return Err(error),
                    // A failure must not keep other sessions from being observed.
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.map_or(Ok(observed), Err)
    }

    /// Observes one session and related ones, even if it has not ended.
    pub fn observe_session(&mut self, session: &SessionId) -> EngineResult<ObservationSummary> {
        let mut observed = ObservationSummary::default();
        self.record_continuation(session)?;
        let mut asks = self.asks_for_lessons();
        self.observe_tree(session, &mut observed, &mut asks)?;
        Ok(observed)
    }

    /// Returns the sessions with the latest activity and their observation states.
    pub fn observed_sessions(
        &self,
        limit: usize,
    ) -> EngineResult<Vec<(Session, Option<ObservedState>)>> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        Ok(store.latest_sessions(limit)?)
    }

    /// Gathers a session tree and draws conclusions.
    fn learn(&self, session: &SessionId) -> EngineResult<(GatheredTree, Conclusions)> {
        let gathered = self.gather(session)?;
        let memories = ProjectMemories { engine: self, sessions: &gathered.sessions };
        let conclusions = learn(&gathered.tree, &memories, self.clock.now())?;
        Ok((gathered, conclusions))
    }

    /// Observes a tree. `asks` is true while a text model can be asked for lessons.
    fn observe_tree(
        &mut self,
        session: &SessionId,
        observed: &mut ObservationSummary,
        asks: &mut bool,
    ) -> EngineResult<Vec<Session>> {
        let gathered = self.gather(session)?;
        let now = self.clock.now();
        let memories = ProjectMemories { engine: self, sessions: &gathered.sessions };
        let mut examined = examine(&gathered.tree, &memories, now)?;
        self.add_lessons(&mut examined, asks)?;
        self.add_observations(&mut examined, asks)?;
        let memories = ProjectMemories { engine: self, sessions: &gathered.sessions };
        let conclusions = examined.conclude(&memories, now)?;
        self.apply(&gathered, conclusions, observed)?;
        Ok(gathered.sessions)
    }
}
