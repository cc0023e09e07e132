//! Settings of other memory tools, by the keys that stand for the same here: the
//! `memory-config.json` of structured records, and the fields at the beginning of a `*.local.md`.
//! They are taken over once; nothing reads those files again.

use serde_json::Value;

use crate::BridgeError;
use crate::front_matter::FrontMatter;

/// What the fields of a `*.local.md` that are ours begin with.
const OURS: &str = "memory_";
const NOT_KNOWN: &str = "nothing here is set by it";
const NO_CATEGORY: &str = "there is no such category of records";
const CATEGORIES: [&str; 6] =
    ["session_summary", "decision", "runbook", "constraint", "tech_debt", "preference"];

/// One setting of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignSetting {
    /// Where it is in its file, such as `triage.parallel.enabled`.
    pub path: String,
    /// The key and the value here, or why there is none.
    pub mapping: Result<(String, String), &'static str>,
}

/// Returns true if JSON is a file of settings.
pub(crate) fn is_config(value: &Value) -> bool {
    ["categories", "triage", "retrieval", "delete"].iter().any(|name| value[name].is_object())
        && value.get("content").is_none()
}

/// Returns true if a markdown file begins with settings.
pub(crate) fn is_local(front: &FrontMatter) -> bool {
    front.keys().any(|key| key.starts_with(OURS))
}

/// Reads the settings in a file.
pub fn read(bytes: &[u8]) -> Result<Vec<ForeignSetting>, BridgeError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| BridgeError::NotText { at: error.valid_up_to() })?;
    let text = tacit_core::clean(text.trim_start_matches('\u{feff}')).text;
    if let Some((front, _, _)) = FrontMatter::split(&text) {
        return Ok(local(&front));
    }
    let value: Value = serde_json::from_str(&text).map_err(|error| BridgeError::Line {
        line: error.line(),
        problem: format!("it is not valid JSON: {error}"),
    })?;
    let mut settings = Vec::new();
    leaves(&mut Vec::new(), &value, &mut settings);
    Ok(settings)
}

fn local(front: &FrontMatter) -> Vec<ForeignSetting> {
    let ours = front.keys().filter(|key| key.starts_with(OURS));
    let settings = ours.map(|name| {
        let key = match name {
            "memory_model_capture_mode" => Ok("capture.mode"),
            "memory_silent_capture_budget" => Ok("capture.silent_budget"),
            _ => Err(NOT_KNOWN),
        };
        let value = front.one(name).unwrap_or_default();
        ForeignSetting {
            path: name.to_owned(),
            mapping: key.map(|key| (key.to_owned(), value.to_owned())),
        }
    });
    settings.collect()
}

/// Returns every value inside a JSON object, by its path.
fn leaves<'a>(path: &mut Vec<&'a str>, value: &'a Value, settings: &mut Vec<ForeignSetting>) {
    if let Value::Object(fields) = value {
        for (name, value) in fields {
            path.push(name);
            leaves(path, value, settings);
            path.pop();
        }
        return;
    }
    let text = match value {
        // A description may go on over several lines.
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    settings
        .push(ForeignSetting { path: path.join("."), mapping: key(path).map(|key| (key, text)) });
}

/// Returns the key that stands for the same here.
fn key(path: &[&str]) -> Result<String, &'static str> {
    let category = |name: &str| {
        let name = name.to_ascii_lowercase();
        if CATEGORIES.contains(&name.as_str()) { Ok(name) } else { Err(NO_CATEGORY) }
    };
    let of = |name: &str, field: &str| Ok(format!("records.{}.{field}", category(name)?));
    match path {
        ["categories", "session_summary", "max_retained"] => of("session_summary", "max_retained"),
        [
            "categories",
            name,
            field @ ("enabled" | "description" | "auto_capture" | "retention_days"),
        ] => of(name, field),
        ["triage", "parallel", "category_models", name] => of(name, "model"),
        ["triage", "thresholds", name] => of(name, "threshold"),
        ["triage", "parallel", "enabled"] => Ok("records.parallel".into()),
        ["triage", "parallel", "verification_model"] => Ok("records.verification_model".into()),
        ["triage", "parallel", "default_model"] => Ok("records.default_model".into()),
        ["retrieval", "max_inject"] => Ok("records.max_inject".into()),
        ["max_memories_per_category"] => Ok("records.max_per_category".into()),
        ["delete", "grace_period_days"] => Ok("records.grace_days".into()),
        ["delete", "archive_retired"] => Ok("records.archive_retired".into()),
        _ => Err(NOT_KNOWN),
    }
}
