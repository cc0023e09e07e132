//! What a command says about the work: which checks it ran, and what came of them.
//!
//! The exit code counts where it is the check's own; where something stands between (`|| true`, a
//! pipe, `; true`), only the runner's own summary does. A commit counts as what its hooks show.

mod command;
mod commit;
mod summary;
mod verdict;

pub use command::{Check, checks};
pub use summary::{Summary, read_summary};
pub use verdict::{Verdict, verdict};

use tacit_core::bytes_cut;

use crate::shell::{Joint, joined_commands};

use command::{ran_program, without_noise};
use commit::hooked;

/// What a command line did, as a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The checks it ran.
    pub checks: Vec<Check>,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether it is a commit that its hooks let pass.
    pub committed: bool,
    /// The same for command lines that do the same, whatever is done with what they print.
    pub key: String,
}

/// What came of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed, and said so by its exit code or its summary.
    Passed,
    /// It failed.
    Failed,
    /// Nobody can tell.
    Unknown,
}

/// Reads a command line, what it printed and whether it succeeded as a whole.
pub fn checked(line: &str, output: &str, succeeded: Option<bool>) -> Checked {
    let mut checks = checks(line);
    let hooked = if checks.is_empty() { hooked(line, output) } else { None };
    let committed = hooked.as_ref().is_some_and(|hooked| hooked.made);
    let shown = hooked.and_then(|hooked| hooked.shown);
    let by_hook = shown.as_ref().map(|(_, summary)| *summary);
    checks.extend(shown.map(|(check, _)| check));
    let key = match checks.as_slice() {
        // Whatever the message.
        [] if committed => format!("|{}", commit::RUNNER),
        [] => without_noise(line),
        checks => checks.iter().map(|check| check.key.as_str()).collect::<Vec<_>>().join(" && "),
    };
    let summary = match by_hook {
        Some(summary) => summary,
        None if checks.is_empty() => Summary::Silent,
        None => read_summary(&checks, output),
    };
    // That a commit succeeds says nothing about what its hooks looked at.
    let own = by_hook.is_none() && exit_is_own(line, &checks);
    // Of what was cut, or never shown, nobody knows what it said.
    let partial = !own && (bytes_cut(output).is_some() || shows_only_the_beginning(line));
    let summary = match summary {
        Summary::Passed if partial => Summary::Silent,
        summary => summary,
    };
    let outcome = match (summary, succeeded) {
        (Summary::Failed, _) => Outcome::Failed,
        (_, None) => Outcome::Unknown,
        // Nothing was checked.
        (Summary::Empty, Some(true)) => Outcome::Unknown,
        (Summary::Passed, Some(true)) => Outcome::Passed,
        (Summary::Silent, Some(true)) if own => Outcome::Passed,
        (Summary::Silent, Some(true)) => Outcome::Unknown,
        // Something in the line failed; what says that it passed is not all of it.
        (_, Some(false)) => Outcome::Failed,
    };
    Checked { checks, outcome, committed, key }
}

/// Whether the success of a line is the success of what it is about: nothing hides a failure.
fn exit_is_own(line: &str, checks: &[Check]) -> bool {
    let commands = joined_commands(line);
    let pipefail = commands.iter().any(|command| {
        command.words.first().is_some_and(|word| word == "set")
            && command.words.iter().any(|word| word == "pipefail")
    });
    let first = match checks.first() {
        Some(check) => check.place,
        // The first command that is about something.
        None => commands.iter().position(|command| !is_preparation(&command.words)).unwrap_or(0),
    };
    let never_ran = first > 0 && commands[..first].last().is_some_and(|c| c.joint == Joint::Or);
    !never_ran
        && commands.iter().skip(first).all(|command| match command.joint {
            Joint::And | Joint::End => true,
            Joint::Pipe => pipefail,
            Joint::Or | Joint::Sequence | Joint::Background => false,
        })
}

fn shows_only_the_beginning(line: &str) -> bool {
    joined_commands(line)
        .iter()
        .any(|command| ran_program(&command.words).as_deref() == Some("head"))
}

/// Whether a command only prepares others.
fn is_preparation(words: &[String]) -> bool {
    matches!(
        ran_program(words).as_deref(),
        None | Some("cd" | "pushd" | "export" | "source" | "." | "set")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_and_summaries() {
        use Outcome::{Failed, Passed, Unknown};
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
            assert_eq!(checked(line, output, succeeded).outcome, expected, "{line} {output:?}");
        }
        assert_eq!(checked("cat old.log", BAD, Some(true)).checks, []);
    }

    #[test]
    fn the_same_command_however_it_is_shown() {
        let key = |line| checked(line, "", Some(true)).key;
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
