//! Application of the observer's conclusions: memories pass the write gate, in one change per tree.

use tacit_core::{
    Confidence, Details, Draft, Memory, MemoryBody, MemoryId, Placement, Review, Source, StaleKind,
    Subject,
};
use tacit_observer::Conclusions;
use tacit_observer::promotion::{Fate, MemoryCandidate, PromotionDecision};
use tacit_observer::recipes::{KnownRecipe, RecipeChange};
use tacit_observer::rules::CHECKER_TAG;
use tacit_store::{ActionKind, Filter, ListOrder, ModuleFilter, ObservedState, Transaction};

use super::ObservationSummary;
use super::explain::observed_tree;
use super::gather::GatheredTree;
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{PreparedRequest, RememberOutcome, WriteGate, index};

/// The confidence that an observation loses when a session contradicts it, and the least it keeps.
const CONTRADICTION: f64 = 0.3;
const LEAST: f64 = 0.1;

/// A step in the transaction of a tree.
enum Step {
    /// Submit a draft to the gate.
    Pass(String, Box<PreparedRequest>),
    /// Replace the observer's earlier memory about the same.
    Replace(String, Box<PreparedRequest>, Option<Box<Memory>>),
    /// Change a recipe.
    Recipe(String, KnownRecipe, RecipeChange),
    /// Trust an observation less.
    Contradict(String, MemoryId),
}

impl Engine<'_> {
    /// Stores the conclusions from a tree and its digest.
    pub(super) fn apply(
        &mut self,
        gathered: &GatheredTree,
        mut conclusions: Conclusions,
        observed: &mut ObservationSummary,
    ) -> EngineResult<()> {
        for (about, why) in self.conclude(gathered, &conclusions, observed)? {
            let mut trace = conclusions.trace.iter_mut();
            if let Some(kept) = trace.find(|one| one.fate == Fate::Kept && one.about == about) {
                kept.fate = Fate::Dropped;
                kept.why = format!("the write gate refused it: {why}");
            }
        }
        let tree = observed_tree(gathered, &conclusions)?;
        self.store_mut(StoreScope::Project)?.save_observed_tree(&tree)?;
        observed.sessions += 1;
        observed.waiting += usize::from(tree.state == ObservedState::Waits);
        Ok(())
    }

    /// Performs the decisions about a tree, each conclusion once, whichever session it was first
    /// drawn from. Returns what the gate rejected, with reasons.
    fn conclude(
        &mut self,
        gathered: &GatheredTree,
        conclusions: &Conclusions,
        observed: &mut ObservationSummary,
    ) -> EngineResult<Vec<(String, String)>> {
        let mut refused = Vec::new();
        let mut steps = self.steps(conclusions, &mut refused)?;
        if steps.is_empty() {
            return Ok(refused);
        }
        let phase = self.phase_of(&gathered.tree.session)?;
        for step in &mut steps {
            if let Step::Pass(_, prepared) | Step::Replace(_, prepared, _) = step {
                prepared.body.origin.phase = phase;
            }
        }
        let action = self.tacit_action(ActionKind::Remember, "learnt from sessions");
        let mut gate = self.open_gate(StoreScope::Project, action, true)?;
        let now = gate.now;
        for step in steps {
            let (Step::Pass(key, _)
            | Step::Replace(key, ..)
            | Step::Recipe(key, ..)
            | Step::Contradict(key, _)) = &step;
            if !claim(gate.transaction.as_mut(), gathered, key)? {
                continue;
            }
            match step {
                Step::Pass(_, prepared) | Step::Replace(_, prepared, None) => {
                    pass(&mut gate, *prepared, observed)?;
                }
                Step::Replace(_, prepared, Some(before)) => {
                    let after = replaced(&before, &prepared);
                    let changed = update(gate.transaction.as_mut(), &before, after, now)?;
                    observed.updated += usize::from(changed);
                }
                Step::Recipe(_, known, change) => {
                    if let Some(before) = gate.transaction.read(&[known.id])?.pop() {
                        let after = reviewed(&before, change, gathered, now);
                        let changed = update(gate.transaction.as_mut(), &before, after, now)?;
                        observed.updated += usize::from(changed);
                    }
                }
                Step::Contradict(_, id) => {
                    if let Some(before) = gate.transaction.read(&[id])?.pop() {
                        let after = doubted(&before, now);
                        let changed = update(gate.transaction.as_mut(), &before, after, now)?;
                        observed.updated += usize::from(changed);
                    }
                }
            }
        }
        gate.commit()?;
        Ok(refused)
    }

    fn steps(
        &self,
        conclusions: &Conclusions,
        refused: &mut Vec<(String, String)>,
    ) -> EngineResult<Vec<Step>> {
        let mut steps = Vec::new();
        for decision in &conclusions.decisions {
            let (candidate, draft) = match decision {
                PromotionDecision::Keep(candidate) => (candidate, candidate.draft.clone()),
                PromotionDecision::Reinforce(id, candidate) => {
                    let known = self.find(&id.to_string())?.memory;
                    (candidate, confirming(&known, candidate))
                }
            };
            // A rejected draft, such as one with an invalid file name, must not fail the
            // observation.
            let prepared = match self.prepare(StoreScope::Project, draft) {
                Ok(prepared) => prepared,
                Err(error) => {
                    refused.push((candidate.about.clone(), error.to_string()));
                    continue;
                }
            };
            let (key, prepared) = (candidate.key.clone(), Box::new(prepared));
            if candidate.replaces {
                let known = self.known_like(&prepared)?;
                // An unchanged text is not worth a change, unless another session confirms it.
                let is_same = |known: &Memory| {
                    let own = &prepared.body.origin.sessions;
                    let knows = |session| known.body.origin.sessions.iter().any(|id| id == session);
                    known.body.content == prepared.body.content
                        && (checker(&known.body).is_none() || own.iter().all(knows))
                };
                if known.as_ref().is_some_and(is_same) {
                    continue;
                }
                let key = format!("{key} {}", prepared.body.content_hash());
                steps.push(Step::Replace(key, prepared, known.map(Box::new)));
            } else {
                steps.push(Step::Pass(key, prepared));
            }
        }
        for (key, draft) in &conclusions.commits {
            match self.prepare(StoreScope::Project, draft.clone()) {
                Ok(prepared) => steps.push(Step::Pass(key.clone(), Box::new(prepared))),
                Err(error) => refused.push((key.clone(), error.to_string())),
            }
        }
        for (known, change) in &conclusions.recipes {
            let key = format!("recipe {} {}", known.id, known.recipe.success_count);
            steps.push(Step::Recipe(key, known.clone(), change.clone()));
        }
        let contradicted = conclusions.contradicted.iter();
        steps.extend(contradicted.map(|id| Step::Contradict(format!("contradicted {id}"), *id)));
        Ok(steps)
    }

    /// Returns the observer's unverified memory of the same type about the same module.
    fn known_like(&self, prepared: &PreparedRequest) -> EngineResult<Option<Memory>> {
        let body = &prepared.body;
        let filter = Filter {
            types: vec![body.subject.memory_type()],
            modules: body.modules.iter().cloned().map(ModuleFilter::label).collect(),
            sources: vec![Source::ObserverInferred],
            ..Filter::default()
        };
        let found = self.list(Some(StoreScope::Project), &filter, ListOrder::Changed, 10, 0)?;
        let same = |memory: &Memory| {
            memory.body.modules == body.modules
                && same_methodology(memory, prepared)
                && checker(&memory.body) == checker(body)
                && memory.body.trust.review != Review::Verified
        };
        Ok(found.into_iter().map(|found| found.memory).find(same))
    }
}

/// Returns the checker whose rules a memory tells.
fn checker(body: &MemoryBody) -> Option<&str> {
    body.tags.iter().map(|tag| tag.as_str()).find(|tag| tag.starts_with(CHECKER_TAG))
}

fn same_methodology(memory: &Memory, prepared: &PreparedRequest) -> bool {
    match (memory.body.subject.details(), prepared.body.subject.details()) {
        (Details::TaskCalibration(one), Details::TaskCalibration(other)) => {
            one.methodology == other.methodology
        }
        _ => true,
    }
}

/// Claims a conclusion for all sessions of a tree. Returns false if one of them has drawn it
/// before.
fn claim(
    transaction: &mut dyn Transaction,
    gathered: &GatheredTree,
    key: &str,
) -> EngineResult<bool> {
    let mut new = true;
    for session in &gathered.sessions {
        new &= transaction.claim_request(&format!("observe {} {key}", session.id))?;
    }
    Ok(new)
}

/// Submits a draft to the gate. Forgotten memories stay forgotten, and a session cannot confirm its
/// own memory.
fn pass(
    gate: &mut WriteGate<'_>,
    prepared: PreparedRequest,
    observed: &mut ObservationSummary,
) -> EngineResult<()> {
    let known = gate.identical(&prepared.body)?;
    let own = &prepared.body.origin.sessions;
    if known
        .iter()
        .any(|memory| own.iter().any(|session| memory.body.origin.sessions.contains(session)))
    {
        return Ok(());
    }
    match gate.submit(prepared) {
        Ok(kept) if kept.outcome == RememberOutcome::Stored => observed.stored += 1,
        Ok(_) => observed.reinforced += 1,
        Err(error @ EngineError::Store(_)) => return Err(error),
        Err(_) => {}
    }
    Ok(())
}

/// Returns a draft that confirms a memory: the same text, from another session.
fn confirming(known: &Memory, candidate: &MemoryCandidate) -> Draft {
    let body = &known.body;
    let placement = body.subject.placement();
    Draft {
        content: body.content.to_string(),
        kind: Some(body.subject.memory_type().as_str().to_owned()),
        details: body.subject.details().to_json(),
        scope: Some(placement.scope().to_string()),
        work_unit: placement.work_unit().cloned(),
        title: None,
        tags: Vec::new(),
        related_modules: Vec::new(),
        relations: Vec::new(),
        ..candidate.draft.clone()
    }
}

/// Returns a memory with newly measured content.
fn replaced(before: &Memory, prepared: &PreparedRequest) -> Memory {
    let mut after = before.clone();
    let body = &prepared.body;
    after.body.subject = body.subject.clone();
    after.body.content = body.content.clone();
    after.body.files = body.files.clone();
    after.body.confidence = body.confidence;
    after.body.trust.clear_stale();
    let (sessions, _) = before.body.origin.sessions.merged(&body.origin.sessions);
    after.body.origin.sessions = sessions;
    after.observations = before.observations.saturating_add(1);
    after
}

/// Returns a recipe after a session followed it or showed that it may not hold.
fn reviewed(
    before: &Memory,
    change: RecipeChange,
    gathered: &GatheredTree,
    now: tacit_core::Timestamp,
) -> Memory {
    let mut after = before.clone();
    match change {
        RecipeChange::Stale(why) => {
            let why = tacit_core::Reasoning::new(why).ok();
            after.body.trust.mark_stale(now, StaleKind::RecipeDoubtful, why);
        }
        RecipeChange::Worked { recipe, confidence } => {
            let placement = Placement::clone(before.body.subject.placement());
            if let Ok(subject) = Subject::new(Details::WorkflowRecipe(recipe), placement) {
                after.body.subject = subject;
            }
            after.body.confidence = Confidence::new(confidence).unwrap_or(before.body.confidence);
            after.body.trust.clear_stale();
            let session = tacit_core::Sessions::collect([gathered.tree.session.clone()]);
            let (sessions, _) = before.body.origin.sessions.merged(&session.unwrap_or_default());
            after.body.origin.sessions = sessions;
            after.observations = before.observations.saturating_add(1);
        }
    }
    after
}

/// Returns an observation of the application that another session contradicted: it counts less, is
/// no longer shown unasked, and waits for review. What a person verified only waits for review.
fn doubted(before: &Memory, now: tacit_core::Timestamp) -> Memory {
    let mut after = before.clone();
    if before.body.trust.review != Review::Verified {
        let lower = (before.body.confidence.value() - CONTRADICTION).max(LEAST);
        let lower = (lower * 100.0).round() / 100.0;
        after.body.confidence = Confidence::new(lower).unwrap_or(before.body.confidence);
        after.body.trust.mark_stale(now, StaleKind::Reported, None);
    }
    after.body.trust.review = Review::Needed;
    after
}

/// Writes a changed memory. Returns false if nothing changed.
fn update(
    transaction: &mut dyn Transaction,
    before: &Memory,
    mut after: Memory,
    now: tacit_core::Timestamp,
) -> EngineResult<bool> {
    if after == *before {
        return Ok(false);
    }
    crate::change::forget_derived(before, &mut after);
    after.updated_at = now;
    match crate::change::reject_duplicate(transaction, &after) {
        // Another memory has this text already.
        Err(EngineError::Duplicate(_)) => return Ok(false),
        checked => checked?,
    }
    transaction.update(before, &after)?;
    index(transaction, &after)?;
    Ok(true)
}
