//! The trail of sessions: what was done in them, told by their events alone.

use tacit_core::log::{ClientRecord, LogRecord};
use tacit_core::{EventKind, FailureCause, RepoPath, ToolKind, ToolUse};

/// The most bytes of what was said that are looked through.
const MAX_OUTPUT: usize = 256 * 1024;
/// A longer command is not quoted.
const MAX_COMMAND: usize = 200;
/// A prompt shorter than this does not say what is wanted.
const MIN_TASK: usize = 15;
/// The most characters that are quoted of a prompt.
const MAX_QUOTE: usize = 300;

/// The work done in sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionActivity {
    /// The number of tool calls.
    pub steps: u32,
    /// The files that were changed, in the order of their first change.
    pub files: Vec<RepoPath>,
    /// Everything that the agent said and that commands printed.
    pub output: String,
    /// The task, as the user put it.
    pub task: Option<String>,
    /// Commands that failed and have not passed since.
    pub failing: Vec<String>,
    seen: Vec<String>,
}

impl SessionActivity {
    /// The trail of a log, the oldest first. An event that cannot be read leaves none.
    pub fn of<'l>(log: impl IntoIterator<Item = &'l LogRecord>) -> SessionActivity {
        let mut activity = SessionActivity::default();
        for client in log.into_iter().filter_map(LogRecord::client) {
            if let Ok(event) = client.event() {
                activity.add(client, event.what);
            }
        }
        activity
    }

    fn add(&mut self, client: &ClientRecord, what: EventKind) {
        match what {
            EventKind::PromptSubmitted { prompt, automatic: false, .. } => {
                let short = |task: &String| task.chars().count() < MIN_TASK;
                if self.task.as_ref().is_none_or(short) {
                    self.task = first_line(&prompt).or(self.task.take());
                }
            }
            EventKind::ToolFinished { tool, outcome, .. } => {
                self.step(&tool);
                if tool.kind.changes_files() {
                    self.changed(client.subject(), &tool.kind);
                }
                self.add_output(outcome.text.as_deref().filter(|_| tool.kind.command().is_some()));
                if let Some(command) = short_command(&tool) {
                    self.failing.retain(|failing| *failing != command);
                    if outcome.exit_code.is_some_and(|code| code != 0) {
                        self.failing.push(command);
                    }
                }
            }
            EventKind::ToolFailed { tool, failure, .. } => {
                self.step(&tool);
                if failure.cause == FailureCause::Ran {
                    self.add_output(Some(&failure.error));
                    if let Some(command) = short_command(&tool) {
                        self.failing.retain(|failing| *failing != command);
                        self.failing.push(command);
                    }
                }
            }
            EventKind::TurnStopped { last_message: Some(message), .. } => {
                self.add_output(Some(&message));
            }
            _ => {}
        }
    }

    /// Counts a use of a tool, which may be told of twice, once.
    fn step(&mut self, tool: &ToolUse) {
        if let Some(id) = &tool.id {
            if self.seen.contains(id) {
                return;
            }
            self.seen.push(id.clone());
        }
        self.steps = self.steps.saturating_add(1);
    }

    fn changed(&mut self, subject: Option<&str>, kind: &ToolKind) {
        let named = subject.into_iter().chain(match kind {
            // The event is about the first of them alone.
            ToolKind::Patch { files, .. } => files.iter().skip(1).map(String::as_str).collect(),
            _ => Vec::new(),
        });
        for file in named.filter_map(|file| RepoPath::new(file).ok()) {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
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

fn short_command(tool: &ToolUse) -> Option<String> {
    let command = tool.kind.command()?.trim();
    let whole = !command.is_empty() && command.len() <= MAX_COMMAND && !command.contains('\n');
    whole.then(|| command.to_owned())
}

/// The first line that says something, not too much of it.
fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    let mut first_line: String = line.chars().take(MAX_QUOTE).collect();
    if line.chars().nth(MAX_QUOTE).is_some() {
        first_line.push('…');
    }
    Some(first_line)
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
        let activity = SessionActivity::of(&events);
        assert_eq!(activity.steps, 6);
        assert_eq!(activity.files, ["src/a.rs".parse().unwrap()]);
        assert_eq!(activity.failing, ["make lint"]);
        assert_eq!(activity.task.as_deref(), Some("Add a login page to the shop"));
        assert!(
            activity.output.contains("14 passed") && activity.output.contains("Done: the page")
        );
    }
}
