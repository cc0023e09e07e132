//! What each type of memory adds to its text.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error_pattern::ErrorPattern;
use super::kind::{BuiltinType, CustomType, MemoryType};
use super::recipe::WorkflowRecipe;
use super::values::RepoPath;
use super::words::word_enum;
use crate::field::{FieldError, Problem};

/// The types that are text alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the type of the same name")]
pub enum PlainType {
    Gotcha,
    Decision,
    Preference,
    Pattern,
    Requirement,
    ErrorPattern,
    ModuleInsight,
    Workflow,
    CausalDependency,
    DeadEnd,
}

/// A type of memory together with the fields that only it has.
#[derive(Debug, Clone, PartialEq)]
pub enum Details {
    /// Text alone.
    Plain(PlainType),
    /// An error that was met; one that somebody only tells of is text alone.
    ErrorPattern(ErrorPattern),
    /// Files that are read together.
    PrefetchPattern(PrefetchPattern),
    /// The methodology's own account of unfinished work, kept as it is.
    WorkState(Map<String, Value>),
    /// How planned steps compare with actual ones.
    TaskCalibration(TaskCalibration),
    /// What the running application was seen to do.
    E2eObservation(E2eObservation),
    /// An approach that was seen to be given up; one that somebody only tells of is text alone.
    DeadEnd(DeadEnd),
    /// What came of a unit of work.
    WorkUnitOutcome(WorkUnitOutcome),
    /// The steps for a class of task.
    WorkflowRecipe(WorkflowRecipe),
    /// How many tokens work in a module takes.
    ContextCost(ContextCost),
    /// A methodology's own type, with its fields kept as they are.
    Custom(CustomType, Map<String, Value>),
}

/// Files that are read together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefetchPattern {
    /// Read in more than 80% of the sessions that touch the module.
    pub always_read_files: Vec<RepoPath>,
    /// Read in more than 50% of them.
    pub frequently_read_files: Vec<RepoPath>,
    /// The module whose work calls for them.
    pub module_trigger: String,
    /// In how many sessions this was seen.
    pub session_count: u32,
}

/// How planned steps compare with actual ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskCalibration {
    /// The module worked in.
    pub module: String,
    /// The methodology; calibration does not carry over to another.
    pub methodology: String,
    /// Steps it took.
    pub average_actual_steps: f64,
    /// Steps that were planned.
    pub average_planned_steps: f64,
    /// Actual by planned: above 1 is underestimated.
    pub ratio: f64,
    /// How many tasks this rests on.
    pub sample_count: u32,
}

word_enum! {
    /// What an observation of the running application is good for.
    ObservationType, "an observation type" {
        /// Something must be so before a test can begin.
        Precondition = "precondition",
        /// Something takes time.
        Timing = "timing",
        /// How the interface behaves.
        UiBehavior = "ui_behavior",
        /// The steps that lead to a state.
        TestSequence = "test_sequence",
        /// A quirk of the tool that looks at the application.
        McpGotcha = "mcp_gotcha",
    }
}

/// What the running application was seen to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct E2eObservation {
    /// What it is good for.
    pub observation_type: ObservationType,
    /// The MCP tool that showed it.
    pub mcp_tool_used: String,
    /// The state the application was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_state: Option<String>,
}

/// An approach that was given up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadEnd {
    /// What was attempted.
    pub approach_tried: String,
    /// The root cause of its failure.
    pub why_it_failed: String,
    /// What was done instead.
    pub alternative_used: String,
    /// The kind of task that led there.
    pub task_context: String,
}

word_enum! {
    /// How a number of tokens is known.
    TokensFrom, "how tokens are known" {
        /// The client reported it.
        Reported = "reported",
        /// It is estimated from the log of events.
        Estimated = "estimated",
    }
}

/// What came of a unit of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkUnitOutcome {
    /// Whether it was done.
    pub succeeded: bool,
    /// The files it changed.
    pub files_modified: Vec<RepoPath>,
    /// What was decided on the way.
    pub key_decisions: Vec<String>,
    /// Steps it took.
    pub steps_taken: u32,
    /// Tokens of context it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens_used: Option<u64>,
    /// How their number is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens_from: Option<TokensFrom>,
    /// How often it was tried again.
    pub retry_count: u32,
    /// Why it failed; only a unit that did not succeed has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
}

/// How many tokens work in a module takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextCost {
    /// The module.
    pub module: String,
    /// The mean over sessions.
    pub average_tokens_per_session: f64,
    /// The 90th percentile, for planning.
    pub p90_tokens_per_session: f64,
    /// How many sessions this rests on.
    pub sample_count: u32,
}

impl Details {
    /// The most bytes the details of one memory may take as JSON.
    pub const MAX_BYTES: usize = 16 * 1024;

    /// The type these details belong to.
    pub fn memory_type(&self) -> MemoryType {
        let builtin = match self {
            Details::Plain(PlainType::Gotcha) => BuiltinType::Gotcha,
            Details::Plain(PlainType::Decision) => BuiltinType::Decision,
            Details::Plain(PlainType::Preference) => BuiltinType::Preference,
            Details::Plain(PlainType::Pattern) => BuiltinType::Pattern,
            Details::Plain(PlainType::Requirement) => BuiltinType::Requirement,
            Details::Plain(PlainType::ErrorPattern) | Details::ErrorPattern(_) => {
                BuiltinType::ErrorPattern
            }
            Details::Plain(PlainType::ModuleInsight) => BuiltinType::ModuleInsight,
            Details::Plain(PlainType::Workflow) => BuiltinType::Workflow,
            Details::Plain(PlainType::CausalDependency) => BuiltinType::CausalDependency,
            Details::PrefetchPattern(_) => BuiltinType::PrefetchPattern,
            Details::WorkState(_) => BuiltinType::WorkState,
            Details::TaskCalibration(_) => BuiltinType::TaskCalibration,
            Details::E2eObservation(_) => BuiltinType::E2eObservation,
            Details::Plain(PlainType::DeadEnd) | Details::DeadEnd(_) => BuiltinType::DeadEnd,
            Details::WorkUnitOutcome(_) => BuiltinType::WorkUnitOutcome,
            Details::WorkflowRecipe(_) => BuiltinType::WorkflowRecipe,
            Details::ContextCost(_) => BuiltinType::ContextCost,
            Details::Custom(custom, _) => return MemoryType::Custom(custom.clone()),
        };
        MemoryType::Builtin(builtin)
    }

    /// The fields as JSON; `None` for the types that are text alone.
    pub fn to_json(&self) -> Option<Value> {
        let value = match self {
            Details::Plain(_) => return None,
            Details::WorkState(fields) | Details::Custom(_, fields) => {
                return Some(Value::Object(fields.clone()));
            }
            Details::ErrorPattern(fields) => serde_json::to_value(fields),
            Details::PrefetchPattern(fields) => serde_json::to_value(fields),
            Details::TaskCalibration(fields) => serde_json::to_value(fields),
            Details::E2eObservation(fields) => serde_json::to_value(fields),
            Details::DeadEnd(fields) => serde_json::to_value(fields),
            Details::WorkUnitOutcome(fields) => serde_json::to_value(fields),
            Details::WorkflowRecipe(fields) => serde_json::to_value(fields),
            Details::ContextCost(fields) => serde_json::to_value(fields),
        };
        value.ok()
    }

    /// The details of a type from JSON. Types that are text alone take none; the others need
    /// theirs.
    pub fn from_json(kind: &MemoryType, json: Option<Value>) -> Result<Details, FieldError> {
        if json.as_ref().is_some_and(|json| json.to_string().len() > Details::MAX_BYTES) {
            let rule = format!("details take more than {} bytes", Details::MAX_BYTES);
            return Err(FieldError::new("details", Problem::rule(rule)));
        }
        let builtin = match kind {
            MemoryType::Builtin(builtin) => *builtin,
            MemoryType::Custom(custom) => {
                let fields = object(json.unwrap_or_else(|| Value::Object(Map::new())))?;
                return Ok(Details::Custom(custom.clone(), fields));
            }
        };
        if let Some(plain) = PlainType::of(builtin) {
            return match json {
                None => Ok(Details::Plain(plain)),
                Some(json) if plain == PlainType::ErrorPattern => {
                    Ok(Details::ErrorPattern(typed(json)?))
                }
                Some(json) if plain == PlainType::DeadEnd => Ok(Details::DeadEnd(typed(json)?)),
                Some(_) => Err(FieldError::new(
                    "details",
                    Problem::rule(format!("a `{kind}` has no details; leave them out")),
                )),
            };
        }
        let json = json.ok_or_else(|| {
            let rule = format!("a `{kind}` needs its details; `{}`", example(builtin));
            FieldError::new("details", Problem::rule(rule))
        })?;
        let details = match builtin {
            BuiltinType::PrefetchPattern => Details::PrefetchPattern(typed(json)?),
            BuiltinType::WorkState => Details::WorkState(object(json)?),
            BuiltinType::TaskCalibration => Details::TaskCalibration(typed(json)?),
            BuiltinType::E2eObservation => Details::E2eObservation(typed(json)?),
            BuiltinType::WorkUnitOutcome => Details::WorkUnitOutcome(typed(json)?),
            BuiltinType::WorkflowRecipe => Details::WorkflowRecipe(typed(json)?),
            _ => Details::ContextCost(typed(json)?),
        };
        details.check_rules()?;
        Ok(details)
    }

    fn check_rules(&self) -> Result<(), FieldError> {
        let rule = |field: &str, text: &str| Err(FieldError::new(field, Problem::rule(text)));
        match self {
            Details::WorkUnitOutcome(outcome)
                if outcome.succeeded && outcome.failure_reason.is_some() =>
            {
                rule("details.failure_reason", "a unit that succeeded has no failure reason")
            }
            Details::WorkflowRecipe(recipe) if recipe.steps.is_empty() => {
                rule("details.steps", "a recipe needs at least one step")
            }
            Details::WorkflowRecipe(recipe)
                if recipe.steps.iter().zip(1..).any(|(step, place)| step.order != place) =>
            {
                rule("details.steps", "steps are numbered 1, 2, 3 in order")
            }
            Details::WorkflowRecipe(recipe)
                if recipe.steps.iter().any(|s| s.description.is_none() && s.action.is_none()) =>
            {
                rule("details.steps", "each step needs a `description`")
            }
            _ => Ok(()),
        }
    }
}

impl PlainType {
    fn of(builtin: BuiltinType) -> Option<PlainType> {
        Some(match builtin {
            BuiltinType::Gotcha => PlainType::Gotcha,
            BuiltinType::Decision => PlainType::Decision,
            BuiltinType::Preference => PlainType::Preference,
            BuiltinType::Pattern => PlainType::Pattern,
            BuiltinType::Requirement => PlainType::Requirement,
            BuiltinType::ErrorPattern => PlainType::ErrorPattern,
            BuiltinType::ModuleInsight => PlainType::ModuleInsight,
            BuiltinType::Workflow => PlainType::Workflow,
            BuiltinType::CausalDependency => PlainType::CausalDependency,
            BuiltinType::DeadEnd => PlainType::DeadEnd,
            _ => return None,
        })
    }
}

fn typed<T: for<'de> Deserialize<'de>>(json: Value) -> Result<T, FieldError> {
    serde_path_to_error::deserialize(json).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "details".into() } else { format!("details.{path}") };
        FieldError::new(field, Problem::rule(error.into_inner().to_string()))
    })
}

fn object(json: Value) -> Result<Map<String, Value>, FieldError> {
    match json {
        Value::Object(fields) => Ok(fields),
        other => Err(FieldError::new(
            "details",
            Problem::unexpected(&other.to_string(), "a JSON object"),
        )),
    }
}

/// What the details of a type look like, for the message that asks for them.
fn example(builtin: BuiltinType) -> &'static str {
    match builtin {
        BuiltinType::PrefetchPattern => {
            r#"{"always_read_files":[],"frequently_read_files":[],"module_trigger":"auth","session_count":3}"#
        }
        BuiltinType::TaskCalibration => {
            r#"{"module":"auth","methodology":"native","average_actual_steps":12,"average_planned_steps":8,"ratio":1.5,"sample_count":4}"#
        }
        BuiltinType::E2eObservation => {
            r#"{"observation_type":"timing","mcp_tool_used":"click_by_text"}"#
        }
        BuiltinType::WorkUnitOutcome => {
            r#"{"succeeded":true,"files_modified":[],"key_decisions":[],"steps_taken":9,"retry_count":0}"#
        }
        BuiltinType::WorkflowRecipe => {
            r#"{"task_pattern":"adding a command","steps":[{"order":1,"description":"…"}],"last_validated_at":"2026-11-15T10:00:00Z","success_count":1}"#
        }
        BuiltinType::ContextCost => {
            r#"{"module":"auth","average_tokens_per_session":9000,"p90_tokens_per_session":15000,"sample_count":5}"#
        }
        _ => "{}",
    }
}
