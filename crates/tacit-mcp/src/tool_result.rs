//! The result of a tool: an answer or an error.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tacit_agents::NOTES_NOTICE;
use tacit_app::{AppError, ErrorCode};
use tacit_core::{FieldError, Problem};
use tacit_engine::EngineError;
use tacit_store::StoreError;

/// The most characters of an error: it may quote arguments, which can have any size.
const MAX_ERROR: usize = 1_000;

/// The result of a tool.
pub(crate) type ToolResult = Result<ToolAnswer, ToolError>;

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolAnswer {
    /// The text for the agent.
    pub(crate) text: String,
    /// The value for programs, in the format of the tool's output schema.
    pub(crate) value: Value,
}

impl ToolAnswer {
    /// Creates an answer that is one message. Clients hand the model the text or the value, so both
    /// have it.
    pub(crate) fn message(text: impl Into<String>, value: Value) -> ToolAnswer {
        let text = text.into();
        let value = with_first("message", &text, value);
        ToolAnswer { text, value }
    }

    /// Creates an answer with stored text, which is fenced in `text`. The value says as well that it
    /// is not an instruction.
    pub(crate) fn notes(text: String, value: Value) -> ToolAnswer {
        ToolAnswer { text, value: with_first("notice", NOTES_NOTICE, value) }
    }

    /// Creates an answer with stored text in lines of its own, without a fence.
    pub(crate) fn unfenced_notes(lines: &str, value: Value) -> ToolAnswer {
        ToolAnswer::notes(format!("{NOTES_NOTICE}\n{lines}"), value)
    }
}

/// Puts a field before the others, where a model reads it first. Output schemas do not declare it:
/// they allow further fields, and definitions of tools must stay short.
fn with_first(name: &str, text: &str, value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let mut all = Map::new();
    all.insert(name.to_owned(), Value::from(text));
    all.extend(fields);
    Value::Object(all)
}

/// The error of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolError {
    /// A message for the agent.
    Message(String),
    /// The thing does not exist; a message for the agent.
    NotFound(String),
    /// The client cancelled the call.
    Cancelled,
}

impl ToolError {
    /// Creates an error with `Error: ` before the text.
    pub(crate) fn error(text: impl AsRef<str>) -> ToolError {
        ToolError::Message(format!("Error: {}", text.as_ref()))
    }

    /// Returns the message, shortened.
    pub(crate) fn text(&self) -> String {
        let text = match self {
            ToolError::Message(text) | ToolError::NotFound(text) => text,
            ToolError::Cancelled => "Error: the call was cancelled",
        };
        shortened(text, MAX_ERROR)
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> ToolError {
        let hint = match &error {
            EngineError::NoSuchMemory { .. } | EngineError::NotAnId { .. } => {
                return ToolError::NotFound(format!(
                    "Error: {error}. Ids are eight hexadecimal digits, as shown by `memory_search`."
                ));
            }
            EngineError::NotInitialised { .. } => ". The user can create one with `tacit init`",
            EngineError::Store(StoreError::Busy) => ". Try again in a moment",
            EngineError::Store(StoreError::Damaged { .. }) => {
                ". The user can recover what can be read with `tacit doctor --fix`"
            }
            EngineError::PersonOnly(_) => ". Ask the user to do it in a terminal",
            EngineError::RecentlyForgotten { .. } => {
                ". It was not stored again; ask the user if it should be"
            }
            EngineError::Ambiguous { matches, .. } => {
                let ids: Vec<String> =
                    matches.iter().take(8).map(|memory| memory.id.to_string()).collect();
                return ToolError::error(format!("{error}: {}", ids.join(", ")));
            }
            _ => "",
        };
        ToolError::error(format!("{error}{hint}"))
    }
}

impl From<AppError> for ToolError {
    fn from(error: AppError) -> ToolError {
        let AppError { message, hint, code, cause, .. } = error;
        if let Some(cause) = cause {
            return cause.into();
        }
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        let text = format!("Error: {message}{hint}");
        if code == ErrorCode::NotFound {
            ToolError::NotFound(text)
        } else {
            ToolError::Message(text)
        }
    }
}

/// Creates an error about an argument.
pub(crate) fn field(name: &str, problem: Problem) -> ToolError {
    ToolError::error(FieldError::new(name, problem).to_string())
}

/// Parses the arguments of a call.
pub(crate) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let what = shortened(&error.inner().to_string(), MAX_ERROR / 2)
            .replace("expected u64", "expected a whole number");
        match path.as_str() {
            "." => ToolError::error(what),
            path => ToolError::error(format!("`{path}`: {what}")),
        }
    })
}

/// Cuts a text to at most `max` characters.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        name: String,
        tags: Option<Vec<String>>,
        limit: Option<u64>,
    }

    fn parse_error(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        read::<Sample>(arguments).expect_err("a refusal").text()
    }

    #[test]
    fn errors_name_the_invalid_argument() {
        for (arguments, expected) in [
            (json!({}), "Error: missing field `name`"),
            (json!({"name": 5}), "Error: `name`: invalid type: integer `5`, expected a string"),
            (
                json!({"name": "a", "tags": ["b", 1]}),
                "Error: `tags[1]`: invalid type: integer `1`, expected a string",
            ),
            (
                json!({"name": "a", "tag": []}),
                "Error: `tag`: unknown field `tag`, expected one of `name`, `tags`, `limit`",
            ),
            (
                json!({"name": "a", "limit": -1}),
                "Error: `limit`: invalid value: integer `-1`, expected a whole number",
            ),
        ] {
            assert_eq!(parse_error(arguments), expected);
        }
        let null = json!({"name": "a", "tags": null});
        let Value::Object(null) = null else { panic!("not an object") };
        assert_eq!(read(null), Ok(Sample { name: "a".into(), tags: None, limit: None }));
    }

    #[test]
    fn errors_are_short_for_any_arguments() {
        let huge = "x".repeat(10 << 20);
        assert!(parse_error(json!({"name": "a", huge: 1})).chars().count() < 1_100);
        assert!(ToolError::error("é".repeat(5_000)).text().chars().count() < 1_100);
    }
}
