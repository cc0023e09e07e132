//! Secrets in hook events never reach the disk.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Agent, events, remember};
use crate::initialised;

/// Tokens that are whole before they are cut, in every place a hook reads.
const SECRET: &str = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX";
const KEY: &str = "AKIAIOSFODNN7EXAMPLQ";

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn secrets_are_in_no_file() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    let line = format!("export TOKEN={SECRET} && aws configure set key {KEY}");
    agent.starts("startup");
    agent.says(&format!("use the token {SECRET} to push"));
    agent.is_about_to(&line);
    agent.is_about_to(&format!("docker login -p {SECRET}"));
    agent.has_run("env", &line);
    agent.has_run(
        &format!("git commit -m 'add {SECRET}'"),
        &format!("[main abc1234] add {SECRET}\n 1 file changed"),
    );
    agent.has_failed(&format!("deploy --token {SECRET}"), &format!("Exit code 1\nbad {SECRET}"));
    agent.fire("Stop", json!({"last_assistant_message": format!("I used {SECRET}")}));
    agent.fire("PostCompact", json!({"compact_summary": format!("The token is {SECRET}")}));
    agent.fire("PreCompact", json!({"custom_instructions": format!("keep {SECRET}")}));
    agent.fire(
        "PostToolUse",
        json!({
            "tool_name": "mcp__vault__read", "tool_input": {"path": SECRET},
            "tool_response": [{"type": "text", "text": format!("value: {SECRET}")}],
        }),
    );
    agent.fire(
        "PostToolUse",
        json!({
            "tool_name": "Write",
            "tool_input": {"file_path": ".env", "content": format!("TOKEN={SECRET}\n")},
        }),
    );
    // Wherever a long text is cut, no half of a secret may be left over.
    for offset in (4_096 - 40..4_096 + 2).step_by(3) {
        let (before, after) = ("x".repeat(offset), "y".repeat(offset));
        agent.has_run(
            "cat log",
            &format!("{before} {SECRET} {} {SECRET} {after}", "z ".repeat(9_000)),
        );
    }
    for offset in (8_192 - 40..8_192 + 2).step_by(3) {
        let (before, after) = ("x".repeat(offset), "y".repeat(offset));
        agent.says(&format!("{before} {SECRET} {} {SECRET} {after}", "z ".repeat(20_000)));
    }
    agent.is_about_to(&format!("{} {SECRET}", "x".repeat(300 - 20)));
    assert!(events(&env).len() > 40);
    for path in files(&env.store()).iter().chain(&files(&env.root().join("home"))) {
        let bytes = fs::read(path).expect("a file");
        for secret in [SECRET, &SECRET[..16], &SECRET[24..], KEY] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} in {}", path.display());
        }
    }
}

#[test]
fn nothing_is_left_of_a_memory_that_was_shown_and_purged() {
    for scope in [&[][..], &["--global"]] {
        let env = initialised();
        let text = "the quetzalcoatl protocol must go";
        let arguments = [&["-t", "preference", "--tag", "cheat-sheet"][..], scope].concat();
        let id = remember(&env, text, &arguments);
        let agent = Agent::new(&env, "s");
        assert!(agent.starts("startup").says(text));
        env.run(["forget", &id, "--purge", "--yes"]).succeeded();
        for path in files(&env.store()).iter().chain(&files(&env.root().join("home"))) {
            let bytes = fs::read(path).expect("a file");
            let found = bytes.windows(12).any(|window| window == b"quetzalcoatl");
            assert!(!found, "{}", path.display());
        }
        assert_eq!(events(&env)[0]["shown"][0]["text"], "");
    }
}
