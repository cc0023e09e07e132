//! Sessions whose commit hooks run checks.

use crate::script::{OK, Script, no_memories};

#[test]
fn a_commit_counts_as_what_its_hooks_print() {
    let session = |commit: &str, output: &str| {
        Script::new("hooks")
            .says("Make tokens expire")
            .edits("src/auth/token.rs", "expires: u32", "expires: u64")
            .notes("decision", "Tokens expire after a day", &["src/auth/token.rs"])
            .runs(commit, output)
            .ends()
    };
    let made = "[main 1a2b3c4] Expire tokens\n 1 file changed";
    let kept = ["decision: Tokens expire after a day"];
    let tested = format!("{OK}\n{made}");
    assert_eq!(session("git commit -am 'Expire tokens'", &tested).memories(&[]), kept);
    let framed = format!("ruff check....................Passed\n{made}");
    assert_eq!(session("git commit -am 'Expire tokens'", &framed).memories(&[]), kept);
    for (commit, output) in [
        ("git commit -am 'Expire tokens'", made),
        ("git commit --no-verify -am 'Expire tokens'", tested.as_str()),
        ("cat last.log; git commit -am 'Expire tokens'", tested.as_str()),
        ("git commit -am 'Expire tokens'", "[… 9 bytes cut …]\ntest result: ok. 1 passed"),
    ] {
        assert_eq!(session(commit, output).memories(&[]), no_memories(), "{commit}: {output}");
    }
}

#[test]
fn a_commit_rejected_by_its_hooks_counts_as_a_failure() {
    let held = Script::new("held")
        .says("Make tokens expire")
        .edits("src/auth/token.rs", "expires: u32", "expires: u64")
        .runs("cargo test", OK)
        .fails(
            "git commit -am 'Expire tokens'",
            "test auth::expires ... FAILED\n\nfailures:\n\n---- auth::expires stdout ----\n\n\
             thread 'auth::expires' (71) panicked at src/auth/token.rs:9:5:\na token without `ttl` is valid\n\n\n\
             failures:\n    auth::expires\n\ntest result: FAILED. 11 passed; 1 failed; 0 ignored",
        );
    assert_eq!(held.clone().ends().memories(&[]), no_memories(), "the last word is a failure");
    let fixed = held
        .edits("src/auth/clock.rs", "fn ttl() -> u32", "fn ttl() -> u64")
        .runs(
            "git commit -am 'Expire tokens at last'",
            &format!("{OK}\n[main 1a2b3c4] Expire tokens at last"),
        )
        .ends();
    assert_eq!(
        fixed.memories(&[]),
        [
            "error_pattern: Test `expires` failed (`git commit -am 'Expire tokens'`): a token without `ttl` is \
             valid. It passed after `src/auth/clock.rs` was changed: `fn ttl() -> u32` became `fn ttl() -> u64`."
        ]
    );
    // A commit that git itself rejects is not a lesson.
    let empty = Script::new("empty")
        .fails("git commit -m 'Nothing'", "nothing to commit, working tree clean")
        .edits("src/auth/clock.rs", "fn now() -> u32", "fn now() -> u64")
        .runs("git commit -am 'Something'", &format!("{OK}\n[main 1a2b3c4] Something"))
        .ends();
    assert_eq!(empty.memories(&[]), no_memories());
}
