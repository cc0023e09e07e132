//! What a tool gives back: an answer, or why there is none.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tacit_app::{AppError, ErrorCode};
use tacit_core::{FieldError, Problem};
use tacit_engine::EngineError;
use tacit_store::StoreError;

/// The most characters of a refusal: it may quote what was sent, which can be of any size.
const LONGEST_REFUSAL: usize = 1_000;

/// The result of a tool.
pub(crate) type ToolResult = Result<ToolAnswer, ToolError>;

/// What a tool found or did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolAnswer {
    /// For the agent to read.
    pub(crate) text: String,
    /// The same for programs, as the tool's schema says.
    pub(crate) value: Value,
}

/// Why a tool did nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolError {
    /// In words, for the agent to read.
    Message(String),
    /// There is no such thing.
    NotFound(String),
    /// Whoever asked does not want it any more.
    Cancelled,
}

impl ToolError {
    /// A refusal as agents read it.
    pub(crate) fn error(text: impl AsRef<str>) -> ToolError {
        ToolError::Message(format!("Error: {}", text.as_ref()))
    }

    /// The words.
    pub(crate) fn text(&self) -> String {
        let text = match self {
            ToolError::Message(text) | ToolError::NotFound(text) => text,
            ToolError::Cancelled => "Error: the call was cancelled",
        };
        shortened(text, LONGEST_REFUSAL)
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> ToolError {
        let hint = match &error {
            EngineError::NoSuchMemory { .. } | EngineError::NotAnId { .. } => {
                return ToolError::NotFound(format!(
                    "Error: {error}. Ids are eight hexadecimal digits, as `memory_search` shows them."
                ));
            }
            EngineError::NotInitialised { .. } => ". The user can create one with `tacit init`",
            EngineError::Store(StoreError::Busy) => ". Try again in a moment",
            EngineError::Store(StoreError::Damaged { .. }) => {
                ". The user can save what can be read with `tacit doctor --fix`"
            }
            EngineError::PersonOnly(_) => ". Ask the user to do it in a terminal of their own",
            EngineError::Resurrection { .. } => {
                ". It is not stored again; ask the user if it must be"
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

/// What is wrong with a field, in words.
pub(crate) fn field(name: &str, problem: Problem) -> ToolError {
    ToolError::error(FieldError::new(name, problem).to_string())
}

/// The arguments of a call.
pub(crate) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let what = shortened(&error.inner().to_string(), LONGEST_REFUSAL / 2)
            .replace("expected u64", "expected a whole number");
        match path.as_str() {
            "." => ToolError::error(what),
            path => ToolError::error(format!("`{path}`: {what}")),
        }
    })
}

/// The beginning of a text.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
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

    fn refused(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        read::<Sample>(arguments).expect_err("a refusal").text()
    }

    #[test]
    fn arguments_that_do_not_fit_are_named() {
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
            assert_eq!(refused(arguments), expected);
        }
        let null = json!({"name": "a", "tags": null});
        let Value::Object(null) = null else { panic!("not an object") };
        assert_eq!(read(null), Ok(Sample { name: "a".into(), tags: None, limit: None }));
    }

    #[test]
    fn a_refusal_is_short_whatever_was_sent() {
        let huge = "x".repeat(10 << 20);
        assert!(refused(json!({"name": "a", huge: 1})).chars().count() < 1_100);
        assert!(ToolError::error("é".repeat(5_000)).text().chars().count() < 1_100);
    }
}
