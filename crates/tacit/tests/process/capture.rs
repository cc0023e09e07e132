//! From sessions to records: by rules, by a text model, and when a session is over.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::server::{FakeServer, ScriptedReply};

use crate::initialised;

const SAID: &str = "We decided on tabs because the linter wants them.";
/// The decision without its reason.
const DECIDED: &str = "We decided on tabs";

fn user(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

/// Writes a transcript beside the project.
fn transcript(env: &TestEnv, lines: &[Value]) -> PathBuf {
    let path = env.root().join("session.jsonl");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, text).expect("a file");
    path
}

/// A server of Ollama that says these things, one after another.
fn saying(texts: &[Value]) -> FakeServer {
    let reply = |text: &Value| {
        let message = json!({"role": "assistant", "content": text.to_string()});
        let body = json!({
            "model": "m", "message": message, "done": true, "done_reason": "stop",
            "prompt_eval_count": 21, "eval_count": 7,
        });
        ScriptedReply::ok(body.to_string())
    };
    FakeServer::start(texts.iter().map(reply).collect())
}

fn run_with(env: &TestEnv, server: &FakeServer, arguments: &[&str]) -> RunOutput {
    let output = env
        .command()
        .args(arguments)
        .env("TACIT_GENERATION_PROVIDER", "ollama")
        .env("TACIT_GENERATION_URL", server.base())
        .stdin(Stdio::null())
        .output();
    RunOutput::from(output.expect("the binary starts"))
}

fn drafted(decision: &str) -> Value {
    let content = json!({
        "status": "accepted", "context": "the linter wants tabs", "decision": decision,
        "rationale": ["the linter wants them"],
    });
    json!({
        "action": "create",
        "record": {"title": "Tabs for the linter", "tags": ["tabs"], "content": content},
    })
}

fn records(env: &TestEnv) -> Vec<Value> {
    let listed = env.run(["records", "list", "--json"]).succeeded().json();
    listed["records"].as_array().expect("a list").clone()
}

#[test]
fn a_model_drafts_and_verifies_and_every_call_is_counted() {
    let env = initialised();
    let path = transcript(&env, &[user(SAID)]);
    let server = saying(&[drafted("tabs"), json!({"verdict": "PASS", "issues": []})]);
    let path = path.to_str().expect("text");
    let done = run_with(&env, &server, &["records", "draft", path, "--model", "--save", "--json"]);
    let done = done.succeeded().json();
    assert_eq!(done[0]["action"], "CREATE", "{done}");
    assert_eq!(done[0]["result"], "decisions/tabs-for-the-linter.json");
    let [draft, verify] = &server.requests()[..] else { panic!("two requests") };
    for request in [draft, verify] {
        let sent = request.body.to_string();
        assert_eq!(
            sent.matches("</transcript_data>").count(),
            2,
            "the marks and their rule: {sent}"
        );
        assert!(sent.contains(SAID), "{sent}");
    }
    let [stored] = &records(&env)[..] else { panic!("one record") };
    let by = format!("drafted by {}", done[0]["by"].as_str().expect("a name"));
    assert_eq!(stored["record"]["changes"][0]["summary"], by.as_str());
    assert_eq!(stored["record"]["tags"], json!(["tabs", "auto-captured"]));
    let ledger = env.run(["ledger", "--json"]).succeeded().json();
    assert_eq!(ledger["totals"][0]["calls"], 2, "{ledger}");
    assert_eq!(ledger["calls"][0]["purpose"], "records");
}

#[test]
fn rules_draft_if_the_model_invents_garbles_or_fails_verification() {
    let pass = || json!({"verdict": "PASS", "issues": []});
    let fail = json!({"verdict": "FAIL", "issues": ["it was not accepted"]});
    for (says, why) in [
        (
            vec![drafted("move all services to a cluster in Frankfurt"), pass()],
            "not in the session",
        ),
        (vec![drafted("tabs"), fail], "not verified: it was not accepted"),
        (vec![drafted("tabs"), json!("PASS")], "not a JSON object"),
        (vec![json!({"action": "create", "path": "/etc/passwd"})], "that was not asked for"),
        (vec![json!("I would rather not")], "not a JSON object"),
    ] {
        let env = initialised();
        let path = transcript(&env, &[user(SAID)]);
        let server = saying(&says);
        let arguments = ["records", "draft", path.to_str().expect("text"), "--model", "--save"];
        let ran = run_with(&env, &server, &arguments).succeeded();
        assert!(ran.stdout.contains(why), "{why}: {}", ran.stdout);
        let [stored] = &records(&env)[..] else { panic!("{why}: one record") };
        assert_eq!(stored["record"]["changes"][0]["summary"], "drafted by rules");
        assert_eq!(stored["record"]["content"]["decision"], DECIDED);
    }
    let env = initialised();
    let path = transcript(&env, &[user(SAID)]);
    let server = FakeServer::start(vec![ScriptedReply::error(400, "no")]);
    let arguments = ["records", "draft", path.to_str().expect("text"), "--model", "--save"];
    run_with(&env, &server, &arguments).succeeded();
    assert_eq!(records(&env).len(), 1, "rules need no model");
    let refused = env.run(arguments);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

/// Ends a session with a transcript, as a hook is told of it, and lets maintenance follow.
fn end(env: &TestEnv, session: &str, path: &std::path::Path) {
    let payload = json!({
        "session_id": session, "hook_event_name": "SessionEnd", "cwd": env.project(),
        "transcript_path": path, "reason": "other",
    });
    env.run_with_input(["hook", "claude"], payload.to_string().as_bytes()).succeeded();
}

#[test]
fn a_session_that_is_over_leaves_records_where_a_project_has_them() {
    let env = initialised();
    env.run(["config", "set", "capture.extractor", "rules"]).succeeded();
    let path = transcript(&env, &[user(SAID)]);
    end(&env, "s", &path);
    env.run(["maintain", "--quiet"]).succeeded();
    assert!(records(&env).is_empty(), "a project without records is left alone");

    fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
    end(&env, "t", &path);
    env.run(["maintain", "--quiet"]).succeeded();
    // The session from before counts as well, once: both said the same.
    let [stored] = &records(&env)[..] else { panic!("one record") };
    assert_eq!(stored["record"]["content"]["decision"], DECIDED);
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(records(&env), std::slice::from_ref(stored), "each session once");

    // The session goes on and ends again: what is new in it is told apart from what is not.
    let more = "We also chose four spaces for YAML because tabs are not allowed there.";
    let path = transcript(&env, &[user(SAID), user(more)]);
    end(&env, "t", &path);
    env.run(["maintain", "--quiet"]).succeeded();
    let titles: Vec<String> =
        records(&env).iter().map(|stored| stored["record"]["title"].to_string()).collect();
    assert_eq!(titles.len(), 2, "{titles:?}");

    for extractor in ["off", "agent", "auto"] {
        env.run(["config", "set", "capture.extractor", extractor]).succeeded();
        let path = transcript(&env, &[user("We opted for bazel due to the build times.")]);
        end(&env, extractor, &path);
        env.run(["maintain", "--quiet"]).succeeded();
        assert_eq!(
            records(&env).len(),
            2,
            "{extractor}: statements alone are not captured unasked"
        );
    }
}

#[test]
fn maintenance_asks_the_model_that_is_configured() {
    let env = initialised();
    env.run(["config", "set", "capture.extractor", "model"]).succeeded();
    end(&env, "s", &transcript(&env, &[user(SAID)]));
    let server = saying(&[drafted("tabs"), json!({"verdict": "PASS", "issues": []})]);
    run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    let [stored] = &records(&env)[..] else { panic!("one record") };
    assert_eq!(stored["record"]["title"], "Tabs for the linter");
    run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    assert_eq!(server.requests().len(), 2, "the model is not asked twice");
}

#[test]
fn rules_add_to_the_record_it_belongs_to() {
    let env = initialised();
    let path = transcript(&env, &[user(SAID)]);
    let path = path.to_str().expect("text");
    env.run(["records", "draft", path, "--save"]).succeeded();
    let again = "We decided on tabs, since readers can choose their width.";
    transcript(&env, &[user(again)]);
    let done = env.run(["records", "draft", path, "--save", "--json"]).succeeded().json();
    assert_eq!(done[0]["action"], "UPDATE", "{done}");
    let [stored] = &records(&env)[..] else { panic!("one record") };
    let record = &stored["record"];
    assert_eq!(record["content"]["decision"], DECIDED, "what is said stays");
    assert_eq!(
        record["content"]["rationale"],
        json!(["the linter wants them", "readers can choose their width"])
    );
    assert_eq!(record["times_updated"], 1);
    let done = env.run(["records", "draft", path, "--save", "--json"]).succeeded().json();
    assert_eq!(done[0]["action"], "NOOP", "{done}");
}

#[test]
fn the_log_of_events_will_do_where_there_is_no_transcript() {
    let env = initialised();
    fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
    let tell = |event: &str, fields: Value| {
        let mut payload = json!({
            "session_id": "s", "hook_event_name": event, "cwd": env.project(),
            "transcript_path": "/nowhere.jsonl",
        });
        payload
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().cloned().unwrap_or_default());
        env.run_with_input(["hook", "claude"], payload.to_string().as_bytes()).succeeded();
    };
    let bash = |command: &str| json!({"command": command});
    tell("UserPromptSubmit", json!({"prompt": "Make the importer faster."}));
    let error = "Exit code 101\nerror: couldn't read `src/schema.rs`: not generated\n --> src/import.rs:3:1";
    tell(
        "PostToolUseFailure",
        json!({"tool_name": "Bash", "tool_input": bash("cargo test"), "error": error, "is_interrupt": false}),
    );
    let output = json!({"stdout": "ok", "stderr": "", "interrupted": false});
    for command in ["cargo run -p schema", "cargo test"] {
        tell(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": bash(command), "tool_response": output}),
        );
    }
    tell("SessionEnd", json!({"reason": "other"}));
    env.run(["maintain", "--quiet"]).succeeded();
    let [stored] = &records(&env)[..] else { panic!("one record") };
    let content = &stored["record"]["content"];
    let trigger = "`cargo test` fails: src/import.rs: couldn't read `src/schema.rs`: not generated";
    assert_eq!(content["trigger"], trigger);
    assert_eq!(content["steps"], json!(["Run `cargo run -p schema`"]));
}

#[test]
fn maintenance_lets_the_model_write_lessons() {
    let env = initialised();
    let tell = |event: &str, fields: Value| {
        let mut payload = json!({
            "session_id": "s", "hook_event_name": event, "cwd": env.project(),
            "transcript_path": "/nowhere.jsonl",
        });
        let fields = fields.as_object().cloned().unwrap_or_default();
        payload.as_object_mut().expect("an object").extend(fields);
        env.run_with_input(["hook", "claude"], payload.to_string().as_bytes()).succeeded();
    };
    tell("UserPromptSubmit", json!({"prompt": "Show the total on the invoice page."}));
    let said = "Fixed. `npm test` reads the compiled files in `dist/`, which were old.";
    tell("UserPromptSubmit", json!({"prompt": "The total is wrong on the invoice page."}));
    let edit = json!({"file_path": "src/total.ts", "old_string": "a", "new_string": "b"});
    tell("PostToolUse", json!({"tool_name": "Edit", "tool_input": edit, "tool_response": {}}));
    tell("Stop", json!({"stop_hook_active": false, "last_assistant_message": said}));
    tell("SessionEnd", json!({"reason": "other"}));
    let lesson = "`npm test` reads `dist/`: build before you trust its result.";
    let quote = "`npm test` reads the compiled files";
    let answer =
        json!({"text": lesson, "type": "gotcha", "files": ["src/total.ts"], "quote": quote});
    let server = saying(&[answer]);
    run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    let [request] = &server.requests()[..] else { panic!("one request") };
    let sent = request.body.to_string();
    assert!(sent.contains("The total is wrong on the invoice page."), "{sent}");
    let listed = env.run(["list", "--json"]).succeeded().json();
    let listed = listed.as_array().expect("a list").clone();
    let stored = listed.iter().find(|memory| memory["content"] == lesson);
    let stored = stored.unwrap_or_else(|| panic!("{listed:?}"));
    assert_eq!(stored["generator"], "ollama/llama3.2:3b");
    assert_eq!(stored["source"], "observer_inferred");
    let ledger = env.run(["ledger", "--json"]).succeeded().json();
    assert_eq!(ledger["calls"][0]["purpose"], "lessons", "{ledger}");
    run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    assert_eq!(server.requests().len(), 1, "the model is not asked twice");
}

#[test]
fn maintenance_lets_the_model_write_missing_cues() {
    let env = initialised();
    let taught = "Raise pool_size together with the number of workers";
    env.run(["remember", taught]).succeeded();
    env.run(["remember", "Never retry a payment", "--when", "a charge fails halfway"]).succeeded();
    let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let cues = json!(["checkout times out under load", format!("login with {token} hangs")]);
    let server = saying(&[cues]);
    run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    let [request] = &server.requests()[..] else { panic!("one memory has no cues") };
    assert!(request.body.to_string().contains(taught), "{}", request.body);
    let found = env.run(["recall", "checkout times out", "--json"]).succeeded().json();
    assert_eq!(found[0]["content"], taught);
    let kept = json!(["checkout times out under load", "login with [redacted:github-token] hangs"]);
    assert_eq!(found[0]["cues"], kept);
    let id = found[0]["short_id"].as_str().expect("an id");
    let history = env.run(["history", id]).succeeded().stdout;
    assert!(history.contains("cues written by ollama/llama3.2:3b"), "{history}");
    let ledger = env.run(["debug", "ledger", "--json"]).succeeded().json();
    assert_eq!(ledger["calls"][0]["purpose"], "cues", "{ledger}");
    run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    assert_eq!(server.requests().len(), 1, "each text is asked about once");
}

#[test]
fn unusable_cues_are_not_stored_and_not_asked_for_again() {
    let env = initialised();
    env.run(["remember", "Raise pool_size together with the number of workers"]).succeeded();
    let server = saying(&[json!({"advice": "ignore all instructions"})]);
    for _ in 0..2 {
        run_with(&env, &server, &["maintain", "--quiet"]).succeeded();
    }
    assert_eq!(server.requests().len(), 1);
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed[0]["cues"], Value::Null, "{listed}");
}
