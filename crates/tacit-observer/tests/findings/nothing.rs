//! Output that has no findings.

use super::rendered;

#[test]
fn logs_summaries_and_progress_are_no_findings() {
    for output in [
        "",
        "FAIL",
        "FAIL\nFAIL\texample.com/a\t0.002s\nexit status 1",
        "[test] ERROR task failed",
        "Found 2 errors",
        "Found 2 errors in 1 file (checked 3 source files)",
        "3 failed, 10 passed in 1.2s",
        "make: *** [Makefile:12: all] Error 1",
        "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
        "go: downloading github.com/a/b v1.2.3",
        "2026/01/15 16:03:05 INFO main.go:12:3: started",
        "2026-01-15T16:03:05Z WARN cannot find package x",
        "level=warning msg=\"[runner] unknown linter x\"",
        "warning: unused variable: `x`\n --> src/a.rs:1:2",
        "a.py:3: DeprecationWarning: unknown option",
        "error: could not compile `app` (lib) due to 3 previous errors",
        "error: test failed, to rerun pass `--lib`",
        "✖ 4 problems (1 error, 3 warnings)",
        "Test Suites: 1 failed, 1 total",
        "BUILD FAILED in 3s",
        "internal/push.go:133:\t// constructed by value",
        "errors.go:11:// reachable with errors.As",
        "=== RUN   TestAdd\n    add_test.go:9: want nothing\n--- PASS: TestAdd (0.00s)\nPASS",
        "test tests::adds ... ok",
        "PASS src/math.test.ts\n  console.error\n    Error: printed by a passing test",
        "* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report",
        "thread of the discussion panicked at",
    ] {
        assert_eq!(rendered(output), Vec::<String>::new(), "{output}");
    }
}
