//! The activity in sessions, derived from their events.

use tacit_core::log::{ClientRecord, LogRecord};
use tacit_core::{EventKind, FailureCause, RepoPath, ToolKind, ToolUse, task_of_prompt};

/// Maximum size of the collected output, in bytes.
const MAX_OUTPUT: usize = 256 * 1024;
/// Words that many requests consist of, which name no subject.
const CHORE_WORDS: [&str; 70] = [
    "a",
    "add",
    "again",
    "all",
    "and",
    "build",
    "can",
    "changes",
    "check",
    "checks",
    "ci",
    "code",
    "comment",
    "commit",
    "compile",
    "create",
    "error",
    "errors",
    "fail",
    "failing",
    "fails",
    "failure",
    "failures",
    "fix",
    "fmt",
    "for",
    "format",
    "formatting",
    "ignore",
    "implement",
    "in",
    "into",
    "is",
    "issue",
    "issues",
    "it",
    "let",
    "lint",
    "linter",
    "linting",
    "make",
    "merge",
    "message",
    "my",
    "now",
    "of",
    "option",
    "options",
    "pass",
    "passing",
    "please",
    "pr",
    "pull",
    "push",
    "request",
    "run",
    "s",
    "still",
    "test",
    "tests",
    "that",
    "the",
    "then",
    "these",
    "this",
    "those",
    "to",
    "warnings",
    "with",
    "you",
];
/// The number of other words from which on a request has a subject.
const MIN_SUBJECT_WORDS: usize = 2;

/// The share of the most changes for one request that makes an earlier request the task: a quarter.
const GOOD_PART: u32 = 4;

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
    requests: Vec<Request>,
    seen: Vec<String>,
}

/// A task that the user set, and the work on it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Request {
    task: String,
    edits: u32,
}

impl Request {
    /// Returns true if the task names a subject: more than "fix the tests".
    fn has_subject(&self) -> bool {
        let words = self.task.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let other = words.filter(|word| {
            word.contains(char::is_alphabetic)
                && !CHORE_WORDS.contains(&word.to_lowercase().as_str())
        });
        // Scripts without spaces put a whole request into one word.
        other.map(|word| if word.is_ascii() { 1 } else { word.chars().count() }).sum::<usize>()
            >= MIN_SUBJECT_WORDS
    }

    /// Returns true if the user remarks something about the code, as reviewers do, and does not say
    /// what the work is for.
    fn is_remark(&self) -> bool {
        let lower = self.task.to_lowercase();
        let starts = [
            "all ",
            "are ",
            "fix this",
            "here ",
            "i'm getting",
            "including ",
            "is ",
            "it ",
            "it's ",
            "not ",
            "that ",
            "the ",
            "there ",
            "these ",
            "they ",
            "this ",
            "those ",
        ];
        let asks =
            ["want", "need", "should", "please", "let's", "must", "can you", "could you", "how "];
        // "`load` returns nothing" states something, and "I need …" asks for it.
        let states =
            ["is", "are", "was", "has", "does", "doesn't", "isn't", "lacks", "returns", "calls"];
        let statement = lower.split_whitespace().skip(1).take(3).any(|word| states.contains(&word));
        (statement || starts.iter().any(|start| lower.starts_with(start)))
            && !asks.iter().any(|word| lower.contains(word))
    }

    /// Returns true if the request says what the work is for.
    fn is_telling(&self) -> bool {
        self.has_subject() && !self.is_remark() && !self.is_question()
    }

    /// Returns true if the user only asks something.
    fn is_question(&self) -> bool {
        let lower = self.task.to_lowercase();
        let asks =
            ["can you", "could you", "would you", "will you", "can we", "could we", "please"];
        self.task.ends_with(['?', '？']) && !asks.iter().any(|start| lower.contains(start))
    }
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

    /// Returns the task that the work was for, in the user's words: the first that says so and took
    /// a good part of the changes.
    pub fn task(&self) -> Option<&str> {
        self.main_request().map(|request| request.task.as_str())
    }

    /// Returns true if there was little to do, or no request says what it was for: the work may be
    /// a part of something larger.
    pub fn is_minor(&self) -> bool {
        let telling = self.main_request().is_some_and(Request::is_telling);
        !telling || (self.edits <= 2 && self.files.len() <= 1)
    }

    fn main_request(&self) -> Option<&Request> {
        let most = |meant: fn(&&Request) -> bool| {
            let requests = || self.requests.iter().filter(meant).filter(|one| one.edits > 0);
            let most = requests().map(|request| request.edits).max()?;
            requests().find(|request| request.edits * GOOD_PART >= most)
        };
        most(|request| request.is_telling())
            .or_else(|| most(|request| !request.is_question()))
            .or_else(|| most(|_| true))
            .or_else(|| self.requests.iter().find(|request| !request.is_question()))
    }

    fn add(&mut self, client: &ClientRecord, what: EventKind, is_main: bool) {
        match what {
            EventKind::PromptSubmitted { prompt, automatic: false, .. } if is_main => {
                self.request(&prompt);
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

    /// Adds a request. A prompt that sets no task goes on with the one before.
    fn request(&mut self, prompt: &str) {
        let Some(task) = task_of_prompt(prompt) else { return };
        if let Some(at) = self.requests.iter().position(|known| known.task == task) {
            let known = self.requests.remove(at);
            self.requests.push(known);
        } else {
            self.requests.push(Request { task, edits: 0 });
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
            // A question in between does not change the task.
            let at = self.requests.iter().rposition(|request| !request.is_question());
            let at = at.or_else(|| self.requests.len().checked_sub(1));
            if let Some(request) = at.and_then(|at| self.requests.get_mut(at)) {
                request.edits = request.edits.saturating_add(1);
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

    fn prompt(text: &str) -> LogRecord {
        event(None, &json!({"prompt_submitted": {"prompt": text}}))
    }

    fn edit(file: &'static str) -> LogRecord {
        let edit =
            json!({"name": "Edit", "kind": {"edit": {"file": file, "old": "a", "new": "b"}}});
        event(Some(file), &json!({"tool_finished": {"tool": edit}}))
    }

    #[test]
    fn most_of_the_work_names_the_task() {
        let a = || edit("src/a.ts");
        for (name, events, task, minor) in [
            ("nothing", vec![], None, true),
            (
                "one",
                vec![prompt("Add a login page to the shop"), a(), a(), a()],
                Some("Add a login page to the shop"),
                false,
            ),
            (
                "assent",
                vec![prompt("Add a login page to the shop"), prompt("yes, go on"), a(), a(), a()],
                Some("Add a login page to the shop"),
                false,
            ),
            (
                "question",
                vec![prompt("Add a login page"), prompt("where is it used?"), a(), a(), a()],
                Some("Add a login page"),
                false,
            ),
            (
                "chore",
                vec![
                    prompt("Rename the cart module"),
                    a(),
                    prompt("fix lint errors"),
                    a(),
                    a(),
                    a(),
                ],
                Some("Rename the cart module"),
                false,
            ),
            ("only a chore", vec![prompt("fix tests"), a(), a(), a()], Some("fix tests"), true),
            (
                "small",
                vec![prompt("The comment on line 3 of the cart is outdated"), a()],
                Some("The comment on line 3 of the cart is outdated"),
                true,
            ),
            (
                "most",
                vec![
                    prompt("Rename the cart module"),
                    a(),
                    prompt("Move the store to Redux"),
                    a(),
                    a(),
                    a(),
                    a(),
                    a(),
                ],
                Some("Move the store to Redux"),
                false,
            ),
            (
                "first",
                vec![
                    prompt("Rename the cart module"),
                    a(),
                    a(),
                    prompt("Add a test for it"),
                    a(),
                    a(),
                    a(),
                ],
                Some("Rename the cart module"),
                false,
            ),
            (
                "remark",
                vec![prompt("The comment on line 3 of the cart is outdated"), a(), a(), a(), a()],
                Some("The comment on line 3 of the cart is outdated"),
                true,
            ),
            ("only asked", vec![prompt("what does it print?")], None, true),
        ] {
            let activity = SessionActivity::from_log(&events);
            assert_eq!((activity.task(), activity.is_minor()), (task, minor), "{name}");
        }
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
