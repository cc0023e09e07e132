//! Prompts for drafting and verifying records with a text model, and parsing of its answers. Pure:
//! the caller runs the model.
//!
//! Answers are untrusted. An answer that is not exactly in the requested format is rejected.

use serde_json::{Map, Value};
use tacit_core::escape_tags;

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
/// The most confidence that a model may claim.
const MAX_CONFIDENCE: f64 = 0.9;
/// The fields of a record that a model may write.
const FIELDS: [&str; 4] = ["title", "tags", "confidence", "content"];

/// A prompt for a text model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelPrompt {
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The most tokens of the answer.
    pub max_tokens: u32,
}

/// The draft of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDraft {
    /// The action.
    pub action: RecordAction,
    /// The record or its new parts; empty if nothing is written.
    pub record: Map<String, Value>,
    /// The change or the reason.
    pub why: String,
}

/// Builds the prompt for a draft, given the record it may belong to.
pub fn ask_draft(
    category: RecordCategory,
    excerpt: &str,
    candidate: Option<&Record>,
) -> ModelPrompt {
    let schema = schema_of(category.shape());
    let system =
        format!("{DRAFT}\nThe category is `{category}`. Its content has this form:\n{schema}\n");
    let known = candidate.map_or_else(String::new, |record| {
        let text = escape_tags(&format!("{:#}", record.to_json()));
        format!("\nThe record that may be about the same:\n<record_data>\n{text}\n</record_data>\n")
    });
    ModelPrompt { system, user: format!("{excerpt}{known}"), max_tokens: DRAFT_TOKENS }
}

/// Builds the prompt that checks a draft against the excerpt.
pub fn ask_verdict(draft: &Map<String, Value>, excerpt: &str) -> ModelPrompt {
    let draft = escape_tags(&format!("{:#}", Value::Object(draft.clone())));
    let user = format!("{excerpt}\n<draft_data>\n{draft}\n</draft_data>\n");
    ModelPrompt { system: VERIFY.to_owned(), user, max_tokens: VERDICT_TOKENS }
}

/// Parses the answer to [`ask_draft`], or returns why it is invalid.
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

/// Parses the answer to [`ask_verdict`]. Returns the issues; none if the draft passes.
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

/// Validates the fields that a model may write.
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
        && confidence.as_f64().is_some_and(|number| number > MAX_CONFIDENCE)
    {
        *confidence = MAX_CONFIDENCE.into();
    }
    Ok(record)
}

/// Parses one JSON object with only these fields. Many models put it into a fence.
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
