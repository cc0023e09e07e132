//! Relations at the read gate: a superseded memory gives way to its successor, and conflicting
//! memories are shown together.
//!
//! Only stated relations count, not proposed ones. What an agent or a file claims does not replace
//! what a person or the observer knows.

use std::collections::HashMap;

use tacit_core::{Memory, MemoryId, RelationKind, RelationTarget, Scope, StatusKind};
use tacit_recall::{RecallCandidate, RemovalReason, Strictness, is_proven};
use tacit_store::Filter;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::lookup::StoredMemory;
use crate::recall::{OmittedResult, RecallPeriod, RecallRequest, RecallResult, RecallResults};
use crate::remember::field_tokens;

/// The most successors that are followed from one memory.
const MAX_CHAIN: usize = 4;

impl Engine<'_> {
    /// Removes memories that others supersede.
    pub fn without_superseded(&self, found: Vec<StoredMemory>) -> EngineResult<Vec<StoredMemory>> {
        let successors = self.successors(found.iter().map(|found| &found.memory))?;
        let is_current = |found: &StoredMemory| !successors.contains_key(&found.memory.id);
        Ok(found.into_iter().filter(is_current).collect())
    }

    /// Returns the active memories that conflict with some of the given ones, each with the memory
    /// it conflicts with. Memories that are given themselves are returned too. Proactively, only
    /// memories that may be shown are returned.
    pub fn conflicting<'m>(
        &self,
        memories: impl IntoIterator<Item = &'m Memory>,
        proactive: bool,
    ) -> EngineResult<Vec<(MemoryId, StoredMemory)>> {
        let memories: Vec<&Memory> = memories.into_iter().collect();
        let mut pairs: Vec<(MemoryId, StoredMemory)> = Vec::new();
        for other in self.relating_to(&memories)? {
            for target in stated(&other.memory, RelationKind::ConflictsWith) {
                if memories.iter().any(|memory| memory.id == target) {
                    pairs.push((target, other.clone()));
                }
            }
        }
        for memory in &memories {
            let targets: Vec<MemoryId> = stated(memory, RelationKind::ConflictsWith).collect();
            if targets.is_empty() {
                continue;
            }
            for (scope, store) in self.stores() {
                let others = store.read(&targets)?.into_iter();
                let active = others.filter(|other| other.status.kind() == StatusKind::Active);
                pairs.extend(
                    active.map(|other| (memory.id, StoredMemory { store: scope, memory: other })),
                );
            }
        }
        if pairs.is_empty() {
            return Ok(pairs);
        }
        let successors = self.successors(pairs.iter().map(|(_, other)| &other.memory))?;
        let mut known: Vec<(MemoryId, MemoryId)> = Vec::new();
        pairs.retain(|(memory, other)| {
            let (pair, other) = ((*memory, other.memory.id), &other.memory);
            let may_show = !proactive || (is_proven(other) && other.body.trust.stale_at.is_none());
            let is_new = !known.contains(&pair);
            known.push(pair);
            is_new && may_show && !successors.contains_key(&other.id)
        });
        Ok(pairs)
    }

    /// Lets superseded candidates give way to their successors, which match in their place. Returns
    /// what was superseded.
    pub(crate) fn give_way(
        &self,
        recall: &RecallRequest,
        candidates: &mut Vec<RecallCandidate>,
        scopes: &mut Vec<StoreScope>,
    ) -> EngineResult<Vec<OmittedResult>> {
        let mut omitted = Vec::new();
        // The user asked for everything.
        if recall.strictness == Strictness::Everything {
            return Ok(omitted);
        }
        // A successor may not pass a filter that the superseded memory passes.
        let replaces = recall.filter == Filter::default() && recall.period == RecallPeriod::Any;
        for _ in 0..MAX_CHAIN {
            let successors =
                self.successors(candidates.iter().map(|candidate| &candidate.memory))?;
            if successors.is_empty() {
                break;
            }
            let mut at = 0;
            while at < candidates.len() {
                let Some(successor) = successors.get(&candidates[at].memory.id) else {
                    at += 1;
                    continue;
                };
                let new = successor.memory.id;
                let memory = candidates[at].memory.clone();
                let why = RemovalReason::SupersededBy(new);
                omitted
                    .push(OmittedResult { found: StoredMemory { store: scopes[at], memory }, why });
                let known = candidates.iter().position(|candidate| candidate.memory.id == new);
                if known.is_none() && replaces {
                    let candidate = &mut candidates[at];
                    candidate.tokens = field_tokens(&successor.memory.body);
                    candidate.memory = successor.memory.clone();
                    scopes[at] = successor.store;
                    at += 1;
                    continue;
                }
                let removed = candidates.remove(at);
                scopes.remove(at);
                let known = known.map(|known| if known > at { known - 1 } else { known });
                if let Some(known) = known {
                    take_match(&mut candidates[known], &removed);
                }
            }
        }
        Ok(omitted)
    }

    /// Adds the memories that conflict with results of an explicit query, each after the result it
    /// conflicts with. Hooks add them when they show memories.
    pub(crate) fn add_conflicting(
        &self,
        recall: &RecallRequest,
        answers: &mut RecallResults,
    ) -> EngineResult<()> {
        if recall.strictness.is_proactive() || answers.shown.is_empty() {
            return Ok(());
        }
        let shown = answers.shown.iter().map(|result| &result.found.memory);
        for (id, other) in self.conflicting(shown, false)? {
            let Some(at) = answers.shown.iter().position(|one| one.found.memory.id == id) else {
                continue;
            };
            answers.shown[at].conflicts.push(other.memory.id);
            let is_shown = answers.shown.iter().any(|one| one.found.memory.id == other.memory.id);
            if !is_shown && !recall.seen.contains(&other.memory.id) {
                answers.omitted.retain(|one| one.found.memory.id != other.memory.id);
                let RecallResult { score, why, .. } = answers.shown[at];
                let beside = RecallResult {
                    found: other,
                    score,
                    why,
                    folded: Vec::new(),
                    conflicts: vec![id],
                };
                answers.shown.insert(at + 1, beside);
            }
        }
        Ok(())
    }

    /// Returns the memories that supersede some of the given ones, by the id of the superseded.
    fn successors<'m>(
        &self,
        memories: impl IntoIterator<Item = &'m Memory>,
    ) -> EngineResult<HashMap<MemoryId, StoredMemory>> {
        let memories: Vec<&Memory> = memories.into_iter().collect();
        let mut successors = HashMap::new();
        for other in self.relating_to(&memories)? {
            for target in stated(&other.memory, RelationKind::Supersedes) {
                let Some(old) = memories.iter().find(|memory| memory.id == target) else {
                    continue;
                };
                if supersedes(&other.memory, old) {
                    successors.insert(target, other.clone());
                }
            }
        }
        Ok(successors)
    }

    /// Returns the active memories that state a relation to some of the given ones.
    fn relating_to(&self, memories: &[&Memory]) -> EngineResult<Vec<StoredMemory>> {
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let mut found = Vec::new();
        if ids.is_empty() {
            return Ok(found);
        }
        for (scope, store) in self.stores() {
            let relating = store.relating_to(&ids)?.into_iter();
            found.extend(relating.map(|memory| StoredMemory { store: scope, memory }));
        }
        Ok(found)
    }
}

/// Returns true if a memory that says that it supersedes another one does so.
fn supersedes(new: &Memory, old: &Memory) -> bool {
    let is_trusted = !new.is_unconfirmed_claim() || old.is_unconfirmed_claim();
    // If each says so of the other, the later one is right.
    let is_mutual = stated(old, RelationKind::Supersedes).any(|target| target == new.id);
    let is_later = (new.created_at, new.id) > (old.created_at, old.id);
    let may_be_shown = new.body.trust.stale_at.is_none() && applies_as_far(new, old);
    new.id != old.id && is_trusted && may_be_shown && (!is_mutual || is_later)
}

/// Returns true if a memory applies wherever another one does.
fn applies_as_far(new: &Memory, old: &Memory) -> bool {
    let (new, old) = (new.body.subject.placement(), old.body.subject.placement());
    match new.scope() {
        Scope::Global | Scope::Module => true,
        Scope::WorkUnit => old.scope() == Scope::WorkUnit && new.work_unit() == old.work_unit(),
        Scope::Session => old.scope() == Scope::Session && new.session() == old.session(),
    }
}

/// Returns the memories to which a memory states a relation.
fn stated(memory: &Memory, kind: RelationKind) -> impl Iterator<Item = MemoryId> {
    let relations = memory.body.relations.iter();
    let stated = relations.filter(move |one| one.kind == kind && !one.auto_extracted);
    stated.filter_map(|relation| match &relation.target {
        RelationTarget::Memory(id) => Some(*id),
        RelationTarget::File(_) => None,
    })
}

/// Gives a candidate the match of another one where that is better.
fn take_match(candidate: &mut RecallCandidate, other: &RecallCandidate) {
    if other.lexical.score > candidate.lexical.score {
        candidate.lexical = other.lexical;
    }
    if other.cosine > candidate.cosine {
        (candidate.cosine, candidate.meaning) = (other.cosine, other.meaning);
    }
    candidate.companion &= other.companion;
}
