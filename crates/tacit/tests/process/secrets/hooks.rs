//! Secrets in the payloads of hooks.

use std::fs;

use serde_json::json;

use super::search::SOURCES;
use super::{Cargo, hook, through};
use tacit_testkit::env::TestEnv;

#[test]
fn payloads_of_every_kind() {
    through(|env, cargo| {
        fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
        env.run(["config", "set", "capture.extractor", "rules"]).succeeded();
        let transcript = transcript(env, cargo);
        let fire = |event: &str, mut fields: serde_json::Value| {
            fields["transcript_path"] = json!(transcript);
            hook(env, "s", event, fields).succeeded();
        };
        fire("SessionStart", json!({"source": "startup", "model": cargo.lines[0]}));
        for text in &cargo.chunks {
            fire("UserPromptSubmit", json!({"prompt": text}));
            fire("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": text}}));
            fire(
                "PostToolUse",
                json!({
                    "tool_name": "Bash", "tool_input": {"command": "cargo test"},
                    "tool_response": {"stdout": text, "stderr": text, "interrupted": false},
                }),
            );
            let error = format!("Exit code 101\n{text}");
            fire(
                "PostToolUseFailure",
                json!({
                    "tool_name": "Bash", "tool_input": {"command": "cargo test"}, "error": error,
                    "is_interrupt": false,
                }),
            );
            fire(
                "PostToolUse",
                json!({
                    "tool_name": "Write", "tool_response": {},
                    "tool_input": {"file_path": "src/a.rs", "content": text},
                }),
            );
            fire(
                "PostToolUse",
                json!({
                    "tool_name": "mcp__vault__read", "tool_input": {"path": text, "a": [{"b": text}]},
                    "tool_response": [{"type": "text", "text": text}],
                }),
            );
            fire("Stop", json!({"last_assistant_message": text, "stop_hook_active": false}));
        }
        fire("PreCompact", json!({"custom_instructions": cargo.chunks[0]}));
        fire("PostCompact", json!({"compact_summary": cargo.chunks[1]}));
        fire("SessionEnd", json!({"reason": cargo.lines[0]}));
        env.run(["validate", "pass", "--session", "s"]);
        env.run(["session", "learn", "s"]);
        env.run(["maintain"]);
    });
}

fn transcript(env: &TestEnv, cargo: &Cargo) -> String {
    let folder = env.root().join(SOURCES);
    fs::create_dir_all(&folder).expect("a folder");
    let line = |text: &String| {
        let content = format!("We decided against it because {text}");
        json!({"type": "user", "message": {"role": "user", "content": content}}).to_string()
    };
    let lines: Vec<String> = cargo.chunks.iter().chain(&cargo.lines).map(line).collect();
    let path = folder.join("s.jsonl");
    fs::write(&path, lines.join("\n")).expect("a file");
    path.display().to_string()
}

#[test]
fn fields_that_name_a_secret() {
    let env = super::without_vectors();
    let input =
        json!({"password": "swordfish77", "nested": {"api_key": "k3Jq8Zx1Vb7Nw5Tc2Rm9Lp4H"}});
    hook(
        &env,
        "s",
        "PostToolUse",
        json!({
            "tool_name": "mcp__db__connect", "tool_input": input, "tool_response": "ok",
        }),
    )
    .succeeded();
    env.run(["why"]).succeeded();
    let database = rusqlite::Connection::open(env.store().join("memory.db")).expect("a database");
    let sql = "SELECT group_concat(body) FROM agent_events";
    let bodies: String = database.query_row(sql, [], |row| row.get(0)).expect("events");
    assert!(!bodies.contains("swordfish77") && !bodies.contains("k3Jq8Zx1"), "{bodies}");
    assert_eq!(bodies.matches("[redacted:").count(), 2, "{bodies}");
}

#[test]
fn names_that_clients_give() {
    let env = super::without_vectors();
    let cargo = Cargo::secret();
    for (number, name) in cargo.names.iter().enumerate() {
        let other = &cargo.names[(number + 7) % cargo.names.len()];
        let event = match number % 5 {
            0 => ("SessionStart", json!({"source": "startup", "model": other})),
            1 => ("SubagentStart", json!({"agent_id": other, "agent_type": name})),
            2 => (
                "PostToolUse",
                json!({
                    "tool_name": other, "tool_use_id": name, "tool_input": {other.as_str(): 1},
                    "tool_response": "x",
                }),
            ),
            3 => ("SessionEnd", json!({"reason": other})),
            _ => (
                "UserPromptSubmit",
                json!({"prompt": "hello", "transcript_path": format!("/tmp/{other}/t.jsonl")}),
            ),
        };
        hook(&env, name, event.0, event.1).succeeded();
    }
    fs::create_dir_all(env.home()).expect("a folder");
    // What goes wrong is logged, without what made it go wrong.
    for text in cargo.names.iter().step_by(10) {
        env.run_with_input(["hook", text.as_str()], b"{}").succeeded();
        env.run_with_input(["hook", "claude", text.as_str()], b"{}").succeeded();
        env.run_with_input(["hook", "claude"], format!("{{\"session_id\": {text}}}").as_bytes())
            .succeeded();
        let key = format!("\"{text}\" = 1\n");
        fs::write(env.home().join("config.toml"), key).expect("a file");
        hook(&env, "s", "UserPromptSubmit", json!({"prompt": "hello there"})).succeeded();
        fs::remove_file(env.home().join("config.toml")).expect("a file");
    }
    env.run(["maintain"]);
    let all = super::planted();
    let needles = super::Needles::of(all.iter().map(|one| one.secret.as_str()));
    let found = needles.search(&env);
    assert!(found.is_empty(), "{}", found.join("\n"));
    // Two sessions stay two, and the same is the same.
    let listed = env.run(["session", "list", "--json"]).succeeded().stdout;
    assert!(listed.contains("redacted-"), "{listed}");
}
