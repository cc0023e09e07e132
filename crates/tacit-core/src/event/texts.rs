//! Visiting every text of an event, so that nothing is stored unredacted.

use serde_json::Value;

use super::tool::{BatchCall, ToolKind, ToolUse};
use super::{AgentEvent, EventKind};

/// A visitor of texts. Gets the text and the name of its field if it is a value in a JSON object.
pub type VisitText<'v> = dyn FnMut(Option<&str>, &mut String) + 'v;

impl AgentEvent {
    /// Visits prompts, messages, tool inputs and tool outputs. Names are visited by
    /// [`AgentEvent::visit_names`]; the event's own paths are not visited.
    pub fn visit_texts(&mut self, visit: &mut VisitText<'_>) {
        match &mut self.kind {
            EventKind::PromptSubmitted { prompt, .. } => visit(None, prompt),
            EventKind::ToolStarting { tool, .. } => tool_texts(tool, visit),
            EventKind::ToolFinished { tool, outcome, .. } => {
                tool_texts(tool, visit);
                optional(&mut outcome.text, visit);
            }
            EventKind::ToolFailed { tool, failure, .. } => {
                tool_texts(tool, visit);
                visit(None, &mut failure.error);
            }
            EventKind::BatchFinished { calls } => {
                for BatchCall { tool, result, failure } in calls {
                    tool_texts(tool, visit);
                    optional(result, visit);
                    if let Some(failure) = failure {
                        visit(None, &mut failure.error);
                    }
                }
            }
            EventKind::TurnStopped { last_message: text, .. }
            | EventKind::SubagentStopped { last_message: text, .. }
            | EventKind::Compacting { instructions: text, .. }
            | EventKind::Compacted { summary: text, .. } => optional(text, visit),
            EventKind::SessionStarted { .. }
            | EventKind::SubagentStarted
            | EventKind::SessionEnded { .. } => {}
        }
    }

    /// Visits the names that the client assigned to subagents, models, tools and calls, and the
    /// reason for which a session ended. The session identifier is not visited.
    pub fn visit_names(&mut self, visit: &mut dyn FnMut(&mut String)) {
        if let Some(agent) = &mut self.agent {
            visit(&mut agent.id);
            agent.kind.iter_mut().for_each(&mut *visit);
        }
        match &mut self.kind {
            EventKind::SessionStarted { model: name, .. }
            | EventKind::SessionEnded { reason: name } => name.iter_mut().for_each(visit),
            EventKind::ToolStarting { tool, .. }
            | EventKind::ToolFinished { tool, .. }
            | EventKind::ToolFailed { tool, .. } => tool_names(tool, visit),
            EventKind::BatchFinished { calls } => {
                calls.iter_mut().for_each(|call| tool_names(&mut call.tool, &mut *visit));
            }
            _ => {}
        }
    }
}

fn optional(text: &mut Option<String>, visit: &mut VisitText<'_>) {
    if let Some(text) = text {
        visit(None, text);
    }
}

fn tool_names(tool: &mut ToolUse, visit: &mut dyn FnMut(&mut String)) {
    tool.id.iter_mut().for_each(&mut *visit);
    visit(&mut tool.name);
    match &mut tool.kind {
        ToolKind::Mcp { server, tool, .. } => [server, tool].into_iter().for_each(visit),
        ToolKind::Agent { kind: Some(name), .. } | ToolKind::Skill { name, .. } => visit(name),
        _ => {}
    }
}

fn tool_texts(tool: &mut ToolUse, visit: &mut VisitText<'_>) {
    match &mut tool.kind {
        ToolKind::Shell { command, .. } => visit(None, command),
        ToolKind::Read { file } => visit(None, file),
        ToolKind::Edit { file, old, new } => {
            [file, old, new].into_iter().for_each(|text| visit(None, text));
        }
        ToolKind::Write { file, content } => {
            [file, content].into_iter().for_each(|text| visit(None, text));
        }
        ToolKind::Patch { files, patch } => {
            files.iter_mut().chain([patch]).for_each(|text| visit(None, text));
        }
        ToolKind::Search { pattern, path } => {
            visit(None, pattern);
            optional(path, visit);
        }
        ToolKind::Agent { prompt, .. } => visit(None, prompt),
        ToolKind::Skill { args, .. } => optional(args, visit),
        ToolKind::Mcp { input, .. } | ToolKind::Other { input } => visit_value(None, input, visit),
    }
}

/// Visits every string of a JSON value, field names included.
pub fn visit_value(field: Option<&str>, value: &mut Value, visit: &mut VisitText<'_>) {
    match value {
        Value::String(text) => visit(field, text),
        Value::Array(items) => items.iter_mut().for_each(|item| visit_value(field, item, visit)),
        Value::Object(fields) => {
            let mut renamed = false;
            for (name, value) in fields.iter_mut() {
                visit_value(Some(name), value, visit);
                let mut shown = name.clone();
                visit(None, &mut shown);
                renamed |= shown != *name;
            }
            if renamed {
                let visited = std::mem::take(fields).into_iter().map(|(mut name, value)| {
                    visit(None, &mut name);
                    (name, value)
                });
                *fields = visited.collect();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_text_and_name_of_an_event_is_visited() {
        let event = json!({
            "client": "claude", "session": "S", "agent": {"id": "name", "kind": "name"},
            "what": {"tool_failed": {
                "tool": {"id": "name", "name": "name", "kind": {"mcp": {
                    "server": "name", "tool": "name",
                    "input": {"text": ["text", {"text": "text", "number": 1}]},
                }}},
                "failure": {"error": "text", "cause": "ran"},
            }},
        });
        let mut event: AgentEvent = serde_json::from_value(event).unwrap();
        event.visit_texts(&mut |field, text| {
            assert!(text == "text" || (field.is_none() && text == "number"), "{text}");
            *text = "seen".into();
        });
        event.visit_names(&mut |name| {
            assert_eq!(name, "name");
            *name = "seen".into();
        });
        let left = serde_json::to_string(&event).unwrap();
        assert!(!left.contains("text") && left.matches("\"name\"").count() == 1, "{left}");
    }
}
