//! Steps that led to success again and again become a recipe.

use tacit_core::WorkflowRecipe;

use super::{RuleInput, RuleOutput};
use crate::promotion::Basis;
use crate::recipes::{MIN_RECIPE_STEPS, RECIPE_CONFIDENCE, find_repeated_steps, follows};
use crate::text::stable_key;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let steps = input.digest.sequence.len();
    let about = format!(
        "{steps} steps in `{}`",
        input.digest.module.as_deref().unwrap_or("several modules")
    );
    if steps < MIN_RECIPE_STEPS {
        if steps > 0 {
            results.reject(
                Basis::Sequence,
                about,
                1,
                format!("{steps} of {MIN_RECIPE_STEPS} steps"),
            );
        }
        return;
    }
    let past_digests: Vec<_> = input.passed_digests().collect();
    let Some(find_repeated_steps) = find_repeated_steps(input.digest, &past_digests) else {
        let why = "not taken in the same order in three sessions of 30 days";
        results.reject(Basis::Sequence, about, 1, why);
        return;
    };
    let sessions = find_repeated_steps.sessions as u32;
    let known = input.recipes.iter().find(|known| {
        known.recipe.steps == find_repeated_steps.steps
            || follows(&known.recipe.steps, &input.digest.sequence)
    });
    if let Some(known) = known {
        let why = format!("known already as {}; confirms it", known.id.short());
        results.reject(Basis::Sequence, about, sessions, why);
        return;
    }
    let list: Vec<String> =
        find_repeated_steps.steps.iter().map(|step| format!("{}. {step}", step.order)).collect();
    let content = format!("{}:\n{}", find_repeated_steps.task_pattern, list.join("\n"));
    let files: Vec<_> =
        find_repeated_steps.steps.iter().filter_map(|step| step.canonical_file.clone()).collect();
    let mut draft = input.draft("workflow_recipe", content, &files, RECIPE_CONFIDENCE);
    draft.title =
        Some(crate::text::one_line(&format!("Recipe: {}", find_repeated_steps.task_pattern), 100));
    draft.details = serde_json::to_value(WorkflowRecipe {
        task_pattern: find_repeated_steps.task_pattern,
        steps: find_repeated_steps.steps,
        last_validated_at: input.digest.at,
        success_count: sessions,
    })
    .ok();
    let key = stable_key(&["recipe", &list.join("\n")]);
    results.candidates.push(input.candidate_at_end(Basis::Sequence, key, about, sessions, draft));
}
