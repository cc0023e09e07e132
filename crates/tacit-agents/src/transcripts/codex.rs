//! Rollouts of Codex CLI: a file per session and per subagent.
//!
//! Requests to the model and its answers come as `response_item`, lines of the interface as `event_msg`.
//! The output of a command is in both; only the second has all of it, with the exit code.

use std::collections::HashMap;

use serde_json::{Value, json};
use tacit_core::{EventKind, Timestamp};

use super::injected::typed;
use super::lines::{Lines, text, texts, time};
use super::past_session::{Helper, PastSession};
use super::{ClientName, TranscriptSession, TranscriptText};
use crate::transcript::add_exit_code;

/// The names of tools that run a command, as rollouts call them. Hooks call each of them `Bash`.
const SHELLS: [&str; 5] =
    ["exec_command", "shell", "shell_command", "local_shell", "container.exec"];

/// Reads a session and its subagents.
pub(super) fn read(
    main: TranscriptText<'_>,
    helpers: &[TranscriptText<'_>],
) -> Option<TranscriptSession> {
    let mut session = read_rollout(main)?;
    for helper in helpers.iter().filter_map(|helper| read_rollout(*helper)) {
        session.unread += helper.unread;
        session.events.extend(helper.events);
    }
    // The end stays the last event: subagents end before it.
    session.events.sort_by_key(|event| {
        (event.at, matches!(event.event.kind, EventKind::SessionEnded { .. }))
    });
    Some(session)
}

fn read_rollout(main: TranscriptText<'_>) -> Option<TranscriptSession> {
    let lines = Lines::parse(main.text);
    let is_meta = |line: &&Value| text(line, "/type") == Some("session_meta");
    let meta = lines.values.iter().find(is_meta)?;
    let id = text(meta, "/payload/id").or(text(meta, "/payload/session_id"))?;
    let parent = text(meta, "/payload/source/subagent/thread_spawn/parent_thread_id");
    let helper = parent.map(|_| Helper {
        id: id.to_owned(),
        kind: text(meta, "/payload/source/subagent/thread_spawn/agent_role").map(str::to_owned),
    });
    let mut session = PastSession::new(ClientName::Codex, parent.unwrap_or(id), main.path)?;
    session.cwd = text(meta, "/payload/cwd").unwrap_or_default().to_owned();
    session.branch = text(meta, "/payload/git/branch").map(str::to_owned);
    session.unread = lines.unread;
    let finished = finished_commands(&lines.values);
    let mut rollout = Rollout { session: &mut session, helper, calls: HashMap::new(), finished };
    let at = lines.values.iter().find_map(|line| time(line, "/timestamp"))?;
    let start = if rollout.helper.is_some() { "SubagentStart" } else { "SessionStart" };
    rollout.add(at, "start", start, json!({"source": "startup"}));
    let mut last = at;
    for (number, line) in lines.values.iter().enumerate() {
        last = time(line, "/timestamp").map_or(last, |at| at.max(last));
        rollout.line(line, number, last);
    }
    let is_helper = rollout.helper.is_some();
    let mut read = session.finish("SessionEnd")?;
    if is_helper {
        // The session goes on without the subagent.
        read.events.retain(|event| !matches!(event.event.kind, EventKind::SessionEnded { .. }));
    }
    Some(read)
}

/// A command that has finished.
struct FinishedCommand {
    output: String,
    exit_code: Option<i32>,
}

/// Returns the commands that have finished, by call. A command that runs on reports more than once.
fn finished_commands(lines: &[Value]) -> HashMap<String, FinishedCommand> {
    let mut finished = HashMap::new();
    for line in lines.iter().filter(|line| text(line, "/type") == Some("event_msg")) {
        let Some(payload) = line.get("payload") else { continue };
        let (id, report) = match text(payload, "/type") {
            Some("item_completed") if text(payload, "/item/type") == Some("CommandExecution") => {
                let Some(item) = payload.get("item") else { continue };
                (text(item, "/id"), item)
            }
            Some("exec_command_end") => (text(payload, "/call_id"), payload),
            _ => continue,
        };
        let Some(id) = id else { continue };
        let output = text(report, "/aggregated_output").map_or_else(
            || [text(report, "/stdout"), text(report, "/stderr")].into_iter().flatten().collect(),
            str::to_owned,
        );
        let exit_code = report.get("exit_code").and_then(Value::as_i64);
        let exit_code = exit_code.and_then(|code| i32::try_from(code).ok());
        finished.insert(id.to_owned(), FinishedCommand { output, exit_code });
    }
    finished
}

struct Rollout<'s> {
    session: &'s mut PastSession,
    helper: Option<Helper>,
    /// The calls that have no result yet, with the names and inputs that hooks report.
    calls: HashMap<String, (String, Value)>,
    finished: HashMap<String, FinishedCommand>,
}

impl Rollout<'_> {
    fn add(&mut self, at: Timestamp, key: &str, event: &str, fields: Value) {
        let key = match &self.helper {
            Some(helper) => format!("{} {key} {event}", helper.id),
            None => format!("{key} {event}"),
        };
        self.session.add(at, key, event, self.helper.as_ref(), fields);
    }

    fn line(&mut self, line: &Value, number: usize, at: Timestamp) {
        let Some(payload) = line.get("payload") else { return };
        let key = format!("line {number}");
        match (text(line, "/type"), text(payload, "/type")) {
            (Some("turn_context"), _) => {
                if let Some(cwd) = text(payload, "/cwd") {
                    self.session.cwd = cwd.to_owned();
                }
            }
            (Some("compacted"), _) => {
                self.add(at, &key, "PreCompact", json!({"trigger": "auto"}));
                self.add(at, &key, "SessionStart", json!({"source": "compact"}));
            }
            (Some("event_msg"), Some("user_message")) => {
                self.prompt(at, &key, text(payload, "/message").unwrap_or_default());
            }
            (Some("event_msg"), Some("item_completed"))
                if text(payload, "/item/type") == Some("UserMessage") =>
            {
                let content = payload.pointer("/item/content").map(texts).unwrap_or_default();
                self.prompt(at, &key, &content.join("\n"));
            }
            (Some("event_msg"), Some("task_complete")) => {
                let message = text(payload, "/last_agent_message");
                let event = if self.helper.is_some() { "SubagentStop" } else { "Stop" };
                let fields = json!({"stop_hook_active": false, "last_assistant_message": message});
                self.add(at, &key, event, fields);
            }
            (
                Some("response_item"),
                Some("function_call" | "custom_tool_call" | "local_shell_call"),
            ) => {
                self.call(payload, at);
            }
            (Some("response_item"), Some("function_call_output" | "custom_tool_call_output")) => {
                self.result(payload, at);
            }
            _ => {}
        }
    }

    fn prompt(&mut self, at: Timestamp, key: &str, said: &str) {
        let Some(prompt) = typed(said).filter(|_| self.helper.is_none()) else { return };
        self.add(at, key, "UserPromptSubmit", json!({"prompt": prompt}));
    }

    fn call(&mut self, payload: &Value, at: Timestamp) {
        let Some(id) = text(payload, "/call_id") else { return };
        let name = text(payload, "/name").unwrap_or("local_shell");
        let input = text(payload, "/input").or(text(payload, "/arguments"));
        let arguments = input.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let (name, input) = if name == "apply_patch" {
            let patch = arguments.as_ref().and_then(|found| text(found, "/input")).or(input);
            ("apply_patch".to_owned(), json!({"command": patch}))
        } else if SHELLS.contains(&name) {
            let arguments = arguments.unwrap_or_default();
            let command = ["/cmd", "/command"].into_iter().find_map(|at| arguments.pointer(at));
            let command = command.or(payload.pointer("/action/command"));
            let Some(line) = command.and_then(command_line) else { return };
            match patch_in(&line) {
                Some(patch) => ("apply_patch".to_owned(), json!({"command": patch})),
                None => ("Bash".to_owned(), json!({"command": line})),
            }
        } else {
            let server = text(payload, "/namespace").filter(|space| space.starts_with("mcp__"));
            let name = server.map_or(name.to_owned(), |space| {
                format!("{}__{name}", space.trim_end_matches("__"))
            });
            (name, arguments.unwrap_or_default())
        };
        let fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": id});
        self.add(at, id, "PreToolUse", fields);
        self.calls.insert(id.to_owned(), (name, input));
    }

    fn result(&mut self, payload: &Value, at: Timestamp) {
        let Some(id) = text(payload, "/call_id") else { return };
        let Some((name, input)) = self.calls.remove(id) else { return };
        let mut fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": id});
        let output = payload.get("output").unwrap_or(&Value::Null);
        let (seen, code) = reported(output);
        let finished = self.finished.get(id);
        let code = finished.and_then(|finished| finished.exit_code).or(code);
        let is_shell = name == "Bash";
        if !is_shell && seen.starts_with("unsupported custom tool call") {
            return;
        }
        if name == "apply_patch" && code.is_some_and(|code| code != 0) {
            // No hook reports a patch that does not fit.
            return;
        }
        fields["tool_response"] = match finished.filter(|_| is_shell) {
            Some(finished) => json!(finished.output),
            None if name.starts_with("mcp__") => output.clone(),
            None => json!(seen),
        };
        self.add(at, id, "PostToolUse", fields);
        // Hooks find the code in the transcript, too.
        if is_shell && let (Some(code), Some(event)) = (code, self.session.last_event()) {
            add_exit_code(event, code);
        }
    }
}

/// Returns a command line, which may be given as words.
fn command_line(command: &Value) -> Option<String> {
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, flag, line] if flag.starts_with('-') && flag.ends_with('c') => {
                    Some((*line).to_owned())
                }
                _ => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// Returns the patch of a command line that applies one.
fn patch_in(line: &str) -> Option<&str> {
    if !line.trim_start().starts_with("apply_patch") {
        return None;
    }
    let from = line.find("*** Begin Patch")?;
    let end = "*** End Patch";
    Some(&line[from..from + line[from..].find(end)? + end.len()])
}

/// Returns the output of a tool as the model saw it, without the report around it, and the exit code
/// in that report.
fn reported(output: &Value) -> (String, Option<i32>) {
    let Value::String(text) = output else {
        return (texts(output).join("\n"), None);
    };
    // Older versions encode output and code as JSON.
    let older = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    if let Some(inner) = older.as_ref().and_then(|older| older.get("output")?.as_str()) {
        let code = older.as_ref().and_then(|older| older.pointer("/metadata/exit_code")?.as_i64());
        return (inner.to_owned(), code.and_then(|code| i32::try_from(code).ok()));
    }
    let Some((head, rest)) = text.split_once("Output:\n") else { return (text.clone(), None) };
    let code = head.lines().find_map(|line| {
        let code = line
            .strip_prefix("Process exited with code ")
            .or_else(|| line.strip_prefix("Exit code: "))?;
        code.trim().parse().ok()
    });
    let is_report = head.lines().all(|line| {
        ["Chunk ID", "Wall time", "Process ", "Exit code", "Original token", "Total output"]
            .iter()
            .any(|start| line.starts_with(start))
            || line.is_empty()
    });
    if is_report { (rest.to_owned(), code) } else { (text.clone(), None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_around_outputs_are_taken_off() {
        for (output, expected) in [
            (json!("plain"), ("plain", None)),
            (
                json!(
                    "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno\n"
                ),
                ("no\n", Some(3)),
            ),
            (
                json!("Exit code: 0\nWall time: 1 seconds\nOutput:\nSuccess.\n"),
                ("Success.\n", Some(0)),
            ),
            (json!("{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"), ("no", Some(2))),
            (json!("My own\nOutput:\nx"), ("My own\nOutput:\nx", None)),
            (json!([{"type": "text", "text": "a"}]), ("a", None)),
        ] {
            let (text, code) = expected;
            assert_eq!(reported(&output), (text.to_owned(), code), "{output}");
        }
    }

    #[test]
    fn patches_in_command_lines_are_patches() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        let line = format!("apply_patch <<'EOF'\n{patch}\nEOF\n");
        assert_eq!(patch_in(&line), Some(patch));
        for line in ["cat patch", "apply_patch <<'EOF'\n*** Begin Patch\n", "apply_patch a"] {
            assert_eq!(patch_in(line), None, "{line}");
        }
    }
}
