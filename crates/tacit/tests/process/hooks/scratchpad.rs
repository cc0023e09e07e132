//! Notes of a running session, and the agents that see them.

use serde_json::json;

use super::{Agent, CLOCK_FAILED, CLOCK_PASSED, notes};
use crate::initialised;

#[test]
fn a_fix_is_told_to_whoever_meets_the_same_error_later_in_the_session() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.fixes_the_clock();
    assert!(!agent.has_used("Read", "src/clock.rs").says("It passed after"), "it knows");
    let told = agent.helper("h1").has_used("Read", "src/clock.rs");
    assert!(told.says("noted in this session") && told.says("It passed after `src/clock.rs`"));
    assert!(!agent.helper("h1").has_used("Read", "src/clock.rs").says("It passed"), "told before");
    let told = agent.helper("h2").has_failed("cargo test", CLOCK_FAILED);
    assert!(told.says("It passed after `src/clock.rs` was changed"), "{told:?}");
    let told = agent.has_failed("cargo test", CLOCK_FAILED);
    assert!(told.says("It passed after `src/clock.rs` was changed"), "{told:?}");
    assert!(
        Agent::new(&env, "t").has_failed("cargo test", CLOCK_FAILED).is_nothing(),
        "not validated"
    );
    assert_eq!(notes(&env, "inferred").len(), 1, "noted once");
}

#[test]
fn the_very_next_event_is_told_of_it_and_a_crash_takes_nothing() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.fixes_the_clock();
    // The command that passed still waits beside the store, which was not opened since.
    assert_eq!(notes(&env, "inferred"), [""; 0]);
    assert!(agent.helper("h").has_used("Read", "src/clock.rs").says("It passed after"));
}

#[test]
fn notes_are_shown_again_after_a_compaction() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    agent.fixes_the_clock();
    agent.stops(false);
    agent.fire("PreCompact", json!({"trigger": "auto"}));
    agent.starts("compact");
    assert!(agent.has_used("Read", "src/clock.rs").says("It passed after `src/clock.rs`"));
}

#[test]
fn nothing_is_noted_of_what_went_away_by_itself_or_where_nobody_wants_it() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.has_failed("cargo test", CLOCK_FAILED);
    agent.has_run("cargo test", CLOCK_PASSED);
    agent.stops(false);
    assert_eq!(notes(&env, "inferred"), [""; 0]);
    env.run(["config", "set", "capture.extractor", "off"]).succeeded();
    Agent::new(&env, "t").fixes_the_clock();
    agent.stops(false);
    assert_eq!(notes(&env, "inferred"), [""; 0]);
}
