//! What a text model is asked for a draft and for its verification, and how its answers are read.
//! Pure: who asks is not decided here.
//!
//! Answers are text from a stranger. One that is not exactly in the form that was asked for is
//! refused as a whole.

use serde_json::{Map, Value};
use tacit_core::harmless;

use crate::action::RecordAction;
use crate::category::RecordCategory;
use crate::record::Record;
use crate::shape::{schema_of, shown};

const DRAFT: &str = include_str!("../../prompts/draft.md");
const VERIFY: &str = include_str!("../../prompts/verify.md");
/// The most tokens of a draft.
const DRAFT_TOKENS: u32 = 1_500;
/// The most tokens of a verdict.
const VERDICT_TOKENS: u32 = 400;
/// No model is surer than this of what it was not told outright.
const MOST_CONFIDENT: f64 = 0.9;
/// The fields of a record that a model may write.
const FIELDS: [&str; 4] = ["title", "tags", "confidence", "content"];

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelPrompt {
    /// What it is to do.
    pub system: String,
    /// What it is to do it with.
    pub user: String,
    /// How many tokens it may write.
    pub max_tokens: u32,
}

/// What a model wants done.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDraft {
    /// The action.
    pub action: RecordAction,
    /// The record, or what is new of it; empty where nothing is written.
    pub record: Map<String, Value>,
    /// What changed, or why.
    pub why: String,
}

/// Asks for a draft from an excerpt, given the record that it may belong to.
pub fn ask_draft(
    category: RecordCategory,
    excerpt: &str,
    candidate: Option<&Record>,
) -> ModelPrompt {
    let schema = schema_of(category.shape());
    let system =
        format!("{DRAFT}\nThe category is `{category}`. Its content has this form:\n{schema}\n");
    let known = candidate.map_or_else(String::new, |record| {
        let text = harmless(&format!("{:#}", record.to_json()));
        format!("\nThe record that may be about the same:\n<record_data>\n{text}\n</record_data>\n")
    });
    ModelPrompt { system, user: format!("{excerpt}{known}"), max_tokens: DRAFT_TOKENS }
}

/// Asks whether a draft says only what the excerpt says.
pub fn ask_verdict(draft: &Map<String, Value>, excerpt: &str) -> ModelPrompt {
    let draft = harmless(&format!("{:#}", Value::Object(draft.clone())));
    let user = format!("{excerpt}\n<draft_data>\n{draft}\n</draft_data>\n");
    ModelPrompt { system: VERIFY.to_owned(), user, max_tokens: VERDICT_TOKENS }
}

/// Reads the answer to [`ask_draft`]; else why it is of no use.
pub fn read_draft(answer: &str) -> Result<ModelDraft, String> {
    let mut fields = object(answer, &["action", "record", "change", "reason"])?;
    let action = fields.get("action").and_then(Value::as_str).unwrap_or_default();
    let action: RecordAction =
        action.parse().map_err(|problem: tacit_core::Problem| problem.to_string())?;
    let why = ["change", "reason"].iter().find_map(|name| fields.get(*name)?.as_str());
    let why = why.unwrap_or_default().trim().to_owned();
    let record = match (action, fields.remove("record")) {
        (RecordAction::Create | RecordAction::Update, Some(Value::Object(record))) => {
            written(record)?
        }
        (RecordAction::Create | RecordAction::Update, _) => {
            return Err(format!("{action} without a record"));
        }
        (RecordAction::Delete | RecordAction::Noop, None) => Map::new(),
        (RecordAction::Delete | RecordAction::Noop, Some(_)) => {
            return Err(format!("{action} with a record"));
        }
    };
    if matches!(action, RecordAction::Update | RecordAction::Delete) && why.is_empty() {
        return Err(format!("{action} without saying why"));
    }
    Ok(ModelDraft { action, record, why })
}

/// Reads the answer to [`ask_verdict`]: what is wrong with the draft, nothing if it passes.
pub fn read_verdict(answer: &str) -> Result<Vec<String>, String> {
    let fields = object(answer, &["verdict", "issues"])?;
    let issues: Vec<String> = fields
        .get("issues")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|issue| shown(issue).into_owned())
        .collect();
    match fields.get("verdict").and_then(Value::as_str) {
        Some("PASS") => Ok(Vec::new()),
        Some("FAIL") if issues.is_empty() => Ok(vec!["it did not pass".to_owned()]),
        Some("FAIL") => Ok(issues),
        _ => Err("the verdict is neither PASS nor FAIL".to_owned()),
    }
}

/// What a model may write of a record, and no more.
fn written(mut record: Map<String, Value>) -> Result<Map<String, Value>, String> {
    if let Some(name) = record.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(format!("a record with `{name}`"));
    }
    for name in ["title", "content"] {
        if !record.contains_key(name) {
            return Err(format!("a record without `{name}`"));
        }
    }
    if let Some(confidence) = record.get_mut("confidence")
        && confidence.as_f64().is_some_and(|number| number > MOST_CONFIDENT)
    {
        *confidence = MOST_CONFIDENT.into();
    }
    Ok(record)
}

/// One JSON object with no fields but these. Many models cannot help putting it into a fence.
fn object(answer: &str, names: &[&str]) -> Result<Map<String, Value>, String> {
    let text = answer.trim();
    let text = match text.strip_prefix("```") {
        Some(fenced) => fenced.strip_prefix("json").unwrap_or(fenced).trim_end_matches('`'),
        None => text,
    };
    match serde_json::from_str(text.trim()) {
        Ok(Value::Object(fields)) => match fields.keys().find(|n| !names.contains(&n.as_str())) {
            Some(name) => Err(format!("a field `{name}` that was not asked for")),
            None => Ok(fields),
        },
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}
