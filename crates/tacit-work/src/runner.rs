//! Failures in what a test runner printed, as QA would report them.
//!
//! Known are the summaries of cargo, pytest, jest, vitest and go. Text of which none of them is the
//! author says nothing, not even that tests passed.

use tacit_core::RepoPath;

use crate::qa::{QaIssue, QaSeverity};

/// The most failures that are taken from one run.
const MAX_FAILURES: usize = 20;
/// The most characters that are quoted of why a test failed.
const MAX_REASON: usize = 300;

/// The result of a run of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRun {
    /// True if tests ran and none failed.
    pub passed: bool,
    /// The tests that failed.
    pub issues: Vec<QaIssue>,
}

/// A test that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Failure {
    test: String,
    file: Option<String>,
    reason: Option<String>,
}

impl TestRun {
    /// Reads what a runner printed, without secrets, of which a part may be cut off; none if no
    /// runner that is known printed it.
    pub fn read(output: &str) -> Option<TestRun> {
        let mut run = RunReader::default();
        for line in output.lines() {
            run.line(line.trim_end());
        }
        if !run.ran && run.failures.is_empty() {
            return None;
        }
        let issues =
            run.failures.into_iter().take(MAX_FAILURES).map(Failure::issue).collect::<Vec<_>>();
        Some(TestRun { passed: issues.is_empty() && !run.failed, issues })
    }
}

#[derive(Default)]
struct RunReader {
    failures: Vec<Failure>,
    /// True if a summary was seen; true if it tells of failures.
    ran: bool,
    failed: bool,
    /// True if the next line says why the last test failed.
    reason_follows: bool,
}

impl RunReader {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        if std::mem::take(&mut self.reason_follows) && !text.is_empty() {
            let reason = text.to_owned();
            if let Some(last) = self.failures.last_mut() {
                last.reason.get_or_insert(reason);
            }
            return;
        }
        if let Some(name) = between(text, "test ", " ... FAILED") {
            self.failure(name, None, None);
        } else if let Some((name, place)) = panic(text) {
            self.failure(name, Some(place), None);
            self.reason_follows = true;
        } else if let Some(rest) = text.strip_prefix("FAILED ").filter(|rest| rest.contains("::")) {
            let (test, reason) = rest.split_once(" - ").unwrap_or((rest, ""));
            let file = test.split("::").next().unwrap_or_default();
            self.failure(test, Some(file), Some(reason).filter(|reason| !reason.is_empty()));
        } else if let Some(rest) = text.strip_prefix("--- FAIL: ") {
            self.failure(rest.split(' ').next().unwrap_or(rest), None, None);
            self.reason_follows = true;
        } else if let Some(rest) = text.strip_prefix("FAIL ").map(str::trim_start)
            && let Some((file, test)) = rest.split_once(" > ")
        {
            self.failure(test, Some(file), None);
            self.reason_follows = true;
        } else if let Some(test) = text.strip_prefix("● ").filter(|test| test.contains(" › ")) {
            self.failure(test, None, None);
        } else {
            self.summary(text);
        }
    }

    /// Notes a failure, which runners tell of more than once, and each time a little more.
    fn failure(&mut self, test: &str, file: Option<&str>, reason: Option<&str>) {
        let at = self.failures.iter().position(|known| known.test == test);
        let mut failure = match at {
            Some(at) => self.failures.remove(at),
            None => Failure { test: test.to_owned(), ..Failure::default() },
        };
        failure.file = failure.file.or(file.map(str::to_owned));
        failure.reason = failure.reason.or(reason.map(str::to_owned));
        // The last is the one that the next line is about.
        self.failures.push(failure);
    }

    fn summary(&mut self, text: &str) {
        let text = text.trim_matches(['=', ' ']);
        let cargo = text.starts_with("test result: ");
        let pytest = text.contains(" in ") && text.ends_with('s') && text.contains(" passed");
        let failed_pytest =
            text.contains(" in ") && text.ends_with('s') && text.contains(" failed");
        let javascript = text.starts_with("Tests:") || text.starts_with("Tests  ");
        let go = text.starts_with("ok  \t") || text == "PASS" || text.starts_with("FAIL\t");
        if cargo || pytest || failed_pytest || javascript || go {
            self.ran = true;
            let none = text.contains(" 0 failed");
            self.failed |= text.starts_with("FAIL\t") || (text.contains(" failed") && !none);
        }
    }
}

impl Failure {
    fn issue(self) -> QaIssue {
        let reason = self
            .reason
            .map(|reason| format!(": {}", reason.chars().take(MAX_REASON).collect::<String>()));
        QaIssue {
            // Without a reason there is nothing to learn from.
            severity: if reason.is_some() { QaSeverity::High } else { QaSeverity::Medium },
            description: format!("the test `{}` failed{}", self.test, reason.unwrap_or_default()),
            file: self.file.and_then(|file| RepoPath::new(file).ok()),
            module: None,
            what_was_tried: None,
            recommendation: None,
        }
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    text.strip_prefix(before)?.strip_suffix(after)
}

/// `thread 'name' (7) panicked at src/a.rs:3:5:`, the name and the file.
fn panic(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix("thread '")?.split_once('\'')?;
    let place = rest.split_once("panicked at ")?.1;
    Some((name, place.split(':').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether it passed, and of each failure what it says and where.
    type Read = (bool, Vec<(String, Option<String>)>);

    fn read(output: &str) -> Option<Read> {
        let run = TestRun::read(output)?;
        let issues = run.issues.into_iter();
        let issues = issues.map(|issue| (issue.description, issue.file.map(|f| f.to_string())));
        Some((run.passed, issues.collect()))
    }

    #[test]
    fn failures_of_known_runners_are_read() {
        let failed = |said: &str, file: Option<&str>| {
            Some((false, vec![(format!("the test {said}"), file.map(str::to_owned))]))
        };
        for (output, expected) in [
            (
                "test a::b ... FAILED\ntest c ... ok\n\n---- a::b stdout ----\n\
                 thread 'a::b' (7) panicked at src/a.rs:3:5:\nleft is not right\n\n\
                 test result: FAILED. 1 passed; 1 failed; 0 ignored",
                failed("`a::b` failed: left is not right", Some("src/a.rs")),
            ),
            ("test c ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored", Some((true, vec![]))),
            (
                "FAILED tests/test_x.py::test_y - AssertionError: 1 != 2\n=== 1 failed, 3 passed in 0.12s ===",
                failed(
                    "`tests/test_x.py::test_y` failed: AssertionError: 1 != 2",
                    Some("tests/test_x.py"),
                ),
            ),
            ("=== 3 passed in 0.12s ===", Some((true, vec![]))),
            (
                " FAIL  src/x.test.ts > cart > adds\nAssertionError: expected 1 to be 2\n Tests  1 failed | 3 passed (4)",
                failed(
                    "`cart > adds` failed: AssertionError: expected 1 to be 2",
                    Some("src/x.test.ts"),
                ),
            ),
            (
                "FAIL src/x.test.js\n  ● cart › adds\n\nTests:       1 failed, 3 passed, 4 total",
                failed("`cart › adds` failed", None),
            ),
            ("Tests:       4 passed, 4 total", Some((true, vec![]))),
            (
                "--- FAIL: TestAdd (0.00s)\n    add_test.go:10: got 3\nFAIL\nFAIL\texample.com/x\t0.1s",
                failed("`TestAdd` failed: add_test.go:10: got 3", None),
            ),
            ("ok  \texample.com/x\t0.1s", Some((true, vec![]))),
            ("=== 1 failed in 0.12s ===", Some((false, vec![]))),
            ("All is well.", None),
            ("", None),
        ] {
            assert_eq!(read(output), expected, "{output}");
        }
    }

    proptest! {
        #[test]
        fn any_output_is_accepted(output in "(\\PC{0,40}\n|test a ... FAILED\n|--- FAIL: \n|thread 'x' panicked at \n|FAIL  > \n){0,12}") {
            if let Some(run) = TestRun::read(&output) {
                prop_assert!(!run.passed || run.issues.is_empty());
                prop_assert!(run.issues.len() <= MAX_FAILURES);
            }
        }
    }
}
