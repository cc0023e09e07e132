//! Errors of tools themselves.

use super::assert_cases;

#[test]
fn wrong_calls_are_findings_of_usage() {
    assert_cases(&[
        (
            "Error: unknown flag: --disable-all\nThe command is terminated due to an error: unknown flag: --disable-all",
            &["Usage  |  |  |  | unknown flag: --disable-all"],
        ),
        (
            "error: unexpected argument '--foo' found\n\nUsage: cargo build [OPTIONS]",
            &["Usage  |  |  |  | unexpected argument '--foo' found"],
        ),
        (
            "(eval):1: command not found: golangci-lint",
            &["Usage zsh |  |  |  | command not found: golangci-lint"],
        ),
        (
            "/usr/bin/python: No module named pytest",
            &["Usage  |  |  |  | /usr/bin/python: No module named pytest"],
        ),
        (
            "npm error Missing script: \"lint\"\nnpm error\nnpm error To see a list of scripts, run:",
            &["Usage npm |  |  |  | Missing script: \"lint\""],
        ),
        (
            "mise ERROR no task lint:full found\nmise ERROR Run with --verbose",
            &["Usage mise |  |  |  | no task lint:full found"],
        ),
        (
            "make: *** No rule to make target 'deploy'.  Stop.",
            &["Usage make |  |  |  | make: *** No rule to make target 'deploy'. Stop."],
        ),
        (
            "[test] $ go test ./...\ngo: updates to go.mod needed; to update it:\n\tgo mod tidy\n[test] ERROR task failed",
            &["Usage go |  |  |  | go: updates to go.mod needed; to update it: go mod tidy"],
        ),
        (
            "usage: pytest [options]\npytest: error: unrecognized arguments: --foo",
            &["Usage pytest |  |  |  | pytest: error: unrecognized arguments: --foo"],
        ),
        (
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'lint' not found in root project 'app'.\n\n* Try:",
            &["Usage gradle |  |  |  | Task 'lint' not found in root project 'app'."],
        ),
        (
            "│ No such option: --title (Possible options: --rationale) │",
            &["Usage  |  |  |  | No such option: --title (Possible options: --rationale)"],
        ),
    ]);
}

#[test]
fn wrong_calls_that_tests_print_are_no_findings() {
    assert_cases(&[
        (
            "Error: unknown flag: --foo\nok  \texample.com/a\t0.1s\nError: unknown command \"x\" for \"app\"\n--- FAIL: TestCall (0.01s)\n    call_test.go:9: expected an error\nFAIL",
            &["Test go test | call_test.go:9 |  | TestCall | expected an error"],
        ),
        (
            "Error: unknown flag: --foo\nok  \texample.com/a\t0.1s\nFAIL\texample.com/b [setup failed]",
            &[],
        ),
    ]);
}
