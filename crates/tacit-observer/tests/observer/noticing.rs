//! What is noticed while a session goes on.

use tacit_observer::promotion::Basis;
use tacit_observer::scratchpad::{has_failed, noticed, run_key};

use crate::script::{Script, at, path};

const OK: &str = "test result: ok. 12 passed; 0 failed; 0 ignored";
const TYPES: &str = "error[E0308]: mismatched types";

fn fixed() -> Script {
    fixed_after(Script::new("s"))
}

fn fixed_after(script: Script) -> Script {
    script
        .fails("cargo test", TYPES)
        .within(Some("helper"))
        .edits("src/clock.rs", "fn now() -> u32", "fn now() -> u64")
        .runs("cargo test 2>&1 | tail -3", OK)
}

#[test]
fn a_fix_is_noticed_when_it_is_complete_and_not_before() {
    let log = fixed().log;
    let found = noticed(&log, at(0));
    let [fix] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((fix.basis, fix.files.as_slice()), (Basis::ErrorRetry, &[path("src/clock.rs")][..]));
    assert_eq!(fix.agent.as_deref(), Some("helper"));
    assert!(fix.error.is_some(), "{fix:?}");
    assert!(fix.text.contains("It passed after `src/clock.rs` was changed"), "{fix:?}");
    assert_eq!(noticed(&log[..2], at(0)), []);
    assert_eq!(noticed(&log, at(99)), [], "nothing new");
    assert_eq!(noticed(&[], at(0)), []);
    // The same again is the same.
    let longer = fixed_after(Script::new("s").reads("src/a.rs")).log;
    let keys: Vec<String> = noticed(&longer, at(0)).into_iter().map(|one| one.key).collect();
    assert_eq!(keys, [fix.key.as_str()]);
}

#[test]
fn what_proves_nothing_is_not_noticed() {
    for (why, script) in [
        ("by itself", Script::new("s").fails("cargo test", TYPES).runs("cargo test", OK)),
        (
            "nobody knows",
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
        assert_eq!(noticed(&script.log, at(0)), [], "{why}");
    }
}

#[test]
fn the_same_command_and_whether_it_failed() {
    assert_eq!(run_key("cargo test 2>&1 | tail -3"), run_key("cargo test"));
    assert_ne!(run_key("cargo test -p a"), run_key("cargo test"));
    let failed: Vec<bool> = fixed().log.iter().map(has_failed).collect();
    assert_eq!(failed, [true, false, false]);
}
