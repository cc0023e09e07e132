//! Past sessions, read from transcripts: which of them are known, their records, and learning from
//! them as of their own time.
//!
//! The clock of the engine shows the time of the session. Claims note how far a session was taken over:
//! they stay when its events are deleted, so that an old session is not taken over again.

use std::collections::BTreeSet;

use tacit_core::{SessionId, Timestamp};
use tacit_store::{ActivityBatch, SessionChange, SessionUpdate};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::observe::ObservationSummary;

/// The part of a past session that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastSessionState {
    /// Nothing is known of it.
    New,
    /// Hooks reported it.
    Live,
    /// A run that took it over did not end.
    Interrupted,
    /// The events up to this time were taken over.
    TakenOver(Timestamp),
}

impl Engine<'_> {
    /// Returns how far a past session is known.
    pub fn past_session(&self, session: &SessionId) -> EngineResult<PastSessionState> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let known = store.session(session)?;
        let begun = store.count_requests(&begun(session))?;
        if begun > store.count_requests(&taken_over(session))? {
            return Ok(PastSessionState::Interrupted);
        }
        let Some(known) = known else {
            // A session in which Tacit was off leaves no trace but the claims.
            let was_read = begun > 0;
            return Ok(match was_read {
                true => PastSessionState::TakenOver(Timestamp::MAX),
                false => PastSessionState::New,
            });
        };
        let until = taken_over_until(session, known.last_at);
        // Hooks may have reported more of a session that was taken over.
        Ok(match store.count_requests(&until)? {
            0 => PastSessionState::Live,
            _ => PastSessionState::TakenOver(known.last_at),
        })
    }

    /// Notes that a past session is being taken over.
    pub fn begin_past_session(&mut self, session: &SessionId) -> EngineResult<()> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let times = store.count_requests(&taken_over(session))?;
        self.claim(&format!("{}{times}", begun(session))).map(drop)
    }

    /// Writes records of past sessions. Those that are known are skipped.
    pub fn record_past(&mut self, batches: &[ActivityBatch]) -> EngineResult<()> {
        if batches.is_empty() {
            return Ok(());
        }
        Ok(self.store_mut(StoreScope::Project)?.record_all(batches)?)
    }

    /// Observes those of these sessions that have ended by the time of the clock and were not observed
    /// since.
    pub fn observe_past(
        &mut self,
        sessions: &BTreeSet<SessionId>,
    ) -> EngineResult<ObservationSummary> {
        self.observe_only(&|session| sessions.contains(session))
    }

    /// Notes that a past session is taken over up to a time. `end` is the event that ends it. The state of
    /// its work is not stored and no records are written of it: nobody continues it today.
    pub fn finish_past_session(
        &mut self,
        session: &SessionId,
        end: &str,
        last: Timestamp,
    ) -> EngineResult<()> {
        let Some(mut known) = self.session(session)? else {
            return self.claim(&taken_over_until(session, Timestamp::MIN)).map(drop);
        };
        if known.last_at < last {
            // Tacit was off at the end of the session.
            let change = SessionChange::Ended("other".into());
            let client = known.client.clone();
            let sessions = vec![SessionUpdate {
                id: session.clone(),
                client,
                at: last,
                change,
                held_out: None,
            }];
            self.record_past(&[ActivityBatch { sessions, ..ActivityBatch::default() }])?;
            known.last_at = last;
        }
        self.claim(&crate::work::noted_name(&known))?;
        self.claim(&format!("records {end}"))?;
        // Last, so that an interrupted run is repeated.
        self.claim(&taken_over_until(session, known.last_at)).map(drop)
    }
}

/// Returns the beginning of the claims of runs that took a session over, or its continuation. Session
/// identifiers have no spaces, so that no name begins another one.
fn begun(session: &SessionId) -> String {
    format!("past-session {session} begun ")
}

/// Returns the beginning of the claims of those runs that ended.
fn taken_over(session: &SessionId) -> String {
    format!("past-session {session} until ")
}

fn taken_over_until(session: &SessionId, last: Timestamp) -> String {
    format!("{}{}", taken_over(session), last.as_millis())
}
