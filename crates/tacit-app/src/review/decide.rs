//! Decisions about memories, each one change in the history that can be taken back.

use tacit_core::log::MemoryVerdict;
use tacit_core::{MemoryId, Reasoning, Review};
use tacit_engine::{
    Engine, EngineError, ForgetMode, RecallRequest, StoreAccess, StoreScope, StoredMemory,
};
use tacit_store::{ActionKind, ChangeId, ChangeQuery, Filter};

use crate::app::App;
use crate::code;
use crate::error::AppResult;
use crate::recall::AT_LEAST;
use crate::verdict::Verdict;

/// The reason in the history for a memory that was rejected without one.
pub const REJECTED: &str = "rejected in review";
/// The characters of a memory that similar ones are searched with.
const QUERY_CHARACTERS: usize = 400;

/// A person's decision about a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewDecision {
    /// The memory is right.
    Confirm,
    /// The memory is of no use: forget it.
    Reject,
    /// The memory misleads.
    Wrong,
    /// The memory no longer holds.
    Outdated,
    /// The memory says the same as another one, which supersedes it.
    Duplicate(MemoryId),
}

impl ReviewDecision {
    /// Returns the word for a memory after the decision.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewDecision::Confirm => "confirmed",
            ReviewDecision::Reject => "rejected",
            ReviewDecision::Wrong => "flagged as wrong",
            ReviewDecision::Outdated => "flagged as outdated",
            ReviewDecision::Duplicate(_) => "flagged as a duplicate",
        }
    }
}

/// A memory after a decision or an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The memory as it is now.
    pub found: StoredMemory,
    /// The change in the history; `None` if nothing changed.
    pub change: Option<(StoreScope, ChangeId)>,
}

/// Applies a decision at once, as one change. Call [`link_confirmed`] when the review ends.
pub fn decide(app: &App, id: MemoryId, decision: ReviewDecision) -> AppResult<Decided> {
    let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
    let text = id.to_string();
    let kind = match decision {
        ReviewDecision::Reject => ActionKind::Forget,
        _ => ActionKind::Edit,
    };
    tracked(app, &mut engine, id, kind, |engine| match decision {
        ReviewDecision::Confirm => {
            let verified = engine.verify(&[&text], None)?.pop();
            Ok(verified.map_or_else(|| engine.find(&text), Ok)?)
        }
        ReviewDecision::Reject => {
            Ok(engine.forget(&text, ForgetMode::Retire, Reasoning::new(REJECTED)?)?)
        }
        ReviewDecision::Wrong => flag(app, engine, &text, Verdict::Plain(MemoryVerdict::Wrong)),
        ReviewDecision::Outdated => {
            flag(app, engine, &text, Verdict::Plain(MemoryVerdict::Outdated))
        }
        ReviewDecision::Duplicate(original) => {
            flag(app, engine, &text, Verdict::DuplicateOf(&original.to_string()))
        }
    })
}

/// Applies a verdict. Nobody has to look at the memory again: a person just did.
fn flag(
    app: &App,
    engine: &mut Engine<'_>,
    id: &str,
    verdict: Verdict<'_>,
) -> AppResult<StoredMemory> {
    let reason = verdict.reason(None, app.voice())?;
    Ok(verdict.apply(engine, id, reason, Review::None, app.now())?.found)
}

/// Returns the memories that may say the same as one, the nearest first: those of its store that its
/// own words find.
pub fn likely_originals(
    app: &App,
    found: &StoredMemory,
    most: usize,
) -> AppResult<Vec<StoredMemory>> {
    let memory = &found.memory;
    let text: String = memory.body.titled().chars().take(QUERY_CHARACTERS).collect();
    let query = RecallRequest {
        at_least: AT_LEAST,
        seen: vec![memory.id],
        ..RecallRequest::explicit(text, Filter::default(), most)
    };
    let engine = app.engine_for_query(&query)?;
    let mut originals = Vec::new();
    for answer in engine.recall(&query)?.shown {
        let folded = answer.folded.iter().filter_map(|id| engine.find(&id.to_string()).ok());
        originals.extend(std::iter::once(answer.found).chain(folded));
    }
    // A decision is one change, which one store can take back.
    originals.retain(|other| other.store == found.store && other.memory.id != memory.id);
    originals.truncate(most);
    Ok(originals)
}

/// Changes a memory and finds the change in the history: the first one of this kind by this user since.
pub fn tracked<'e, E: From<EngineError>>(
    app: &App,
    engine: &mut Engine<'e>,
    id: MemoryId,
    kind: ActionKind,
    change: impl FnOnce(&mut Engine<'e>) -> Result<StoredMemory, E>,
) -> Result<Decided, E> {
    let store = engine.find(&id.to_string())?.store;
    let newest = ChangeQuery { memory: Some(id), limit: 1, ..ChangeQuery::default() };
    let before = engine.history(store, &newest)?.pop().map(|change| change.id);
    let found = change(engine)?;
    let later = ChangeQuery { after: before, limit: usize::MAX, ..newest };
    let actor = app.actor();
    let mut later = engine.history(store, &later)?;
    later.retain(|change| change.action.kind == kind && change.action.actor == actor);
    Ok(Decided { found, change: later.pop().map(|change| (store, change.id)) })
}

/// Takes back the change of a decision, whatever else has changed since. Returns the memory as it is
/// now.
pub fn take_back(
    app: &App,
    id: MemoryId,
    (store, change): (StoreScope, ChangeId),
) -> AppResult<StoredMemory> {
    let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
    engine.undo(store, Some(change))?;
    Ok(engine.find(&id.to_string())?)
}

/// Links confirmed memories to the code as it is now. Not done with each decision, because a decision
/// that is taken back must find the old links.
pub fn link_confirmed(app: &App) -> AppResult<()> {
    if !app.places.database(StoreScope::Project).exists() {
        return Ok(());
    }
    let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
    code::link_memories(app, &mut engine).map(drop)
}
