//! `tacit learn`: past sessions teach what they would have taught when they happened; `git.rs` has the
//! history.

mod claude;
mod clients;
mod entire;
mod git;
mod known;

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

/// The time at which past sessions are learnt from.
const LATER: &str = "2026-12-01T00:00:00Z";

/// A form in which past sessions are kept.
pub(crate) struct PastForm {
    pub(crate) name: &'static str,
    /// Learns from payloads, kept in this form, in a new store; returns the memories.
    pub(crate) learn: fn(&TestEnv, &[(String, Value)]) -> String,
}

/// The forms in which a story is learnt from.
pub(crate) const PAST_FORMS: [PastForm; 2] = [
    PastForm { name: "recorded payloads", learn: learn_recorded },
    PastForm { name: "transcripts of Claude Code", learn: learn_claude },
];

fn learn_recorded(env: &TestEnv, payloads: &[(String, Value)]) -> String {
    let lines = payloads.iter().map(|(at, payload)| {
        format!("{}\n", json!({"at": at, "session": payload["session_id"], "event": payload}))
    });
    let file = env.root().join("events.jsonl");
    fs::write(&file, lines.collect::<String>()).expect("a file");
    forget_everything(env);
    learn(env, &[file.to_str().expect("a path")]);
    learnt_from(env)
}

fn learn_claude(env: &TestEnv, payloads: &[(String, Value)]) -> String {
    claude::write(env, payloads);
    forget_everything(env);
    learn(env, &[]);
    learnt_from(env)
}

/// Makes a new store in place of the one that is there.
fn forget_everything(env: &TestEnv) {
    fs::remove_dir_all(env.store()).expect("a store");
    let done = env.command().args(["init", "--no-hooks"]).env("TACIT_NOW", LATER).output();
    assert!(done.expect("the binary runs").status.success());
}

/// Runs `tacit learn transcripts` and returns its report.
fn learn(env: &TestEnv, arguments: &[&str]) -> Value {
    let mut command = env.command();
    command.args(["learn", "transcripts", "--json"]).args(arguments).env("TACIT_NOW", LATER);
    let done = command.output().expect("the binary runs");
    assert!(done.status.success(), "{done:?}");
    serde_json::from_slice(&done.stdout).expect("JSON")
}

/// Returns the memories that were learnt from sessions, one per line.
pub(crate) fn learnt_from(env: &TestEnv) -> String {
    let listed = env.run(["list", "--json", "--limit", "1000"]).succeeded().stdout;
    let memories: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
    let mut lines: Vec<String> = memories
        .iter()
        .filter(|memory| memory["source"] == "observer_inferred" && !memory["sessions"].is_null())
        .map(|memory| {
            let text = |name: &str| memory[name].as_str().unwrap_or_default().to_owned();
            let times = memory["observations"].as_u64().unwrap_or(1);
            let times = if times > 1 { format!(" ×{times}") } else { String::new() };
            format!("{}{times}: {}", text("type"), text("content").replace('\n', " / "))
        })
        .collect();
    lines.sort();
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns everything that an export has.
fn export(env: &TestEnv) -> String {
    env.run(["export"]).succeeded().stdout
}
