//! Recipes in words.

use tacit_core::{Details, Memory};

/// The steps of a recipe; none of what is no recipe.
pub fn recipe_text(memory: &Memory) -> Option<String> {
    let Details::WorkflowRecipe(recipe) = memory.said.subject.details() else { return None };
    let last: String = recipe.last_validated_at.to_string().chars().take(10).collect();
    let mut text =
        format!("{} (worked {} times, last on {last})", recipe.task_pattern, recipe.success_count);
    for step in &recipe.steps {
        text.push_str(&format!("\n{}. {}", step.order, step.description));
        if let Some(file) = &step.canonical_file {
            text.push_str(&format!(" (see {file})"));
        }
    }
    Some(text)
}
