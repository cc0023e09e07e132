//! The fields of payloads, as clients write them.
//!
//! Clients use mostly the same names; other spellings are aliases or separate fields. A field with
//! an unexpected value counts as missing, so that a client that changes an unimportant field does
//! not disable its hooks.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

/// The reason why a payload cannot be parsed.
#[derive(Debug, Error)]
pub enum PayloadError {
    /// The payload is not an object.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// The JSON is invalid.
    #[error("the payload is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A required field is missing.
    #[error("the payload has no `{0}`")]
    Missing(&'static str),
}

/// The fields of the payloads of all clients.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload<'a> {
    #[serde(alias = "hookEventName", alias = "eventName")]
    pub(crate) hook_event_name: Text,
    #[serde(alias = "sessionId", alias = "sessionID")]
    pub(crate) session_id: Text,
    pub(crate) conversation_id: Text,
    #[serde(alias = "transcriptPath")]
    pub(crate) transcript_path: Text,
    pub(crate) cwd: Text,
    pub(crate) workspace_roots: Texts,
    #[serde(alias = "agentId", alias = "subagent_id")]
    pub(crate) agent_id: Text,
    #[serde(alias = "agentType", alias = "subagent_type")]
    pub(crate) agent_type: Text,
    #[serde(rename = "agentName")]
    pub(crate) agent_name: Text,
    /// The session in which Copilot started a subagent, whose own identifier is `sessionId` then.
    #[serde(rename = "parentAgentId")]
    pub(crate) parent_agent_id: Text,
    pub(crate) source: Text,
    #[serde(alias = "permissionMode")]
    pub(crate) permission_mode: Text,
    pub(crate) model: Text,
    pub(crate) prompt: Text,
    #[serde(alias = "toolName")]
    pub(crate) tool_name: Text,
    #[serde(borrow, alias = "toolArgs", alias = "toolInput")]
    pub(crate) tool_input: Option<&'a RawValue>,
    #[serde(borrow, alias = "toolResult", alias = "tool_output", alias = "result_json")]
    pub(crate) tool_response: Option<&'a RawValue>,
    #[serde(alias = "toolUseId", alias = "toolCallId")]
    pub(crate) tool_use_id: Text,
    pub(crate) mcp_server: Option<McpServer>,
    pub(crate) mcp_context: Lenient<McpContext>,
    pub(crate) error: Text,
    #[serde(alias = "errorMessage")]
    pub(crate) error_message: Text,
    pub(crate) failure_type: Text,
    pub(crate) is_interrupt: Flag,
    #[serde(alias = "durationMs", alias = "duration")]
    pub(crate) duration_ms: Lenient<f64>,
    #[serde(borrow)]
    pub(crate) tool_calls: Option<Vec<WireCall<'a>>>,
    pub(crate) stop_hook_active: Flag,
    pub(crate) last_assistant_message: Text,
    pub(crate) prompt_response: Text,
    #[serde(alias = "agentTranscriptPath")]
    pub(crate) agent_transcript_path: Text,
    #[serde(alias = "response")]
    pub(crate) summary: Text,
    pub(crate) trigger: Text,
    #[serde(alias = "customInstructions")]
    pub(crate) custom_instructions: Text,
    pub(crate) compact_summary: Text,
    pub(crate) reason: Text,
    pub(crate) command: Text,
    pub(crate) output: Text,
    pub(crate) file_path: Text,
    pub(crate) edits: Option<Vec<WireEdit>>,
}

/// A call in a batch.
#[derive(Debug, Deserialize)]
pub(crate) struct WireCall<'a> {
    #[serde(default)]
    pub(crate) tool_name: Text,
    #[serde(default, borrow)]
    pub(crate) tool_input: Option<&'a RawValue>,
    #[serde(default)]
    pub(crate) tool_use_id: Text,
    #[serde(default, borrow)]
    pub(crate) tool_response: Option<&'a RawValue>,
}

/// A replacement in an edit of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct WireEdit {
    #[serde(default)]
    pub(crate) old_string: String,
    #[serde(default)]
    pub(crate) new_string: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct McpServer {
    pub(crate) name: Text,
}

/// The server and the tool of a call, as Gemini CLI names them besides the name of the tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct McpContext {
    pub(crate) server_name: Text,
    pub(crate) tool_name: Text,
}

/// Parses a payload with `read`. If that fails because of lone surrogates, which JavaScript leaves
/// when it cuts a text, parses it again without them.
pub(crate) fn parse_repaired<T>(
    bytes: &[u8],
    read: impl Fn(&str) -> Result<T, PayloadError>,
) -> Result<T, PayloadError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    read(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Owned(repaired) => read(&repaired),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Replaces every lone surrogate escape by U+FFFD.
fn replace_lone_surrogates(json: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = json.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let here = at + found;
        at = match (unit(here), unit(here + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => here + 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&json[copied..here]);
                out.push_str("\\ufffd");
                copied = here + 6;
                copied
            }
            (Some(_), _) => here + 6,
            // The character after the backslash, which may have several bytes in invalid JSON.
            (None, _) => json.len().min(json.ceil_char_boundary(here + 2)),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// A field that should contain a `T`; any other value counts as missing.
#[derive(Debug)]
pub(crate) struct Lenient<T>(pub(crate) Option<T>);

/// A lenient string.
pub(crate) type Text = Lenient<String>;
/// A lenient list of strings.
pub(crate) type Texts = Lenient<Vec<Text>>;
/// A lenient boolean.
pub(crate) type Flag = Lenient<bool>;

impl<T> Default for Lenient<T> {
    fn default() -> Lenient<T> {
        Lenient(None)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Lenient<T>, D::Error> {
        Value::deserialize(deserializer).map(|value| Lenient(T::deserialize(value).ok()))
    }
}

impl Text {
    /// Returns the text, unless it is empty.
    pub(crate) fn non_empty(self) -> Option<String> {
        self.0.filter(|text| !text.is_empty())
    }
}

impl Texts {
    /// Returns the texts in the list.
    pub(crate) fn texts(self) -> impl Iterator<Item = String> {
        self.0.into_iter().flatten().filter_map(|text| text.0)
    }
}

impl Flag {
    /// Returns true if the field is `true`.
    pub(crate) fn is_set(&self) -> bool {
        self.0 == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lone_surrogates_are_replaced() {
        let cases = [
            (r#""\ud83d\ude00 x""#, r#""\ud83d\ude00 x""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83dx\ud83d\n""#, r#""\ufffdx\ufffd\n""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
        ];
        for (json, expected) in cases {
            assert_eq!(replace_lone_surrogates(json), expected, "{json}");
            serde_json::from_str::<String>(expected).expect("JSON");
        }
    }

    proptest! {
        #[test]
        fn any_escapes_become_valid_json(units in prop::collection::vec(any::<u16>(), 0..20)) {
            let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{escapes}\"");
            let text: String =
                serde_json::from_str(&replace_lone_surrogates(&json)).expect("JSON");
            prop_assert_eq!(text, String::from_utf16_lossy(&units));
        }

        #[test]
        fn no_text_panics(text in "(\\\\|u|d83d|\"|é|x){0,40}") {
            replace_lone_surrogates(&text);
        }
    }
}
