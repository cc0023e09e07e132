//! The parts of a protocol that the script needs.

use serde_json::Value;

use super::ModelToolCall;
use crate::server::RecordedRequest;

/// A protocol between agent clients and models.
pub(super) trait ModelProtocol: Sync {
    /// Returns true if requests with this path ask the model for text.
    fn serves(&self, path: &str) -> bool;

    /// Returns true for a request of the agent loop, which offers tools.
    fn is_agent_loop(&self, body: &Value) -> bool {
        body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// Returns true if the client reads the answer as a stream of events.
    fn is_streamed(&self, request: &RecordedRequest) -> bool {
        request.body["stream"] == true
    }

    /// Collects the texts of a request.
    fn texts(&self, body: &Value) -> RequestTexts;

    /// Returns the answer to the request with this number, in one piece.
    fn whole(&self, body: &Value, number: usize, answer: &AnswerContent) -> Value;

    /// Returns the answer to the request with this number, as server-sent events.
    fn stream(&self, body: &Value, number: usize, answer: &AnswerContent) -> String;
}

/// The content of an answer.
#[derive(Clone, Debug)]
pub(super) enum AnswerContent {
    Calls(ModelToolCall),
    Says(String),
}

/// The texts of a request that the model has not written itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestTexts {
    /// Prompts, and what the client and its hooks add, each followed by a line break.
    pub told: String,
    /// The results of tools.
    pub results: Vec<String>,
}

impl RequestTexts {
    /// Adds a text, or the texts of a list of parts.
    pub(super) fn tell(&mut self, content: &Value) {
        let text = text_of(content);
        if !text.is_empty() {
            self.told.push_str(&text);
            self.told.push('\n');
        }
    }
}

/// Returns a text, or the texts of a list of parts, line by line.
pub(super) fn text_of(content: &Value) -> String {
    match content.as_array() {
        Some(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

/// Formats events that are known by their field `type`.
pub(super) fn typed_events(events: &[Value]) -> String {
    let format = |event: &Value| {
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    events.iter().map(format).collect()
}

/// Formats events without a name.
pub(super) fn plain_events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}
