//! Sessions in which nothing is shown, to measure what showing is worth.

use std::fs;

use rusqlite::Connection;
use serde_json::json;
use tacit_core::{SessionId, is_held_out};
use tacit_testkit::env::TestEnv;

use super::{Agent, remember};
use crate::initialised;

const SHARE: &str = "0.5";
const POOL: &str = "The pool in src/pool.rs must be closed before the process forks";

/// Returns the first session names that are and are not held out.
fn sessions() -> (String, String) {
    let name = |wanted: bool| {
        let mut names = (0..).map(|number| format!("session-{number}"));
        let is_out =
            |name: &String| is_held_out(&SessionId::new(name.clone()).expect("an id"), 0.5);
        names.find(|name| is_out(name) == wanted).expect("one of many")
    };
    (name(true), name(false))
}

fn measured() -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "report.holdout", SHARE]).succeeded();
    env.run(["config", "set", "timeouts.hook_ms", "10000"]).succeeded();
    remember(&env, POOL, &["--file", "src/pool.rs"]);
    fs::create_dir_all(env.project().join("src")).expect("a folder");
    fs::write(env.project().join("src/pool.rs"), "struct Pool;\n").expect("a file");
    env
}

/// Returns the group of a session: `None` outside a trial.
fn group(env: &TestEnv, session: &str) -> Option<bool> {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    let sql = "SELECT held_out FROM agent_sessions WHERE id = ?";
    connection.query_row(sql, [session], |row| row.get(0)).expect("a session")
}

/// Returns for each injection of a session if it was withheld, and if it has a fate.
fn injections(env: &TestEnv, session: &str) -> Vec<(bool, bool)> {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    let sql = "SELECT withheld, fate IS NOT NULL FROM agent_injections WHERE session = ?";
    let mut statement = connection.prepare(sql).expect("a query");
    let rows = statement.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").collect::<Result<_, _>>().expect("rows")
}

#[test]
fn what_would_have_been_shown_is_recorded_and_withheld() {
    let env = measured();
    let (out, compared) = sessions();
    let (held, other) = (Agent::new(&env, &out), Agent::new(&env, &compared));
    let told = held.starts("startup");
    assert!(!told.says(POOL) && told.says("Tip: "), "{told:?}");
    assert!(other.starts("startup").says(POOL));
    for agent in [&held, &other] {
        for number in 0..6 {
            agent.has_run(&format!("echo {number}"), "");
        }
        agent.stops(false);
        agent.ends("other");
    }
    let helper = held.helper("a").fire("SubagentStart", json!({}));
    assert!(!helper.says(POOL), "helpers belong to their session: {helper:?}");
    assert_eq!((group(&env, &out), group(&env, &compared)), (Some(true), Some(false)));
    env.run(["maintain"]).succeeded();
    assert_eq!(injections(&env, &compared), [(false, true)]);
    assert_eq!(injections(&env, &out), [(true, false), (true, false)], "withheld, without a fate");
    let shown = env.run(["why", "--shown"]).succeeded().stdout;
    assert!(shown.contains("; withheld"), "{shown}");
}

#[test]
fn the_guard_and_explicit_queries_are_not_withheld() {
    let env = measured();
    remember(&env, "Never run `make wipe` here: it deletes the database", &["--tag", "danger"]);
    let (out, _) = sessions();
    let agent = Agent::new(&env, &out);
    agent.starts("startup");
    assert!(agent.is_about_to("make wipe").deny.is_some());
    assert_eq!(injections(&env, &out).last().map(|last| last.0), Some(false));
    let found = env.run(["recall", "close the pool before the process forks"]).succeeded();
    assert!(found.stdout.contains("must be closed"), "{}", found.stdout);
}

#[test]
fn a_session_keeps_the_group_with_which_it_began() {
    let env = measured();
    let (out, compared) = sessions();
    Agent::new(&env, &out).starts("startup");
    Agent::new(&env, "before").has_run("true", "");
    env.run(["config", "set", "report.holdout", "0"]).succeeded();
    assert!(!Agent::new(&env, &out).starts("compact").says(POOL), "still held out");
    assert!(Agent::new(&env, &compared).starts("startup").says(POOL));
    env.run(["config", "set", "report.holdout", SHARE]).succeeded();
    assert!(Agent::new(&env, &compared).starts("resume").context.is_none(), "it has seen it");
    assert_eq!((group(&env, &out), group(&env, &compared)), (Some(true), None));
}

#[test]
fn a_session_that_continues_another_is_in_its_group() {
    let env = measured();
    let (out, compared) = sessions();
    Agent::new(&env, &out).starts("startup");
    Agent::new(&env, &compared).starts("startup");
    for (before, number) in [(&out, 1), (&compared, 2)] {
        let name = format!("continued-{number}");
        let transcript = env.project().join(format!("{name}.jsonl"));
        fs::write(&transcript, format!("{{\"sessionId\":\"{before}\"}}\n")).expect("a file");
        let fields = json!({"source": "resume", "transcript_path": transcript});
        Agent::new(&env, &name).fire("SessionStart", fields);
        assert_eq!(group(&env, &name), group(&env, before), "{name}");
    }
}

#[test]
fn a_repository_cannot_hold_sessions_out() {
    let key = tacit_core::ConfigKey::find("report.holdout").expect("a key");
    let share = key.parse("0.5").expect("a share");
    assert!(key.check_shared(&share).is_err());
    for (text, expected) in [("0", true), ("0.5", true), ("0.51", false), ("-0.1", false)] {
        assert_eq!(key.parse(text).is_ok(), expected, "{text}");
    }
}
