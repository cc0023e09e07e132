//! What a runner itself says came of a check: the line with which it ends, or the lines with which
//! it complains. A number counts only where the line has the form of some runner's summary.

use tacit_core::CheckKind;

use super::command::CheckCommand;
use crate::fingerprint::without_escapes;

/// What a runner says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerSummary {
    /// All that it checked is as it should be.
    Passed,
    /// Something is not.
    Failed,
    /// There was nothing to check.
    NothingRun,
    /// Nothing.
    Missing,
}

/// How lines begin with which a runner says that something failed.
const FAILED: [&str; 33] = [
    "test result: FAILED",
    "error: test failed",
    "error: could not compile",
    "error: aborting due to",
    "error[E",
    "error: test run failed",
    "FAILED (failures=",
    "FAILED (errors=",
    "FAILURES!",
    "ERRORS!",
    "BUILD FAILED",
    "FAILURE: Build failed",
    "[INFO] BUILD FAILURE",
    "[ERROR] BUILD FAILURE",
    "Build FAILED",
    "FAIL\t",
    "FAIL:",
    "--- FAIL:",
    "Failed!  - Failed:",
    "Test Run Failed.",
    "make: ***",
    "gmake: ***",
    "ninja: build stopped",
    "npm ERR! Test failed",
    "npm ERR! code ELIFECYCLE",
    "npm error code ELIFECYCLE",
    "npm error Lifecycle script",
    "error Command failed with exit code",
    "error: Recipe `",
    "error: script \"",
    "rake aborted!",
    "Oh no!",
    "** TEST FAILED **",
];
/// How lines begin with which a runner of tests says that all is well.
const TESTS_PASSED: [&str; 6] = [
    "OK (",
    "ok  \t",
    "Passed!  - Failed:",
    "Test Run Successful.",
    "** TEST SUCCEEDED **",
    "100% tests passed",
];
/// How lines begin with which a builder, a linter or a type checker says so.
const OTHERS_PASSED: [&str; 16] = [
    "Finished `",
    "Finished dev",
    "Finished release",
    "BUILD SUCCESSFUL",
    "BUILD SUCCESS",
    "[INFO] BUILD SUCCESS",
    "Build succeeded",
    "Build complete!",
    "All checks passed!",
    "Success: no issues found",
    "0 errors,",
    "Found 0 errors",
    "All matched files use Prettier",
    "All done!",
    "[OK] No errors",
    "Checked ",
];

/// Reads what the checks of a command line printed.
pub fn read_summary(checks: &[CheckCommand], output: &str) -> RunnerSummary {
    let output = without_escapes(output);
    let tests = checks.iter().any(|check| check.kind == CheckKind::Test);
    let mut tally = Tally::default();
    for line in output.lines() {
        tally.read(line, tests);
    }
    match tally {
        Tally { failed, .. } if failed > 0 => RunnerSummary::Failed,
        Tally { passed, .. } if passed > 0 => RunnerSummary::Passed,
        Tally { counted: true, .. } => RunnerSummary::NothingRun,
        _ => RunnerSummary::Missing,
    }
}

#[derive(Debug, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    /// Whether a summary was seen at all.
    counted: bool,
}

impl Tally {
    fn read(&mut self, line: &str, tests: bool) {
        let line = line.trim_end();
        let text = line.trim_start();
        if FAILED.iter().any(|mark| text.starts_with(mark)) || text == "FAIL" || is_complaint(text)
        {
            self.failed += 1;
        } else if TESTS_PASSED.iter().any(|mark| text.starts_with(mark))
            || text == "OK"
            || text == "PASS"
        {
            if !text.ends_with("[no test files]") && !text.ends_with("[no tests to run]") {
                self.passed += 1;
            }
            self.counted = true;
        } else if !tests && OTHERS_PASSED.iter().any(|mark| text.starts_with(mark)) {
            self.passed += 1;
            self.counted = true;
        } else if is_summary(text) {
            self.counted = true;
            for (number, word) in numbers(text) {
                match word {
                    "passed" | "passing" | "pass" | "examples" | "runs" | "tests" | "example"
                    | "test" => {
                        self.passed += number;
                    }
                    "failed" | "failing" | "fail" | "failures" | "failure" | "error" | "errors" => {
                        self.failed += number;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A complaint of a type checker or a linter about a place in a file.
fn is_complaint(text: &str) -> bool {
    let place = |mark: &str| {
        text.find(mark).is_some_and(|at| {
            text[..at].ends_with(|c: char| c.is_ascii_digit() || c == ')')
                && text[..at].contains(['.', ':'])
        })
    };
    text.contains("): error TS")
        || place(": error: ")
        || place(" - error TS")
        || place(": error TS")
}

/// Whether a line has the form of a summary with numbers.
fn is_summary(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| c == '=' || c.is_whitespace());
    let starts = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark));
    if starts(&[
        "test result: ok.",
        "Tests:",
        "Tests run:",
        "Summary [",
        "Test Files ",
        "Tests  ",
        "Executed ",
    ]) || starts(&["✖ ", "ok | ", "FAILED | ", "Ran ", "Found "])
    {
        return true;
    }
    let first_is_number = bare.starts_with(|c: char| c.is_ascii_digit());
    let found = numbers(bare);
    let Some((_, word)) = found.first() else {
        return bare.starts_with("no tests ran");
    };
    if !first_is_number {
        return false;
    }
    match *word {
        // pytest: `3 passed, 1 failed in 0.12s`
        "passed" | "failed" | "error" | "errors" | "skipped" | "deselected" | "xfailed" => {
            bare.contains(" in ") && bare.ends_with(['s', ')'])
        }
        // mocha: `3 passing (12ms)`; bun: `3 pass`
        "passing" | "failing" => true,
        "pass" | "fail" => found.len() == 1 && bare.split_whitespace().count() == 2,
        // rspec, minitest
        "examples" | "example" | "runs" => bare.contains("failure"),
        _ => false,
    }
}

/// The numbers of a line, each with what it counts: the word behind it, or before it and a colon.
fn numbers(text: &str) -> Vec<(u64, &str)> {
    let mut found = Vec::new();
    let pieces: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '|' | '='))
        .filter(|piece| !piece.is_empty())
        .collect();
    for (at, piece) in pieces.iter().enumerate() {
        let Ok(number) = piece.trim_end_matches('.').parse::<u64>() else { continue };
        let before = at.checked_sub(1).and_then(|at| pieces[at].strip_suffix(':'));
        let label = match before {
            Some("Failures" | "Errors" | "Failed") => Some("failures"),
            Some("Passed") => Some("passed"),
            Some("run") => Some("tests"),
            Some("Tests") if pieces.iter().any(|piece| piece.starts_with("Assertions")) => {
                Some("tests")
            }
            _ => None,
        };
        let word = label.or_else(|| {
            let word = pieces.get(at + 1)?.trim_end_matches(['.', ':', '!']);
            word.chars().all(char::is_alphabetic).then_some(word)
        });
        found.extend(word.map(|word| (number, word)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::command::checks;
    use super::*;

    #[test]
    fn runner_summaries_are_recognised() {
        use RunnerSummary::{Failed, Missing, NothingRun, Passed};
        for (line, output, expected) in [
            ("cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored", Passed),
            ("cargo test", "test result: FAILED. 3 passed; 1 failed;", Failed),
            ("cargo test", "error: could not compile `a` (lib) due to 1 previous error", Failed),
            ("cargo test", "    Finished `test` profile in 0.1s", Missing),
            ("cargo test", "test result: ok. 0 passed; 0 failed; 0 ignored", NothingRun),
            ("cargo build", "    Finished `dev` profile in 0.1s", Passed),
            ("cargo clippy", "error[E0308]: mismatched types", Failed),
            (
                "cargo nextest run",
                "     Summary [   0.1s] 5 tests run: 5 passed, 0 skipped",
                Passed,
            ),
            (
                "cargo nextest run",
                "     Summary [   0.1s] 5 tests run: 4 passed, 1 failed, 0 skipped",
                Failed,
            ),
            ("pytest", "===== 3 passed in 0.12s =====", Passed),
            ("pytest", "===== 1 failed, 3 passed in 0.12s =====", Failed),
            ("pytest -q", "3 passed, 1 warning in 0.12s", Passed),
            ("pytest", "===== no tests ran in 0.01s =====", NothingRun),
            ("pytest", "===== 1 error in 0.12s =====", Failed),
            ("python -m unittest", "Ran 3 tests in 0.001s\n\nOK", Passed),
            ("python -m unittest", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)", Failed),
            ("python -m unittest", "Ran 0 tests in 0.000s", NothingRun),
            ("npx jest", "Tests:       1 failed, 3 passed, 4 total", Failed),
            ("npx jest", "Tests:       3 passed, 3 total", Passed),
            ("npx vitest run", " Test Files  1 passed (1)\n      Tests  3 passed (3)", Passed),
            (
                "npx vitest run",
                " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)",
                Failed,
            ),
            ("npm test", "  3 passing (12ms)", Passed),
            ("npm test", "  3 passing (12ms)\n  1 failing", Failed),
            ("bun test", " 3 pass\n 0 fail\n", Passed),
            ("bun test", " 3 pass\n 1 fail\n", Failed),
            ("go test ./...", "ok  \texample.com/a\t0.1s", Passed),
            ("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s", Failed),
            ("go test ./...", "?   \texample.com/a\t[no test files]", Missing),
            ("./gradlew test", "BUILD FAILED in 3s", Failed),
            ("mvn test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", Missing),
            ("mvn test", "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", Passed),
            ("mvn test", "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", Failed),
            ("mvn test", "[INFO] BUILD FAILURE", Failed),
            ("dotnet test", "Passed!  - Failed:     0, Passed:    12, Skipped: 0", Passed),
            ("dotnet test", "Failed!  - Failed:     1, Passed:    11", Failed),
            ("dotnet build", "Build succeeded.", Passed),
            ("bundle exec rspec", "12 examples, 0 failures", Passed),
            ("bundle exec rspec", "12 examples, 2 failures", Failed),
            ("rake test", "5 runs, 10 assertions, 0 failures, 0 errors, 0 skips", Passed),
            ("rake test", "5 runs, 10 assertions, 1 failures, 0 errors, 0 skips", Failed),
            ("phpunit", "OK (5 tests, 10 assertions)", Passed),
            ("phpunit", "Tests: 5, Assertions: 9, Failures: 1.", Failed),
            ("npx eslint .", "✖ 3 problems (2 errors, 1 warning)", Failed),
            ("npx eslint .", "✖ 1 problem (0 errors, 1 warning)", NothingRun),
            ("ruff check .", "All checks passed!", Passed),
            ("ruff check .", "Found 3 errors.", Failed),
            ("mypy .", "Success: no issues found in 3 source files", Passed),
            ("mypy .", "a.py:3: error: Incompatible types\nFound 1 error in 1 file", Failed),
            ("npx tsc --noEmit", "src/a.ts(3,5): error TS2345: Argument of type", Failed),
            ("make test", "make: *** [Makefile:3: test] Error 2", Failed),
            ("make", "gcc -o a a.c", Missing),
            ("npm test", "the user wrote: 5 failed attempts", Missing),
            ("npm test", "\u{1b}[31mTests:       1 failed, 3 passed\u{1b}[0m", Failed),
        ] {
            assert_eq!(read_summary(&checks(line), output), expected, "{line}: {output}");
        }
    }
}
