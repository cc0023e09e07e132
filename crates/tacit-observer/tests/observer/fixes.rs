//! Pairs of an error and its fix, in several languages: what is learnt, and what is not.

use tacit_observer::SessionDigest;

use crate::script::{Script, no_memories};

const GO_TEST: &str = "--- FAIL: TestResume_OldCheckpoint (0.03s)\n    resume_test.go:40: no session was \
                       restored for `agentType`\nFAIL\nFAIL\texample.com/cli/resume\t0.2s\nFAIL";
const GO_OK: &str = "ok  \texample.com/cli/resume\t0.2s";
const PYTEST: &str = "____ test_total ____\n\n    def test_total():\n>       assert total([]) == 0\n\
                      E       ValueError: max() iterable argument is empty in `order_total`\n\n\
                      shop/cart.py:12: ValueError\n\
                      ==== short test summary info ====\n\
                      FAILED tests/test_cart.py::test_total - ValueError: max() iterable argument is empty in `order_total`\n\
                      ==== 1 failed, 3 passed in 0.10s ====";
const PYTEST_OK: &str = "==== 4 passed in 0.10s ====";
const JEST: &str = "FAIL src/cart.test.ts\n  ● cart › adds the shipping\n\n    TypeError: Cannot read properties of \
                    undefined (reading 'shippingRate')\n\n      at total (src/cart.ts:12:20)\n\n\
                    Tests:       1 failed, 3 passed, 4 total";
const JEST_OK: &str = "Tests:       4 passed, 4 total";

fn fixes(script: &Script, past: &[SessionDigest]) -> Vec<String> {
    let memories = script.memories(past);
    memories.into_iter().filter(|memory| memory.starts_with("error_pattern")).collect()
}

#[test]
fn fixes_are_told_by_the_lines_that_share_names_with_the_error() {
    for (failing, output, file, old, new, passing, ok, expected) in [
        (
            "cd /p && go test ./... 2>&1 | tail -40",
            GO_TEST,
            "resume/resume.go",
            "x := 1\n// agentType is optional.\nif agentType == nil {",
            "x := 2\n// agentType may be empty.\nif agentType == nil || agentType.Empty() {",
            "go test ./...",
            GO_OK,
            "Test `TestResume_OldCheckpoint` failed (`go test ./...`): no session was restored for `agentType`. It \
             passed after `resume/resume.go` was changed: `if agentType == nil {` became `if agentType == nil || \
             agentType.Empty() {`.",
        ),
        (
            "uv run pytest -q",
            PYTEST,
            "shop/order.py",
            "def order_total(items):\n    return max(items)",
            "def order_total(items):\n    # Empty orders cost nothing.\n    return max(items, default=0)",
            "uv run pytest -q",
            PYTEST_OK,
            "Test `test_total` failed (`uv run pytest -q`): ValueError: max() iterable argument is empty in \
             `order_total`. It passed after `shop/order.py` was changed: `return max(items)` became `return \
             max(items, default=0)`.",
        ),
        (
            "npx jest",
            JEST,
            "src/rates.ts",
            "export const rates = {};",
            "export const rates = { shippingRate: 5 };",
            "npx jest",
            JEST_OK,
            "Test `adds the shipping` failed (`npx jest`): TypeError: Cannot read properties of undefined (reading \
             'shippingRate'). It passed after `src/rates.ts` was changed: `export const rates = {};` became `export \
             const rates = { shippingRate: 5 };`.",
        ),
    ] {
        let script = Script::new("s")
            .edits("b/z.rs", "let a = 1;", "let a = 2;")
            .fails(failing, output)
            .edits(file, old, new)
            .runs(passing, ok)
            .ends();
        assert_eq!(fixes(&script, &[]), [format!("error_pattern: {expected}")]);
    }
}

#[test]
fn one_failure_and_its_narrow_and_wide_passes_are_one_pair() {
    let script = Script::new("s")
        .edits("b/z.go", "a := one", "a := two")
        .fails("go test ./...", GO_TEST)
        .edits("resume/resume.go", "if agentType == nil {", "if agentType.Empty() {")
        .runs("go test ./resume/ -run TestResume_OldCheckpoint", GO_OK)
        .runs("go test ./...", GO_OK)
        .ends();
    assert_eq!(fixes(&script, &[]).len(), 1);
}

#[test]
fn changes_that_explain_nothing_are_not_fixes() {
    let changed = |file: &str, old: &str, new: &str| {
        Script::new("s")
            .edits("b/z.go", "a := one", "a := two")
            .fails("go test ./...", GO_TEST)
            .edits(file, old, new)
            .runs("go test ./...", GO_OK)
            .ends()
    };
    for (file, old, new) in [
        // Comments, imports, documentation and values in tests.
        ("resume/resume.go", "// agentType is set.", "// agentType is optional."),
        ("resume/resume.go", "import \"fmt\"", "import \"agentType\""),
        ("docs/resume.md", "agentType", "agentType is optional"),
        ("resume/resume_test.go", "agentType := \"a\"", "agentType := \"b\""),
        (
            "resume/resume_test.go",
            "if got != 3 { t.Fatal(agentType) }",
            "if got != want { t.Fatal(agentType) }",
        ),
        // A change of something else.
        ("web/page.go", "size := 1", "size := 2"),
    ] {
        assert_eq!(fixes(&changed(file, old, new), &[]), no_memories(), "{file}: {new}");
    }
    // A file that was written as a whole tells nothing, unless its earlier content is known.
    let written = |before: &str| {
        let script = Script::new("s").edits("b/z.go", "a := one", "a := two");
        let script = if before.is_empty() { script } else { script.writes("resume/x.go", before) };
        script
            .fails("go test ./...", GO_TEST)
            .writes("resume/x.go", "package resume\nsize := 1\nuse(agentType, fallback)\n")
            .runs("go test ./...", GO_OK)
            .ends()
    };
    assert_eq!(fixes(&written(""), &[]), no_memories());
    let known = fixes(&written("package resume\nsize := 1\nuse(agentType)\n"), &[]);
    assert!(
        known.len() == 1
            && known[0].ends_with("`use(agentType)` became `use(agentType, fallback)`."),
        "{known:?}"
    );
}

#[test]
fn errors_that_come_back_name_the_changed_file() {
    let session = |name: &str| {
        Script::new(name)
            .edits("b/z.go", "a := one", "a := two")
            .fails("go test ./...", GO_TEST)
            .edits("web/page.go", "size := small", "size := large")
            .runs("go test ./...", GO_OK)
            .commits("abcdef12", &["web/page.go"])
            .ends()
    };
    let past = [session("first").conclusions(&[]).digest];
    let found = fixes(&session("second"), &past);
    assert!(
        found.len() == 1
            && found[0].ends_with("It passed after `web/page.go` was changed (commit abcdef12)."),
        "{found:?}"
    );
}

#[test]
fn compile_errors_teach_facts_about_interfaces_only() {
    let session = |failing: &str, output: &str, file: &str, old: &str, new: &str| {
        Script::new("s")
            .edits(file, "", old)
            .fails(failing, output)
            .edits(file, old, new)
            .runs(failing, "")
            .ends()
    };
    for (failing, output, file, old, new, expected) in [
        (
            "go build ./...",
            "# example.com/cli\n./run.go:7:8: undefined: paths.ClearCache",
            "run.go",
            "paths.ClearCache()",
            "paths.ClearRootCache()",
            Some(
                "undefined: paths.ClearCache: `paths.ClearRootCache()` works, `paths.ClearCache()` does not.",
            ),
        ),
        (
            "npx tsc --noEmit",
            "src/run.ts(3,10): error TS2305: Module '\"./api\"' has no exported member 'createApp'.",
            "src/run.ts",
            "import { createApp } from './api';",
            "import { buildApp } from './api';",
            Some(
                "Module '\"./api\"' has no exported member 'createApp': `import { buildApp } from './api';` works, \
                 `import { createApp } from './api';` does not.",
            ),
        ),
        (
            "cargo build",
            "error[E0599]: no method named `as_text` found for struct `Page` in the current scope\n --> src/run.rs:3:9",
            "src/run.rs",
            "let text = page.as_text();",
            "let text = page.to_text();",
            Some(
                "no method named `as_text` found for struct `Page` in the current scope: `let text = \
                 page.to_text();` works, `let text = page.as_text();` does not.",
            ),
        ),
        // A name that was not yet written.
        (
            "go build ./...",
            "# example.com/cli\n./run.go:7:8: undefined: helper",
            "run.go",
            "helper()",
            "assist()",
            None,
        ),
        (
            "cargo build",
            "error[E0308]: mismatched types\n --> src/run.rs:3:9",
            "src/run.rs",
            "let size: u32 = 1u64;",
            "let size: u64 = 1u64;",
            None,
        ),
        // A function that the session wrote itself.
        (
            "cargo build",
            "error[E0061]: this function takes 2 arguments but 1 argument was supplied: `render`\n --> src/run.rs:3:9",
            "src/run.rs",
            "fn render(a: u32, b: u32) {}\nrender(1);",
            "fn render(a: u32, b: u32) {}\nrender(1, 2);",
            None,
        ),
    ] {
        let found = fixes(&session(failing, output, file, old, new), &[]);
        let expected: Vec<String> =
            expected.into_iter().map(|text| format!("error_pattern: {text}")).collect();
        assert_eq!(found, expected, "{output}");
    }
}

#[test]
fn commands_that_fit_an_error_are_its_fix() {
    let session = |failing: &str, output: &str, fix: &str| {
        Script::new("s")
            .edits("b/z.go", "a := one", "a := two")
            .fails(failing, output)
            .runs(fix, "")
            .runs(failing, "ok")
            .ends()
    };
    const MODULE: &str = "go: updates to go.mod needed; to update it:\n\tgo mod tidy";
    for (failing, output, fix, expected) in [
        (
            "go build ./...",
            MODULE,
            "go mod tidy",
            Some(
                "`go build ./...` failed: go: updates to go.mod needed; to update it: go mod tidy. `go mod tidy` ended it.",
            ),
        ),
        ("go build ./...", MODULE, "docker compose up -d", None),
        (
            "npx prettier --check .",
            "[warn] src/a.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
            "npx prettier --write .",
            None,
        ),
        (
            "npx prettier --check .",
            "[warn] src/a.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
            "npm run format",
            Some("`npm run format` ended it."),
        ),
    ] {
        let found = fixes(&session(failing, output, fix), &[]);
        match expected {
            Some(text) => assert!(found.len() == 1 && found[0].ends_with(text), "{fix}: {found:?}"),
            None => assert_eq!(found, no_memories(), "{fix}"),
        }
    }
}

#[test]
fn equal_errors_have_equal_keys_in_different_sessions() {
    let key = |name: &str, file: &str, line: u32| {
        let output = GO_TEST.replace(":40:", &format!(":{line}:"));
        let script = Script::new(name)
            .edits("b/z.go", "a := one", "a := two")
            .fails("go test ./...", &output)
            .edits(file, "if agentType == nil {", "if agentType.Empty() {")
            .runs("go test ./...", GO_OK)
            .ends();
        crate::script::only_kept(&script).key
    };
    assert_eq!(key("one", "resume/resume.go", 40), key("two", "resume/other.go", 57));
}

const GOLANGCI: &str = "cmd/a.go:239:15: error returned from external package is unwrapped: sig: func \
                        os.ReadFile(name string) ([]byte, error) (wrapcheck)\n\treturn nil, err\n\t       ^\n\
                        cmd/a.go:40:1: NewClient returns interface (example.com/cli.Client) (ireturn)\nfunc \
                        NewClient() Client {\n^\n2 issues:\n* ireturn: 1\n* wrapcheck: 1";

fn lints(name: &str) -> Script {
    Script::new(name)
        .edits("cmd/a.go", "", "return nil, err\nfunc NewClient() Client {")
        .fails("golangci-lint run ./...", GOLANGCI)
        .edits("cmd/a.go", "return nil, err", "return nil, fmt.Errorf(\"read: %w\", err)")
        .edits(
            "cmd/a.go",
            "func NewClient() Client {",
            "//nolint:ireturn // two kinds of clients\nfunc NewClient() Client {",
        )
        .runs("golangci-lint run ./...", "0 issues.")
        .ends()
}

fn rules(script: &Script, past: &[SessionDigest]) -> Vec<String> {
    let memories = script.memories(past);
    memories.into_iter().filter(|memory| memory.starts_with("pattern")).collect()
}

#[test]
fn rules_of_a_linter_are_one_memory_with_what_satisfies_them() {
    assert_eq!(
        rules(&lints("s"), &[]),
        [
            "pattern: golangci-lint here enforces ireturn and wrapcheck. ireturn: functions return concrete types, not \
             interfaces; or `//nolint:ireturn // reason`. wrapcheck: wrap errors of other packages and interfaces, such as \
             `fmt.Errorf(\"…: %w\", err)`; `return nil, err` became `return nil, fmt.Errorf(\"read: %w\", err)`."
        ]
    );
    let kept = crate::script::only_kept(&lints("s"));
    assert_eq!(kept.draft.tags, ["tool:golangci-lint"]);
    assert!(kept.replaces);
    // Later sessions add to the same memory.
    let past = [lints("s").conclusions(&[]).digest];
    let later = Script::new("later")
        .edits("cmd/b.go", "", "return run(\"main\")")
        .fails(
            "golangci-lint run ./...",
            "cmd/b.go:4:9: string `main` has 3 occurrences, make it a constant (goconst)\n\treturn run(\"main\")\n\t^",
        )
        .edits("cmd/b.go", "return run(\"main\")", "return run(branchMain)")
        .runs("golangci-lint run ./...", "0 issues.")
        .ends();
    let found = rules(&later, &past);
    assert!(
        found.len() == 1
            && found[0].contains("enforces goconst, ireturn and wrapcheck.")
            && found[0].contains("`return run(\"main\")` became `return run(branchMain)`"),
        "{found:?}"
    );
    assert_eq!(crate::script::only_kept(&later).key, kept.key);
}

#[test]
fn rules_of_other_linters_are_learnt_alike() {
    for (failing, output, file, old, new, ok, expected) in [
        (
            "npx eslint .",
            "/p/src/a.ts\n  3:1  error  Unexpected console statement  no-console\n\n✖ 1 problem (1 error, 0 warnings)",
            "src/a.ts",
            "console.log(text);",
            "logger.info(text); // console",
            "",
            "eslint here enforces no-console. no-console: no `console` calls",
        ),
        (
            "uv run ruff check .",
            "src/a.py:7:9: B904 Within an `except` clause, raise exceptions with `raise ... from err`\nFound 1 error.",
            "src/a.py",
            "raise ValueError(text)",
            "raise ValueError(text) from err",
            "All checks passed!",
            "ruff here enforces B904. B904: `raise … from err` inside `except`",
        ),
        (
            "mypy .",
            "src/a.py:7: error: Function is missing a type annotation  [no-untyped-def]\nFound 1 error in 1 file",
            "src/a.py",
            "def load(path):",
            "def load(path: Path) -> str:",
            "Success: no issues found in 3 source files",
            "mypy here enforces no-untyped-def. no-untyped-def: functions declare all their types",
        ),
    ] {
        let script = Script::new("s")
            .edits(file, "", old)
            .fails(failing, output)
            .edits(file, old, new)
            .runs(failing, ok)
            .ends();
        let found = rules(&script, &[]);
        assert!(
            found.len() == 1 && found[0].starts_with(&format!("pattern: {expected}")),
            "{failing}: {found:?}"
        );
        assert_eq!(fixes(&script, &[]), no_memories(), "{failing}");
    }
}

#[test]
fn leftovers_and_rules_of_one_run_are_not_rules_of_the_house() {
    for (failing, output) in [
        (
            "golangci-lint run ./...",
            "cmd/a.go:4:6: func helper is unused (unused)\nfunc helper() {",
        ),
        (
            "npx eslint .",
            "/p/cmd/a.go\n  3:7  error  'x' is defined but never used  no-unused-vars\n\n✖ 1 problem",
        ),
        ("ruff check .", "cmd/a.go:1:8: F401 `os` imported but unused\nFound 1 error."),
        (
            "mypy .",
            "cmd/a.go:7: error: Argument 1 has incompatible type \"int\"  [arg-type]\nFound 1 error",
        ),
        (
            "golangci-lint run --no-config -E goconst",
            "cmd/a.go:4:9: string `a` has 3 occurrences, make it a constant (goconst)",
        ),
    ] {
        let script = Script::new("s")
            .edits("cmd/a.go", "", "func helper() {")
            .fails(failing, output)
            .edits("cmd/a.go", "func helper() {", "func assist() {")
            .runs(failing, "All checks passed!")
            .ends();
        assert_eq!(rules(&script, &[]), no_memories(), "{failing}");
    }
}
