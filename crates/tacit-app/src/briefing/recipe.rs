//! Workflow recipes: finding them for a task, and their text.

use tacit_core::{BuiltinType, Details, Memory};
use tacit_engine::{Engine, EngineResult, RecallRequest, RecallResult, Strictness};
use tacit_store::{Filter, ListOrder};

use crate::recall;

/// The maximum number of recipes shown.
pub(super) const RECIPES: usize = 2;
/// A recipe that worked this often counts as proven, even without a review.
const PROVEN_SUCCESSES: u32 = 2;

/// Returns recipes for a task, the most likely first. `how` sets how to search. A proactive
/// search returns only proven recipes. If the store has no recipes, nothing is searched.
pub fn recipes(
    engine: &Engine<'_>,
    task: &str,
    how: RecallRequest,
) -> EngineResult<Vec<RecallResult>> {
    let types = vec![BuiltinType::WorkflowRecipe.into()];
    let filter = Filter { types, stale: Some(false), ..Filter::default() };
    if task.trim().is_empty() || engine.list(None, &filter, ListOrder::Newest, 1, 0)?.is_empty() {
        return Ok(Vec::new());
    }
    let (proactive, floor) = (how.strictness.is_proactive(), how.strictness.floor());
    // A proactive search would leave out unconfirmed memories, but for recipes the number of
    // successes counts instead.
    let strictness = if proactive { Strictness::Explicit } else { how.strictness };
    let request =
        RecallRequest { query: task.to_owned(), filter, limit: RECIPES, strictness, ..how };
    let mut shown = recall::search(engine, request)?.shown;
    if proactive {
        shown.retain(|recalled| {
            let likely = recalled.why.as_ref().is_some_and(|why| why.likelihood >= floor);
            likely && has_worked(&recalled.found.memory)
        });
    }
    Ok(shown)
}

fn has_worked(memory: &Memory) -> bool {
    match memory.body.subject.details() {
        Details::WorkflowRecipe(recipe) => recipe.success_count >= PROVEN_SUCCESSES,
        _ => false,
    }
}

/// Formats the steps of a recipe; `None` if the memory is not a recipe.
pub fn recipe_text(memory: &Memory) -> Option<String> {
    let Details::WorkflowRecipe(recipe) = memory.body.subject.details() else { return None };
    let last: String = recipe.last_validated_at.to_string().chars().take(10).collect();
    let mut text =
        format!("{} (worked {} times, last on {last})", recipe.task_pattern, recipe.success_count);
    for step in &recipe.steps {
        text.push_str(&format!("\n{}. {step}", step.order));
        if let Some(file) = &step.canonical_file {
            text.push_str(&format!(" (see {file})"));
        }
    }
    Some(text)
}
