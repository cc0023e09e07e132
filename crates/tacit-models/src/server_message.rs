//! What a server says when it refuses, in words that can be shown.

use serde::Deserialize;

/// Longer messages are cut.
const MAX_CHARS: usize = 300;
/// OpenAI answers an empty account with 429 too, where waiting does not help.
const QUOTA_USED_UP: &str = "insufficient_quota";

/// The error in the body of an answer, as far as there is one.
#[derive(Debug, Default)]
pub(crate) struct ServerMessage {
    message: Option<String>,
    code: Option<String>,
    web_page: bool,
}

/// Ollama sends `{"error": "text"}`, OpenAI `{"error": {"message", "code"}}`, and some compatible
/// servers `{"message"}` or `{"detail"}`.
#[derive(Deserialize)]
struct Wire {
    error: Option<WireError>,
    message: Option<String>,
    detail: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireError {
    Text(String),
    Object { message: Option<String>, code: Option<serde_json::Value> },
}

impl ServerMessage {
    pub(crate) fn read(body: &[u8]) -> Self {
        let Ok(wire) = serde_json::from_slice::<Wire>(body) else {
            return Self { web_page: is_web_page(body), ..Self::default() };
        };
        let (message, code) = match wire.error {
            Some(WireError::Text(text)) => (Some(text), None),
            Some(WireError::Object { message, code }) => {
                (message, code.and_then(|code| code.as_str().map(str::to_owned)))
            }
            None => (wire.message.or(wire.detail), None),
        };
        Self { message, code, web_page: false }
    }

    /// Whether trying again later cannot help.
    pub(crate) fn is_final(&self) -> bool {
        self.code.as_deref() == Some(QUOTA_USED_UP)
    }

    pub(crate) fn into_message(self) -> String {
        match self.message {
            Some(message) if !message.trim().is_empty() => message,
            _ if self.web_page => "it sent a web page; check the address".to_owned(),
            _ => "it gave no reason; check the address and the log of the server".to_owned(),
        }
    }
}

/// Whether a body is HTML or XML, which a wrong address or a proxy answers with.
pub(crate) fn is_web_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// One line without control characters, cut to a length that fits an error message.
pub(crate) fn tidy(text: &str) -> String {
    let printable = text.replace(char::is_control, " ");
    let mut words = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(MAX_CHARS) {
        words.truncate(end);
        words.push('…');
    }
    words
}
