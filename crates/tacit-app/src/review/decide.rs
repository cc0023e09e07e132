//! Decisions about memories, each one change in the history that can be taken back.

use tacit_core::log::MemoryVerdict;
use tacit_core::{MemoryId, Reasoning};
use tacit_engine::{Engine, EngineError, ForgetMode, StoreAccess, StoreScope, StoredMemory};
use tacit_store::{ActionKind, ChangeId, ChangeQuery};

use crate::app::App;
use crate::code;
use crate::error::AppResult;
use crate::verdict::Verdict;

/// The reason in the history for a memory that was rejected without one.
pub const REJECTED: &str = "rejected in review";

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
}

impl ReviewDecision {
    /// All decisions.
    pub const ALL: [ReviewDecision; 4] = [
        ReviewDecision::Confirm,
        ReviewDecision::Reject,
        ReviewDecision::Wrong,
        ReviewDecision::Outdated,
    ];

    /// Returns the word for a memory after the decision.
    pub fn as_str(self) -> &'static str {
        match self {
            ReviewDecision::Confirm => "confirmed",
            ReviewDecision::Reject => "rejected",
            ReviewDecision::Wrong => "flagged as wrong",
            ReviewDecision::Outdated => "flagged as outdated",
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
        ReviewDecision::Wrong | ReviewDecision::Outdated => {
            let verdict = Verdict::Plain(match decision {
                ReviewDecision::Wrong => MemoryVerdict::Wrong,
                _ => MemoryVerdict::Outdated,
            });
            let reason = verdict.reason(None, app.voice())?;
            Ok(verdict.apply(engine, &text, reason, app.now())?.found)
        }
    })
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
