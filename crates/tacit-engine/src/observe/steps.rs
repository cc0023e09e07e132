//! What is to be done about what was decided, before anything is written.

use std::collections::BTreeMap;

use tacit_core::{
    BuiltinType, Details, Draft, Memory, MemoryType, Module, Review, Source, Subject,
    WorkUnitOutcome, WorkUnitRef,
};
use tacit_observer::Observation;
use tacit_observer::log::UnitStatus;
use tacit_observer::promotion::{Candidate, Decision, Promotion};
use tacit_observer::recipes::{KnownRecipe, RecipeChange};
use tacit_observer::rules::consolidate;
use tacit_observer::session_tree::{CONSOLIDATED_UNITS, UnitState, unit_states};
use tacit_store::{Filter, ListOrder, WorkUnitFilter};

use super::gather::Gathered;
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::remember::Prepared;

/// How many recipes and outcomes are looked at.
const RECIPES: usize = 200;
const OUTCOMES: usize = 500;

/// What is to be done in the transaction of a tree.
pub(super) enum Step {
    /// Something goes through the gate.
    Pass(String, Box<Prepared>),
    /// Something takes the place of what is known of the same.
    Replace(String, Box<Prepared>, Option<Box<Memory>>),
    /// A recipe changes.
    Recipe(String, KnownRecipe, RecipeChange),
    /// A state of work is over.
    Retire(Box<Memory>),
}

impl Engine<'_> {
    /// What is to be done about a tree. What the gate refuses is added to `refused`, with why.
    pub(super) fn steps(
        &self,
        gathered: &Gathered,
        observation: &Observation,
        promotion: &Promotion,
        refused: &mut Vec<(String, String)>,
    ) -> EngineResult<Vec<Step>> {
        let mut steps = Vec::new();
        for decision in &promotion.decisions {
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
        for (known, change) in &observation.recipes {
            let key = format!("recipe {} {}", known.id, known.recipe.success_count);
            steps.push(Step::Recipe(key, known.clone(), change.clone()));
        }
        if let Some(unit) = gathered.tree.unit()
            && succeeded(gathered, unit)
        {
            for state in self.of_unit(unit, BuiltinType::WorkState)? {
                steps.push(Step::Retire(Box::new(state)));
            }
            let written = steps.iter().filter_map(written_outcome).collect();
            let consolidated = self.consolidation(gathered, unit, written)?;
            steps.extend(consolidated);
        }
        Ok(steps)
    }

    /// What the observer wrote of the same type about the same module or unit, unless a person has
    /// made it theirs.
    fn known_like(&self, prepared: &Prepared) -> EngineResult<Option<Memory>> {
        let said = &prepared.said;
        let kind = said.subject.memory_type();
        let unit = said.subject.placement().work_unit();
        let known = match (&kind, unit) {
            (MemoryType::Builtin(BuiltinType::WorkState), Some(unit)) => {
                self.of_unit(unit, BuiltinType::WorkState)?
            }
            _ => {
                let modules: Vec<Module> = said.modules.iter().cloned().collect();
                let filter = Filter {
                    types: vec![kind],
                    modules,
                    sources: vec![Source::ObserverInferred],
                    ..Filter::default()
                };
                let found = self.list(Some(Shelf::Project), &filter, ListOrder::Changed, 10, 0)?;
                let same = |memory: &Memory| {
                    memory.said.modules == said.modules && same_methodology(memory, prepared)
                };
                found.into_iter().map(|found| found.memory).filter(same).collect()
            }
        };
        Ok(known.into_iter().find(|memory| memory.said.trust.review != Review::Verified))
    }

    /// What the observer wrote of a type about a unit of work.
    fn of_unit(&self, unit: &WorkUnitRef, kind: BuiltinType) -> EngineResult<Vec<Memory>> {
        let filter = Filter {
            types: vec![kind.into()],
            sources: vec![Source::ObserverInferred],
            work_unit: Some(WorkUnitFilter {
                methodology: Some(unit.methodology().to_owned()),
                hierarchy: unit.hierarchy().to_vec(),
            }),
            ..Filter::default()
        };
        let found = self.list(Some(Shelf::Project), &filter, ListOrder::Newest, OUTCOMES, 0)?;
        Ok(found.into_iter().map(|found| found.memory).collect())
    }

    /// What the units of a large piece of work have in common, once all of them are done.
    /// `outcomes` are those that are only now written.
    fn consolidation(
        &self,
        gathered: &Gathered,
        unit: &WorkUnitRef,
        mut outcomes: BTreeMap<Vec<String>, WorkUnitOutcome>,
    ) -> EngineResult<Vec<Step>> {
        let root = &unit.hierarchy()[..1];
        let inside = |state: &&UnitState| {
            let hierarchy = state.unit.hierarchy();
            state.unit.methodology() == unit.methodology()
                && hierarchy.len() > 1
                && hierarchy[..1] == *root
        };
        let units: Vec<&UnitState> = gathered.tree.siblings.iter().filter(inside).collect();
        if units.len() < CONSOLIDATED_UNITS
            || units.iter().any(|state| state.status != UnitStatus::Succeeded)
        {
            return Ok(Vec::new());
        }
        let Ok(whole) = WorkUnitRef::new(unit.methodology(), root.to_vec(), root[0].clone()) else {
            return Ok(Vec::new());
        };
        for memory in self.of_unit(&whole, BuiltinType::WorkUnitOutcome)? {
            if let Some((unit, outcome)) = outcome_of(&memory.said.subject) {
                outcomes.entry(unit).or_insert(outcome);
            }
        }
        let outcomes: Vec<WorkUnitOutcome> = outcomes.into_values().collect();
        let drafts = consolidate(&whole, &outcomes);
        let mut steps = Vec::new();
        for draft in drafts {
            let draft = Draft { session: Some(gathered.tree.session.to_string()), ..draft };
            if let Ok(prepared) = self.prepare(Shelf::Project, draft) {
                let key = format!("consolidate {}", prepared.said.content_hash());
                steps.push(Step::Pass(key, Box::new(prepared)));
            }
        }
        Ok(steps)
    }
}

/// The outcome that a step writes, with its unit.
fn written_outcome(step: &Step) -> Option<(Vec<String>, WorkUnitOutcome)> {
    match step {
        Step::Pass(_, prepared) => outcome_of(&prepared.said.subject),
        _ => None,
    }
}

fn outcome_of(subject: &Subject) -> Option<(Vec<String>, WorkUnitOutcome)> {
    match (subject.details(), subject.placement().work_unit()) {
        (Details::WorkUnitOutcome(outcome), Some(unit)) => {
            Some((unit.hierarchy().to_vec(), outcome.clone()))
        }
        _ => None,
    }
}

/// The recipes that the observer wrote.
pub(super) fn known_recipes(engine: &Engine<'_>) -> EngineResult<Vec<KnownRecipe>> {
    let filter = Filter { types: vec![BuiltinType::WorkflowRecipe.into()], ..Filter::default() };
    let found = engine.list(Some(Shelf::Project), &filter, ListOrder::Newest, RECIPES, 0)?;
    let recipes = found.into_iter().filter_map(|found| {
        let memory = found.memory;
        match memory.said.subject.details() {
            Details::WorkflowRecipe(recipe) => Some(KnownRecipe {
                id: memory.id,
                recipe: recipe.clone(),
                confidence: memory.said.confidence.value(),
                stale: memory.said.trust.stale_at.is_some(),
            }),
            _ => None,
        }
    });
    Ok(recipes.collect())
}

fn same_methodology(memory: &Memory, prepared: &Prepared) -> bool {
    match (memory.said.subject.details(), prepared.said.subject.details()) {
        (Details::TaskCalibration(one), Details::TaskCalibration(other)) => {
            one.methodology == other.methodology
        }
        _ => true,
    }
}

/// Whether the last word about a unit is that it is done.
fn succeeded(gathered: &Gathered, unit: &WorkUnitRef) -> bool {
    unit_states(&gathered.tree.log).iter().any(|state| {
        state.unit.hierarchy() == unit.hierarchy() && state.status == UnitStatus::Succeeded
    })
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
