//! Looking at what agents did, and keeping what proved true.
//!
//! `gather.rs` reads what is known of sessions, `tacit_observer::learn` concludes, asking `stored.rs`
//! about memories, and `apply.rs` does what it says. Every session is looked at once it is over, or
//! somebody says how its work goes, and again if it goes on; each conclusion is drawn once.

mod apply;
mod explain;
mod family;
mod gather;
mod report;
mod scratchpad;
mod stored;
pub(crate) mod transcript;

use serde::Serialize;
use tacit_core::SessionId;
use tacit_observer::{Conclusions, learn};
use tacit_store::{ObservedState, Session};

pub use explain::Explanation;
pub(crate) use gather::entries;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use gather::GatheredTree;
use stored::ProjectMemories;

/// How many sessions are looked at in one go.
const SESSIONS: usize = 200;
/// A session in which nothing happened for so many days is over, whether or not it said so.
const SILENT_DAYS: f64 = 0.125;

/// What came of looking at sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ObservationSummary {
    /// How many session trees were looked at.
    pub sessions: usize,
    /// How many memories are new.
    pub stored: usize,
    /// How many were confirmed.
    pub reinforced: usize,
    /// How many were brought up to date.
    pub updated: usize,
    /// How many trees wait for others.
    pub waiting: usize,
}

impl Engine<'_> {
    /// Whether anything is concluded from what agents do: the user may not want it, or have them
    /// write it down themselves.
    pub fn observes(&self) -> bool {
        matches!(self.config.capture_extractor.as_str(), "auto" | "model" | "rules")
    }

    /// Looks at every session that is over or was reported on, and has not been looked at since.
    pub fn observe_pending(&mut self) -> EngineResult<ObservationSummary> {
        let silent = self.clock.now().plus_days(-SILENT_DAYS);
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let sessions = store.sessions_to_observe(silent, SESSIONS)?;
        for session in &sessions {
            self.link_session(&session.id)?;
        }
        let mut observed = ObservationSummary::default();
        let mut seen: Vec<SessionId> = Vec::new();
        let mut failed = None;
        for session in sessions {
            if !seen.contains(&session.id) {
                match self.observe_tree(&session.id, &mut observed) {
                    Ok(tree) => seen.extend(tree.into_iter().map(|session| session.id)),
                    Err(error) if error.is_busy() => return Err(error),
                    // It keeps no other session from being looked at.
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.map_or(Ok(observed), Err)
    }

    /// Looks at one session and those that belong to it, whether or not it is over.
    pub fn observe_session(&mut self, session: &SessionId) -> EngineResult<ObservationSummary> {
        let mut observed = ObservationSummary::default();
        self.link_session(session)?;
        self.observe_tree(session, &mut observed)?;
        Ok(observed)
    }

    /// The sessions in which something last happened, and what became of them.
    pub fn observed_sessions(
        &self,
        limit: usize,
    ) -> EngineResult<Vec<(Session, Option<ObservedState>)>> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        Ok(store.latest_sessions(limit)?)
    }

    /// Gathers a session and those that belong to it, and learns from them.
    fn learn(&self, session: &SessionId) -> EngineResult<(GatheredTree, Conclusions)> {
        let gathered = self.gather(session)?;
        let stored = ProjectMemories { engine: self, sessions: &gathered.sessions };
        let conclusions = learn(&gathered.tree, &stored, self.clock.now())?;
        Ok((gathered, conclusions))
    }

    fn observe_tree(
        &mut self,
        session: &SessionId,
        observed: &mut ObservationSummary,
    ) -> EngineResult<Vec<Session>> {
        let (gathered, conclusions) = self.learn(session)?;
        self.apply(&gathered, conclusions, observed)?;
        Ok(gathered.sessions)
    }
}
