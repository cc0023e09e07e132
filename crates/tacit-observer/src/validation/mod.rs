//! What a command says about the work: which checks it ran, and what came of them.
//!
//! The exit code counts where it is the check's own; where something stands between (`|| true`, a
//! pipe, `; true`), only the runner's own summary does. A commit counts as what its hooks show.

mod command;
mod commit;
mod summary;
mod verdict;

pub use command::{CheckCommand, checks};
pub use summary::{RunnerSummary, read_summary};
pub use verdict::{SessionVerdict, verdict};

use tacit_core::bytes_cut;

use crate::shell::{CommandSeparator, joined_commands};

use command::{program_name, without_output_filters};
use commit::read_commit_hooks;

/// What a command line did, as a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// The checks it ran.
    pub checks: Vec<CheckCommand>,
    /// What came of it.
    pub outcome: CheckOutcome,
    /// Whether it is a commit that its hooks let pass.
    pub committed: bool,
    /// The same for command lines that do the same, whatever is done with what they print.
    pub key: String,
}

/// What came of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// It passed, and said so by its exit code or its summary.
    Passed,
    /// It failed.
    Failed,
    /// Nobody can tell.
    Unknown,
}

/// Reads a command line, what it printed and whether it succeeded as a whole.
pub fn evaluate_command(line: &str, output: &str, succeeded: Option<bool>) -> CheckResult {
    let mut checks = checks(line);
    let hooks = if checks.is_empty() { read_commit_hooks(line, output) } else { None };
    let committed = hooks.as_ref().is_some_and(|hooks| hooks.committed);
    let hook_result = hooks.and_then(|hooks| hooks.hook_result);
    let by_hook = hook_result.as_ref().map(|(_, summary)| *summary);
    checks.extend(hook_result.map(|(check, _)| check));
    let key = match checks.as_slice() {
        // Whatever the message.
        [] if committed => format!("|{}", commit::RUNNER),
        [] => without_output_filters(line),
        checks => checks.iter().map(|check| check.key.as_str()).collect::<Vec<_>>().join(" && "),
    };
    let summary = match by_hook {
        Some(summary) => summary,
        None if checks.is_empty() => RunnerSummary::Missing,
        None => read_summary(&checks, output),
    };
    // That a commit succeeds says nothing about what its hooks looked at.
    let own = by_hook.is_none() && exit_code_is_reliable(line, &checks);
    // Of what was cut, or never shown, nobody knows what it said.
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
        (RunnerSummary::Missing, Some(true)) => CheckOutcome::Unknown,
        // Something in the line failed; what says that it passed is not all of it.
        (_, Some(false)) => CheckOutcome::Failed,
    };
    CheckResult { checks, outcome, committed, key }
}

/// Whether the success of a line is the success of what it is about: nothing hides a failure.
fn exit_code_is_reliable(line: &str, checks: &[CheckCommand]) -> bool {
    let commands = joined_commands(line);
    let pipefail = commands.iter().any(|command| {
        command.words.first().is_some_and(|word| word == "set")
            && command.words.iter().any(|word| word == "pipefail")
    });
    let first = match checks.first() {
        Some(check) => check.command_index,
        // The first command that is about something.
        None => commands.iter().position(|command| !is_preparation(&command.words)).unwrap_or(0),
    };
    let never_ran =
        first > 0 && commands[..first].last().is_some_and(|c| c.separator == CommandSeparator::Or);
    !never_ran
        && commands.iter().skip(first).all(|command| match command.separator {
            CommandSeparator::And | CommandSeparator::End => true,
            CommandSeparator::Pipe => pipefail,
            CommandSeparator::Or | CommandSeparator::Sequence | CommandSeparator::Background => {
                false
            }
        })
}

fn shows_only_head(line: &str) -> bool {
    joined_commands(line)
        .iter()
        .any(|command| program_name(&command.words).as_deref() == Some("head"))
}

/// Whether a command only prepares others.
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
            ("set -o pipefail; cargo test | tail", "", Some(true), Passed),
            ("cd a && cargo test", "", Some(true), Passed),
            ("cargo test && echo done", "", Some(true), Passed),
            ("cargo test & echo started", "", Some(true), Unknown),
            ("true || cargo test", "", Some(true), Unknown),
            ("(cargo test) | tail", "", Some(true), Unknown),
            ("cargo test\necho done", "", Some(true), Unknown),
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
