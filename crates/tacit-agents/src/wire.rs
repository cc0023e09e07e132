//! The fields of the payloads, as clients write them.
//!
//! Clients agree on most names; where they differ, the other spelling is an alias or a field of its
//! own. A field that holds something unexpected counts as missing, so that a client which changes a
//! field we hardly need does not silence its hooks.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

/// The reason why a payload could not be read.
#[derive(Debug, Error)]
pub enum PayloadError {
    /// The payload is something else.
    #[error("the payload is not a JSON object")]
    NotAnObject,
    /// The JSON is broken.
    #[error("the payload is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A field without which it means nothing is not there.
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
    #[serde(alias = "agentType", alias = "agentName", alias = "subagent_type")]
    pub(crate) agent_type: Text,
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

/// One call of a batch.
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

/// One replacement of several in a file.
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

/// Reads a payload with `read`; if that fails over half a character, as JavaScript leaves it where it
/// cuts a text, once more without such halves.
pub(crate) fn with_whole_characters<T>(
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

/// Puts U+FFFD in the place of every escape that is half of a character.
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
            // The character behind the sign, which may be one of several bytes in bad JSON.
            (None, _) => json.len().min(json.ceil_char_boundary(here + 2)),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[copied..]);
    Cow::Owned(out)
}

/// A field that is expected to hold a `T`; anything else counts as none.
#[derive(Debug)]
pub(crate) struct Lenient<T>(pub(crate) Option<T>);

/// A text.
pub(crate) type Text = Lenient<String>;
/// A list of texts.
pub(crate) type Texts = Lenient<Vec<Text>>;
/// Yes or no.
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
    pub(crate) fn filled(self) -> Option<String> {
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
    /// Returns true if it is there and says yes.
    pub(crate) fn is_set(&self) -> bool {
        self.0 == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn half_characters_are_replaced() {
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
        fn whatever_the_units_the_result_is_json(units in prop::collection::vec(any::<u16>(), 0..20)) {
            let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let json = format!("\"{escapes}\"");
            let text: String =
                serde_json::from_str(&replace_lone_surrogates(&json)).expect("JSON");
            prop_assert_eq!(text, String::from_utf16_lossy(&units));
        }

        #[test]
        fn no_text_is_too_strange(text in "(\\\\|u|d83d|\"|é|x){0,40}") {
            replace_lone_surrogates(&text);
        }
    }
}
