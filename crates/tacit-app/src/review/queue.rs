//! The queue: which memories wait for a person, why, and in what order.

use std::collections::{BTreeMap, BTreeSet};

use tacit_core::{
    BuiltinType, Memory, MemoryId, RelationKind, RelationTarget, Review, Source, StaleKind,
    StatusKind, Timestamp, Usefulness, default_review,
};
use tacit_engine::{Engine, EngineResult, StoredMemory};
use tacit_store::{ChangeQuery, Filter, ListOrder};

use super::value::Stakes;

/// The confidence above which a memory that is used needs no review.
pub const CERTAIN: f64 = 0.9;
/// The number of times shown from which on a certain memory needs no review.
pub const USED: u64 = 3;

/// The reason why a memory waits for a person, the weightiest first.
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
    /// Shown often and never used: hooks no longer show it unasked.
    Unused(Usefulness),
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
            ReviewReason::Unused(_) => "unused",
            ReviewReason::Unconfirmed => "unconfirmed",
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
    /// The weightiest reason why it waits.
    pub reason: ReviewReason,
    /// The number of times it was shown: recalled, or injected by a hook.
    pub shown: u64,
    /// The value of a decision about it; larger values come first.
    pub value: f64,
}

impl ReviewItem {
    /// Describes why the memory waits.
    pub fn why(&self, engine: &Engine<'_>) -> EngineResult<String> {
        let detail = self.detail(engine)?;
        let heading = match &self.reason {
            ReviewReason::Flagged => "flagged",
            ReviewReason::CodeChanged => "the code changed",
            _ => return Ok(detail.unwrap_or_default()),
        };
        Ok(detail.map_or_else(|| heading.to_owned(), |detail| format!("{heading}: {detail}")))
    }

    /// Describes what [`ReviewItem::reason`] does not say by itself.
    pub fn detail(&self, engine: &Engine<'_>) -> EngineResult<Option<String>> {
        let memory = &self.found.memory;
        let ids = |ids: &[MemoryId]| {
            ids.iter().map(|id| id.short().to_string()).collect::<Vec<_>>().join(", ")
        };
        Ok(Some(match &self.reason {
            ReviewReason::Flagged => {
                let query =
                    ChangeQuery { memory: Some(memory.id), limit: 1, ..ChangeQuery::default() };
                let last = engine.history(self.found.store, &query)?.pop();
                let reason = last.and_then(|change| change.action.reason);
                return Ok(reason.map(|reason| reason.to_string()));
            }
            ReviewReason::Conflict(others) => format!("conflicts with {}", ids(others)),
            ReviewReason::CodeChanged => {
                return Ok(memory.body.trust.stale_why.as_ref().map(ToString::to_string));
            }
            ReviewReason::Replaces(others) => format!("may replace {}", ids(others)),
            ReviewReason::Unused(uses) => {
                format!("shown {} times in {} sessions and never used", uses.judged, uses.sessions)
            }
            ReviewReason::Unconfirmed => match memory.body.origin.source {
                source if source.is_claim() => memory.trust_label().to_owned(),
                _ => "learnt by Tacit, not confirmed".to_owned(),
            },
        }))
    }
}

/// The memories that wait for a person.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReviewQueue {
    /// The memories that wait, the most valuable decision first.
    pub items: Vec<ReviewItem>,
    /// The number of memories that nobody has confirmed and that need no review, because they are
    /// certain and used, or come from a commit.
    pub auto_confirmed: usize,
}

/// Returns the review queue of the open stores.
pub fn review_queue(engine: &Engine<'_>, now: Timestamp) -> EngineResult<ReviewQueue> {
    // What a person confirmed or the team committed waits only if it is stale. Most memories of a large
    // store are confirmed, and are not read.
    let (confirmed, others) = Review::ALL.iter().partition(|review| review.is_confirmed());
    let mut memories = Vec::new();
    for (reviews, stale) in [(others, None), (confirmed, Some(true))] {
        let filter = Filter { reviews, stale, ..Filter::default() };
        memories.extend(engine.list(None, &filter, ListOrder::Changed, usize::MAX, 0)?);
    }
    queue_of(engine, memories, now)
}

/// Returns why one memory waits for review, if it does.
pub fn review_item(
    engine: &Engine<'_>,
    found: &StoredMemory,
    now: Timestamp,
) -> EngineResult<Option<ReviewItem>> {
    let memory = &found.memory;
    let is_statistic = memory.body.origin.source == Source::ObserverInferred
        && BuiltinType::STATISTICS.iter().any(|kind| memory.memory_type() == (*kind).into());
    if memory.status.kind() != StatusKind::Active || is_statistic {
        return Ok(None);
    }
    Ok(queue_of(engine, vec![found.clone()], now)?.items.pop())
}

fn queue_of(
    engine: &Engine<'_>,
    memories: Vec<StoredMemory>,
    now: Timestamp,
) -> EngineResult<ReviewQueue> {
    let active = related_in_use(engine, &memories)?;
    let ids: Vec<MemoryId> = memories.iter().map(|found| found.memory.id).collect();
    let injected = engine.injection_counts(Some(&ids))?;
    let mut queue = ReviewQueue::default();
    for found in memories {
        let shown = times_shown(&found.memory, &injected);
        let uses = engine.uses_of(found.memory.id);
        let Some(reason) = reason(&found.memory, &active, uses) else { continue };
        if reason == ReviewReason::Unconfirmed && is_auto_confirmed(&found.memory, shown) {
            queue.auto_confirmed += 1;
            continue;
        }
        let stakes = Stakes {
            shown,
            confidence: found.memory.body.confidence.value(),
            age_days: now.days_since(found.memory.created_at),
        };
        let value = stakes.value(&reason);
        queue.items.push(ReviewItem { found, reason, shown, value });
    }
    // Of equal value, the last changed comes first.
    let changed = |item: &ReviewItem| (item.found.memory.updated_at, item.found.memory.id);
    queue
        .items
        .sort_by(|a, b| b.value.total_cmp(&a.value).then_with(|| changed(b).cmp(&changed(a))));
    Ok(queue)
}

/// Returns the memories that these relate to and that are in use.
fn related_in_use(
    engine: &Engine<'_>,
    memories: &[StoredMemory],
) -> EngineResult<BTreeSet<MemoryId>> {
    let relations = memories.iter().flat_map(|found| found.memory.body.relations.iter());
    let ids = relations.filter_map(|relation| match &relation.target {
        RelationTarget::Memory(id) => Some(*id),
        RelationTarget::File(_) => None,
    });
    let ids: Vec<MemoryId> = BTreeSet::from_iter(ids).into_iter().collect();
    let mut in_use = BTreeSet::new();
    for (_, store) in engine.stores() {
        let found = store.read(&ids)?.into_iter();
        in_use.extend(
            found
                .filter(|memory| memory.status.kind() == StatusKind::Active)
                .map(|memory| memory.id),
        );
    }
    Ok(in_use)
}

/// Returns how often a memory was shown: recalled, or injected by a hook.
fn times_shown(memory: &Memory, injected: &BTreeMap<MemoryId, u64>) -> u64 {
    let injected = injected.get(&memory.id).copied().unwrap_or_default();
    memory.usage.access_count.saturating_add(injected)
}

/// The reason why a memory needs no confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoConfirmed {
    /// A person confirmed it.
    Verified,
    /// The team committed it.
    Committed,
    /// Noted from a commit.
    FromCommit,
    /// Certain and used.
    CertainAndUsed,
}

/// Returns why a memory needs no confirmation; `None` if it needs one.
pub fn why_auto_confirmed(memory: &Memory, shown: u64) -> Option<AutoConfirmed> {
    let body = &memory.body;
    match body.trust.review {
        Review::Verified => Some(AutoConfirmed::Verified),
        Review::Committed => Some(AutoConfirmed::Committed),
        _ if body.origin.source == Source::CommitAuto => Some(AutoConfirmed::FromCommit),
        _ => (body.confidence.value() > CERTAIN && shown >= USED)
            .then_some(AutoConfirmed::CertainAndUsed),
    }
}

/// Returns true if a memory needs no confirmation.
fn is_auto_confirmed(memory: &Memory, shown: u64) -> bool {
    why_auto_confirmed(memory, shown).is_some()
}

/// Returns true if the code that a memory is about has changed or is gone.
pub fn is_about_changed_code(memory: &Memory) -> bool {
    let cause = memory.body.trust.stale_cause();
    matches!(cause, Some(StaleKind::CodeChanged | StaleKind::FileMissing))
}

/// Returns why a memory waits for a person, if it does. What a person confirmed or the team committed
/// waits only if the code changed since, and what a person found wrong or outdated does not wait again.
fn reason(memory: &Memory, active: &BTreeSet<MemoryId>, uses: Usefulness) -> Option<ReviewReason> {
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
    if is_outdated && !needed {
        return None;
    }
    // Memories that a machine concluded need review from the start; that is no flag.
    if needed && (is_outdated || default_review(body.origin.source) != Review::Needed) {
        return Some(ReviewReason::Flagged);
    }
    let is_confirmed = body.trust.review.is_confirmed();
    let conflicts = linked(RelationKind::ConflictsWith, false);
    if !conflicts.is_empty() && !is_confirmed {
        return Some(ReviewReason::Conflict(conflicts));
    }
    if is_about_changed_code(memory) {
        return Some(ReviewReason::CodeChanged);
    }
    let replaced = linked(RelationKind::Supersedes, true);
    if !replaced.is_empty() && !is_confirmed {
        return Some(ReviewReason::Replaces(replaced));
    }
    if uses.silence(memory).is_some() {
        return Some(ReviewReason::Unused(uses));
    }
    let waits = memory.awaits_review() || memory.is_unconfirmed_claim();
    waits.then_some(ReviewReason::Unconfirmed)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const OTHER: &str = "01a1dec1-b840-7000-8000-0000000000aa";

    /// A memory that the observer inferred, with some fields set.
    fn memory(fields: &Value) -> Memory {
        let time = "2026-11-15T10:00:00.000Z";
        let mut value = json!({
            "id": "01a1dec1-b840-7000-8000-000000000001", "type": "gotcha", "content": "a fact",
            "confidence": 0.8, "scope": "global", "source": "observer_inferred", "review": "needed",
            "status": {"state": "active"}, "observations": 1, "created_at": time,
            "updated_at": time, "access_count": 0, "last_accessed_at": time,
        });
        let fields = fields.as_object().expect("fields");
        value.as_object_mut().expect("a memory").extend(fields.clone());
        Memory::from_json(value).expect("a memory")
    }

    #[test]
    fn certain_and_used_confirmed_and_committed_memories_need_no_review() {
        for (fields, shown, expected) in [
            (json!({"review": "verified"}), 0, true),
            (json!({"review": "committed"}), 0, true),
            (json!({"source": "commit_auto"}), 0, true),
            (json!({"confidence": 0.91}), 3, true),
            (json!({"confidence": 0.91}), 2, false),
            (json!({"confidence": 0.9}), 3, false),
            (json!({"confidence": 1.0}), 0, false),
            (json!({}), 100, false),
        ] {
            assert_eq!(is_auto_confirmed(&memory(&fields), shown), expected, "{fields} {shown}");
        }
    }

    #[test]
    fn the_weightiest_reason_counts() {
        let relation = |kind: &str, auto: bool| json!([{"target": {"memory": OTHER}, "kind": kind, "confidence": 1.0, "auto_extracted": auto}]);
        let time = "2026-11-15T10:00:00.000Z";
        let conflict = relation("conflicts_with", false);
        for (fields, expected) in [
            (json!({}), Some("unconfirmed")),
            (json!({"source": "agent_explicit", "review": "none"}), Some("unconfirmed")),
            (json!({"source": "qa_auto", "review": "none"}), None),
            (json!({"type": "module_insight", "generator": "tacit"}), None),
            (json!({"source": "user_taught", "review": "verified"}), None),
            (json!({"source": "user_taught", "review": "needed"}), Some("flagged")),
            (json!({"stale_at": time}), Some("flagged")),
            (json!({"stale_at": time, "stale_why": "it changed"}), Some("code_changed")),
            (
                json!({"review": "verified", "stale_at": time, "stale_why": "it changed"}),
                Some("code_changed"),
            ),
            (json!({"relations": conflict}), Some("conflict")),
            (json!({"relations": conflict, "stale_at": time}), Some("flagged")),
            (json!({"relations": conflict, "review": "verified"}), None),
            (json!({"relations": relation("supersedes", true)}), Some("replaces")),
            (json!({"relations": relation("supersedes", false)}), Some("unconfirmed")),
        ] {
            let active = BTreeSet::from([OTHER.parse().expect("an id")]);
            let reason = reason(&memory(&fields), &active, Usefulness::default());
            assert_eq!(reason.as_ref().map(ReviewReason::as_str), expected, "{fields}");
        }
        let conflicting = memory(&json!({"relations": conflict}));
        let reason = reason(&conflicting, &BTreeSet::new(), Usefulness::default());
        assert_eq!(reason, Some(ReviewReason::Unconfirmed), "the other is out of use");
    }

    #[test]
    fn memories_that_are_shown_and_never_used_wait_with_that_reason() {
        let never = Usefulness { judged: 5, sessions: 3, ..Usefulness::default() };
        let once = Usefulness { used: 1, ..never };
        for (fields, uses, expected) in [
            (json!({}), never, "unused"),
            (json!({}), once, "unconfirmed"),
            (json!({}), Usefulness { judged: 4, ..never }, "unconfirmed"),
            (json!({"observations": 9, "confidence": 0.95}), never, "unused"),
            (json!({"tags": ["danger"]}), never, "unconfirmed"),
        ] {
            let reason = reason(&memory(&fields), &BTreeSet::new(), uses);
            assert_eq!(reason.as_ref().map(ReviewReason::as_str), Some(expected), "{fields}");
        }
        let verified = reason(&memory(&json!({"review": "verified"})), &BTreeSet::new(), never);
        assert_eq!(verified, None, "a person has confirmed it");
    }

    #[test]
    fn memories_that_a_person_has_judged_do_not_wait_again() {
        let time = "2026-11-15T10:00:00.000Z";
        for source in ["observer_inferred", "agent_explicit", "user_taught"] {
            for (review, waits) in [("needed", true), ("none", false)] {
                let judged = memory(&json!({"source": source, "review": review, "stale_at": time}));
                let is_waiting = reason(&judged, &BTreeSet::new(), Usefulness::default()).is_some();
                assert_eq!(is_waiting, waits, "{source}, {review}");
            }
        }
    }
}
