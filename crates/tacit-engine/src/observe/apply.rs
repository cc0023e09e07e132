//! What becomes of what was decided: memories through the write gate, in one change for each tree.

use tacit_core::{Confidence, Details, Draft, Memory, Placement, Review, Source, Subject};
use tacit_observer::Conclusions;
use tacit_observer::promotion::{Candidate, Decision, Fate};
use tacit_observer::recipes::{KnownRecipe, RecipeChange};
use tacit_store::{ActionKind, Filter, ListOrder, ObservedState, Transaction};

use super::Observed;
use super::explain::observed_tree;
use super::gather::Gathered;
use crate::engine::{Engine, Shelf};
use crate::error::{EngineError, EngineResult};
use crate::remember::{Gate, Outcome, Prepared, index};

/// What is to be done in the transaction of a tree.
enum Step {
    /// Something goes through the gate.
    Pass(String, Box<Prepared>),
    /// Something takes the place of what is known of the same.
    Replace(String, Box<Prepared>, Option<Box<Memory>>),
    /// A recipe changes.
    Recipe(String, KnownRecipe, RecipeChange),
}

impl Engine<'_> {
    /// Writes what a tree teaches, and what is kept of it for later ones.
    pub(super) fn apply(
        &mut self,
        gathered: &Gathered,
        mut conclusions: Conclusions,
        observed: &mut Observed,
    ) -> EngineResult<()> {
        for (about, why) in self.conclude(gathered, &conclusions, observed)? {
            let mut trace = conclusions.trace.iter_mut();
            if let Some(kept) = trace.find(|one| one.fate == Fate::Kept && one.about == about) {
                kept.fate = Fate::Dropped;
                kept.why = format!("the write gate refused it: {why}");
            }
        }
        let tree = observed_tree(gathered, &conclusions)?;
        self.store_mut(Shelf::Project)?.keep_observed(&tree)?;
        observed.sessions += 1;
        observed.waiting += usize::from(tree.state == ObservedState::Waits);
        Ok(())
    }

    /// Does what was decided about a tree. Each conclusion is drawn once, whichever of the sessions
    /// it was first drawn from. Returns what the gate refused, and why.
    fn conclude(
        &mut self,
        gathered: &Gathered,
        conclusions: &Conclusions,
        observed: &mut Observed,
    ) -> EngineResult<Vec<(String, String)>> {
        let mut refused = Vec::new();
        let steps = self.steps(conclusions, &mut refused)?;
        if steps.is_empty() {
            return Ok(refused);
        }
        let action = self.machine_action(ActionKind::Remember, "learnt from sessions");
        let mut gate = self.open_gate(Shelf::Project, action, true)?;
        let now = gate.now;
        for step in steps {
            let (Step::Pass(key, _) | Step::Replace(key, ..) | Step::Recipe(key, ..)) = &step;
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
                Decision::Keep(candidate) => (candidate, candidate.draft.clone()),
                Decision::Reinforce(id, candidate) => {
                    let known = self.find(&id.to_string())?.memory;
                    (candidate, confirming(&known, candidate))
                }
            };
            // What the gate does not take is not worth failing for: a file name with a strange
            // character, a note that is too long.
            let prepared = match self.prepare(Shelf::Project, draft) {
                Ok(prepared) => prepared,
                Err(error) => {
                    refused.push((candidate.about.clone(), error.to_string()));
                    continue;
                }
            };
            let (key, prepared) = (candidate.key.clone(), Box::new(prepared));
            if candidate.replaces {
                let known = self.known_like(&prepared)?;
                // What is the same in words is not worth a change.
                if known.as_ref().is_some_and(|known| known.said.content == prepared.said.content) {
                    continue;
                }
                let key = format!("{key} {}", prepared.said.content_hash());
                steps.push(Step::Replace(key, prepared, known.map(Box::new)));
            } else {
                steps.push(Step::Pass(key, prepared));
            }
        }
        for (known, change) in &conclusions.recipes {
            let key = format!("recipe {} {}", known.id, known.recipe.success_count);
            steps.push(Step::Recipe(key, known.clone(), change.clone()));
        }
        Ok(steps)
    }

    /// What the observer wrote of the same type about the same module, unless a person has made it
    /// theirs.
    fn known_like(&self, prepared: &Prepared) -> EngineResult<Option<Memory>> {
        let said = &prepared.said;
        let filter = Filter {
            types: vec![said.subject.memory_type()],
            modules: said.modules.iter().cloned().collect(),
            sources: vec![Source::ObserverInferred],
            ..Filter::default()
        };
        let found = self.list(Some(Shelf::Project), &filter, ListOrder::Changed, 10, 0)?;
        let same = |memory: &Memory| {
            memory.said.modules == said.modules
                && same_methodology(memory, prepared)
                && memory.said.trust.review != Review::Verified
        };
        Ok(found.into_iter().map(|found| found.memory).find(same))
    }
}

fn same_methodology(memory: &Memory, prepared: &Prepared) -> bool {
    match (memory.said.subject.details(), prepared.said.subject.details()) {
        (Details::TaskCalibration(one), Details::TaskCalibration(other)) => {
            one.methodology == other.methodology
        }
        _ => true,
    }
}

/// Whether none of the sessions of a tree has drawn this conclusion before.
fn claim(transaction: &mut dyn Transaction, gathered: &Gathered, key: &str) -> EngineResult<bool> {
    let mut new = true;
    for session in &gathered.sessions {
        new &= transaction.claim_request(&format!("observe {} {key}", session.id))?;
    }
    Ok(new)
}

/// Takes something through the gate. What was forgotten stays forgotten; what a session has said
/// before, it does not confirm by saying it again.
fn pass(gate: &mut Gate<'_>, prepared: Prepared, observed: &mut Observed) -> EngineResult<()> {
    let known = gate.identical(&prepared.said)?;
    let own = &prepared.said.origin.sessions;
    if known
        .iter()
        .any(|memory| own.iter().any(|session| memory.said.origin.sessions.contains(session)))
    {
        return Ok(());
    }
    match gate.pass(prepared) {
        Ok(kept) if kept.outcome == Outcome::Stored => observed.stored += 1,
        Ok(_) => observed.reinforced += 1,
        Err(error @ EngineError::Store(_)) => return Err(error),
        Err(_) => {}
    }
    Ok(())
}

/// What confirms a memory: the same words, from another session.
fn confirming(known: &Memory, candidate: &Candidate) -> Draft {
    let said = &known.said;
    let placement = said.subject.placement();
    Draft {
        content: said.content.to_string(),
        kind: Some(said.subject.memory_type().as_str().to_owned()),
        details: said.subject.details().to_json(),
        scope: Some(placement.scope().to_string()),
        work_unit: placement.work_unit().cloned(),
        title: None,
        tags: Vec::new(),
        related_modules: Vec::new(),
        relations: Vec::new(),
        ..candidate.draft.clone()
    }
}

/// A memory as it is after what it says was found out anew.
fn replaced(before: &Memory, prepared: &Prepared) -> Memory {
    let mut after = before.clone();
    let said = &prepared.said;
    after.said.subject = said.subject.clone();
    after.said.content = said.content.clone();
    after.said.files = said.files.clone();
    after.said.confidence = said.confidence;
    after.said.trust.settle();
    let (sessions, _) = before.said.origin.sessions.merged(&said.origin.sessions);
    after.said.origin.sessions = sessions;
    after.observations = before.observations.saturating_add(1);
    after
}

/// A recipe as it is after a session followed it, or showed that it may not hold.
fn reviewed(
    before: &Memory,
    change: RecipeChange,
    gathered: &Gathered,
    now: tacit_core::Timestamp,
) -> Memory {
    let mut after = before.clone();
    match change {
        RecipeChange::Stale(_) => after.said.trust.stale_at = Some(now),
        RecipeChange::Worked { recipe, confidence } => {
            let placement = Placement::clone(before.said.subject.placement());
            if let Ok(subject) = Subject::new(Details::WorkflowRecipe(recipe), placement) {
                after.said.subject = subject;
            }
            after.said.confidence = Confidence::new(confidence).unwrap_or(before.said.confidence);
            after.said.trust.settle();
            let session = tacit_core::Sessions::collect([gathered.tree.session.clone()]);
            let (sessions, _) = before.said.origin.sessions.merged(&session.unwrap_or_default());
            after.said.origin.sessions = sessions;
            after.observations = before.observations.saturating_add(1);
        }
    }
    after
}

/// Writes a memory that changed; whether it did.
fn update(
    transaction: &mut dyn Transaction,
    before: &Memory,
    mut after: Memory,
    now: tacit_core::Timestamp,
) -> EngineResult<bool> {
    if after == *before {
        return Ok(false);
    }
    after.updated_at = now;
    match crate::change::forbid_twin(transaction, &after) {
        // Another memory says that already.
        Err(EngineError::SameAs(_)) => return Ok(false),
        checked => checked?,
    }
    transaction.update(before, &after)?;
    index(transaction, &after)?;
    Ok(true)
}
