//! The activity in sessions, derived from their events.

use tacit_core::log::{ClientRecord, LogRecord};
use tacit_core::{EventKind, FailureCause, RepoPath, ToolKind, ToolUse, UserRequests};

/// Maximum size of the collected output, in bytes.
const MAX_OUTPUT: usize = 256 * 1024;
/// The activity in sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionActivity {
    /// The number of tool calls.
    pub steps: u32,
    /// The number of calls that changed files.
    pub edits: u32,
    /// The changed files, in order of their first change.
    pub files: Vec<RepoPath>,
    /// The messages of the agent and the output of commands.
    pub output: String,
    /// The last message of the agent; `None` if it went on working after it.
    pub last_message: Option<String>,
    requests: UserRequests,
    seen: Vec<String>,
}

impl SessionActivity {
    /// Collects the activity of a log, oldest first. Events that cannot be read are skipped.
    pub fn from_log<'l>(log: impl IntoIterator<Item = &'l LogRecord>) -> SessionActivity {
        let mut activity = SessionActivity::default();
        for client in log.into_iter().filter_map(LogRecord::client) {
            if let Ok(event) = client.event() {
                activity.add(client, event.kind, event.agent.is_none());
            }
        }
        activity
    }

    /// Returns the task that the work was for, in the user's words.
    pub fn task(&self) -> Option<&str> {
        self.requests.main_task()
    }

    /// Returns true if there was little to do, or no request says what it was for: the work may be
    /// a part of something larger.
    pub fn is_minor(&self) -> bool {
        !self.requests.tell_the_task() || (self.edits <= 2 && self.files.len() <= 1)
    }

    fn add(&mut self, client: &ClientRecord, what: EventKind, is_main: bool) {
        match what {
            EventKind::PromptSubmitted { prompt, automatic: false, .. } if is_main => {
                self.requests.add_prompt(&prompt);
            }
            EventKind::ToolFinished { tool, outcome, .. } => {
                self.step(&tool);
                if tool.kind.changes_files() {
                    self.changed(client.subject(), &tool);
                }
                self.add_output(outcome.text.as_deref().filter(|_| tool.kind.command().is_some()));
            }
            EventKind::ToolFailed { tool, failure, .. } => {
                self.step(&tool);
                if failure.cause == FailureCause::Ran {
                    self.add_output(Some(&failure.error));
                }
            }
            EventKind::TurnStopped { last_message: Some(message), .. } => {
                self.add_output(Some(&message));
                if is_main {
                    self.last_message = Some(message);
                }
            }
            _ => {}
        }
    }

    /// Counts a tool call once, although it may be reported twice.
    fn step(&mut self, tool: &ToolUse) {
        if let Some(id) = &tool.id {
            if self.seen.contains(id) {
                return;
            }
            self.seen.push(id.clone());
        }
        self.steps = self.steps.saturating_add(1);
    }

    fn changed(&mut self, subject: Option<&str>, tool: &ToolUse) {
        let named = subject.into_iter().chain(match &tool.kind {
            // The subject of the event is the first file only.
            ToolKind::Patch { files, .. } => files.iter().skip(1).map(String::as_str).collect(),
            _ => Vec::new(),
        });
        let mut inside = false;
        for file in named.filter_map(|file| RepoPath::new(file).ok()) {
            inside = true;
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
        if inside {
            self.edits = self.edits.saturating_add(1);
            self.last_message = None;
            self.requests.count_change();
        }
    }

    fn add_output(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        if self.output.len() + text.len() <= MAX_OUTPUT {
            self.output.push_str(text);
            self.output.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tacit_core::log::{LogRow, decode};

    fn event(subject: Option<&'static str>, what: &Value) -> LogRecord {
        let body = json!({"client": "claude", "session": "s-1", "what": what}).to_string().into();
        let kind = "turn_stopped".into();
        decode(LogRow { kind, tool: None, subject: subject.map(Into::into), body }).unwrap()
    }

    fn shell(id: &str, command: &str) -> Value {
        json!({"id": id, "name": "Bash", "kind": {"shell": {"command": command}}})
    }

    #[test]
    fn repeated_events_count_once() {
        let failure = json!({"error": "2 failed", "exit_code": 1, "cause": "ran"});
        let edit = json!({"name": "Edit", "kind": {"edit": {"file": "/p/src/a.rs", "old": "a", "new": "b"}}});
        let events = [
            event(None, &json!({"prompt_submitted": {"prompt": "go on"}})),
            event(
                None,
                &json!({"prompt_submitted": {"prompt": "\n Add a login page to the shop \nplease"}}),
            ),
            event(
                None,
                &json!({"prompt_submitted": {"prompt": "and another thing, quite long too"}}),
            ),
            event(
                None,
                &json!({"tool_failed": {"tool": shell("t1", "make test"), "failure": failure}}),
            ),
            event(
                None,
                &json!({"tool_failed": {"tool": shell("t1", "make test"), "failure": failure}}),
            ),
            event(Some("src/a.rs"), &json!({"tool_finished": {"tool": edit}})),
            event(Some("src/a.rs"), &json!({"tool_finished": {"tool": edit}})),
            event(Some("../outside"), &json!({"tool_finished": {"tool": edit}})),
            event(
                None,
                &json!({"tool_finished": {"tool": shell("t2", "make lint"), "outcome": {"text": "2 warnings", "exit_code": 2}}}),
            ),
            event(
                None,
                &json!({"tool_finished": {"tool": shell("t3", "make test"), "outcome": {"text": "14 passed"}}}),
            ),
            event(None, &json!({"turn_stopped": {"last_message": "**\nDone: the page"}})),
            event(None, &json!({"nonsense": {}})),
        ];
        let activity = SessionActivity::from_log(&events);
        assert_eq!((activity.steps, activity.edits), (6, 2));
        assert_eq!(activity.files, ["src/a.rs".parse().unwrap()]);
        assert_eq!(activity.last_message.as_deref(), Some("**\nDone: the page"));
        assert!(
            activity.output.contains("14 passed") && activity.output.contains("Done: the page")
        );
    }

    fn edit(file: &'static str) -> LogRecord {
        let edit =
            json!({"name": "Edit", "kind": {"edit": {"file": file, "old": "a", "new": "b"}}});
        event(Some(file), &json!({"tool_finished": {"tool": edit}}))
    }

    #[test]
    fn messages_before_the_last_change_are_overtaken() {
        let says = event(None, &json!({"turn_stopped": {"last_message": "Next: b"}}));
        let activity = SessionActivity::from_log(&[says.clone(), edit("src/a.ts")]);
        assert_eq!(activity.last_message, None);
        let activity = SessionActivity::from_log(&[edit("src/a.ts"), says]);
        assert_eq!(activity.last_message.as_deref(), Some("Next: b"));
    }
}
