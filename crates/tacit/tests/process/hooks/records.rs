//! Records and hooks: who may write them, and when an agent is asked for them.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::{Agent, Told, told_of};
use crate::initialised;

const RECORD: &str = ".claude/memory/decisions/use-wal-mode.json";

impl Agent<'_> {
    fn is_about_to_use(&self, tool: &str, input: &Value) -> Told {
        self.fire("PreToolUse", json!({"tool_name": tool, "tool_input": input}))
    }
}

fn guarded() -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "guard.records", "true"]).succeeded();
    env
}

#[test]
fn records_are_not_written_by_hand_where_that_is_forbidden() {
    let env = initialised();
    let write = || json!({"file_path": RECORD, "content": "{}"});
    let agent = Agent::new(&env, "s");
    assert!(agent.is_about_to_use("Write", &write()).is_nothing(), "turned off");
    env.run(["config", "set", "guard.records", "true"]).succeeded();
    assert_eq!(
        agent.is_about_to_use("Write", &write()).deny.as_deref(),
        Some(
            "Do not edit `.claude/memory/decisions/use-wal-mode.json` directly. Run `tacit records \
             candidate --category decision --new-info TEXT` to see if a record for it exists. If not, \
             pass the JSON on standard input to `tacit records create decision`; `tacit records \
             schema decision` shows the format."
        )
    );
    fs::create_dir_all(env.project().join(".claude/memory/decisions")).expect("a folder");
    fs::write(env.project().join(RECORD), "{}").expect("a file");
    let absolute = env.project().join(RECORD);
    for (tool, input) in [
        ("Edit", json!({"file_path": RECORD, "old_string": "a", "new_string": "b"})),
        ("Write", json!({"file_path": absolute, "content": "{}"})),
        ("Bash", json!({"command": format!("echo '{{}}' > {RECORD}")})),
        ("Bash", json!({"command": format!("cd . && sed -i s/a/b/ {RECORD}")})),
        ("Bash", json!({"command": "rm -rf .claude/memory"})),
        ("Bash", json!({"command": "printf x >> .claude/memory/index.md"})),
    ] {
        let told = agent.is_about_to_use(tool, &input);
        let reason = told.deny.unwrap_or_else(|| panic!("{input}"));
        assert!(reason.contains("`tacit records "), "{reason}");
    }
    let denied = told_of(&env).iter().filter(|line| line.starts_with("tool_starting")).count();
    assert_eq!(denied, 7, "what was denied is known, and no other change of a file");
}

#[test]
fn everything_else_may_be_written() {
    let env = guarded();
    let agent = Agent::new(&env, "s");
    for (tool, input) in [
        ("Write", json!({"file_path": "src/main.rs", "content": "x"})),
        ("Write", json!({"file_path": ".claude/memory/.gitattributes", "content": "x"})),
        (
            "Write",
            json!({"file_path": "/elsewhere/.claude/memory/decisions/a.json", "content": "x"}),
        ),
        ("Read", json!({"file_path": RECORD})),
        ("Bash", json!({"command": format!("cat {RECORD} > copy.json")})),
        ("Bash", json!({"command": format!("git add {RECORD} && git commit -m '> {RECORD}'")})),
        ("Bash", json!({"command": "tacit records create decision < draft.json"})),
    ] {
        assert!(agent.is_about_to_use(tool, &input).is_nothing(), "{input}");
    }
}

#[test]
fn a_conflict_may_be_resolved() {
    let env = guarded();
    fs::create_dir_all(env.project().join(".claude/memory/decisions")).expect("a folder");
    fs::write(env.project().join(RECORD), "{\n<<<<<<< ours\n=======\n").expect("a file");
    let edit = json!({"file_path": RECORD, "old_string": "a", "new_string": "b"});
    assert!(Agent::new(&env, "s").is_about_to_use("Edit", &edit).is_nothing());
}

/// An agent with a transcript, and that.
fn with_transcript<'e>(env: &'e TestEnv, session: &str) -> (Agent<'e>, std::path::PathBuf) {
    (Agent::new(env, session), env.root().join(format!("{session}.jsonl")))
}

fn say(path: &std::path::Path, text: &str) {
    use std::io::Write;
    let line = json!({"type": "assistant", "message": {"role": "assistant", "content": text}});
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    writeln!(file.expect("a file"), "{line}").expect("written");
}

fn stops(agent: &Agent<'_>, path: &std::path::Path, again: bool) -> Told {
    agent.fire("Stop", json!({"stop_hook_active": again, "transcript_path": path}))
}

#[test]
fn an_agent_is_asked_for_records_once_for_what_was_said() {
    let env = initialised();
    env.run(["config", "set", "capture.extractor", "agent"]).succeeded();
    env.run(["config", "set", "records.models.decision", "opus"]).succeeded();
    let (agent, path) = with_transcript(&env, "s");
    say(&path, "We chose Rust because it has no runtime.");
    assert!(stops(&agent, &path, false).is_nothing(), "a project without records is left alone");
    fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
    fs::remove_file(&path).expect("removed");
    say(&path, "I looked at the file.");
    assert!(stops(&agent, &path, false).is_nothing(), "nothing is worth a record");
    say(&path, "We decided on tabs because the linter wants them.");
    let reason = stops(&agent, &path, false).block.expect("it is held back");
    assert!(
        reason.contains("`keeping-records`") && reason.contains("\nDECISION (0.50)\n"),
        "{reason}"
    );
    let block = reason.split_once("<triage_data>\n").expect("a block").1;
    let block = block.split_once("\n</triage_data>").expect("its end").0;
    let data: Value = serde_json::from_str(block).expect("JSON");
    assert_eq!(data["categories"][0]["category"], "decision");
    assert_eq!(data["parallel"]["category_models"]["decision"], "opus");
    let context = data["categories"][0]["context_file"].as_str().expect("a file");
    let excerpt = fs::read_to_string(context).expect("an excerpt");
    assert!(excerpt.contains("We decided on tabs"), "{excerpt}");

    // What it says because it was asked is not asked about.
    say(&path, "I recorded the decision because the hook asked for it.");
    assert!(stops(&agent, &path, true).is_nothing());
    assert!(stops(&agent, &path, false).is_nothing(), "asked before");
    // What is new is.
    say(&path, "We settled on Postgres rather than MySQL.");
    assert!(stops(&agent, &path, false).block.is_some());
    assert!(stops(&agent, &path, false).is_nothing(), "once");
    // Another session has its own excerpts and marks.
    let (other, path) = with_transcript(&env, "t");
    say(&path, "We chose SQLite because it is one file.");
    let reason = stops(&other, &path, false).block.expect("it is held back");
    assert!(!reason.contains("LESSON"), "{reason}");
}

#[test]
fn records_and_the_lesson_are_asked_for_at_once() {
    let env = initialised();
    env.run(["config", "set", "capture.extractor", "agent"]).succeeded();
    fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
    let (agent, path) = with_transcript(&env, "s");
    say(&path, "We decided on tabs because the linter wants them.");
    agent.says("The lint check fails.");
    agent.has_used("Edit", "src/a.rs");
    let stop = |again: bool| {
        let fields = json!({
            "stop_hook_active": again, "transcript_path": path, "last_assistant_message": "Done.",
        });
        agent.fire("Stop", fields)
    };
    let reason = stop(false).block.expect("it is held back");
    assert!(reason.contains("<triage_data>"), "{reason}");
    assert!(reason.contains("\n\nIn your last message, also say: what should"), "{reason}");
    assert!(stop(true).is_nothing(), "once a turn");
}

#[test]
fn agents_are_blocked_only_if_they_extract_records() {
    let env = initialised();
    fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
    for extractor in ["auto", "model", "rules", "off"] {
        env.run(["config", "set", "capture.extractor", extractor]).succeeded();
        let (agent, path) = with_transcript(&env, extractor);
        say(&path, "We decided on tabs because the linter wants them.");
        assert!(stops(&agent, &path, false).is_nothing(), "{extractor}");
    }
}
