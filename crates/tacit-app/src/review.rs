//! The review queue: memories that a person should confirm, correct or reject.

use std::collections::BTreeSet;

use tacit_core::{
    Memory, MemoryId, RelationKind, RelationTarget, Review, StaleKind, default_review,
};
use tacit_engine::{Engine, EngineResult, StoreAccess, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};

use crate::app::App;
use crate::error::AppResult;
use crate::{code, graph};

/// The reason why a memory waits for a person, the most important first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewReason {
    /// Flagged as wrong or outdated, or changed after it was verified.
    Flagged,
    /// The memory contradicts others in use.
    Conflict(Vec<MemoryId>),
    /// The code that the memory is about has changed, or its file is gone.
    CodeChanged,
    /// The memory may replace others in use.
    Replaces(Vec<MemoryId>),
    /// Learnt from sessions, told by an agent or imported, and not confirmed by a person.
    Unconfirmed,
}

impl ReviewReason {
    /// The word for the reason, in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            ReviewReason::Flagged => "flagged",
            ReviewReason::Conflict(_) => "conflict",
            ReviewReason::CodeChanged => "code_changed",
            ReviewReason::Replaces(_) => "replaces",
            ReviewReason::Unconfirmed => "unconfirmed",
        }
    }

    /// The place of the reason in the queue.
    fn rank(&self) -> u8 {
        match self {
            ReviewReason::Flagged => 0,
            ReviewReason::Conflict(_) => 1,
            ReviewReason::CodeChanged => 2,
            ReviewReason::Replaces(_) => 3,
            ReviewReason::Unconfirmed => 4,
        }
    }

    /// The other memories that it is about.
    pub fn others(&self) -> &[MemoryId] {
        match self {
            ReviewReason::Conflict(others) | ReviewReason::Replaces(others) => others,
            _ => &[],
        }
    }
}

/// A memory in the review queue.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem {
    /// The memory.
    pub found: StoredMemory,
    /// The most important reason why it waits.
    pub reason: ReviewReason,
}

/// Compares memories with the code as it is, if there is a graph of it.
pub fn compare_with_code(app: &App) -> AppResult<()> {
    if !app.places.database(StoreScope::Project).exists() || !graph::main_codebase(app).exists() {
        return Ok(());
    }
    graph::refresh_existing(app, false)?;
    let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
    // Renames first: a symbol that only moved is not gone.
    code::follow_renames(app, &mut engine, false)?;
    code::link_memories(app, &mut engine).map(drop)
}

/// Returns the review queue: by reason, and the last changed first.
pub fn review_queue(engine: &Engine<'_>) -> EngineResult<Vec<ReviewItem>> {
    let memories = engine.list(None, &Filter::default(), ListOrder::Changed, usize::MAX, 0)?;
    let active: BTreeSet<MemoryId> = memories.iter().map(|found| found.memory.id).collect();
    let item = |found: StoredMemory| {
        let reason = reason(&found.memory, &active)?;
        Some(ReviewItem { found, reason })
    };
    let mut items: Vec<ReviewItem> = memories.into_iter().filter_map(item).collect();
    items.sort_by_key(|item| item.reason.rank());
    Ok(items)
}

/// Returns true if the code that a memory is about has changed or is gone.
pub fn is_about_changed_code(memory: &Memory) -> bool {
    let cause = memory.body.trust.stale_cause();
    matches!(cause, Some(StaleKind::CodeChanged | StaleKind::FileMissing))
}

/// Returns why a memory waits for a person, if it does.
fn reason(memory: &Memory, active: &BTreeSet<MemoryId>) -> Option<ReviewReason> {
    let body = &memory.body;
    let linked = |kind: RelationKind, proposed: bool| -> Vec<MemoryId> {
        let fits = body
            .relations
            .iter()
            .filter(|relation| relation.kind == kind && (!proposed || relation.auto_extracted));
        let others = fits.filter_map(|relation| match &relation.target {
            RelationTarget::Memory(id) => Some(*id),
            RelationTarget::File(_) => None,
        });
        others.filter(|id| active.contains(id)).collect()
    };
    let needed = body.trust.review == Review::Needed;
    let is_outdated = body.trust.stale_cause() == Some(StaleKind::Reported);
    // Memories that a machine concluded need review from the start; that is no flag.
    if needed && (is_outdated || default_review(body.origin.source) != Review::Needed) {
        return Some(ReviewReason::Flagged);
    }
    let conflicts = linked(RelationKind::ConflictsWith, false);
    if !conflicts.is_empty() {
        return Some(ReviewReason::Conflict(conflicts));
    }
    if is_about_changed_code(memory) {
        return Some(ReviewReason::CodeChanged);
    }
    let replaced = linked(RelationKind::Supersedes, true);
    if !replaced.is_empty() {
        return Some(ReviewReason::Replaces(replaced));
    }
    (needed || memory.is_unconfirmed_claim()).then_some(ReviewReason::Unconfirmed)
}
