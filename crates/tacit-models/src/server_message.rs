//! Extracts a readable error message from the body of an error response.

use serde::Deserialize;

/// Longer messages are cut.
const MAX_CHARS: usize = 300;
/// OpenAI also answers 429 when the quota is used up; retrying does not help then.
const QUOTA_USED_UP: &str = "insufficient_quota";

/// The error message in the body of a response, if any.
#[derive(Debug, Default)]
pub(crate) struct ServerMessage {
    message: Option<String>,
    code: Option<String>,
    web_page: bool,
}

/// The JSON of errors: Ollama sends `{"error": "text"}`, OpenAI `{"error": {"message", "code"}}`,
/// and some compatible servers `{"message"}` or `{"detail"}`.
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

    /// Returns true if retrying cannot help.
    pub(crate) fn is_final(&self) -> bool {
        self.code.as_deref() == Some(QUOTA_USED_UP)
    }

    pub(crate) fn into_message(self) -> String {
        match self.message {
            Some(message) if !message.trim().is_empty() => message,
            _ if self.web_page => "the server sent a web page; check the address".to_owned(),
            _ => "the server gave no reason; check the address and the server's log".to_owned(),
        }
    }
}

/// Returns true if a body is HTML or XML, as from a wrong address or a proxy.
pub(crate) fn is_web_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// Removes control characters and line breaks and cuts the text to [`MAX_CHARS`].
pub(crate) fn tidy(text: &str) -> String {
    let printable = text.replace(char::is_control, " ");
    let mut words = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(MAX_CHARS) {
        words.truncate(end);
        words.push('…');
    }
    words
}
