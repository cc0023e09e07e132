//! Commands that finished, and whose output shows that a check failed.

use super::{Agent, CLOCK_FAILED, CLOCK_LESSON, CLOCK_PASSED, remember, told_of};
use crate::initialised;

const TESTS: &str = "The clock of the CI has no battery: `lost_tick` needs TZ=UTC";

/// Pairs of a command with an output that shows a failure, and one that shows none.
const FORMS: [(&str, &str, &str); 15] = [
    (
        "cargo test 2>&1 | tail -5",
        "lost_tick panicked\ntest result: FAILED. 2 passed; 1 failed; 0 ignored",
        "test result: ok. 3 passed; 0 failed; 0 ignored",
    ),
    ("cargo test 2>&1 | grep -E 'FAILED|ok'", "test lost_tick ... FAILED", "test lost_tick ... ok"),
    (
        "cargo test; echo \"exit: $?\"",
        "error: test failed in lost_tick\nexit: 101",
        "lost_tick is fine\nexit: 0",
    ),
    ("cargo test > log 2>&1; echo $?; grep lost_tick log", "101\nlost_tick", "0\nlost_tick"),
    ("cargo test --quiet || true", "lost_tick\nerror: test failed, to rerun", "lost_tick"),
    (
        "pytest -q | tail -3",
        "FAILED tests/test_clock.py::lost_tick\n1 failed, 3 passed in 0.12s",
        "4 passed in 0.12s",
    ),
    (
        "pytest -q | grep lost_tick",
        "FAILED tests/test_clock.py::lost_tick - AssertionError",
        "tests/test_clock.py::lost_tick PASSED",
    ),
    (
        "npm test || true",
        "  ● lost_tick\n\nTests:       1 failed, 3 passed, 4 total",
        "lost_tick\n\nTests:       4 passed, 4 total",
    ),
    (
        "npx vitest run 2>&1 | grep -A3 FAIL",
        "FAIL  src/clock.test.ts > lost_tick",
        "no lost_tick here",
    ),
    (
        "go test ./... | tail -3",
        "--- FAIL: TestLost (0.00s)\n    lost_tick\nFAIL",
        "ok  \texample.com/lost_tick\t0.1s",
    ),
    (
        "./run.sh | tail -3",
        "lost_tick\n1 failed, 3 passed in 0.12s",
        "lost_tick\n4 passed in 0.12s",
    ),
    (
        "bash tools/everything.sh; true",
        "lost_tick\ntest result: FAILED. 2 passed; 1 failed;",
        "lost_tick\ntest result: ok. 3 passed; 0 failed;",
    ),
    (
        "make everything 2>&1 | tail -20",
        "lost_tick\nmake: *** [Makefile:3: everything] Error 1",
        "lost_tick\ndone",
    ),
    (
        "just green | tail",
        "lost_tick\nerror: Recipe `green` failed on line 3 with exit code 1",
        "lost_tick\nok",
    ),
    (
        "npx tsc --noEmit | head -20",
        "src/clock.ts(3,5): error TS2304: Cannot find name 'lost_tick'.",
        "lost_tick",
    ),
];

#[test]
fn a_failed_check_brings_its_memory_whatever_its_exit_code() {
    let env = initialised();
    remember(&env, TESTS, &["-t", "gotcha"]);
    for (number, (command, failed, passed)) in FORMS.iter().enumerate() {
        let agent = Agent::new(&env, &format!("s{number}"));
        assert!(agent.has_run(command, passed).is_nothing(), "{command}: {passed}");
        let told = agent.has_run(command, failed);
        assert!(told.says("for this error") && told.says(TESTS), "{command}: {told:?}");
    }
}

#[test]
fn a_memory_of_the_error_and_the_file_is_shown_once() {
    let env = initialised();
    let file = env.project().join("clock.py");
    std::fs::write(&file, "tick = 1\n").expect("a file");
    remember(&env, TESTS, &["-t", "gotcha", "--file", "clock.py"]);
    let failed = "tick = 1\nFAILED tests/test_clock.py::lost_tick\n1 failed, 3 passed in 0.12s";
    let told = Agent::new(&env, "s").has_run("cat clock.py; pytest -q | tail -5", failed);
    let context = told.context.as_deref().unwrap_or_default();
    assert_eq!(context.matches(TESTS).count(), 1, "{told:?}");
}

#[test]
fn outputs_of_other_commands_are_no_failures() {
    let env = initialised();
    remember(&env, TESTS, &["-t", "gotcha"]);
    let agent = Agent::new(&env, "s");
    let failed = "lost_tick\ntest result: FAILED. 2 passed; 1 failed; 0 ignored";
    for command in ["cat ci.log", "grep -n lost_tick ci.log", "gh run view 3 --log", "git log -1"] {
        assert!(agent.has_run(command, failed).is_nothing(), "{command}");
    }
}

#[test]
fn the_fix_of_the_same_error_is_found_behind_a_filter() {
    let env = initialised();
    let agent = Agent::new(&env, "one");
    agent.starts("startup");
    agent.fixes_the_clock();
    agent.ends("other");
    env.run(["maintain", "--quiet"]).succeeded();
    let output = CLOCK_FAILED.trim_start_matches("Exit code 101\n");
    let told = Agent::new(&env, "two").has_run("cargo test 2>&1 | tail -20", output);
    assert!(told.says(CLOCK_LESSON), "{told:?}");
    assert!(Agent::new(&env, "three").has_run("cargo test | tail", CLOCK_PASSED).is_nothing());
}

#[test]
fn promotion_follows_the_verdict() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    let promoted = || {
        let text = std::fs::read_to_string(env.store().join("hot-topics.json")).expect("a file");
        let topics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        topics["promoted"].to_string()
    };
    agent.has_run("mix test | tail -2", "3 tests, 0 failures");
    // A filter that found nothing is no failure of the check.
    agent.has_failed("golangci-lint run | grep gocritic", "Exit code 1");
    assert_eq!(promoted(), "[]");
    agent.has_run("mix test | tail -2", "3 tests, 1 failure");
    assert_eq!(promoted(), r#"["mix\\s+test"]"#);
    assert_eq!(told_of(&env).len(), 4);
}
