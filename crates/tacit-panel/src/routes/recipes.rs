//! Recipes: the steps for a class of task.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use tacit_app::change;
use tacit_app::recipe::{WrittenRecipe, WrittenStep, recipe_of};
use tacit_core::{BuiltinType, Draft};
use tacit_engine::{ListChanges, StoreAccess, StoreScope};
use tacit_store::{Filter, ListOrder};

use super::changes::{changing, store};
use crate::error::ApiError;
use crate::route::{ApiCall, Route};
use crate::wire::filter::StoreName;
use crate::wire::memory::{Changed, Item, Items, Nothing};

/// The most recipes of a list.
const MOST: usize = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/recipes", "List the recipes.", list),
        Route::new(Method::POST, "/recipes", "Add a recipe.", add),
        Route::new(Method::PUT, "/recipes/{id}", "Write a recipe anew.", replace),
    ]
}

/// The recipes.
#[derive(Debug, Serialize, JsonSchema)]
struct Recipes {
    recipes: Vec<Recipe>,
}

/// A recipe.
#[derive(Debug, Serialize, JsonSchema)]
struct Recipe {
    item: Item,
    task: String,
    steps: Vec<StepView>,
    success_count: u32,
    last_validated_at: String,
}

/// A step.
#[derive(Debug, Serialize, JsonSchema)]
struct StepView {
    order: u32,
    /// The sentence that agents read.
    text: String,
    description: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    /// True if sessions showed it.
    observed: bool,
    /// False if the file is gone; null without a file.
    exists: Option<bool>,
}

/// A recipe as a person writes it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecipeDraft {
    task: String,
    steps: Vec<StepDraft>,
    title: Option<String>,
    tags: Option<Vec<String>>,
    store: Option<StoreName>,
}

/// A step as a person writes it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StepDraft {
    description: String,
    file: Option<String>,
    line: Option<u32>,
    /// The position of the earlier step whose observed action is kept.
    order: Option<u32>,
}

impl RecipeDraft {
    fn written(&self, call: &ApiCall<'_>) -> Result<WrittenRecipe, ApiError> {
        let steps = self.steps.iter().map(|step| {
            let file = step.file.as_deref().filter(|file| !file.is_empty());
            let file = file.map(|file| call.app.repo_path(file)).transpose()?;
            Ok(WrittenStep {
                description: step.description.clone(),
                file: file.map(String::from),
                line: step.line,
                order: step.order,
            })
        });
        let steps = steps.collect::<Result<_, ApiError>>()?;
        Ok(WrittenRecipe { task: self.task.clone(), steps })
    }
}

fn list(call: &ApiCall<'_>, _: Nothing) -> Result<Recipes, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let filter = Filter { types: vec![BuiltinType::WorkflowRecipe.into()], ..Filter::default() };
    let items = Items::read(&engine)?;
    let root = call.app.worktree();
    let mut recipes = Vec::new();
    for found in engine.list(None, &filter, ListOrder::Newest, MOST, 0)? {
        let Some(recipe) = recipe_of(&found.memory) else { continue };
        let steps = recipe.steps.iter().map(|step| StepView {
            order: step.order,
            text: step.to_string(),
            description: step.description.clone(),
            file: step.canonical_file.as_ref().map(ToString::to_string),
            line: step.canonical_line,
            observed: step.action.is_some(),
            exists: step.canonical_file.as_ref().map(|file| root.join(file.as_str()).exists()),
        });
        recipes.push(Recipe {
            task: recipe.task_pattern.clone(),
            steps: steps.collect(),
            success_count: recipe.success_count,
            last_validated_at: recipe.last_validated_at.to_string(),
            item: items.one(&found),
        });
    }
    Ok(Recipes { recipes })
}

fn add(call: &ApiCall<'_>, input: RecipeDraft) -> Result<Changed, ApiError> {
    let written = input.written(call)?;
    let draft = Draft {
        content: written.content(),
        kind: Some(WrittenRecipe::kind().to_owned()),
        details: Some(written.details(None, call.app.now())?),
        title: input.title,
        tags: input.tags.unwrap_or_default(),
        ..Draft::default()
    };
    Ok(store(call, input.store.map_or(StoreScope::Project, StoreScope::from), draft)?.changed)
}

fn replace(call: &ApiCall<'_>, input: RecipeDraft) -> Result<Changed, ApiError> {
    let written = input.written(call)?;
    changing(call, call.name(), |engine| {
        let before = engine.find(call.name())?;
        let Some(earlier) = recipe_of(&before.memory) else {
            return Err(ApiError::usage(format!("`{}` is no recipe", call.name())));
        };
        let mut patch = Map::new();
        patch.insert("content".into(), json!(written.content()));
        patch.insert("details".into(), written.details(Some(earlier), call.app.now())?);
        if let Some(title) = &input.title {
            patch.insert("title".into(), json!(title));
        }
        if let Some(tags) = &input.tags {
            patch.insert("tags".into(), json!(tags));
        }
        Ok(change::edit(engine, call.name(), &patch, &ListChanges::default(), None)?)
    })
}
