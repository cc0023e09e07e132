//! Reads the summaries and error lines of check runners. Numbers count only in lines that have the
//! form of a known summary.

use tacit_core::CheckKind;

use super::command::CheckCommand;
use crate::fingerprint::without_escapes;
use crate::task_prefix::without_task_prefix;

/// The result that a runner reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerSummary {
    /// All checks passed.
    Passed,
    /// At least one check failed.
    Failed,
    /// The runner found nothing to check.
    NothingRun,
    /// The output has no summary.
    Missing,
}

/// Beginnings of lines that report a failure.
const FAILED: [&str; 60] = [
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
    "Some tests failed",
    "Lint errors found",
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
    "BUILD FAILURE",
    "ERROR task failed",
    "mise ERROR task",
    "task: Failed to run task",
    "ELIFECYCLE",
    "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL",
    "ERROR  run failed:",
    "Error: Sequence aborted",
    "evaluation failed :(",
    "nox > Session ",
    "* FAILURE *",
    "* FAILED *",
    "✖  nx run ",
    "Error while executing command, exit code:",
    "would reformat ",
    "Would reformat: ",
    "Code style issues found",
    "Diff in ",
    "Failed to compile",
    "CommandError: ",
    "Error occurred prerendering page",
    "> Export encountered errors",
    "> Build error occurred",
    "> Build failed because of",
    "There were failing tests",
    "Summary of Failures:",
    "go: updates to go.mod needed",
];
/// Beginnings of lines with which test runners report success.
const TESTS_PASSED: [&str; 9] = [
    "OK (",
    "ok  \t",
    "Passed!  - Failed:",
    "Test Run Successful.",
    "** TEST SUCCEEDED **",
    "100% tests passed",
    "BUILD SUCCESSFUL in ",
    "NX   Successfully ran target",
    "congratulations :)",
];
/// Beginnings of lines with which builds, linters and type checkers report success.
const OTHERS_PASSED: [&str; 24] = [
    "Finished `",
    "Finished dev",
    "Finished release",
    "BUILD SUCCESSFUL",
    "BUILD SUCCESS",
    "found 0 errors",
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
    "0 issues.",
    "no issues found",
    "Congratulations! ",
    "✔ No ESLint warnings or errors",
    "✓ built in ",
    // A build of Next.js ends with the list of its routes.
    "Route (app)",
    "Route (pages)",
    "webpack compiled successfully",
];

/// Reads the output of checks.
pub fn read_summary(checks: &[CheckCommand], output: &str) -> RunnerSummary {
    let output = without_escapes(output);
    let tests = checks.iter().any(|check| check.kind == CheckKind::Test);
    let hooks = checks.iter().any(|check| {
        let runner = check.task.as_ref().unwrap_or(&check.runner);
        runner.starts_with("pre-commit") || runner.starts_with("prek")
    });
    let mut tally = Tally { hooks, ..Tally::default() };
    for line in output.lines() {
        tally.read(without_level(without_task_prefix(line)), tests);
    }
    match tally {
        _ if tally.has_failed() => RunnerSummary::Failed,
        Tally { passed, .. } if passed > 0 => RunnerSummary::Passed,
        Tally { counted: true, .. } => RunnerSummary::NothingRun,
        _ => RunnerSummary::Missing,
    }
}

/// Reads the output of a script or task that may run anything; only a failure is certain.
pub(super) fn read_failures(output: &str) -> RunnerSummary {
    let output = without_escapes(output);
    let mut tally = Tally::default();
    for line in output.lines() {
        tally.read(without_level(without_task_prefix(line)), true);
    }
    if tally.has_failed() { RunnerSummary::Failed } else { RunnerSummary::Missing }
}

/// Returns true if an output has no more than the lines that script runners print around a command.
/// A linter, compiler or type checker that finds something says so.
pub(super) fn is_silent(output: &str) -> bool {
    const BANNERS: [&str; 6] = ["> ", "$ ", "yarn run v", "✨  Done in", "Done in ", "Scope: "];
    without_escapes(output).lines().map(str::trim).all(|line| {
        let line = without_task_prefix(line).trim();
        line.is_empty() || line == ">" || BANNERS.iter().any(|banner| line.starts_with(banner))
    })
}

/// Removes the level that maven and others print before a line.
fn without_level(line: &str) -> &str {
    let levels = ["[INFO] ", "[ERROR] ", "[WARNING] ", "[warn] ", "[error] "];
    levels.iter().find_map(|level| line.trim_start().strip_prefix(level)).unwrap_or(line)
}

#[derive(Debug, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    /// Lines that name a failed test. They may also be part of a log.
    named: u64,
    /// True if a summary was found.
    counted: bool,
    /// True if lines such as `ruff......Passed` report checks.
    hooks: bool,
}

impl Tally {
    /// Returns true if a summary reports a failure, or, where there is none, a line names a test.
    fn has_failed(&self) -> bool {
        self.failed > 0 || (self.named > 0 && !self.counted)
    }

    fn read(&mut self, line: &str, tests: bool) {
        let line = line.trim_end();
        let text = line.trim_start();
        if text.starts_with("nox > Session ") && text.ends_with(" was successful.") {
            self.passed += 1;
            self.counted = true;
        } else if FAILED.iter().any(|mark| text.starts_with(mark))
            || text == "FAIL"
            || is_complaint(text)
            || (text.starts_with("> Task ") && text.ends_with(" FAILED"))
            || (self.hooks && text.ends_with("...Failed"))
            || files_are_good(text) == Some(false)
        {
            self.failed += 1;
        } else if tests && is_failed_test(text) {
            self.named += 1;
        } else if TESTS_PASSED.iter().any(|mark| text.starts_with(mark))
            || text == "OK"
            || text == "PASS"
        {
            if !text.ends_with("[no test files]") && !text.ends_with("[no tests to run]") {
                self.passed += 1;
            }
            self.counted = true;
        } else if !tests
            && (OTHERS_PASSED.iter().any(|mark| text.starts_with(mark))
                || (self.hooks && text.ends_with("...Passed"))
                || files_are_good(text) == Some(true))
        {
            self.passed += 1;
            self.counted = true;
        } else if is_summary(text) {
            self.counted = true;
            for (number, word) in numbers(text) {
                match word {
                    "passed" | "passing" | "pass" | "successful" | "examples" | "runs"
                    | "tests" | "example" | "test" => {
                        self.passed += number;
                    }
                    "failed" | "failing" | "fail" | "failures" | "failure" | "error" | "errors"
                    | "issues" => {
                        self.failed += number;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns true for a line that names a failed test, which is all that a filter may leave of an
/// output.
fn is_failed_test(text: &str) -> bool {
    let after = |mark: &str| text.strip_prefix(mark).map(str::trim_start);
    // pytest, with the node of the test; cargo; nextest, jest and vitest; rspec; TAP.
    after("FAILED ").or_else(|| after("ERROR ")).is_some_and(|rest| rest.contains(".py::"))
        || (text.starts_with("test ") && text.ends_with(" ... FAILED"))
        || after("FAIL ").is_some_and(|rest| {
            rest.starts_with('[') || rest.split([' ', ':']).next().is_some_and(is_test_file)
        })
        || (text.starts_with("rspec ./") && text.contains(" # "))
        || after("not ok ").is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains("# TODO")
        })
}

/// Returns true for the name of a file with tests, as JavaScript's runners know them.
fn is_test_file(name: &str) -> bool {
    let is_source = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".vue"];
    is_source.iter().any(|end| name.ends_with(end))
}

/// Returns true for an error of a type checker or linter with its position in a file.
fn is_complaint(text: &str) -> bool {
    let place = |mark: &str| {
        text.find(mark).is_some_and(|at| {
            text[..at].ends_with(|c: char| c.is_ascii_digit() || c == ')')
                && text[..at].contains(['.', ':'])
        })
    };
    // Go prints a column only for errors, not for the logs of tests.
    let go = text.split_once(".go:").is_some_and(|(path, rest)| {
        let mut parts = rest.splitn(3, ':');
        let is_number = |part: Option<&str>| {
            part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        };
        !path.contains(' ')
            && is_number(parts.next())
            && is_number(parts.next())
            && parts.next().is_some_and(|message| message.starts_with(' '))
    });
    // `next lint` prints `2:9  Error: message  rule` below the name of the file.
    let next = text.split_once("  Error: ").is_some_and(|(place, _)| {
        place.split_once(':').is_some_and(|(line, column)| {
            line.parse::<u32>().is_ok() && column.parse::<u32>().is_ok()
        })
    });
    go || next
        || text.contains("): error TS")
        || place(": error: ")
        || place(" - error TS")
        || place(": error TS")
}

/// Reads a number of files that a linter or formatter accepted or not.
fn files_are_good(text: &str) -> Option<bool> {
    let (number, rest) = text.split_once(" file")?;
    number.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    if rest.starts_with(" would be reformatted") || rest.ends_with("offenses detected") {
        Some(rest.ends_with("no offenses detected"))
    } else {
        rest.starts_with(" already formatted").then_some(true)
    }
}

/// Returns true if a line has the form of a summary with numbers.
fn is_summary(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| c == '=' || c.is_whitespace());
    let starts = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark));
    if starts(&[
        "test result: ok.",
        "Test Suites:",
        "Tests:",
        "Tests run:",
        "Summary [",
        "Test Files ",
        "Tests  ",
        "Executed ",
        "Tasks: ",
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
            (bare.contains(" in ") && bare.ends_with(['s', ')']))
                // pyright: `1 error, 0 warnings, 0 informations`
                || (bare.contains(" warning") && bare.contains(" information"))
                // playwright: `1 failed` and `3 passed (2.1s)`, each on its own line
                || (*word == "failed" && bare.split_whitespace().count() == 2)
                || (*word == "passed" && bare.contains(" passed (") && bare.ends_with("s)"))
        }
        // golangci-lint: `3 issues:`
        "issues" | "issue" => bare.ends_with(':') && found.len() == 1,
        // gradle: `5 tests completed, 1 failed`; mix: `5 tests, 1 failure`
        "tests" | "test" => bare.contains(" completed, ") || bare.contains(" failure"),
        // mocha: `3 passing (12ms)`; bun: `3 pass`
        "passing" | "failing" => true,
        "pass" | "fail" => found.len() == 1 && bare.split_whitespace().count() == 2,
        // rspec, minitest
        "examples" | "example" | "runs" => bare.contains("failure"),
        _ => false,
    }
}

/// Returns the numbers of a line with what they count: the word after the number, or before it with
/// a colon.
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
            ("mvn test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", Passed),
            ("mvn test", "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", Failed),
            ("./gradlew test", "> Task :app:test FAILED", Failed),
            ("./gradlew test", "5 tests completed, 1 failed", Failed),
            ("./gradlew test", "BUILD SUCCESSFUL in 3s", Passed),
            ("golangci-lint run", "0 issues.", Passed),
            ("golangci-lint run", "2 issues:\n* errcheck: 1\n* goconst: 1", Failed),
            ("golangci-lint run", "a/b.go:12:3: x is unused (unused)", Failed),
            ("mise run lint", "[lint] $ golangci-lint run\n[lint] 0 issues.", Passed),
            ("mise run lint", "[lint] 1 issues:\n[lint] ERROR task failed", Failed),
            ("mise run test", "[test] ok  \texample.com/a\t0.1s", Passed),
            ("go test -v ./...", "    a_test.go:12: got 3\nok  \texample.com/a\t0.1s", Passed),
            (
                "go test ./...",
                "a/b.go:12:3: undefined: x\nFAIL\texample.com/a [build failed]",
                Failed,
            ),
            ("npx turbo test", "web:test: Tests:       3 passed, 3 total", Passed),
            ("npx turbo test", "web:test: Tests:       1 failed, 3 passed", Failed),
            ("npx turbo test", " ERROR  run failed: command  exited (1)", Failed),
            ("pnpm -r test", "packages/web test:       Tests  3 passed (3)", Passed),
            ("pnpm test", " ELIFECYCLE  Test failed. See above for more details.", Failed),
            ("npx jest", "Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed", Failed),
            (
                "npx nx run-many -t test",
                " NX   Successfully ran target test for 3 projects",
                Passed,
            ),
            ("npx nx test web", "✖  nx run web:test", Failed),
            ("docker compose run app pytest", "3 passed in 0.12s", Passed),
            ("pre-commit run -a", "ruff.......Passed\nmypy.......Failed", Failed),
            ("pre-commit run -a", "ruff.......Passed\nmypy.......Passed", Passed),
            ("nox -s tests", "nox > Session tests was successful.", Passed),
            ("nox -s tests", "nox > Session tests failed.", Failed),
            ("tox", "  lint: OK (0.91 seconds)\n  congratulations :) (0.98 seconds)", Passed),
            ("npx playwright test", "  1 failed\n    [chromium] › a.spec.ts:3:5 › saves", Failed),
            ("npx playwright test", "  1 failed\n  2 passed (2.1s)", Failed),
            ("npx playwright test", "Running 1 test using 1 worker\n  1 passed (2.1s)", Passed),
            ("next build", " ✓ Compiled successfully\n\nRoute (app)       Size", Passed),
            (
                "next build",
                " ✓ Compiled successfully\nError occurred prerendering page \"/orders\".",
                Failed,
            ),
            ("next lint", "./a.tsx\n2:9  Error: Unexpected any.  no-explicit-any", Failed),
            ("next lint", "✔ No ESLint warnings or errors", Passed),
            ("vite build", "✓ 34 modules transformed.\n✓ built in 1.21s", Passed),
            ("turbo run test", " Tasks:    3 successful, 3 total\nCached:    1 cached", Passed),
            ("tox", "  py311: FAIL code 1\n  evaluation failed :( (0.5 seconds)", Failed),
            ("rubocop", "5 files inspected, no offenses detected", Passed),
            ("rubocop", "5 files inspected, 3 offenses detected", Failed),
            (
                "ruff format --check .",
                "1 file would be reformatted, 3 files already formatted",
                Failed,
            ),
            ("ruff format --check .", "3 files already formatted", Passed),
            ("pyright", "0 errors, 0 warnings, 0 informations", Passed),
            ("pyright", "2 errors, 0 warnings, 0 informations", Failed),
            ("mix test", "5 tests, 1 failure", Failed),
            ("mix test", "5 tests, 0 failures", Passed),
            ("task test", "task: Failed to run task \"test\": exit status 1", Failed),
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
            ("cargo test", "ERROR app::db: connection refused, retrying", Missing),
            (
                "cargo test -- --nocapture",
                "ERROR app::db: connection refused, retrying\ntest result: ok. 1 passed; 0 failed",
                Passed,
            ),
            ("npx jest", "FAIL src/fake.ts is a fixture\nTests:       3 passed, 3 total", Passed),
            ("npx jest | grep FAIL", "FAIL src/orders.test.ts", Failed),
            ("pytest -q", "FAILED tests/test_a.py::test_b - assert 1 == 2", Failed),
            ("pytest", "ERROR tests/test_a.py::test_b - fixture 'x' not found", Failed),
            ("npm test", "\u{1b}[31mTests:       1 failed, 3 passed\u{1b}[0m", Failed),
        ] {
            assert_eq!(read_summary(&checks(line), output), expected, "{line}: {output}");
        }
    }

    #[test]
    fn logs_of_other_programs_report_no_failed_test() {
        let log = "ERROR app::db: connection refused, retrying\nlistening on port 8080";
        assert_eq!(read_failures(log), RunnerSummary::Missing);
        assert_eq!(read_failures("FAILED tests/test_a.py::test_b"), RunnerSummary::Failed);
    }
}
