//! Events of Copilot CLI: a file per session, subagents included.

use std::collections::HashMap;

use serde_json::{Value, json};
use tacit_core::Timestamp;

use super::injected::typed;
use super::lines::{Lines, is_set, text, time};
use super::past_session::{Helper, PastSession};
use super::{ClientName, TranscriptSession, TranscriptText};

/// Reads a session.
pub(super) fn read(main: TranscriptText<'_>) -> Option<TranscriptSession> {
    let lines = Lines::parse(main.text);
    let start = lines.values.iter().find(|line| text(line, "/type") == Some("session.start"))?;
    let id = text(start, "/data/sessionId")?;
    let mut session = PastSession::new(ClientName::Copilot, id, main.path)?;
    session.cwd = text(start, "/data/context/cwd").unwrap_or_default().to_owned();
    session.branch = text(start, "/data/context/branch").map(str::to_owned);
    session.unread = lines.unread;
    let mut events = Events {
        session: &mut session,
        calls: HashMap::new(),
        kinds: HashMap::new(),
        said: None,
        at: None,
    };
    for (number, line) in lines.values.iter().enumerate() {
        events.line(line, number);
    }
    events.stop();
    session.finish("sessionEnd")
}

struct Events<'s> {
    session: &'s mut PastSession,
    calls: HashMap<String, (String, Value)>,
    /// The types of subagents.
    kinds: HashMap<String, String>,
    /// The last message of the agent, while its turn is open.
    said: Option<(Timestamp, String, String)>,
    at: Option<Timestamp>,
}

impl Events<'_> {
    fn line(&mut self, line: &Value, number: usize) {
        let Some(at) = time(line, "/timestamp") else { return };
        let at = self.at.map_or(at, |last| last.max(at));
        self.at = Some(at);
        let key = text(line, "/id").map_or_else(|| format!("line {number}"), str::to_owned);
        let helper = text(line, "/agentId")
            .map(|id| Helper { id: id.to_owned(), kind: self.kinds.get(id).cloned() });
        let Some(data) = line.get("data") else { return };
        match text(line, "/type") {
            Some("session.start") => {
                self.session.add(at, key, "sessionStart", None, json!({"source": "new"}));
            }
            Some("session.resume") => {
                self.stop();
                self.session.add(at, key, "sessionStart", None, json!({"source": "resume"}));
            }
            Some("user.message") if helper.is_none() => {
                let Some(prompt) = text(data, "/content").and_then(typed) else { return };
                self.stop();
                let fields = json!({"prompt": prompt});
                self.session.add(at, key, "userPromptSubmitted", None, fields);
            }
            Some("assistant.message") => {
                let Some(said) = text(data, "/content") else { return };
                if helper.is_none() {
                    self.said = Some((at, key, said.to_owned()));
                }
            }
            Some("tool.execution_start") => self.call(data, at, helper.as_ref()),
            Some("tool.execution_complete") => self.result(data, at, helper.as_ref()),
            Some("subagent.started") => {
                let Some(helper) = helper else { return };
                let kind = text(data, "/agentType").or(text(data, "/agentName"));
                self.kinds.extend(kind.map(|kind| (helper.id.clone(), kind.to_owned())));
                let helper = Helper { kind: kind.map(str::to_owned), ..helper };
                self.session.add(at, key, "subagentStart", Some(&helper), json!({}));
            }
            Some("subagent.completed" | "subagent.failed") => {
                let fields = json!({"stop_hook_active": false});
                self.session.add(at, key, "subagentStop", helper.as_ref(), fields);
            }
            Some("session.compaction_start") => {
                self.session.add(at, key, "preCompact", None, json!({"trigger": "auto"}));
            }
            Some("session.shutdown") => {
                self.stop();
                self.session.add(at, key, "sessionEnd", None, json!({"reason": "complete"}));
            }
            _ => {}
        }
    }

    fn call(&mut self, data: &Value, at: Timestamp, helper: Option<&Helper>) {
        let named = text(data, "/toolCallId").zip(text(data, "/toolName"));
        let Some((id, name)) = named else { return };
        let input = data.get("arguments").cloned().unwrap_or_default();
        let fields = json!({"toolName": name, "toolArgs": input, "toolCallId": id});
        self.session.add(at, format!("{id} before"), "preToolUse", helper, fields);
        self.calls.insert(id.to_owned(), (name.to_owned(), input));
    }

    fn result(&mut self, data: &Value, at: Timestamp, helper: Option<&Helper>) {
        let Some(id) = text(data, "/toolCallId") else { return };
        let Some((name, input)) = self.calls.remove(id) else { return };
        let mut fields = json!({"toolName": name, "toolArgs": input, "toolCallId": id});
        let key = format!("{id} after");
        if is_set(data, "success") {
            let seen = text(data, "/result/content").unwrap_or_default();
            fields["toolResult"] = json!({"resultType": "success", "textResultForLlm": seen});
            self.session.add(at, key, "postToolUse", helper, fields);
        } else if let Some(error) = text(data, "/error/message") {
            fields["error"] = json!(error);
            self.session.add(at, key, "postToolUseFailure", helper, fields);
        }
    }

    fn stop(&mut self) {
        let Some((at, key, said)) = self.said.take() else { return };
        let fields = json!({"stop_hook_active": false, "last_assistant_message": said});
        self.session.add(at, format!("{key} stop"), "agentStop", None, fields);
    }
}
