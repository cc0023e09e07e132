//! Commands that do not work here, with the variants that do.

use proptest::prelude::*;
use tacit_observer::promotion::{Basis, PromotionDecision};

use crate::script::{OK, Script, memory_texts, no_memories};

/// Returns what is learnt from a failing command and the next one.
fn learnt(failing: &str, error: &str, next: &str) -> Vec<String> {
    let script = Script::new("s").fails(failing, error).runs(next, "done\n").ends();
    memory_texts(&script.conclusions(&[]))
}

#[track_caller]
fn assert_learnt(failing: &str, error: &str, next: &str, expected: &str) {
    assert_eq!(learnt(failing, error, next), [format!("error_pattern: {expected}")], "{failing}");
}

#[test]
fn a_near_variant_that_works_is_learnt() {
    for (failing, error, next, expected) in [
        (
            "cd web && python -m pytest tests/test_a.py -v 2>&1",
            "/usr/bin/python: No module named pytest",
            "uv run pytest tests/test_a.py",
            "`python -m pytest` does not work here (no module pytest): use `uv run pytest …`.",
        ),
        (
            "golangci-lint run ./...",
            "(eval):1: command not found: golangci-lint",
            "mise exec -- golangci-lint run --timeout=30m ./...",
            "`golangci-lint` is not on the path here: use `mise exec -- golangci-lint run …`.",
        ),
        (
            "tsc --noEmit",
            "bash: line 1: tsc: command not found",
            "npx tsc --noEmit",
            "`tsc` is not on the path here: use `npx tsc …`.",
        ),
        (
            "rspec spec/models",
            "sh: 1: rspec: not found",
            "bundle exec rspec spec/models",
            "`rspec` is not on the path here: use `bundle exec rspec …`.",
        ),
        (
            "gradle test",
            "zsh: command not found: gradle",
            "./gradlew test",
            "`gradle` is not on the path here: use `./gradlew test …`.",
        ),
        (
            "python setup.py build",
            "bash: python: command not found",
            "python3 setup.py build",
            "`python` is not on the path here: use `python3 …`.",
        ),
        (
            "golangci-lint run --disable-all -E unused ./...",
            "Error: unknown flag: --disable-all",
            "golangci-lint run --default=none -E unused ./...",
            "`golangci-lint run` has no `--disable-all` here; `golangci-lint run --default=none …` \
             works.",
        ),
        (
            "pnpm vitest run --watchAll=false",
            "error: unknown option '--watchAll'",
            "pnpm vitest run",
            "`pnpm vitest run` has no `--watchAll` here; it works without.",
        ),
        (
            "tool item create --title \"A long title\" --why x",
            "Error: No such option: --title",
            "tool item create \"A long title\" --why x",
            "`tool item create` has no `--title` here: give its value as an argument, `tool item \
             create VALUE …`.",
        ),
        (
            "cargo nextest run",
            "error: no such command: `nextest`",
            "cargo test run",
            "There is no `cargo nextest` here: use `cargo test …`.",
        ),
        (
            "npm run test:unit",
            "npm error Missing script: \"test:unit\"",
            "npm run test -- --run",
            "There is no task `test:unit` here: use `npm run test …`.",
        ),
        (
            "go vet ./integration/",
            "package x/integration: build constraints exclude all Go files in /p/integration",
            "go vet -tags=integration ./integration/",
            "`go vet` does not work here (package x/integration: build constraints exclude all Go \
             files in /p/integration): use `go vet -tags=integration …`.",
        ),
        (
            "npm install",
            "npm error ERESOLVE unable to resolve dependency tree",
            "npm install --legacy-peer-deps",
            "`npm install` does not work here (npm error ERESOLVE unable to resolve dependency \
             tree): use `npm install --legacy-peer-deps …`.",
        ),
        (
            "gh pr list --state all",
            "none of the git remotes configured for this repository point to a known GitHub host.",
            "gh pr list --repo acme/widgets --state all",
            "`gh pr` cannot tell the repository from this clone's remotes: use `gh pr --repo \
             acme/widgets …`.",
        ),
        (
            "cargo run --bin seed",
            "DATABASE_URL must be set",
            "DATABASE_URL=postgres://localhost/dev cargo run --bin seed",
            "`cargo run` needs `DATABASE_URL`: use `DATABASE_URL=postgres://localhost/dev cargo run \
             …`.",
        ),
    ] {
        assert_learnt(failing, error, next, expected);
    }
}

#[test]
fn a_rule_that_a_failure_states_is_learnt_without_a_variant() {
    for (failing, error, expected) in [
        (
            "git push origin main 2>&1",
            "remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote \
             rejected] main -> main (protected branch hook declined)",
            "`main` is protected: a direct push is refused. Push a branch and open a pull request.",
        ),
        (
            "gh pr merge 12 --squash --auto",
            "GraphQL: Auto merge is not allowed for this repository (enablePullRequestAutoMerge)",
            "`gh pr merge --auto` is refused: auto merge is not allowed for this repository. Wait \
             for the checks, then merge without `--auto`.",
        ),
        (
            "gh pr checks 222 --json name,conclusion",
            "Unknown JSON field: \"conclusion\"\nAvailable fields:\n  bucket\n  name\n  state",
            "`gh pr checks --json` has no `conclusion` here; it has bucket, name, state.",
        ),
        (
            "git commit -m 'fixed it'",
            "✖   type may not be empty [type-empty]\nhusky - commit-msg script failed (code 1)",
            "commitlint checks commit messages here: write them as `type: subject`, such as `fix: …`.",
        ),
        (
            "sed -i 's/a/b/' src/x.rs",
            "sed: 1: \"src/x.rs\": extra characters at the end of s command",
            "sed is BSD sed here: `sed -i ''`, not `sed -i`.",
        ),
    ] {
        assert_learnt(failing, error, "ls", expected);
    }
}

#[test]
fn failures_that_a_pipe_hides_are_read() {
    let script = Script::new("s")
        .runs(
            "grep -rn Sign --include=*.go cmd | head",
            "(eval):1: no matches found: --include=*.go\n",
        )
        .runs("grep -rn Sign --include='*.go' cmd | head", "cmd/a.go:3: Sign\n")
        .ends();
    let learnt = script.memories(&[]);
    assert_eq!(learnt.len(), 1, "{learnt:?}");
    assert!(learnt[0].contains("The shell is zsh"), "{learnt:?}");
    let script = Script::new("s")
        .runs("rg -n \"alpha\\|beta\" src", "")
        .runs("grep -rn \"alpha\\|beta\" src", "src/a: alpha\n")
        .ends();
    assert!(script.memories(&[])[0].contains("`rg \"a|b\"`"));
}

#[test]
fn slips_and_protections_switched_off_teach_nothing() {
    for (failing, error, next) in [
        // A file that does not exist, a misspelt path, a network failure.
        ("cat src/maim.rs", "cat: src/maim.rs: No such file or directory", "cat src/main.rs"),
        ("curl https://x.test", "curl: (6) Could not resolve host: x.test", "curl https://y.test"),
        ("git status", "fatal: not a git repository", "git -C /p status"),
        // Something else was fixed: the same command works.
        ("python -m pytest", "/usr/bin/python: No module named pytest", "python -m pytest"),
        ("npm run lint", "npm error Missing script: \"lint\"", "cd web && npm run lint"),
        // The work in progress is tried out.
        ("cargo run -- --bad", "error: unexpected argument '--bad' found", "cargo run -- --good"),
        ("node dist/cli.js --bad", "error: unknown option '--bad'", "node dist/cli.js"),
        ("/tmp/app --bad", "unknown flag: --bad", "/tmp/app --good"),
        // A protection is no obstacle to get round.
        ("git commit -m x", "error: unknown option `--foo'", "git commit -m x --no-verify"),
        (
            "pip install x",
            "error: externally-managed-environment",
            "pip install x --break-system-packages",
        ),
        // Nothing works in the end, or the next command is another.
        ("staticcheck ./...", "zsh: command not found: staticcheck", "go vet ./..."),
        ("npm run tidy", "npm error Missing script: \"tidy\"", "npm run build"),
        // Help is no variant.
        ("tool x --bad", "unknown flag: --bad", "tool x --help"),
        // The output of a program is about something else.
        ("cargo test", "thread 'a' panicked: unknown flag: --bad", "cargo test --lib"),
    ] {
        assert_eq!(learnt(failing, error, next), no_memories(), "{failing}");
    }
}

#[test]
fn a_command_that_works_later_is_not_learnt() {
    let script = Script::new("s")
        .fails("ruff check", "zsh: command not found: ruff")
        .runs("uvx ruff check", "done")
        .runs("brew install ruff", "done")
        .runs("ruff check", "All checks passed!")
        .ends();
    assert_eq!(script.memories(&[]), no_memories());
}

#[test]
fn variants_of_another_conversation_or_hour_do_not_count() {
    let failing = || Script::new("s").fails("ruff check", "zsh: command not found: ruff");
    let other = failing().in_subagent(Some("a")).runs("uvx ruff check", "done").ends();
    assert_eq!(other.memories(&[]), no_memories());
    let late = failing().rewind(-200).runs("uvx ruff check", "done").ends();
    assert_eq!(late.memories(&[]), no_memories());
}

#[test]
fn the_same_command_is_the_same_lesson_in_every_session() {
    let lesson = |line: &str, next: &str| {
        let script = Script::new("s")
            .fails(line, "(eval):1: command not found: ruff")
            .runs(next, "done")
            .runs("cargo test", OK)
            .ends();
        let found =
            script.conclusions(&[]).decisions.into_iter().find_map(|decision| match decision {
                PromotionDecision::Keep(kept) if kept.basis == Basis::Variant => Some(*kept),
                _ => None,
            });
        found.expect("a lesson")
    };
    let one = lesson("ruff check src/a.py", "uvx ruff check src/a.py");
    let two = lesson("cd b && ruff format | tail", "uv run ruff format");
    assert_eq!(one.fingerprint(), two.fingerprint());
    let fix = &one.draft.details.expect("details")["fix"];
    assert_eq!(fix["failing_command"], "ruff …");
    assert_eq!(fix["resolution"]["commands"][0], "uvx ruff check …");
    assert_eq!(one.step_index, None);
}

proptest! {
    #[test]
    fn any_output_is_accepted(
        line in r#"(git push |gh pr |rg |sed -i |[a-z '"$();|=/é\n\\-]){0,20}"#,
        output in "(zsh: |no matches found: |Protected branch update failed for refs/heads/|unknown flag: |: not found|[a-z'\"`:=(), é\n-]){0,30}",
        next in r#"(uv run |npx |[a-z '";|=-]){0,20}"#,
    ) {
        learnt(&line, &output, &next);
    }
}

const SQLX: &str = "error: set `DATABASE_URL` to use query macros online\n  --> src/store.rs:14:16";

#[test]
fn a_setting_that_ends_any_failure_is_learnt() {
    for (failing, error, next, expected) in [
        (
            "cargo test -p ledger 2>&1 | tail",
            SQLX,
            "SQLX_OFFLINE=true cargo test -p ledger",
            "`cargo test` failed here (set `DATABASE_URL` to use query macros online): \
             `SQLX_OFFLINE=true cargo test …` works.",
        ),
        (
            "bundle exec rspec spec/a_spec.rb",
            "could not translate host name \"db\" to address: Name or service not known",
            "docker compose exec -T web bundle exec rspec spec/a_spec.rb",
            "`bundle exec rspec` failed here (could not translate host name \"db\" to address: Name or \
             service not known): `docker compose exec -T web bundle exec rspec …` works.",
        ),
        (
            "mvn test -pl web -am -Dtest=ATest",
            "[INFO] core ............................................... FAILURE [  2.113 s]\n\
             [INFO] web ................................................ SKIPPED\n\
             [INFO] BUILD FAILURE\n[ERROR] Failed to execute goal \
             org.apache.maven.plugins:maven-surefire-plugin:3.1.2:test (default-test) on project core: \
             No tests matching pattern \"ATest\" were executed! (Set \
             -Dsurefire.failIfNoSpecifiedTests=false to ignore this error.) -> [Help 1]",
            "mvn test -pl web -am -Dtest=ATest -Dsurefire.failIfNoSpecifiedTests=false",
            "`mvn test` failed here (No tests matching pattern \"ATest\" were executed! (Set \
             -Dsurefire.failIfNoSpecifiedTests=false to ignore this error.)): `mvn test \
             -Dsurefire.failIfNoSpecifiedTests=false …` works.",
        ),
        (
            "just test",
            "error: Justfile does not contain recipe `test`\nDid you mean `check`?",
            "just check",
            "There is no task `test` here: use `just check …`.",
        ),
    ] {
        assert_learnt(failing, error, next, expected);
    }
}

#[test]
fn a_command_that_differs_in_more_than_a_setting_teaches_nothing() {
    for (failing, error, next) in [
        ("cargo test -p ledger", SQLX, "RUST_BACKTRACE=1 cargo test -p ledger"),
        ("cargo test -p ledger", SQLX, "UPDATE_EXPECT=1 cargo test -p ledger"),
        ("cargo test -p ledger", SQLX, "SQLX_OFFLINE=true cargo test -p api"),
        ("cargo test -p ledger", SQLX, "timeout 60 cargo test -p ledger"),
        ("go test ./a", "--- FAIL: TestShort (0.0s)\n    a_test.go:3: short", "go test ./a -short"),
        ("cargo run", "error: cannot read /tmp/x", "A=1 cargo run -- /tmp/x"),
    ] {
        assert_eq!(learnt(failing, error, next), no_memories(), "{next}");
    }
    let script = Script::new("s")
        .fails("cargo test -p ledger", SQLX)
        .edits("src/store.rs", "let a = 1;", "let a = load();")
        .runs("SQLX_OFFLINE=true cargo test -p ledger", OK)
        .ends();
    assert_eq!(memory_texts(&script.conclusions(&[])), no_memories());
}
