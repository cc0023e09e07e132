//! Observations in a running session.

use tacit_observer::promotion::Basis;
use tacit_observer::scratchpad::{command_key, is_failed_command, recent_observations};

use crate::script::{Script, at, path};

const OK: &str = "test result: ok. 12 passed; 0 failed; 0 ignored";
const TYPES: &str = "error[E0308]: mismatched types";
const FAILED_TEST: &str = "test auth::expires ... FAILED\n\nfailures:\n\n---- auth::expires stdout ----\n\n\
                           thread 'auth::expires' (71) panicked at src/auth/token.rs:9:5:\n\
                           a token without `ttl` is valid\n\n\nfailures:\n    auth::expires\n\n\
                           test result: FAILED. 11 passed; 1 failed; 0 ignored";

fn fixed() -> Script {
    fixed_after(Script::new("s"))
}

fn fixed_after(script: Script) -> Script {
    script
        .fails("cargo test", FAILED_TEST)
        .in_subagent(Some("helper"))
        .edits("src/clock.rs", "fn ttl() -> u32", "fn ttl() -> u64")
        .runs("cargo test 2>&1 | tail -3", OK)
}

#[test]
fn fixes_are_observed_once_complete() {
    let log = fixed().log;
    let found = recent_observations(&log, at(0));
    let [fix] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((fix.basis, fix.files.as_slice()), (Basis::ErrorRetry, &[path("src/clock.rs")][..]));
    assert_eq!(fix.agent.as_deref(), Some("helper"));
    assert!(fix.error.is_some(), "{fix:?}");
    assert!(fix.text.contains("It passed after `src/clock.rs` was changed"), "{fix:?}");
    assert_eq!(recent_observations(&log[..2], at(0)), []);
    assert_eq!(recent_observations(&log, at(99)), [], "nothing new");
    assert_eq!(recent_observations(&[], at(0)), []);
    // The same observation has the same key.
    let longer = fixed_after(Script::new("s").reads("src/a.rs")).log;
    let keys: Vec<String> =
        recent_observations(&longer, at(0)).into_iter().map(|one| one.key).collect();
    assert_eq!(keys, [fix.key.as_str()]);
}

#[test]
fn inconclusive_steps_are_not_observed() {
    for (why, script) in [
        ("by itself", Script::new("s").fails("cargo test", TYPES).runs("cargo test", OK)),
        (
            "unknown cause",
            Script::new("s")
                .fails("cargo test", TYPES)
                .edits("src/a.rs", "let a = 1;", "let a = 2;")
                .runs("cargo test || true", ""),
        ),
        (
            "another command",
            Script::new("s")
                .fails("cargo test", TYPES)
                .edits("src/a.rs", "let a = 1;", "let a = 2;")
                .runs("cargo build", ""),
        ),
        (
            "wording",
            Script::new("s").edits("README.md", "one", "The first text").edits(
                "README.md",
                "The first text",
                "The second text",
            ),
        ),
    ] {
        assert_eq!(recent_observations(&script.log, at(0)), [], "{why}");
    }
}

#[test]
fn commands_are_matched_by_key_and_outcome() {
    assert_eq!(command_key("cargo test 2>&1 | tail -3"), command_key("cargo test"));
    assert_ne!(command_key("cargo test -p a"), command_key("cargo test"));
    let failed: Vec<bool> = fixed().log.iter().map(is_failed_command).collect();
    assert_eq!(failed, [true, false, false]);
}
