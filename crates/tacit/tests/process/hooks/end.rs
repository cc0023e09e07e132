//! The end of a turn and of a session.

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::{Agent, CLOCK_FAILED, CLOCK_LESSON, told_of};
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

/// A project whose agents are asked.
fn asking() -> TestEnv {
    // Without a branch, no state of work is kept beside the lesson.
    let env = crate::plain();
    env.run(["init", "--yes"]).succeeded();
    env.run(["config", "set", "capture.extractor", "agent", "--global"]).succeeded();
    env
}

impl Agent<'_> {
    /// Stops with a last message. `held` is true if a stop hook held the agent back before.
    fn stops_saying(&self, message: &str, held: bool) -> Option<String> {
        let fields = json!({"stop_hook_active": held, "last_assistant_message": message});
        self.fire("Stop", fields).block
    }

    /// Fails, changes a file, passes.
    fn fixes(&self, command: &str, file: &str) {
        self.has_failed(command, "Exit code 1\nFAIL: the total is 0");
        self.has_used("Edit", file);
        self.has_run(command, "ok");
    }
}

fn learnt(env: &TestEnv) -> Vec<String> {
    env.run(["maintain", "--quiet"]).succeeded();
    let listed = env.run(["list", "--json"]).succeeded().json();
    let listed = listed.as_array().expect("a list");
    let text = |memory: &Value| memory["content"].as_str().expect("a text").to_owned();
    listed.iter().map(text).collect()
}

#[test]
fn an_agent_is_asked_for_the_lesson_of_a_turn_that_taught_something() {
    let env = asking();
    let agent = Agent::new(&env, "s");
    agent.says("Print the total of each invoice.");
    agent.fixes("npm test", "src/invoice.ts");
    let asked = agent.stops_saying("The total is printed.", false).expect("it is held back");
    assert_eq!(
        asked,
        "Before you stop: what should the next agent in this repository know because of this turn: \
         a cause, a rule, a command that works here? Answer with one line `LESSON: ...` that names \
         the code, command or file, or with `LESSON: none`. Do nothing else."
    );
    assert_eq!(session(&env, "s"), (None, 0, true));
    let lesson = "`npm test` reads `dist/`, so you must run `npm run build` after each change.";
    assert_eq!(agent.stops_saying(&format!("LESSON: {lesson}"), true), None, "once a turn");
    agent.ends("other");
    let known = learnt(&env);
    assert!(known.iter().any(|text| text == lesson), "{known:?}");
    let listed = env.run(["list", "--type", "gotcha", "--json"]).succeeded().json();
    assert_eq!(listed[0]["related_files"], json!(["src/invoice.ts"]), "as its turn changed it");
}

#[test]
fn an_answer_of_none_teaches_nothing() {
    let env = asking();
    let agent = Agent::new(&env, "s");
    agent.says("Why does the import crash?");
    agent.has_used("Edit", "src/import.py");
    assert!(agent.stops_saying("Done.", false).is_some());
    assert_eq!(agent.stops_saying("LESSON: none", true), None);
    agent.ends("other");
    assert_eq!(learnt(&env), Vec::<String>::new());
}

#[test]
fn turns_without_a_sign_and_clients_without_messages_are_not_asked() {
    let env = asking();
    let agent = Agent::new(&env, "s");
    agent.says("Rename the field.");
    agent.has_used("Edit", "src/a.rs");
    agent.has_run("cargo test", "ok");
    assert_eq!(agent.stops_saying("Renamed.", false), None, "nothing failed");
    agent.says("Why is the build still broken?");
    assert_eq!(agent.stops_saying("I cannot tell.", false), None, "nothing was done");
    agent.says("The build is broken.");
    agent.fixes("cargo build", "src/a.rs");
    assert_eq!(agent.fire("Stop", json!({})).block, None, "the answer would not be reported");
    // A helper that stops is let go.
    agent.says("It fails again.");
    let helper = agent.helper("a1");
    helper.fixes("cargo build", "src/a.rs");
    let fields = json!({"stop_hook_active": false, "last_assistant_message": "found it"});
    assert!(helper.fire("SubagentStop", fields).is_nothing());
}

#[test]
fn an_agent_is_not_asked_twice_about_what_merely_remains() {
    let env = asking();
    let agent = Agent::new(&env, "s");
    assert_eq!(agent.stops_saying("Done.", true), None, "it was held back by somebody else");
    agent.says("The export crashes.");
    agent.has_used("Edit", "src/a.go");
    assert!(agent.stops_saying("Fixed.", false).is_some());
    assert_eq!(agent.stops_saying("LESSON: none", true), None);
    agent.says("It still crashes.");
    agent.has_used("Edit", "src/a.go");
    assert_eq!(agent.stops_saying("Now it is fixed.", false), None, "asked a turn ago");
    agent.says("It still crashes.");
    agent.has_used("Edit", "src/a.go");
    assert!(agent.stops_saying("Now it is fixed.", false).is_some(), "not asked a turn ago");
    assert_eq!(agent.stops_saying("LESSON: none", true), None);
    agent.says("And the test fails.");
    agent.fixes("go test ./...", "src/a.go");
    assert!(agent.stops_saying("The test passes.", false).is_some(), "something new happened");
}

#[test]
fn rules_learn_beside_the_agent() {
    let env = asking();
    let agent = Agent::new(&env, "s");
    agent.fixes_the_clock();
    agent.ends("other");
    assert_eq!(learnt(&env).len(), 1);
}

#[test]
fn other_extractors_do_not_block_the_agent() {
    let env = initialised();
    for extractor in ["auto", "model", "rules", "off"] {
        env.run(["config", "set", "capture.extractor", extractor]).succeeded();
        let agent = Agent::new(&env, extractor);
        agent.fixes("cargo test", "src/a.rs");
        assert!(agent.stops(false).is_nothing(), "{extractor}");
    }
}

#[test]
fn fixes_are_learnt_and_shown_once_confirmed() {
    // Without a branch, no state of work is kept beside the lesson.
    let env = crate::plain();
    env.run(["init", "--yes"]).succeeded();
    let work = |session: &str| {
        let agent = Agent::new(&env, session);
        agent.fixes_the_clock();
        agent.ends("other");
        env.run(["maintain", "--quiet"]).succeeded();
    };
    let known = || env.run(["list", "--json"]).succeeded().json();
    work("s");
    let memories = known();
    assert_eq!(memories.as_array().map(Vec::len), Some(1), "{memories}");
    assert_eq!(memories[0]["content"], CLOCK_LESSON);
    assert_eq!(memories[0]["generator"], "rules");
    let history = env.run(["history", "-n", "1"]).succeeded().stdout;
    assert!(history.contains("remember  tacit  "), "{history}");
    assert!(history.contains("because: learnt from sessions"), "{history}");
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(known()[0]["observations"], 1, "a session teaches once");
    assert!(!Agent::new(&env, "t").starts("startup").says("lost a tick"), "seen once");
    // An agent with the same error in another line sees the lesson at once.
    let elsewhere = CLOCK_FAILED.replace(":9:5", ":42:1");
    let other = Agent::new(&env, "x");
    let told = other.has_failed("make check", &elsewhere);
    assert!(told.says("It passed after `src/clock.rs` was changed"), "{told:?}");
    assert!(!other.has_failed("make check", &elsewhere).says("It passed after"), "told before");
    work("u");
    assert!(Agent::new(&env, "v").starts("startup").says("lost a tick"), "seen twice");

    env.run(["config", "set", "capture.extractor", "off", "--global"]).succeeded();
    work("w");
    let count = known()[0]["observations"].clone();
    assert_eq!(count, 2, "nothing is learnt while the extractor is off");
}

#[test]
fn a_session_teaches_once_however_many_look_at_it() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.fixes_the_clock();
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
