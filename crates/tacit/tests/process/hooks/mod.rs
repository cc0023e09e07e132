//! `tacit hook` as an agent client sees it: the real binary, one process per event.

mod application;
mod broken;
mod budgets;
mod clients;
mod command;
mod commits;
mod crowd;
mod danger;
mod end;
mod failed_checks;
mod failure;
mod fates;
mod file;
mod handover;
mod held_out;
mod hostile;
mod known;
mod languages;
mod payloads;
mod places;
mod prompt;
mod records;
mod replay;
mod review;
mod scratchpad;
mod secrets;
mod servers;
mod start;
mod stories;
mod team;
mod tree;
mod work;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};

/// The output of a test that fails, and of one that passes.
pub(crate) const CLOCK_FAILED: &str = "Exit code 101\n---- clock::ticks stdout ----\n\n\
     thread 'clock::ticks' panicked at tests/clock.rs:9:5:\n`now` lost a tick\n\n\
     test result: FAILED. 2 passed; 1 failed; 0 ignored";
pub(crate) const CLOCK_PASSED: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
/// The memory of its fix.
pub(crate) const CLOCK_LESSON: &str = "Test `ticks` failed (`cargo test`): `now` lost a tick. It passed \
     after `src/clock.rs` was changed: `fn now() -> u32` became `fn now() -> u64`.";

/// A conversation with an agent of Claude Code.
#[derive(Clone)]
pub(crate) struct Agent<'e> {
    env: &'e TestEnv,
    session: String,
    cwd: PathBuf,
    subagent: Option<String>,
    variables: Vec<(&'static str, String)>,
    /// The payloads that its hooks were sent, if they are kept.
    recorder: Option<Recorder>,
}

/// Payloads of hooks, each with the session's time as `TACIT_NOW` has it.
pub(crate) type Recorder = Arc<Mutex<Vec<(String, Value)>>>;

/// The reply of a hook to the client.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Told {
    pub(crate) context: Option<String>,
    pub(crate) ask: Option<String>,
    pub(crate) deny: Option<String>,
    pub(crate) block: Option<String>,
    /// Text for the user alone.
    pub(crate) notice: Option<String>,
}

impl<'e> Agent<'e> {
    /// One that works in the project.
    pub(crate) fn new(env: &'e TestEnv, session: &str) -> Agent<'e> {
        Agent {
            env,
            session: session.to_owned(),
            cwd: env.project(),
            subagent: None,
            variables: Vec::new(),
            recorder: None,
        }
    }

    /// The same, keeping its payloads.
    pub(crate) fn recorded_by(mut self, recorder: &Recorder) -> Agent<'e> {
        self.recorder = Some(Arc::clone(recorder));
        self
    }

    /// The same, working elsewhere.
    fn at(mut self, cwd: PathBuf) -> Agent<'e> {
        self.cwd = cwd;
        self
    }

    /// The same, with a variable set for its hooks.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Agent<'e> {
        self.variables.push((name, value.into()));
        self
    }

    /// A helper of it.
    pub(crate) fn helper(&self, id: &str) -> Agent<'e> {
        Agent {
            subagent: Some(id.to_owned()),
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            variables: self.variables.clone(),
            ..Agent::new(self.env, "")
        }
    }

    /// The payload of an event.
    fn payload(&self, event: &str, fields: Value) -> Value {
        let mut payload = json!({
            "session_id": self.session, "cwd": self.cwd, "hook_event_name": event,
            "transcript_path": "/nowhere.jsonl", "permission_mode": "default",
        });
        let all = payload.as_object_mut().expect("an object");
        if let Some(agent) = &self.subagent {
            all.insert("agent_id".into(), json!(agent));
            all.insert("agent_type".into(), json!("general-purpose"));
        }
        if let Value::Object(fields) = fields {
            all.extend(fields);
        }
        payload
    }

    /// Runs the hook with an event.
    fn ran(&self, event: &str, fields: Value) -> RunOutput {
        let payload = self.payload(event, fields);
        if let Some(recorder) = &self.recorder {
            let now = self.variables.iter().find(|(name, _)| *name == "TACIT_NOW");
            let at = now.map(|(_, at)| at.clone()).expect("a time");
            recorder.lock().expect("no panic").push((at, payload.clone()));
        }
        let bytes = payload.to_string().into_bytes();
        feed(self.env, &self.variables, &bytes)
    }

    /// Runs the hook and returns its reply, which must have the client's form.
    pub(crate) fn fire(&self, event: &str, fields: Value) -> Told {
        told(event, &self.ran(event, fields).succeeded().stdout)
    }

    pub(crate) fn starts(&self, source: &str) -> Told {
        self.fire("SessionStart", json!({"source": source}))
    }

    pub(crate) fn says(&self, prompt: &str) -> Told {
        self.fire("UserPromptSubmit", json!({"prompt": prompt}))
    }

    /// Sends a prompt to a hook that is killed at a step. Returns true if it died.
    pub(crate) fn dies_at(mut self, step: usize, prompt: &str) -> bool {
        self.variables.push(("TACIT_KILL_AT_STEP", step.to_string()));
        self.ran("UserPromptSubmit", json!({"prompt": prompt})).code.is_none()
    }

    pub(crate) fn is_about_to(&self, command: &str) -> Told {
        self.fire("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}}))
    }

    pub(crate) fn has_run(&self, command: &str, output: &str) -> Told {
        let response = json!({"stdout": output, "stderr": "", "interrupted": false});
        self.fire(
            "PostToolUse",
            json!({
                "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": response,
            }),
        )
    }

    pub(crate) fn has_failed(&self, command: &str, error: &str) -> Told {
        self.fire(
            "PostToolUseFailure",
            json!({
                "tool_name": "Bash", "tool_input": {"command": command}, "error": error,
                "is_interrupt": false,
            }),
        )
    }

    /// Changes the code that the failing test names.
    pub(crate) fn mends_the_clock(&self) -> Told {
        let file = "src/clock.rs";
        let (old, new) = ("fn now() -> u32", "fn now() -> u64");
        let input = json!({"file_path": file, "old_string": old, "new_string": new});
        self.fire(
            "PostToolUse",
            json!({"tool_name": "Edit", "tool_input": input, "tool_response": {"filePath": file}}),
        )
    }

    /// Fails a test, changes what it names, and passes.
    pub(crate) fn fixes_the_clock(&self) {
        self.has_failed("cargo test", CLOCK_FAILED);
        self.mends_the_clock();
        self.has_run("cargo test", CLOCK_PASSED);
    }

    pub(crate) fn has_used(&self, tool: &str, file: &str) -> Told {
        let input = match tool {
            "Read" => json!({"file_path": file}),
            "Edit" => json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            "Write" => json!({"file_path": file, "content": "text\n"}),
            "NotebookEdit" => json!({"notebook_path": file, "new_source": "x"}),
            other => panic!("{other} is no tool for files"),
        };
        self.fire(
            "PostToolUse",
            json!({"tool_name": tool, "tool_input": input, "tool_response": {"filePath": file}}),
        )
    }

    fn stops(&self, again: bool) -> Told {
        let fields = json!({"stop_hook_active": again, "last_assistant_message": "Done."});
        self.fire("Stop", fields)
    }

    pub(crate) fn ends(&self, reason: &str) -> Told {
        self.fire("SessionEnd", json!({"reason": reason}))
    }
}

impl Told {
    /// The context, without what differs from run to run.
    fn masked(&self) -> String {
        masked(self.context.as_deref().unwrap_or_default())
    }

    pub(crate) fn says(&self, text: &str) -> bool {
        self.context.as_deref().is_some_and(|context| context.contains(text))
    }

    pub(crate) fn is_nothing(&self) -> bool {
        *self == Told::default()
    }
}

/// Runs the hook of Claude Code with bytes.
fn feed(env: &TestEnv, variables: &[(&'static str, String)], bytes: &[u8]) -> RunOutput {
    let mut child = env
        .command()
        .args(["hook", "claude"])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(bytes)));
        child.wait_with_output()
    });
    RunOutput::from(output.expect("the binary ends"))
}

/// Parses the reply on standard output, which must be empty or in the client's form.
fn told(event: &str, stdout: &str) -> Told {
    if stdout.is_empty() {
        return Told::default();
    }
    let value: Value =
        serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{event}: {error}: {stdout}"));
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let object = value.as_object().unwrap_or_else(|| panic!("{event}: {stdout}"));
    for key in object.keys() {
        let known = ["decision", "reason", "hookSpecificOutput", "systemMessage"];
        assert!(known.contains(&key.as_str()), "{event}: {stdout}");
    }
    let specific = &value["hookSpecificOutput"];
    if !specific.is_null() {
        assert_eq!(specific["hookEventName"], event, "{stdout}");
    }
    let reason = |wanted: &str| {
        let decision = specific["permissionDecision"].as_str()?;
        assert_eq!(event, "PreToolUse", "{stdout}");
        assert!(["ask", "deny"].contains(&decision), "{stdout}");
        let reason = text(&specific["permissionDecisionReason"]).expect("a reason");
        (decision == wanted).then_some(reason)
    };
    let (ask, deny) = (reason("ask"), reason("deny"));
    let block = value["decision"].as_str().map(|decision| {
        assert_eq!((event, decision), ("Stop", "block"), "{stdout}");
        text(&value["reason"]).expect("a reason")
    });
    let notice = text(&value["systemMessage"]);
    Told { context: text(&specific["additionalContext"]), ask, deny, block, notice }
}

/// A text in which identifiers of memories are `ID`.
fn masked(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix('[').and_then(|rest| rest.split_once(' ')) {
        Some((kind, rest)) if rest.len() > 8 && is_id(&rest[..8]) => {
            format!("[{kind} ID{}", &rest[8..])
        }
        _ => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn is_id(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns all records of the session log, oldest first.
fn events(env: &TestEnv) -> Vec<Value> {
    let listed = env.run(["why", "-n", "1000000", "--json"]).succeeded().json();
    let mut events = listed.as_array().expect("a list").clone();
    events.reverse();
    events
}

/// Kinds and subjects of all events.
fn told_of(env: &TestEnv) -> Vec<String> {
    let line = |event: &Value| {
        let part = |name: &str| event[name].as_str().map(|part| format!(" {part}"));
        let kind = event["kind"].as_str().expect("a kind");
        format!("{kind}{}{}", part("tool").unwrap_or_default(), part("subject").unwrap_or_default())
    };
    events(env).iter().map(line).collect()
}

/// Returns the log of the hooks.
fn log(env: &TestEnv) -> String {
    fs::read_to_string(env.store().join("logs/hook.log")).unwrap_or_default()
}

/// Stores a memory and returns its short name.
fn remember(env: &TestEnv, text: &str, arguments: &[&str]) -> String {
    let ran = env.run(["remember", text, "--json"].iter().chain(arguments)).succeeded();
    let id = ran.json()["memory"]["short_id"].as_str().map(str::to_owned);
    id.unwrap_or_else(|| panic!("{}", ran.stdout))
}

/// Makes a memory stale.
fn make_stale(env: &TestEnv, id: &str) {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    let sql = "UPDATE memories SET stale_at = created_at WHERE lower(hex(id)) LIKE '%' || ?";
    assert_eq!(connection.execute(sql, [id]), Ok(1));
}

/// Returns the session notes of a kind, oldest first.
fn notes(env: &TestEnv, kind: &str) -> Vec<String> {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    let sql = "SELECT text FROM agent_notes WHERE kind = ? ORDER BY rowid";
    let mut statement = connection.prepare(sql).expect("the table");
    let rows = statement.query_map([kind], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("texts")
}
