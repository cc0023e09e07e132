//! Chats of Gemini CLI: lines, of which a later one replaces an earlier one with the same `id`; in
//! older versions one JSON document.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};
use tacit_core::Timestamp;

use super::injected::typed;
use super::lines::{Lines, text, texts, time};
use super::past_session::PastSession;
use super::{ClientName, TranscriptSession, TranscriptText};

/// Reads a chat. Its working directory is the root of the project, which only its folder tells.
pub(super) fn read(main: TranscriptText<'_>, root: &Path) -> Option<TranscriptSession> {
    let whole = serde_json::from_str::<Value>(main.text).ok();
    let whole = whole.filter(|whole| whole.get("messages").is_some_and(Value::is_array));
    let lines = match whole {
        Some(whole) => Lines { values: vec![whole], unread: 0 },
        None => Lines::parse(main.text),
    };
    let head = lines.values.iter().find(|line| text(line, "/projectHash").is_some())?;
    let mut session = PastSession::new(ClientName::Gemini, text(head, "/sessionId")?, main.path)?;
    session.unread = lines.unread;
    session.cwd = root.to_str()?.to_owned();
    let at = time(head, "/startTime")?;
    session.add(at, "start", "SessionStart", None, json!({"source": "startup"}));
    let mut chat = Chat { session: &mut session, said: None, at };
    for message in messages(&lines.values) {
        chat.message(message);
    }
    chat.stop();
    session.finish("SessionEnd")
}

/// Returns the messages in their order, each in its last state.
fn messages(lines: &[Value]) -> Vec<&Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for line in lines {
        let listed = line.get("messages").or_else(|| line.pointer("/$set/messages"));
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        for message in listed.chain([line]) {
            let Some(id) = text(message, "/id").filter(|_| message.get("type").is_some()) else {
                continue;
            };
            match places.get(id) {
                Some(place) => found[*place] = message,
                None => {
                    places.insert(id, found.len());
                    found.push(message);
                }
            }
        }
    }
    found
}

struct Chat<'s> {
    session: &'s mut PastSession,
    /// The last answer of the model, while its turn is open.
    said: Option<(String, String)>,
    at: Timestamp,
}

impl Chat<'_> {
    fn message(&mut self, message: &Value) {
        let id = text(message, "/id").unwrap_or_default();
        let at = time(message, "/timestamp").map_or(self.at, |at| at.max(self.at));
        let content = message.get("content").map(texts).unwrap_or_default().join("\n");
        match text(message, "/type") {
            Some("user") => {
                let Some(prompt) = typed(&content) else { return };
                self.stop();
                self.at = at;
                let fields = json!({"prompt": prompt});
                self.session.add(at, format!("{id} prompt"), "BeforeAgent", None, fields);
            }
            Some("gemini") => {
                self.at = at;
                let calls = message.get("toolCalls").and_then(Value::as_array);
                for call in calls.into_iter().flatten() {
                    self.call(call, at);
                }
                if !content.trim().is_empty() {
                    self.said = Some((id.to_owned(), content));
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Value, started: Timestamp) {
        let (Some(id), Some(name)) = (text(call, "/id"), text(call, "/name")) else { return };
        let input = call.get("args").cloned().unwrap_or_default();
        let mut fields = json!({"tool_name": name, "tool_input": input});
        self.session.add(started, format!("{id} before"), "BeforeTool", None, fields.clone());
        let state = text(call, "/status");
        if !matches!(state, Some("success" | "error")) {
            return;
        }
        self.at = time(call, "/timestamp").map_or(self.at, |at| at.max(self.at));
        let response = call.pointer("/result/0/functionResponse/response");
        let output = response.and_then(|response| response.get("output")).cloned();
        let error = response.and_then(|response| response.get("error")).cloned();
        let mut report = json!({"llmContent": output.unwrap_or_default()});
        if let Some(display) = call.get("resultDisplay").filter(|display| display.is_string()) {
            report["returnDisplay"] = display.clone();
        }
        if state == Some("error") || error.is_some() {
            report["error"] = json!({"message": error.unwrap_or_default()});
        }
        fields["tool_response"] = report;
        self.session.add(self.at, format!("{id} after"), "AfterTool", None, fields);
    }

    fn stop(&mut self) {
        let Some((id, said)) = self.said.take() else { return };
        let fields = json!({"prompt_response": said, "stop_hook_active": false});
        self.session.add(self.at, format!("{id} stop"), "AfterAgent", None, fields);
    }
}
