//! The review of one session: the memories that informed it, and what was learnt from it.

use std::collections::BTreeSet;

use tacit_core::{MemoryId, SessionId, Timestamp};
use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::{Filter, InjectionQuery, ListOrder};

use super::queue::{ReviewItem, review_queue};

/// The memories of a session, in three groups.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionReview {
    /// The session.
    pub session: SessionId,
    /// Memories that hooks showed in it, in that order.
    pub applied: Vec<StoredMemory>,
    /// Memories learnt in it that wait for review.
    pub new: Vec<ReviewItem>,
    /// Memories learnt in it that need no review.
    pub auto_confirmed: Vec<StoredMemory>,
}

/// Returns the session with the latest activity, if any was seen.
pub fn last_session(engine: &Engine<'_>) -> EngineResult<Option<SessionId>> {
    let latest = engine.observed_sessions(1)?.into_iter().next();
    Ok(latest.map(|(session, _)| session.id))
}

/// Groups the memories of a session.
pub fn session_review(
    engine: &Engine<'_>,
    session: &SessionId,
    now: Timestamp,
) -> EngineResult<SessionReview> {
    let query = InjectionQuery {
        session: Some(session.clone()),
        limit: usize::MAX,
        ..InjectionQuery::default()
    };
    let mut seen = BTreeSet::new();
    let mut applied = Vec::new();
    let mut shown = engine.injections(&query)?;
    shown.retain(|injection| !injection.withheld);
    for injection in shown.into_iter().rev() {
        // A memory that was purged since is left out.
        if let Some(id) = injection.memory
            && seen.insert(id)
            && let Ok(found) = engine.find(&id.to_string())
        {
            applied.push(found);
        }
    }
    let filter = Filter { sessions: vec![session.clone()], ..Filter::default() };
    let learnt =
        engine.list(Some(StoreScope::Project), &filter, ListOrder::Oldest, usize::MAX, 0)?;
    let ids: BTreeSet<MemoryId> = learnt.iter().map(|found| found.memory.id).collect();
    let mut new = review_queue(engine, now)?.items;
    new.retain(|item| ids.contains(&item.found.memory.id));
    let waiting: BTreeSet<MemoryId> = new.iter().map(|item| item.found.memory.id).collect();
    let auto_confirmed =
        learnt.into_iter().filter(|found| !waiting.contains(&found.memory.id)).collect();
    Ok(SessionReview { session: session.clone(), applied, new, auto_confirmed })
}
