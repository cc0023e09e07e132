//! Steps that led to success again and again become a recipe.

use tacit_core::WorkflowRecipe;

use super::{Found, Scene};
use crate::promotion::Basis;
use crate::recipes::{RECIPE_CONFIDENCE, RECIPE_STEPS, follows, repeated};
use crate::text::key;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    let steps = scene.digest.sequence.len();
    let about = format!(
        "{steps} steps in `{}`",
        scene.digest.module.as_deref().unwrap_or("several modules")
    );
    if steps < RECIPE_STEPS {
        if steps > 0 {
            found.drop(Basis::Sequence, about, 1, format!("{steps} of {RECIPE_STEPS} steps"));
        }
        return;
    }
    let past: Vec<_> = scene.passed_before().collect();
    let Some(repeated) = repeated(scene.digest, &past) else {
        let why = "not taken in the same order in three sessions of 30 days";
        found.drop(Basis::Sequence, about, 1, why);
        return;
    };
    let sessions = repeated.sessions as u32;
    let known = scene.recipes.iter().find(|known| {
        known.recipe.steps == repeated.steps || follows(&known.recipe.steps, &scene.digest.sequence)
    });
    if let Some(known) = known {
        let why = format!("known already as {}; confirms it", known.id.short());
        found.drop(Basis::Sequence, about, sessions, why);
        return;
    }
    let list: Vec<String> =
        repeated.steps.iter().map(|step| format!("{}. {step}", step.order)).collect();
    let content = format!("{}:\n{}", repeated.task_pattern, list.join("\n"));
    let files: Vec<_> =
        repeated.steps.iter().filter_map(|step| step.canonical_file.clone()).collect();
    let mut draft = scene.draft("workflow_recipe", content, &files, RECIPE_CONFIDENCE);
    draft.title = Some(crate::text::line(&format!("Recipe: {}", repeated.task_pattern), 100));
    draft.details = serde_json::to_value(WorkflowRecipe {
        task_pattern: repeated.task_pattern,
        steps: repeated.steps,
        last_validated_at: scene.digest.at,
        success_count: sessions,
    })
    .ok();
    let key = key(&["recipe", &list.join("\n")]);
    found.candidates.push(scene.at_end(Basis::Sequence, key, about, sessions, draft));
}
