//! Evaluates commands as checks of the work.
//!
//! The exit code counts only if it is the check's own. With `|| true`, a pipe or `; true` in
//! between, only the runner's summary counts. A commit counts as what its hooks report.

mod command;
mod commit;
mod launch;
mod recognise;
mod reported;
mod summary;
mod trial;
mod verdict;

pub(crate) use command::script_kind;
pub use command::{CheckCommand, checks};
pub(crate) use launch::{Launched, launched};
pub use summary::{RunnerSummary, read_summary};
pub use trial::is_trial;
pub use verdict::{FailedCheck, SessionVerdict, verdict};

use tacit_core::{CheckKind, bytes_cut};

use crate::shell::{joined_commands, redirected_files};
use crate::tasks::TaskDefinitions;

use command::{exit_code_is_reliable, program_name, without_output_filters};
use commit::read_commit_hooks;

/// The result of a command line as a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// The checks it ran.
    pub checks: Vec<CheckCommand>,
    /// The outcome of the line.
    pub outcome: CheckOutcome,
    /// True if it is a commit that its hooks accepted.
    pub committed: bool,
    /// The key that is equal for command lines that do the same, however their output is filtered.
    pub key: String,
}

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// Passed, by its exit code or its summary.
    Passed,
    /// Failed, by its exit code or its summary.
    Failed,
    /// Unknown, for example because the output was cut.
    Unknown,
}

/// Evaluates a command line by its output and its success as a whole; the names of tasks tell what
/// they run.
pub fn evaluate_command(line: &str, output: &str, succeeded: Option<bool>) -> CheckResult {
    TaskDefinitions::default().evaluate(line, output, succeeded)
}

impl TaskDefinitions {
    /// Evaluates a command line by its output and its success as a whole.
    pub fn evaluate(&self, line: &str, output: &str, succeeded: Option<bool>) -> CheckResult {
        let mut checks = self.checks(line);
        let hooks = if checks.is_empty() { read_commit_hooks(line, output) } else { None };
        let committed = hooks.as_ref().is_some_and(|hooks| hooks.committed);
        let hook_result = hooks.and_then(|hooks| hooks.hook_result);
        let by_hook = hook_result.as_ref().map(|(_, summary)| *summary);
        checks.extend(hook_result.map(|(check, _)| check));
        let key = match checks.as_slice() {
            // The commit message does not matter.
            [] if committed => format!("|{}", commit::RUNNER),
            [] => without_output_filters(line),
            checks => {
                checks.iter().map(|check| check.key.as_str()).collect::<Vec<_>>().join(" && ")
            }
        };
        let summary = match by_hook {
            Some(summary) => summary,
            None if checks.is_empty() => RunnerSummary::Missing,
            None => read_summary(&checks, output),
        };
        let commands = joined_commands(line);
        let summary = match summary {
            RunnerSummary::Failed => RunnerSummary::Failed,
            _ if self.reports_failure(&checks, &commands, output) => RunnerSummary::Failed,
            summary => summary,
        };
        let first = match checks.first() {
            Some(check) => check.command_index,
            // Skip commands that only prepare the environment.
            None => commands.iter().position(|one| !is_preparation(&one.words)).unwrap_or(0),
        };
        // A successful commit does not show what its hooks checked.
        let own = by_hook.is_none()
            && exit_code_is_reliable(&commands, first)
            && checks.iter().all(|check| check.exit_code_counts);
        // The exit code of a line is that of its last command.
        let ends_with_check = checks.is_empty()
            || by_hook.is_some()
            || checks.last().is_some_and(|check| {
                check.exit_code_counts && check.command_index + 1 == commands.len()
            });
        // Output that was cut or filtered may have held a failure.
        let partial = !own && (bytes_cut(output).is_some() || shows_only_head(line));
        let summary = match summary {
            RunnerSummary::Passed if partial => RunnerSummary::Missing,
            summary => summary,
        };
        let outcome = match (summary, succeeded) {
            (RunnerSummary::Failed, _) => CheckOutcome::Failed,
            (_, None) => CheckOutcome::Unknown,
            // Nothing was checked.
            (RunnerSummary::NothingRun, Some(true)) => CheckOutcome::Unknown,
            (RunnerSummary::Passed, Some(true)) => CheckOutcome::Passed,
            (RunnerSummary::Missing, Some(true)) if own => CheckOutcome::Passed,
            (RunnerSummary::Missing, Some(true)) if found_nothing(&checks, line, output) => {
                CheckOutcome::Passed
            }
            (RunnerSummary::Missing, Some(true)) => CheckOutcome::Unknown,
            // Something in the line failed, although a summary reports success.
            (_, Some(false)) if own || ends_with_check => CheckOutcome::Failed,
            (_, Some(false)) => CheckOutcome::Unknown,
        };
        CheckResult { checks, outcome, committed, key }
    }
}

/// Returns true if linters, compilers or type checkers printed nothing, although nothing but the
/// length of their output is limited.
fn found_nothing(checks: &[CheckCommand], line: &str, output: &str) -> bool {
    let shows_all = |words: &[String]| {
        !matches!(
            program_name(words).as_deref(),
            Some("grep" | "rg" | "egrep" | "awk" | "sed" | "wc" | "jq" | "sort" | "uniq" | "cut")
        )
    };
    let prints = |check: &CheckCommand| check.kind == CheckKind::Test;
    !checks.is_empty()
        && !checks.iter().any(prints)
        && summary::is_silent(output)
        && redirected_files(line).is_empty()
        && joined_commands(line).iter().all(|command| shows_all(&command.words))
}

fn shows_only_head(line: &str) -> bool {
    joined_commands(line)
        .iter()
        .any(|command| program_name(&command.words).as_deref() == Some("head"))
}

/// Returns true if a command only prepares the environment.
fn is_preparation(words: &[String]) -> bool {
    matches!(
        program_name(words).as_deref(),
        None | Some("cd" | "pushd" | "export" | "source" | "." | "set")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_and_summaries_determine_the_outcome() {
        use CheckOutcome::{Failed, Passed, Unknown};
        const OK: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
        const BAD: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored";
        const NONE: &str = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored";
        for (line, output, succeeded, expected) in [
            ("cargo test", OK, Some(true), Passed),
            ("cargo test", "", Some(true), Passed),
            ("cargo test", BAD, Some(false), Failed),
            ("cargo test", "", Some(false), Failed),
            ("cargo test", OK, Some(false), Failed),
            ("cargo test", OK, None, Unknown),
            ("cargo test", NONE, Some(true), Unknown),
            ("cargo test || true", BAD, Some(true), Failed),
            ("cargo test || true", "", Some(true), Unknown),
            ("cargo test || true", OK, Some(true), Passed),
            ("cargo test; true", BAD, Some(true), Failed),
            ("cargo test; true", "", Some(true), Unknown),
            ("cargo test 2>&1 | tail -5", BAD, Some(true), Failed),
            ("cargo test 2>&1 | tail -5", "", Some(true), Unknown),
            ("cargo test 2>&1 | tail -5", OK, Some(true), Passed),
            ("cargo test 2>&1 | head -5", OK, Some(true), Unknown),
            (
                "cargo test 2>&1 | tail -5",
                "[… 9 bytes cut …]\ntest result: ok. 1 passed",
                Some(true),
                Unknown,
            ),
            ("npx tsc --noEmit 2>&1 | tail -5", "", Some(true), Passed),
            ("npx tsc --noEmit 2>&1 | head -20", "", Some(true), Passed),
            ("npm run lint | tail", "\n> a@1.0.0 lint\n> eslint .\n\n", Some(true), Passed),
            ("npx tsc --noEmit | grep error", "", Some(true), Unknown),
            ("npx eslint . > /dev/null; true", "", Some(true), Unknown),
            ("set -o pipefail; cargo test | tail", "", Some(true), Passed),
            ("cd a && cargo test", "", Some(true), Passed),
            ("cargo test && echo done", "", Some(true), Passed),
            ("cargo test & echo started", "", Some(true), Unknown),
            ("true || cargo test", "", Some(true), Unknown),
            ("(cargo test) | tail", "", Some(true), Unknown),
            ("cargo test\necho done", "", Some(true), Unknown),
            ("bash -c 'cargo test | tail'", "", Some(true), Unknown),
            ("bash -c 'cargo test'", "", Some(true), Passed),
            // The exit code is that of the last command.
            ("cargo test | tail -5; git stash pop", OK, Some(false), Unknown),
            ("cargo test | grep warning", "", Some(false), Unknown),
            ("git diff; cargo test", "", Some(false), Failed),
            ("./deploy.sh", "", Some(true), Passed),
            ("./deploy.sh || true", "", Some(true), Unknown),
            ("cd x; ./deploy.sh", "", Some(true), Passed),
            ("cat old.log", OK, Some(true), Passed),
            ("cat old.log | tail", BAD, Some(true), Unknown),
        ] {
            assert_eq!(
                evaluate_command(line, output, succeeded).outcome,
                expected,
                "{line} {output:?}"
            );
        }
        assert_eq!(evaluate_command("cat old.log", BAD, Some(true)).checks, []);
    }

    #[test]
    fn output_filters_do_not_change_the_key() {
        let key = |line| evaluate_command(line, "", Some(true)).key;
        for (one, other) in [
            ("cargo test", "cargo test 2>&1 | tail -20"),
            ("cargo test", "  cargo   test  || true"),
            ("cargo test -q", "cargo test --quiet"),
            ("npx jest a.test.ts", "npx jest a.test.ts > out.txt"),
            ("./run.sh a", "./run.sh  a 2>&1 | head -3"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
        for (one, other) in [
            ("cargo test", "cargo test parse"),
            ("cargo test", "cargo build"),
            ("pytest a.py", "pytest b.py"),
            ("cd a && cargo test", "cd b && cargo test"),
            ("./run.sh a", "./run.sh b"),
        ] {
            assert_ne!(key(one), key(other), "{one}");
        }
    }
}
