//! Maps settings of other memory tools to our configuration keys: the `memory-config.json` of
//! structured records, and the front matter of a `*.local.md`. They are imported once; those files
//! are not read again.

use serde_json::Value;

use crate::BridgeError;
use crate::front_matter::FrontMatter;

/// The prefix of the relevant fields in a `*.local.md`.
const PREFIX: &str = "memory_";
const UNKNOWN_SETTING: &str = "no corresponding setting";
const DEFAULT: &str = "on unless you turn it off";
const UNKNOWN_CATEGORY: &str = "unknown record category";
const CATEGORIES: [&str; 6] =
    ["session_summary", "decision", "runbook", "constraint", "tech_debt", "preference"];

/// A setting of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignSetting {
    /// The path in its file, such as `triage.parallel.enabled`.
    pub path: String,
    /// Tacit's key and value, or the reason why there is none.
    pub mapping: Result<(String, String), &'static str>,
}

/// Returns true if JSON is a settings file.
pub(crate) fn is_config(value: &Value) -> bool {
    ["categories", "triage", "retrieval", "delete"].iter().any(|name| value[name].is_object())
        && value.get("content").is_none()
}

/// Returns true if the front matter contains settings.
pub(crate) fn is_local(front: &FrontMatter) -> bool {
    front.keys().any(|key| key.starts_with(PREFIX))
}

/// Reads the settings in a file.
pub fn read(bytes: &[u8]) -> Result<Vec<ForeignSetting>, BridgeError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| BridgeError::NotText { at: error.valid_up_to() })?;
    let text = tacit_core::clean(text.trim_start_matches('\u{feff}')).text;
    if let Some((front, _, _)) = FrontMatter::split(&text) {
        return Ok(front_matter_settings(&front));
    }
    let value: Value = serde_json::from_str(&text).map_err(|error| BridgeError::Line {
        line: error.line(),
        problem: format!("not valid JSON: {error}"),
    })?;
    let mut settings = Vec::new();
    collect(&mut Vec::new(), &value, &mut settings);
    Ok(settings)
}

fn front_matter_settings(front: &FrontMatter) -> Vec<ForeignSetting> {
    let fields = front.keys().filter(|key| key.starts_with(PREFIX));
    let settings = fields.map(|name| {
        let key = match name {
            "memory_model_capture_mode" => Ok("capture.mode"),
            "memory_silent_capture_budget" => Ok("capture.silent_budget"),
            _ => Err(UNKNOWN_SETTING),
        };
        let value = front.one(name).unwrap_or_default();
        ForeignSetting {
            path: name.to_owned(),
            mapping: key.map(|key| (key.to_owned(), value.to_owned())),
        }
    });
    settings.collect()
}

/// Collects every value in a JSON object with its path.
fn collect<'a>(path: &mut Vec<&'a str>, value: &'a Value, settings: &mut Vec<ForeignSetting>) {
    if let Value::Object(fields) = value {
        for (name, value) in fields {
            path.push(name);
            collect(path, value, settings);
            path.pop();
        }
        return;
    }
    let text = match value {
        // A description may span several lines.
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    let mapping = turned_off(path, value).map_or_else(
        || key(path).map(|key| (key, text)),
        |(key, value)| Ok((key.into(), value.into())),
    );
    settings.push(ForeignSetting { path: path.join("."), mapping });
}

/// Returns the setting that turns off the same here, for values that turn a part off.
fn turned_off(path: &[&str], value: &Value) -> Option<(&'static str, &'static str)> {
    match path {
        ["triage", "enabled"] if *value == Value::Bool(false) => Some(("capture.extractor", "off")),
        ["retrieval", "enabled"] if *value == Value::Bool(false) => {
            Some(("hooks.tokens.prompt", "0"))
        }
        ["retrieval", "max_inject"] if value.as_i64().is_some_and(|most| most <= 0) => {
            Some(("hooks.tokens.prompt", "0"))
        }
        _ => None,
    }
}

/// Returns the corresponding configuration key.
fn key(path: &[&str]) -> Result<String, &'static str> {
    let category = |name: &str| {
        let name = name.to_ascii_lowercase();
        if CATEGORIES.contains(&name.as_str()) { Ok(name) } else { Err(UNKNOWN_CATEGORY) }
    };
    let record_key = |name: &str, field: &str| Ok(format!("records.{}.{field}", category(name)?));
    match path {
        ["categories", "session_summary", "max_retained"] => {
            record_key("session_summary", "max_retained")
        }
        [
            "categories",
            name,
            field @ ("enabled" | "description" | "auto_capture" | "retention_days"),
        ] => record_key(name, field),
        ["triage", "parallel", "category_models", name] => {
            Ok(format!("records.models.{}", category(name)?))
        }
        ["triage", "thresholds", name] => record_key(name, "threshold"),
        ["triage", "parallel", "enabled"] => Ok("records.parallel".into()),
        ["triage", "parallel", "verification_model"] => Ok("records.models.verification".into()),
        ["triage", "parallel", "default_model"] => Ok("records.models.default".into()),
        ["retrieval", "max_inject"] => Ok("records.max_inject".into()),
        ["max_memories_per_category"] => Ok("records.max_per_category".into()),
        ["delete", "grace_period_days"] => Ok("records.grace_days".into()),
        ["delete", "archive_retired"] => Ok("records.archive_retired".into()),
        ["triage" | "retrieval", "enabled"] => Err(DEFAULT),
        _ => Err(UNKNOWN_SETTING),
    }
}
