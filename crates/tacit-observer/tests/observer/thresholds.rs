//! Each rule below, at and above its threshold.

use tacit_observer::SessionDigest;
use tacit_observer::reverts::ABANDONED_STEPS;
use tacit_observer::rules::MAX_FILES;
use tacit_observer::signals::CO_ACCESS_STEPS;

use crate::script::Script;

const OK: &str = "test result: ok. 12 passed; 0 failed; 0 ignored";
const ERROR: &str = "error[E0308]: mismatched types";
const FAILED_TEST: &str = "test auth::expires ... FAILED\n\nfailures:\n\n---- auth::expires stdout ----\n\n\
                           thread 'auth::expires' (71) panicked at src/auth/token.rs:9:5:\n\
                           a token without `ttl` is valid\n\n\nfailures:\n    auth::expires\n\n\
                           test result: FAILED. 11 passed; 1 failed; 0 ignored";

fn kinds(script: &Script, past: &[SessionDigest]) -> Vec<String> {
    let memories = script.memories(past);
    memories.iter().map(|memory| memory.split_once(':').expect("a type").0.to_owned()).collect()
}

fn runs_ls(mut script: Script, steps: usize) -> Script {
    for number in 0..steps {
        script = script.runs("ls", &number.to_string());
    }
    script
}

#[test]
fn files_used_within_a_few_steps_form_a_pair() {
    for (between, together) in
        [(CO_ACCESS_STEPS - 2, true), (CO_ACCESS_STEPS - 1, true), (CO_ACCESS_STEPS, false)]
    {
        let script = runs_ls(Script::new("s").reads("a/x.rs"), between).reads("a/y.rs").ends();
        assert_eq!(
            script.conclusions(&[]).digest.pairs.len(),
            usize::from(together),
            "{between} steps between"
        );
    }
}

#[test]
fn pairs_record_order_and_time() {
    let script = Script::new("s").reads("a/y.rs").runs("ls", "").reads("a/x.rs").ends();
    let digest = script.conclusions(&[]).digest;
    let [pair] = digest.pairs.as_slice() else { panic!("one pair") };
    assert_eq!(
        (pair.a.as_str(), pair.a_first, pair.step_delta, pair.time_delta_ms),
        ("a/x.rs", false, 2, 20_000)
    );
}

#[test]
fn pairs_need_three_sessions_and_different_places() {
    let session = |name: &str, other: &str| {
        Script::new(name)
            .reads(other)
            .edits("a/x.rs", "let a = 1;", "let a = 2;")
            .runs("cargo test", OK)
            .ends()
    };
    for (other, earlier, expected) in [
        ("b/y.yaml", 1, 0),
        ("b/y.yaml", 2, 1),
        ("b/y.yaml", 3, 1),
        ("b/y.rs", 3, 0),
        ("a/y.rs", 3, 0),
        ("tests/x_test.rs", 3, 0),
        ("b/other_test.go", 3, 0),
        ("docs/x.md", 3, 0),
    ] {
        let past: Vec<SessionDigest> = (0..earlier)
            .map(|number| session(&format!("p{number}"), other).conclusions(&[]).digest)
            .collect();
        let found = kinds(&session("now", other), &past);
        assert_eq!(
            found.iter().filter(|kind| *kind == "causal_dependency").count(),
            expected,
            "{other}, {earlier} before"
        );
    }
}

#[test]
fn values_in_several_files_need_two_sessions() {
    let session = |name: &str, old: &str, new: &str| {
        let (manifest, module) = (format!("version = \"{old}\""), format!("VERSION = '{old}'"));
        Script::new(name)
            .edits("pyproject.toml", &manifest, &manifest.replace(old, new))
            .edits("src/app.py", &module, &module.replace(old, new))
            .ends()
    };
    let past = [session("p", "1.0.1", "1.0.2").conclusions(&[]).digest];
    assert_eq!(kinds(&session("now", "1.0.2", "1.1.0"), &[]), Vec::<String>::new());
    assert_eq!(
        session("now", "1.0.2", "1.1.0").memories(&past),
        ["gotcha: The same value stands in `pyproject.toml` and `src/app.py`: change both \
             (`1.0.2` became `1.1.0` in each)."]
    );
}

#[test]
fn fixes_of_too_many_files_are_rejected() {
    for (files, expected) in [(0, 0), (1, 1), (MAX_FILES, 1), (MAX_FILES + 1, 0)] {
        let mut script = Script::new("s")
            .edits("b/z.rs", "let a = 1;", "let a = 2;")
            .fails("cargo test", FAILED_TEST);
        for number in 0..files {
            script = script.edits(&format!("a/x{number}.rs"), "let ttl = 1;", "let ttl = 2;");
        }
        let script = script.runs("cargo test", OK).ends();
        let found = kinds(&script, &[]);
        assert_eq!(
            found.iter().filter(|kind| *kind == "error_pattern").count(),
            expected,
            "{files} files"
        );
    }
}

#[test]
fn restored_content_is_a_dead_end_after_enough_steps() {
    for (steps, expected) in
        [(ABANDONED_STEPS - 1, 0), (ABANDONED_STEPS, 1), (ABANDONED_STEPS + 1, 1)]
    {
        let script = Script::new("s")
            .edits("a/x.rs", "mode(fast)", "mode(throttle(fast))")
            .fails("cargo test", "error[E0425]: cannot find function `throttle` in this scope");
        let script = runs_ls(script, steps - 2)
            .edits("a/x.rs", "mode(throttle(fast))", "mode(fast)")
            .edits("a/y.rs", "let b = 1;", "let b = limit(2);")
            .runs("cargo test", OK)
            .ends();
        let found = kinds(&script, &[]);
        assert_eq!(
            found.iter().filter(|kind| *kind == "dead_end").count(),
            expected,
            "after {steps} steps"
        );
    }
}

#[test]
fn only_a_covering_check_clears_a_failure() {
    let ended = |last: &str| {
        Script::new("s")
            .fails("pytest tests/a.py", "FAILED tests/a.py::test_x")
            .edits("a/x.py", "let a = 1;", "let a = 2;")
            .runs(last, "==== 3 passed in 0.1s ====")
            .ends()
            .conclusions(&[])
            .verdict
            .passed()
    };
    for (last, passed) in [
        ("pytest tests/a.py", true),
        ("pytest", true),
        ("pytest tests/b.py", false),
        ("ruff check .", false),
    ] {
        assert_eq!(ended(last), passed, "{last}");
    }
}

#[test]
fn reported_results_override_failures() {
    let script = |passed: bool| {
        Script::new("s")
            .edits("a/x.rs", "let a = 1;", "let a = 2;")
            .notes("gotcha", "Sizes are counted in pages of four kilobytes", &[])
            .fails("cargo test", ERROR)
            .reports_check(passed)
            .ends()
    };
    assert_eq!(kinds(&script(true), &[]), ["gotcha"]);
    assert_eq!(kinds(&script(false), &[]), Vec::<String>::new());
}

#[test]
fn reported_tokens_are_not_mixed_with_estimates() {
    let session = |name: &str, reported: Option<u64>| {
        let script = Script::new(name)
            .edits("src/a/x.rs", "let a = 1;", "let a = 2;")
            .runs("cargo test", &format!("{}{OK}", "text\n".repeat(1_000)))
            .ends();
        reported.into_iter().fold(script, Script::reports_tokens)
    };
    for (reported, expected) in [
        ([None, None], "about 1300 tokens of context, in the worst tenth 1300 or more (estimated"),
        ([Some(10_000), None], "(estimated from the log)"),
        ([Some(10_000), Some(20_000)], "in the worst tenth 90000 or more (as the client reported)"),
    ] {
        let past: Vec<SessionDigest> = reported
            .iter()
            .enumerate()
            .map(|(at, tokens)| session(&format!("p{at}"), *tokens).conclusions(&[]).digest)
            .collect();
        let memories = session("now", Some(90_000)).memories(&past);
        let cost = memories.iter().find(|memory| memory.starts_with("context_cost"));
        assert!(cost.is_some_and(|cost| cost.contains(expected)), "{expected}: {memories:?}");
    }
}
