//! The clients in their own words: a failure, its fix and its end; the next session is told.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::{events, notes, remember, told_of};
use crate::initialised;

/// The clients whose payloads differ from those of Claude Code.
const CLIENTS: [&str; 6] = ["codex", "gemini", "copilot", "opencode", "kilo", "qwen"];

const FAILED: &str = "---- clock::ticks stdout ----\n\nthread 'clock::ticks' panicked at \
                      tests/clock.rs:9:5:\n`now` lost a tick\n\ntest result: FAILED. 2 passed; 1 failed";
const PASSED: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";

/// A session of a client.
struct Session<'e> {
    env: &'e TestEnv,
    client: &'static str,
    id: String,
    calls: std::cell::Cell<usize>,
}

impl<'e> Session<'e> {
    fn new(env: &'e TestEnv, client: &'static str, id: &str) -> Session<'e> {
        Session { env, client, id: id.to_owned(), calls: std::cell::Cell::new(0) }
    }

    fn transcript(&self) -> PathBuf {
        self.env.root().join(format!("{}.jsonl", self.id))
    }

    /// Runs the hook of an event, and returns the reply.
    fn fire(&self, event: &str, fields: Value) -> Value {
        let mut payload = match self.client {
            "copilot" => json!({"sessionId": self.id, "timestamp": 1, "cwd": self.env.project()}),
            "opencode" | "kilo" => json!({"session_id": self.id, "cwd": self.env.project()}),
            _ => json!({
                "session_id": self.id, "cwd": self.env.project(), "hook_event_name": event,
                "transcript_path": self.transcript(),
            }),
        };
        let all = payload.as_object_mut().expect("an object");
        let Value::Object(fields) = fields else { panic!("{fields}") };
        all.extend(fields);
        let input = payload.to_string();
        let output = self.env.run_with_input(["hook", self.client, event], input.as_bytes());
        let output = output.succeeded().stdout;
        if output.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&output).expect("JSON")
    }

    /// Runs the hook of an event, and returns the text for the model.
    fn told(&self, event: &str, fields: Value) -> String {
        let reply = self.fire(event, fields);
        let places = ["/hookSpecificOutput/additionalContext", "/additionalContext", "/context"];
        let text = places.iter().find_map(|place| reply.pointer(place)?.as_str());
        text.unwrap_or_default().to_owned()
    }

    fn starts(&self) -> String {
        let event = match self.client {
            "copilot" => "sessionStart",
            "opencode" | "kilo" => "session.created",
            _ => "SessionStart",
        };
        self.told(event, json!({"source": "startup"}))
    }

    fn says(&self, prompt: &str) -> String {
        let event = match self.client {
            "gemini" => "BeforeAgent",
            "copilot" => "userPromptSubmitted",
            "opencode" | "kilo" => "chat.message",
            _ => "UserPromptSubmit",
        };
        self.told(event, json!({ "prompt": prompt }))
    }

    /// Is about to run a command; returns the whole reply.
    fn is_about_to(&self, command: &str) -> Value {
        let input = json!({ "command": command });
        match self.client {
            "gemini" => self
                .fire("BeforeTool", json!({"tool_name": "run_shell_command", "tool_input": input})),
            "copilot" => self.fire("preToolUse", json!({"toolName": "bash", "toolArgs": input})),
            "opencode" | "kilo" => {
                self.fire("tool.execute.before", json!({"tool_name": "bash", "tool_input": input}))
            }
            "qwen" => self
                .fire("PreToolUse", json!({"tool_name": "run_shell_command", "tool_input": input})),
            _ => self.fire("PreToolUse", json!({"tool_name": "Bash", "tool_input": input})),
        }
    }

    /// Has run a command that ended with a code.
    fn has_run(&self, command: &str, output: &str, code: i32) -> String {
        self.calls.set(self.calls.get() + 1);
        let id = format!("call_{}", self.calls.get());
        let input = json!({ "command": command });
        match self.client {
            "codex" => {
                let item = json!({"type": "CommandExecution", "id": id, "aggregated_output": output,
                                  "exit_code": code});
                let line = json!({"payload": {"type": "item_completed", "item": item}});
                let before = fs::read_to_string(self.transcript()).unwrap_or_default();
                fs::write(self.transcript(), format!("{before}{line}\n")).expect("a transcript");
                let fields = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": id,
                                    "tool_response": output});
                self.told("PostToolUse", fields)
            }
            "gemini" => {
                let line = if code == 0 { String::new() } else { format!("\nExit Code: {code}") };
                let text = format!(
                    "<untrusted_context>\nOutput: {output}{line}\nProcess Group PGID: 7\n\
                     </untrusted_context>"
                );
                let fields = json!({"tool_name": "run_shell_command", "tool_input": input,
                                    "tool_response": {"llmContent": text, "returnDisplay": output}});
                self.told("AfterTool", fields)
            }
            "copilot" => {
                let text = format!("{output}\n<shellId: 0 completed with exit code {code}>");
                let result = json!({"resultType": "success", "textResultForLlm": text});
                let fields = json!({"toolName": "bash", "toolArgs": input, "toolResult": result});
                self.told("postToolUse", fields)
            }
            "qwen" => {
                let text = format!(
                    "Command: {command}\nDirectory: (root)\nOutput: {output}\nError: (none)\n\
                     Exit Code: {code}\nSignal: (none)\nProcess Group PGID: (none)"
                );
                let fields = json!({"tool_name": "run_shell_command", "tool_input": input,
                                    "tool_use_id": id});
                let (event, name, value) = match code {
                    0 => ("PostToolUse", "tool_response", json!({ "llmContent": text })),
                    _ => ("PostToolUseFailure", "error", json!(text)),
                };
                let mut fields = fields;
                fields[name] = value;
                self.told(event, fields)
            }
            _ => {
                let response = json!({"output": output, "metadata": {"exit": code}});
                let fields = json!({"tool_name": "bash", "tool_input": input, "tool_use_id": id,
                                    "tool_response": response});
                self.told("tool.execute.after", fields)
            }
        }
    }

    fn edits(&self) {
        let file = self.env.project().join("src/clock.rs");
        let (old, new) = ("fn now() -> u32", "fn now() -> u64");
        let input = json!({"file_path": file, "old_string": old, "new_string": new});
        match self.client {
            "codex" => {
                let patch = format!(
                    "*** Begin Patch\n*** Update File: src/clock.rs\n@@\n-{old}\n+{new}\n*** End Patch"
                );
                let response = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n";
                let fields = json!({"tool_name": "apply_patch", "tool_input": {"command": patch},
                                    "tool_use_id": "patch", "tool_response": response});
                self.told("PostToolUse", fields)
            }
            "gemini" => self.told(
                "AfterTool",
                json!({"tool_name": "replace", "tool_input": input,
                       "tool_response": {"llmContent": "Successfully modified file"}}),
            ),
            "copilot" => self.told(
                "postToolUse",
                json!({"toolName": "edit",
                       "toolArgs": {"path": file, "old_str": old, "new_str": new},
                       "toolResult": {"resultType": "success", "textResultForLlm": "updated"}}),
            ),
            "qwen" => self.told(
                "PostToolUse",
                json!({"tool_name": "edit", "tool_input": input, "tool_use_id": "edit",
                       "tool_response": {"llmContent": "updated"}}),
            ),
            _ => self.told(
                "tool.execute.after",
                json!({"tool_name": "edit", "tool_use_id": "edit",
                       "tool_input": {"filePath": file, "oldString": old, "newString": new},
                       "tool_response": {"output": "Edit applied successfully."}}),
            ),
        };
    }

    /// Ends, if the client reports that.
    fn ends(&self) {
        match self.client {
            "codex" | "gemini" => self.fire("SessionEnd", json!({"reason": "other"})),
            "copilot" => self.fire("sessionEnd", json!({"reason": "complete"})),
            _ => Value::Null,
        };
    }
}

/// A project without a branch, so that no state of work is kept.
fn project() -> TestEnv {
    let env = crate::plain();
    env.run(["init", "--yes"]).succeeded();
    fs::create_dir_all(env.project().join("src")).expect("a folder");
    fs::write(env.project().join("src/clock.rs"), "fn now() -> u64").expect("a file");
    env
}

#[test]
fn a_fix_is_learnt_and_answers_the_same_error_in_every_client() {
    for client in CLIENTS {
        let env = project();
        let first = Session::new(&env, client, "first");
        first.starts();
        first.says("Why does the clock lose a tick?");
        assert_eq!(first.has_run("cargo test", FAILED, 101), "", "{client}");
        first.edits();
        first.has_run("cargo test", PASSED, 0);
        first.ends();
        let kinds = told_of(&env);
        assert!(kinds.iter().any(|kind| kind.starts_with("tool_failed")), "{client}: {kinds:?}");
        // Of clients that do not report the end, the next session does.
        let second = Session::new(&env, client, "second");
        second.starts();
        env.run(["maintain", "--quiet"]).succeeded();
        let elsewhere = FAILED.replace(":9:5", ":42:1");
        let told = second.has_run("cargo test", &elsewhere, 101);
        assert!(told.contains("It passed after `src/clock.rs` was changed"), "{client}: {told}");
        let shown = events(&env).last().expect("an event")["shown"].clone();
        assert_eq!(shown.as_array().map(Vec::len), Some(1), "{client}: {shown}");
    }
}

#[test]
fn notes_that_a_client_does_not_take_are_not_recorded_as_shown() {
    let text = "`docker compose up` needs the proxy of the office to be off";
    for (client, takes) in [
        ("codex", true),
        ("copilot", true),
        ("gemini", false),
        ("qwen", false),
        ("opencode", false),
        ("kilo", false),
    ] {
        let env = initialised();
        remember(&env, text, &["-t", "gotcha"]);
        let session = Session::new(&env, client, "s");
        let reply = session.is_about_to("docker compose up");
        assert_eq!(reply.to_string().contains("proxy of the office"), takes, "{client}: {reply}");
        let shown = events(&env).last().expect("an event")["shown"].clone();
        let count = shown.as_array().map_or(0, Vec::len);
        assert_eq!(count, usize::from(takes), "{client}: {shown}");
        let told = session.has_run("docker compose up", "error: no route to `proxy`", 1);
        assert_eq!(told.contains("proxy of the office"), !takes, "{client}: {told}");
    }
}

#[test]
fn dangerous_commands_are_stopped_in_every_client() {
    for client in CLIENTS {
        let env = initialised();
        let text = "Never run `make wipe` here: it deletes the database of the customer";
        remember(&env, text, &["-t", "gotcha", "--tag", "danger"]);
        let reply = Session::new(&env, client, "s").is_about_to("make wipe");
        let places = [
            "/hookSpecificOutput/permissionDecisionReason",
            "/permissionDecisionReason",
            "/reason",
            "/deny",
        ];
        let reason = places.iter().find_map(|place| reply.pointer(place)?.as_str());
        assert!(reason.is_some_and(|reason| reason.contains("deletes the database")), "{reply}");
    }
    let env = initialised();
    remember(&env, "Never run `make wipe` here", &["-t", "gotcha", "--tag", "danger"]);
    let cursor = Session::new(&env, "cursor", "s");
    let input = json!({"tool_name": "Shell", "tool_input": {"command": "make wipe"}});
    assert_eq!(cursor.fire("preToolUse", input), Value::Null);
    let shown = events(&env).last().expect("an event")["shown"].clone();
    assert_eq!(shown.as_array().map_or(0, Vec::len), 0, "nothing was sent: {shown}");
}

#[test]
fn context_that_a_client_puts_before_a_prompt_is_not_part_of_it() {
    let env = initialised();
    let gemini = Session::new(&env, "gemini", "s");
    gemini.starts();
    let text = "Close the connection pool before the worker forks";
    remember(&env, text, &["-t", "gotcha"]);
    let told = gemini.says(&format!("<hook_context>{text}</hook_context>\n\nRename the column."));
    assert_eq!(told, "");
    let told = gemini.says("How is the connection pool closed before the worker forks?");
    assert!(told.starts_with("[tacit-notes]\n") && told.ends_with("\n[/tacit-notes]"), "{told}");
    assert!(told.contains(text), "{told}");
}

#[test]
fn a_late_start_does_not_repeat_what_the_prompt_was_shown() {
    let env = initialised();
    let tag = ["-t", "gotcha", "--tag", "cheat-sheet"];
    remember(&env, "Close the connection pool before the worker forks", &tag);
    let copilot = Session::new(&env, "copilot", "s");
    let prompt = copilot.says("How is the connection pool closed before the worker forks?");
    assert!(prompt.contains("Close the connection pool"), "{prompt}");
    let start = copilot.starts();
    assert!(!start.contains("Close the connection pool"), "{start}");
}

#[test]
fn tasks_of_subagents_belong_to_the_session_and_not_to_the_user() {
    let env = initialised();
    let copilot = Session::new(&env, "copilot", "helper");
    let agent = json!({"agentId": "helper", "agentType": "explore", "parentAgentId": "main"});
    let with = |more: Value| {
        let mut fields = agent.clone();
        let all = fields.as_object_mut().expect("an object");
        all.extend(more.as_object().expect("an object").clone());
        fields
    };
    copilot.fire("subagentStart", with(json!({"agentName": "explore", "sessionId": "main"})));
    let task = "No, do not use the float total: always use the decimal total instead.";
    copilot.fire("userPromptSubmitted", with(json!({ "prompt": task })));
    copilot.fire("agentStop", with(json!({"stopReason": "end_turn"})));
    copilot.fire("subagentStop", with(json!({"agentName": "explore", "sessionId": "main"})));
    let kinds = told_of(&env);
    assert_eq!(
        kinds,
        ["subagent_started", "prompt_submitted", "subagent_stopped", "subagent_stopped"]
    );
    for event in events(&env) {
        assert_eq!(event["session"], "main", "{event}");
    }
    copilot.fire("sessionEnd", json!({"sessionId": "main", "reason": "complete"}));
    env.run(["maintain", "--quiet"]).succeeded();
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(0), "{listed}");
    assert_eq!(notes(&env, "correction"), Vec::<String>::new());
}

#[test]
fn requests_at_the_end_of_a_turn_are_not_prompts_of_the_user() {
    let env = crate::plain();
    env.run(["init", "--yes"]).succeeded();
    env.run(["config", "set", "capture.extractor", "agent", "--global"]).succeeded();
    let gemini = Session::new(&env, "gemini", "s");
    gemini.starts();
    gemini.has_run("cargo test", FAILED, 101);
    gemini.edits();
    gemini.has_run("cargo test", PASSED, 0);
    let stop = gemini.fire("AfterAgent", json!({"prompt": "x", "prompt_response": "Fixed."}));
    let reason = stop["reason"].as_str().expect("a request");
    assert_eq!(gemini.says(reason), "");
    let prompt = events(&env).last().expect("an event").clone();
    assert_eq!(prompt["kind"], "prompt_submitted", "{prompt}");
    // A client without a way to ask is not asked, and not recorded as asked.
    let kilo = Session::new(&env, "kilo", "k");
    kilo.has_run("cargo test", FAILED, 101);
    kilo.edits();
    kilo.has_run("cargo test", PASSED, 0);
    assert_eq!(kilo.fire("session.idle", json!({"last_assistant_message": "Fixed."})), Value::Null);
}
