//! The end of a turn and of a session.

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::{Agent, told_of};
use crate::initialised;

/// Returns the end of a session, the number of compactions, and whether the agent was asked.
fn session(env: &TestEnv, id: &str) -> (Option<String>, u32, bool) {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    connection
        .query_row("SELECT ended, context, asked FROM agent_sessions WHERE id = ?", [id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .expect("a session")
}

#[test]
fn an_end_is_kept_and_a_session_can_go_on_after_it() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    assert!(agent.stops(false).is_nothing());
    assert!(agent.ends("prompt_input_exit").is_nothing());
    assert_eq!(session(&env, "s"), (Some("prompt_input_exit".into()), 0, false));
    agent.starts("resume");
    assert_eq!(session(&env, "s"), (None, 0, false));
    assert!(agent.fire("SessionEnd", Value::Null).is_nothing());
    assert_eq!(session(&env, "s"), (Some("other".into()), 0, false));
    assert_eq!(
        told_of(&env),
        ["session_started", "turn_stopped", "session_ended", "session_started", "session_ended"]
    );
}

#[test]
fn an_agent_is_asked_once_a_session_and_never_held_twice() {
    let env = initialised();
    env.run(["config", "set", "capture.extractor", "agent"]).succeeded();
    let agent = Agent::new(&env, "s");
    assert!(agent.stops(true).is_nothing(), "it was held back by somebody else");
    let told = agent.stops(false);
    let reason = told.block.as_deref().expect("it is held back");
    assert!(reason.contains("`tacit remember --type TYPE"), "{reason}");
    assert_eq!(session(&env, "s"), (None, 0, true));
    assert!(agent.stops(true).is_nothing());
    assert!(agent.stops(false).is_nothing(), "asked before");
    // A helper that stops is let go, and another session is asked for itself.
    let fields = json!({"stop_hook_active": false, "last_assistant_message": "found it"});
    assert!(agent.helper("a1").fire("SubagentStop", fields).is_nothing());
    assert!(Agent::new(&env, "t").stops(false).block.is_some());
}

#[test]
fn other_extractors_do_not_block_the_agent() {
    let env = initialised();
    for extractor in ["auto", "rules", "off"] {
        env.run(["config", "set", "capture.extractor", extractor]).succeeded();
        assert!(Agent::new(&env, extractor).stops(false).is_nothing(), "{extractor}");
    }
}

#[test]
fn fixes_are_learnt_and_shown_once_confirmed() {
    // Without a branch, no state of work is kept beside the lesson.
    let env = crate::plain();
    env.run(["init", "--yes"]).succeeded();
    let error = "Exit code 101\nerror[E0308]: mismatched types\n --> src/a.rs:3:5";
    let lesson = "`cargo test` failed: error[E0308]: mismatched types. It passed after `src/a.rs` \
                  was changed.";
    let work = |session: &str| {
        let agent = Agent::new(&env, session);
        agent.has_failed("cargo test", error);
        agent.has_used("Edit", "src/a.rs");
        agent.has_run("cargo test", "ok");
        agent.ends("other");
        env.run(["maintain", "--quiet"]).succeeded();
    };
    let known = || env.run(["list", "--json"]).succeeded().json();
    work("s");
    let memories = known();
    assert_eq!(memories.as_array().map(Vec::len), Some(1), "{memories}");
    assert_eq!(memories[0]["content"], lesson);
    assert_eq!(memories[0]["generator"], "rules");
    let history = env.run(["history", "-n", "1"]).succeeded().stdout;
    assert!(history.contains("remember  tacit  "), "{history}");
    assert!(history.contains("because: learnt from sessions"), "{history}");
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(known()[0]["observations"], 1, "a session teaches once");
    assert!(!Agent::new(&env, "t").starts("startup").says("mismatched types"), "seen once");
    // An agent with the same error in another file sees the lesson at once.
    let elsewhere = "Exit code 1\nerror[E0308]: mismatched types\n --> lib/z.rs:99:1";
    let other = Agent::new(&env, "x");
    let told = other.has_failed("make check", elsewhere);
    assert!(told.says("It passed after `src/a.rs` was changed"), "{told:?}");
    assert!(!other.has_failed("make check", elsewhere).says("It passed after"), "told before");
    work("u");
    assert!(Agent::new(&env, "v").starts("startup").says("mismatched types"), "seen twice");

    env.run(["config", "set", "capture.extractor", "off", "--global"]).succeeded();
    work("w");
    let count = known()[0]["observations"].clone();
    assert_eq!(count, 2, "nothing is learnt while the extractor is off");
}

#[test]
fn a_session_teaches_once_however_many_look_at_it() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.has_failed("cargo test", "error[E0308]: mismatched types");
    agent.has_used("Edit", "src/a.rs");
    agent.has_run("cargo test", "ok");
    agent.ends("other");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| env.run(["session", "learn", "s"]).succeeded());
        }
    });
    let known = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(known.as_array().map(Vec::len), Some(1), "{known}");
    assert_eq!(known[0]["observations"], 1);
}
