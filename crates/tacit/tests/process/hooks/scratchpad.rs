//! Notes of a running session, and the agents that see them.

use serde_json::json;

use super::{Agent, notes};
use crate::initialised;

const ERROR: &str = "Exit code 101\nerror[E0308]: mismatched types in clock\n";
const PASSED: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";

fn edit(agent: &Agent<'_>, file: &str, old: &str, new: &str) {
    agent.fire(
        "PostToolUse",
        json!({
            "tool_name": "Edit", "tool_response": {"filePath": file},
            "tool_input": {"file_path": file, "old_string": old, "new_string": new},
        }),
    );
}

fn fix(agent: &Agent<'_>) {
    agent.has_failed("cargo test", ERROR);
    edit(agent, "src/clock.rs", "fn now() -> u32", "fn now() -> u64");
    agent.has_run("cargo test", PASSED);
}

#[test]
fn a_fix_is_told_to_whoever_meets_the_same_error_later_in_the_session() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    fix(&agent);
    assert!(!agent.has_used("Read", "src/clock.rs").says("It passed after"), "it knows");
    let told = agent.helper("h1").has_used("Read", "src/clock.rs");
    assert!(told.says("noted in this session") && told.says("It passed after `src/clock.rs`"));
    assert!(!agent.helper("h1").has_used("Read", "src/clock.rs").says("It passed"), "told before");
    let told = agent.helper("h2").has_failed("cargo test", ERROR);
    assert!(told.says("It passed after `src/clock.rs` was changed"), "{told:?}");
    let told = agent.has_failed("cargo test", ERROR);
    assert!(told.says("It passed after `src/clock.rs` was changed"), "{told:?}");
    assert!(Agent::new(&env, "t").has_failed("cargo test", ERROR).is_nothing(), "not validated");
    assert_eq!(notes(&env, "inferred").len(), 1, "noted once");
}

#[test]
fn the_very_next_event_is_told_of_it_and_a_crash_takes_nothing() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    fix(&agent);
    // The command that passed still waits beside the store, which was not opened since.
    assert_eq!(notes(&env, "inferred"), [""; 0]);
    assert!(agent.helper("h").has_used("Read", "src/clock.rs").says("It passed after"));
}

#[test]
fn notes_are_shown_again_after_a_compaction() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    fix(&agent);
    agent.stops(false);
    agent.fire("PreCompact", json!({"trigger": "auto"}));
    agent.starts("compact");
    assert!(agent.has_used("Read", "src/clock.rs").says("It passed after `src/clock.rs`"));
}

#[test]
fn an_edit_that_was_corrected_at_once_is_noted() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    edit(&agent, "src/a.rs", "one", "let port = 80;");
    agent.has_used("Read", "src/b.rs");
    edit(&agent, "src/a.rs", "let port = 80;", "let port = config.port;");
    let noted = notes(&env, "inferred");
    let [note] = noted.as_slice() else { panic!("{noted:?}") };
    assert!(note.contains("`src/a.rs` was corrected 2 steps later"), "{note}");
    assert!(agent.helper("h").has_used("Read", "src/a.rs").says("was corrected"));
    assert!(!agent.has_used("Read", "src/a.rs").says("was corrected"));
}

#[test]
fn nothing_is_noted_of_what_went_away_by_itself_or_where_nobody_wants_it() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.has_failed("cargo test", ERROR);
    agent.has_run("cargo test", PASSED);
    agent.stops(false);
    assert_eq!(notes(&env, "inferred"), [""; 0]);
    env.run(["config", "set", "capture.extractor", "off"]).succeeded();
    fix(&Agent::new(&env, "t"));
    agent.stops(false);
    assert_eq!(notes(&env, "inferred"), [""; 0]);
}
