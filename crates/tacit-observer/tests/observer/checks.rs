//! Commands that count as checks, and the work that a failure speaks against.

use tacit_observer::validation::SessionVerdict;

use crate::script::{OK, Script, assert_dropped, no_memories};

const NOTE: &str = "Token lifetimes are kept in seconds everywhere";
const GO_OK: &str = "ok  \texample.com/a\t0.1s";
const GO_BAD: &str = "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s";

/// A session that notes something, checks it, and goes on.
fn noted() -> Script {
    Script::new("s")
        .edits("src/auth/token.rs", "let a = 1;", "let a = 2;")
        .notes("gotcha", NOTE, &["src/auth/token.rs"])
        .runs("cargo test", OK)
}

fn passed(script: &Script) -> bool {
    script.conclusions(&[]).verdict.passed()
}

#[test]
fn tasks_of_the_project_are_checks() {
    let checked = |line: &str, output: &str| {
        Script::new("s")
            .defines_tasks("mise.toml", "tasks.qa = 'go test ./...'\n")
            .edits("a.go", "let a = 1;", "let a = 2;")
            .runs(line, output)
            .ends()
    };
    for (line, output, expected) in [
        ("mise run qa", "", true),
        ("mise run test:ci 2>&1 | tail -20", "[test:ci] ok  \texample.com/a\t0.1s", true),
        ("mise run test:ci 2>&1 | tail -20", "[test:ci] $ go test ./...", false),
        ("cd /p && mise run qa", "", true),
        ("mise run fmt", "", false),
    ] {
        assert_eq!(passed(&checked(line, output)), expected, "{line} {output}");
    }
}

#[test]
fn a_wide_pass_of_another_runner_ends_a_narrow_failure() {
    for (failed, then, output, expected) in [
        ("go test ./pkg -run TestA", "mise run test:ci", GO_OK, true),
        ("npx vitest run a.test.ts", "pnpm test", "      Tests  3 passed (3)", true),
        ("go build ./...", "mise run test", GO_OK, true),
        ("golangci-lint run ./pkg", "mise run lint", "0 issues.", true),
        ("golangci-lint run ./pkg", "mise run test", GO_OK, false),
        ("go test ./pkg -run TestA", "go test ./other", GO_OK, false),
        ("./mvnw test -Dtest=FooTest", "./mvnw verify", "[INFO] BUILD SUCCESS", true),
        ("pytest tests/a.py", "uv run --group dev pytest", "3 passed in 0.1s", true),
    ] {
        let script = Script::new("s").fails(failed, GO_BAD).runs(then, output).ends();
        assert_eq!(passed(&script), expected, "{failed} / {then}");
    }
}

#[test]
fn a_failure_does_not_speak_against_what_was_completed_after_it() {
    // Another check failed before the work was complete, and was not run again.
    let script = Script::new("s")
        .fails("npm run build", "error TS2345: Argument of type")
        .edits("src/auth/token.rs", "let a = 1;", "let a = 2;")
        .notes("gotcha", NOTE, &["src/auth/token.rs"])
        .runs("cargo test", OK)
        .ends();
    assert!(matches!(script.conclusions(&[]).verdict, SessionVerdict::Failed { .. }));
    assert_eq!(script.memories(&[]), [format!("gotcha: {NOTE}")]);
    // A failure after it that names no file may be about it.
    let script = noted().fails("npm run build", "something broke").ends();
    assert_eq!(script.memories(&[]), no_memories());
    assert_dropped(&script, "Token lifetimes", "failed: npm run build");
}

#[test]
fn odd_commands_speak_against_nothing() {
    for (line, output) in [
        ("go test /tmp/try_test.go", GO_BAD),
        ("cd /tmp/try && go test ./...", GO_BAD),
        ("cd $TMPDIR/x && npm test", "Tests:  1 failed"),
        ("D=$(mktemp -d) && cd $D && cargo test", "error: test failed"),
        ("npx tsc --noEmit src/a.ts", "src/a.ts(3,5): error TS2345: x"),
        ("golangci-lint run --no-config a/b.go", "1 issues:"),
        ("npx eslint --no-eslintrc src", "✖ 3 problems (2 errors, 1 warning)"),
        ("git stash && cargo test; git stash pop", "test result: FAILED. 1 passed; 1 failed"),
        (
            "sed -i 's/a/b/' src/x.rs && cargo test; git checkout src/x.rs",
            "test result: FAILED. 1 passed; 1 failed",
        ),
        ("cargo test parse && echo ok || echo bad", "test result: FAILED. 1 passed; 1 failed"),
        ("mise run lint:full", "mise ERROR no task named lint:full"),
        ("mise run lint:full", "mise ERROR no task lint:full found"),
        ("golangci-lint run --disable-all", "Error: unknown flag: --disable-all"),
        ("python -m pytest", "/usr/bin/python: No module named pytest"),
        ("pytest -n 4", "ERROR: usage: pytest\npytest: error: unrecognized arguments: -n"),
        ("npm run lint", "npm error Missing script: \"lint\""),
        ("golangci-lint run", "zsh:1: command not found: golangci-lint"),
        ("make lint", "make: *** No rule to make target 'lint'.  Stop."),
        ("python - <<'E'\nimport x\nE", "ImportError: x"),
        ("cat > x.go <<'E'\npackage main\nE\ngo run x.go", "x.go:1:1: bad"),
    ] {
        let script = noted().fails(line, output).ends();
        assert!(passed(&script), "{line}");
        assert_eq!(script.memories(&[]), [format!("gotcha: {NOTE}")], "{line}");
    }
}

#[test]
fn checks_of_the_state_before_the_work_prove_nothing() {
    let script = |line: &str| {
        Script::new("s")
            .edits("src/auth/token.rs", "let a = 1;", "let a = 2;")
            .notes("gotcha", NOTE, &[])
            .runs(line, OK)
            .ends()
    };
    assert!(!passed(&script("git stash && cargo test && git stash pop")));
    assert!(!passed(&script("cd /tmp/try && cargo test")));
    let apart = Script::new("s")
        .edits("src/auth/token.rs", "let a = 1;", "let a = 2;")
        .runs("git stash", "")
        .runs("cargo test", OK)
        .runs("git stash pop", "")
        .ends();
    assert!(!passed(&apart));
}

#[test]
fn tests_that_were_made_to_fail_speak_against_nothing() {
    let script = noted()
        .edits("src/auth/clock.rs", "now >= end", "now < end")
        .fails("cargo test", "test result: FAILED. 1 passed; 1 failed")
        .edits("src/auth/clock.rs", "now < end", "now >= end")
        .ends();
    assert!(passed(&script));
    // A fix is not the exact revert.
    let script = noted()
        .edits("src/auth/clock.rs", "now >= end", "now < end")
        .fails("cargo test", "test result: FAILED. 1 passed; 1 failed")
        .edits("src/auth/clock.rs", "now < end", "now > end")
        .ends();
    assert!(!passed(&script));
}
