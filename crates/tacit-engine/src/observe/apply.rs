//! What becomes of what was decided: memories through the write gate, in one change for each tree.

use tacit_core::{
    Confidence, Details, FieldError, Memory, Placement, Problem, Reasoning, Sessions, Status,
    Subject, Timestamp,
};
use tacit_observer::Observation;
use tacit_observer::promotion::Promotion;
use tacit_observer::recipes::RecipeChange;
use tacit_store::{ActionKind, Transaction};

use super::Observed;
use super::gather::Gathered;
use super::steps::Step;
use crate::change::forbid_twin;
use crate::engine::{Engine, Shelf};
use crate::error::{EngineError, EngineResult};
use crate::remember::{Gate, Outcome, Prepared, index};

impl Engine<'_> {
    /// Does what was decided about a tree. Each conclusion is drawn once, whichever of the sessions
    /// it was first drawn from. Returns what the gate refused, and why.
    pub(super) fn conclude(
        &mut self,
        gathered: &Gathered,
        observation: &Observation,
        promotion: &Promotion,
        observed: &mut Observed,
    ) -> EngineResult<Vec<(String, String)>> {
        let mut refused = Vec::new();
        let steps = self.steps(gathered, observation, promotion, &mut refused)?;
        if steps.is_empty() {
            return Ok(refused);
        }
        let action = self.action(ActionKind::Remember, None);
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let mut transaction = self.store_mut(Shelf::Project)?.begin(action)?;
        let gate = Gate { now, ids, config: &config };
        for step in steps {
            let key = match &step {
                Step::Pass(key, _) | Step::Replace(key, ..) | Step::Recipe(key, ..) => Some(key),
                Step::Retire(_) => None,
            };
            if let Some(key) = key
                && !claim(transaction.as_mut(), gathered, key)?
            {
                continue;
            }
            match step {
                Step::Pass(_, prepared) => pass(&gate, transaction.as_mut(), *prepared, observed)?,
                Step::Replace(_, prepared, None) => {
                    pass(&gate, transaction.as_mut(), *prepared, observed)?;
                }
                Step::Replace(_, prepared, Some(before)) => {
                    let after = replaced(&before, &prepared);
                    observed.updated +=
                        usize::from(update(transaction.as_mut(), &before, after, now)?);
                }
                Step::Recipe(_, known, change) => {
                    if let Some(before) = transaction.read(&[known.id])?.pop() {
                        let after = reviewed(&before, change, gathered, now);
                        observed.updated +=
                            usize::from(update(transaction.as_mut(), &before, after, now)?);
                    }
                }
                Step::Retire(before) => {
                    let mut after = Memory::clone(&before);
                    let reason =
                        Reasoning::new("the unit of work is done").map_err(wrong_reason)?;
                    after.status = Status::Retired { at: now, reason };
                    update(transaction.as_mut(), &before, after, now)?;
                }
            }
        }
        transaction.commit()?;
        Ok(refused)
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
fn pass(
    gate: &Gate<'_>,
    transaction: &mut dyn Transaction,
    prepared: Prepared,
    observed: &mut Observed,
) -> EngineResult<()> {
    let matches = transaction.find_identical(&prepared.said.content_hash())?;
    let ids: Vec<_> = matches.iter().map(|found| found.id).collect();
    let known = if ids.is_empty() { Vec::new() } else { transaction.read(&ids)? };
    let own = &prepared.said.origin.sessions;
    if known
        .iter()
        .any(|memory| own.iter().any(|session| memory.said.origin.sessions.contains(session)))
    {
        return Ok(());
    }
    match gate.pass(transaction, prepared) {
        Ok(kept) if kept.outcome == Outcome::Stored => observed.stored += 1,
        Ok(_) => observed.reinforced += 1,
        Err(error @ EngineError::Store(_)) => return Err(error),
        Err(_) => {}
    }
    Ok(())
}

/// A memory as it is after what it says was found out anew.
fn replaced(before: &Memory, prepared: &Prepared) -> Memory {
    let mut after = before.clone();
    let said = &prepared.said;
    after.said.subject = said.subject.clone();
    after.said.content = said.content.clone();
    after.said.files = said.files.clone();
    after.said.confidence = said.confidence;
    after.said.trust.stale_at = None;
    let (sessions, _) = before.said.origin.sessions.merged(&said.origin.sessions);
    after.said.origin.sessions = sessions;
    after.observations = before.observations.saturating_add(1);
    after
}

/// A recipe as it is after a session followed it, or showed that it may not hold.
fn reviewed(before: &Memory, change: RecipeChange, gathered: &Gathered, now: Timestamp) -> Memory {
    let mut after = before.clone();
    match change {
        RecipeChange::Stale(_) => after.said.trust.stale_at = Some(now),
        RecipeChange::Worked { recipe, confidence } => {
            let placement = Placement::clone(before.said.subject.placement());
            if let Ok(subject) = Subject::new(Details::WorkflowRecipe(recipe), placement) {
                after.said.subject = subject;
            }
            after.said.confidence = Confidence::new(confidence).unwrap_or(before.said.confidence);
            after.said.trust.stale_at = None;
            let session = Sessions::collect([gathered.tree.session.clone()]);
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
    now: Timestamp,
) -> EngineResult<bool> {
    if after == *before {
        return Ok(false);
    }
    after.updated_at = now;
    match forbid_twin(transaction, &after) {
        // Another memory says that already.
        Err(EngineError::SameAs(_)) => return Ok(false),
        checked => checked?,
    }
    transaction.update(before, &after)?;
    index(transaction, &after)?;
    Ok(true)
}

fn wrong_reason(problem: Problem) -> EngineError {
    EngineError::Invalid(vec![FieldError::new("reason", problem)])
}
