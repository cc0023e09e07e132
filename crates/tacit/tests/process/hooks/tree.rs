//! Sessions that belong together: resumed or branched off under another name, or at the same work at
//! the same time.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::{Agent, CLOCK_FAILED, CLOCK_PASSED};
use crate::initialised;

/// Writes a transcript as the client keeps it beside others, a value a line.
fn transcript(env: &TestEnv, session: &str, lines: &[Value]) -> PathBuf {
    let directory = env.root().join("home/.claude/projects/-project");
    fs::create_dir_all(&directory).expect("a directory");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = directory.join(format!("{session}.jsonl"));
    fs::write(&path, text).expect("a file");
    path
}

/// One session meets an error and another, which started in this way, ends it.
fn begun_and_ended(env: &TestEnv, source: &str, lines: &[Value]) -> u64 {
    let before = Agent::new(env, "s-before");
    before.starts("startup");
    before.has_failed("cargo test", CLOCK_FAILED);
    before.ends("other");
    let path = transcript(env, "s-after", lines);
    let after = Agent::new(env, "s-after");
    let told = json!({
        "source": source, "transcript_path": path, "seconds_since_last_response": 2,
        "context_tokens": 120, "prompt_cache_likely_expired": false,
    });
    after.fire("SessionStart", told);
    after.mends_the_clock();
    after.has_run("cargo test", CLOCK_PASSED);
    after.ends("other");
    let ran = env.run(["session", "learn", "--json"]).succeeded().json();
    ran["stored"].as_u64().expect("a number")
}

#[test]
fn a_session_that_goes_on_under_another_name_belongs_to_the_one_before() {
    let line = |session: &str| {
        json!({"type": "user", "uuid": "380b6527", "parentUuid": null, "sessionId": session,
               "isSidechain": false, "message": {"role": "user", "content": "Make it pass"}})
    };
    let mut forked = line("s-after");
    forked["forkedFrom"] = json!({"sessionId": "s-before", "messageUuid": "380b6527"});
    for (source, lines, expected) in [
        ("fork", vec![forked.clone()], 1),
        ("resume", vec![line("s-before"), line("s-after")], 1),
        // By itself it never saw the error.
        ("fork", vec![line("s-after")], 0),
        ("startup", vec![forked.clone()], 0),
        ("fork", vec![line("s-unknown"), line("s-after")], 0),
        ("fork", vec![], 0),
    ] {
        let env = initialised();
        assert_eq!(begun_and_ended(&env, source, &lines), expected, "{source} {lines:?}");
        let again = env.run(["session", "learn", "--json"]).succeeded().json();
        assert_eq!(again["sessions"], 0, "{source} {lines:?}");
    }
}

#[test]
fn a_session_that_goes_on_later_is_looked_at_with_the_one_before() {
    let env = initialised();
    let before = Agent::new(&env, "s-before");
    before.starts("startup");
    before.has_failed("cargo test", CLOCK_FAILED);
    before.ends("other");
    let looked = env.run(["session", "learn", "--json"]).succeeded().json();
    assert_eq!((&looked["sessions"], &looked["stored"]), (&json!(1), &json!(0)));
    let forked = json!({"sessionId": "s-after", "forkedFrom": {"sessionId": "s-before"}});
    let path = transcript(&env, "s-after", &[forked]);
    let after = Agent::new(&env, "s-after");
    after.fire("SessionStart", json!({"source": "fork", "transcript_path": path}));
    after.mends_the_clock();
    after.has_run("cargo test", CLOCK_PASSED);
    after.ends("other");
    let looked = env.run(["session", "learn", "--json"]).succeeded().json();
    assert_eq!((&looked["sessions"], &looked["stored"]), (&json!(1), &json!(1)));
    // Transcripts may be gone by then.
    fs::remove_file(path).expect("a file");
    let explained = env.run(["session", "explain", "s-after", "--json"]).succeeded().json();
    assert_eq!(explained["session"], "s-before");
}

#[test]
fn agents_at_the_same_work_at_the_same_time_are_looked_at_as_one() {
    for (branch, expected) in [("feature/ABC-7-clock", 1), ("main", 0)] {
        let env = initialised();
        env.git(&env.project(), &["init", "-q", "-b", "trunk"]);
        env.git(&env.project(), &["checkout", "-q", "-b", branch]);
        let agent = |name: &str, second: u32| {
            Agent::new(&env, name).with("TACIT_NOW", format!("2026-11-15T10:30:{second:02}Z"))
        };
        agent("one", 0).starts("startup");
        agent("two", 1).starts("startup");
        agent("one", 2).has_failed("cargo test", CLOCK_FAILED);
        agent("two", 3).mends_the_clock();
        agent("one", 4).has_run("cargo test", CLOCK_PASSED);
        agent("two", 5).ends("other");
        agent("one", 6).ends("other");
        let ran = env.run(["session", "learn", "--json"]).succeeded().json();
        assert_eq!(ran["stored"], expected, "{branch}");
    }
}
