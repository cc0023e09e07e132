//! The outcome of a session in numbers.

use tacit_observer::{ErrorCase, FailedCheckStreak, SessionOutcome};

use crate::script::Script;

const MISSING: &str = "Error: relation \"users\" does not exist";
const REFUSED: &str = "Error: connect ECONNREFUSED 127.0.0.1:5432";

fn measure(script: &Script) -> SessionOutcome {
    SessionOutcome::measure(script.session.parse().expect("a valid script"), &script.log)
}

/// The cases as failures and calls until the pass.
fn cases(errors: &[ErrorCase]) -> Vec<(usize, Option<u64>)> {
    let calls = |case: &ErrorCase| case.resolution.map(|resolution| resolution.calls);
    errors.iter().map(|case| (case.failures.len(), calls(case))).collect()
}

#[test]
fn errors_last_until_their_command_passes() {
    let start = || Script::new("s").says("make it work");
    for (name, script, expected) in [
        ("no error", start().runs("npm test", "1 passed"), vec![]),
        (
            "passed next",
            start().fails("npm test", MISSING).runs("npm test", ""),
            vec![(1, Some(1))],
        ),
        (
            "work in between",
            start()
                .fails("npm test", MISSING)
                .reads("a.ts")
                .edits("a.ts", "a", "b")
                .runs("npm test", ""),
            vec![(1, Some(3))],
        ),
        (
            "repeated",
            start().fails("npm test", MISSING).fails("npm test", MISSING).runs("npm test", ""),
            vec![(2, Some(2))],
        ),
        ("never passed", start().fails("npm test", MISSING).runs("ls", ""), vec![(1, None)]),
        (
            "another error first",
            start().fails("npm test", MISSING).fails("npm test", REFUSED).runs("npm test", ""),
            vec![(1, None), (1, Some(1))],
        ),
        (
            "a wider check",
            start().fails("cargo test parse", MISSING).runs("cargo test", ""),
            vec![(1, Some(1))],
        ),
        (
            "another command",
            start().fails("./deploy.sh", MISSING).runs("./deploy.sh --dry", ""),
            vec![(1, None)],
        ),
        (
            "a subagent's run is its own",
            start()
                .fails("npm test", MISSING)
                .in_subagent(Some("a1"))
                .runs("npm test", "")
                .in_subagent(None)
                .runs("npm test", ""),
            vec![(1, Some(1))],
        ),
        ("no match is no error", start().fails("grep -r users src", ""), vec![]),
    ] {
        assert_eq!(cases(&measure(&script).errors), expected, "{name}");
    }
}

#[test]
fn equal_errors_of_sessions_have_equal_fingerprints() {
    let one = measure(&Script::new("one").fails("npm test", MISSING));
    let other = measure(&Script::new("other").fails("npx jest", MISSING));
    let third = measure(&Script::new("third").fails("npm test", REFUSED));
    assert_eq!(one.errors[0].fingerprint, other.errors[0].fingerprint);
    assert_ne!(one.errors[0].fingerprint, third.errors[0].fingerprint);
    assert_eq!(one.errors[0].failures, ["one--000000"]);
}

#[test]
fn only_checks_count_as_failed_checks() {
    let script = Script::new("s")
        .fails("npm test", MISSING)
        .fails("npm test", REFUSED)
        .runs("npm test", "")
        .fails("./deploy.sh", MISSING)
        .fails("cargo clippy", "error: unused variable: `x`");
    let streak = |failures, passed| FailedCheckStreak { failures, passed };
    assert_eq!(measure(&script).failed_checks, [streak(2, true), streak(1, false)]);
}

#[test]
fn reads_of_unchanged_files_are_repeated() {
    for (name, script, expected) in [
        ("two files", Script::new("s").reads("a.rs").reads("b.rs"), 0),
        ("the same file", Script::new("s").reads("a.rs").reads("a.rs").reads("a.rs"), 2),
        ("changed", Script::new("s").reads("a.rs").edits("a.rs", "a", "b").reads("a.rs"), 0),
        (
            "another file changed",
            Script::new("s").reads("a.rs").edits("b.rs", "a", "b").reads("a.rs"),
            1,
        ),
        (
            "a subagent reads for itself",
            Script::new("s").reads("a.rs").in_subagent(Some("x")).reads("a.rs"),
            0,
        ),
    ] {
        assert_eq!(measure(&script).rereads, expected, "{name}");
    }
}

#[test]
fn calls_tokens_and_changes_are_those_of_the_log() {
    let prompt = "p".repeat(400);
    let output = "[… 3958 bytes cut …]";
    let script =
        Script::new("s").says(&prompt).reads("a.rs").runs("ls", output).edits("b.rs", "a", "b");
    let measured = measure(&script);
    // 400 + "content" + 22 bytes of the note, those it counts, `ls`, and the two letters of the edit.
    assert_eq!(
        (measured.calls, measured.tokens),
        (3, (400 + 7 + output.len() as u64 + 3958 + 2 + 2) / 4)
    );
    let changed: Vec<&str> = measured.changed.iter().map(|file| file.as_str()).collect();
    assert_eq!(changed, ["b.rs"]);
}

#[test]
fn the_order_of_the_log_does_not_matter() {
    let script = Script::new("s")
        .says("go")
        .fails("npm test", MISSING)
        .fails("npm test", REFUSED)
        .reads("a.rs")
        .runs("npm test", "");
    let mut reversed = script.clone();
    reversed.log.reverse();
    assert_eq!(measure(&script), measure(&reversed));
}
