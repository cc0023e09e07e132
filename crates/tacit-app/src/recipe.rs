//! Recipes that a person writes: the task and its steps, as a memory.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tacit_core::{BuiltinType, Details, Memory, Timestamp, WorkflowRecipe};

use crate::error::{AppError, AppResult};

/// The most steps of a recipe.
const MOST_STEPS: usize = 50;

/// A step as a person writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenStep {
    /// The action to take.
    pub description: String,
    /// The file to look at or edit.
    pub file: Option<String>,
    /// The approximate line in it.
    pub line: Option<u32>,
    /// The position of the earlier step whose observed action is kept.
    pub order: Option<u32>,
}

/// A recipe as a person writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenRecipe {
    /// The class of task.
    pub task: String,
    /// The steps in order.
    pub steps: Vec<WrittenStep>,
}

/// Returns the recipe that a memory holds.
pub fn recipe_of(memory: &Memory) -> Option<&WorkflowRecipe> {
    match memory.body.subject.details() {
        Details::WorkflowRecipe(recipe) => Some(recipe),
        _ => None,
    }
}

impl WrittenRecipe {
    /// Returns the word of the type.
    pub fn kind() -> &'static str {
        BuiltinType::WorkflowRecipe.as_str()
    }

    /// Returns the text of the memory: the task, and the steps as a list.
    pub fn content(&self) -> String {
        let mut text = self.task.trim().to_owned();
        for (at, step) in self.steps.iter().enumerate() {
            let file = step.file.as_ref().map(|file| format!(" ({file})"));
            let (number, what) = (at + 1, step.description.trim());
            let _ = write!(text, "\n{number}. {what}{}", file.unwrap_or_default());
        }
        text
    }

    /// Returns the fields that only recipes have. What was observed of `earlier` is kept.
    pub fn details(&self, earlier: Option<&WorkflowRecipe>, now: Timestamp) -> AppResult<Value> {
        if self.task.trim().is_empty() {
            return Err(AppError::usage("a recipe needs a task"));
        }
        if self.steps.is_empty() || self.steps.len() > MOST_STEPS {
            return Err(AppError::usage(format!("a recipe has 1 to {MOST_STEPS} steps")));
        }
        let mut steps = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let mut value = json!({"order": at + 1});
            let text = step.description.trim();
            if !text.is_empty() {
                value["description"] = json!(text);
            }
            if let Some(file) = step.file.as_deref().filter(|file| !file.is_empty()) {
                value["canonical_file"] = json!(file);
            }
            if let Some(line) = step.line {
                value["canonical_line"] = json!(line);
            }
            let before = earlier.into_iter().flat_map(|recipe| &recipe.steps);
            let mut before = before.filter(|before| Some(before.order) == step.order);
            if let Some(action) = before.next().and_then(|before| before.action.as_ref()) {
                value["action"] = json!(action);
            }
            if text.is_empty() && value.get("action").is_none() {
                return Err(AppError::usage(format!("step {} says nothing", at + 1)));
            }
            steps.push(value);
        }
        Ok(json!({
            "task_pattern": self.task.trim(), "steps": steps,
            "last_validated_at": earlier.map_or(now, |recipe| recipe.last_validated_at),
            "success_count": earlier.map_or(0, |recipe| recipe.success_count),
        }))
    }
}
