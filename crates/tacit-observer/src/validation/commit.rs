//! Reads the output of commit hooks. A commit alone proves nothing, because it may have no hooks;
//! but a check that reports its result in a hook counts like one run directly.

use tacit_core::CheckKind;

use super::command::{CheckCommand, checks, script_kind};
use super::summary::{RunnerSummary, read_summary};
use crate::git_commits::{commit_commands, git_commits, program};
use crate::shell::joined_commands;

/// The runner of all checks in hooks.
pub(super) const RUNNER: &str = "git commit";
/// Git commands before a commit that print nothing about the work.
const SILENT_GIT_COMMANDS: [&str; 4] = ["add", "rm", "mv", "status"];
/// Separator between the name of a hook and its result in the output of `pre-commit`.
const DOTS: &str = "...";

/// The result of a commit that ran its hooks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommitHooks {
    /// The check in a hook with its result, or `None` if the hooks report none.
    pub(super) hook_result: Option<(CheckCommand, RunnerSummary)>,
    /// True if the commit was made, so that earlier rejections by hooks are resolved.
    pub(super) committed: bool,
}

/// Reads a command line that commits. Returns `None` if it makes no commit, skips the hooks, or
/// runs other commands that print.
pub(super) fn read_commit_hooks(line: &str, output: &str) -> Option<CommitHooks> {
    if commit_commands(line).is_empty() || !only_commits(line) {
        return None;
    }
    let reports_commit = |line: &&str| !git_commits(RUNNER, line).is_empty();
    let committed = output.lines().any(|line| reports_commit(&line));
    // Hooks that can reject a commit have finished when git reports it.
    let before: Vec<&str> = output.lines().take_while(|line| !reports_commit(line)).collect();
    let hook_result = hook_result(&before.join("\n"))
        .map(|(kind, summary)| (CheckCommand::new(kind, RUNNER, ""), summary));
    Some(CommitHooks { hook_result, committed })
}

/// Returns true if no command before the commit prints anything that looks like a hook, and the
/// hooks run.
fn only_commits(line: &str) -> bool {
    for command in joined_commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match program(&words) {
            None | Some(("cd" | "pushd" | "export" | "set", _)) => {}
            Some(("git", args)) => match args.iter().find(|arg| !arg.starts_with('-')) {
                _ if args.contains(&"commit") => return !args.iter().any(|arg| skips_hooks(arg)),
                Some(verb) if SILENT_GIT_COMMANDS.contains(verb) => {}
                _ => return false,
            },
            Some(_) => return false,
        }
    }
    false
}

/// Recognises `--no-verify`, or an `n` among short options before one that takes a value.
fn skips_hooks(arg: &str) -> bool {
    let short = arg.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let before = |letters: &str| letters.find(['m', 'F', 'C', 'c', 't']).unwrap_or(letters.len());
    arg == "--no-verify" || short.is_some_and(|letters| letters[..before(letters)].contains('n'))
}

fn hook_result(text: &str) -> Option<(CheckKind, RunnerSummary)> {
    let mut found: Vec<(CheckKind, RunnerSummary)> =
        text.lines().filter_map(pre_commit_line).collect();
    for kind in [CheckKind::Test, CheckKind::Lint] {
        let check = CheckCommand::new(kind, RUNNER, "");
        match read_summary(&[check], text) {
            RunnerSummary::Missing | RunnerSummary::NothingRun => {}
            summary => found.push((kind, summary)),
        }
    }
    let failed = found.iter().find(|(_, summary)| *summary == RunnerSummary::Failed);
    failed.or_else(|| found.iter().min_by_key(|(kind, _)| *kind)).copied()
}

/// Reads a line of the `pre-commit` framework: `ruff check...............Passed`. Formatting hooks
/// are not checks.
fn pre_commit_line(line: &str) -> Option<(CheckKind, RunnerSummary)> {
    let (name, rest) = line.trim().split_once(DOTS)?;
    let summary = match rest.trim_start_matches('.') {
        "Passed" => RunnerSummary::Passed,
        "Failed" => RunnerSummary::Failed,
        _ => return None,
    };
    let known_command = checks(name).first().map(|check| check.kind);
    let kind = known_command.or_else(|| script_kind(&name.to_lowercase()))?;
    Some((kind, summary))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MADE: &str = "[main 1a2b3c4] Expire tokens\n 1 file changed, 1 insertion(+)";

    #[test]
    fn hook_output_is_read_as_checks() {
        use CheckKind::{Lint, Test, Types};
        use RunnerSummary::{Failed, Passed};
        let cargo = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored\n";
        for (output, expected) in [
            (String::new(), None),
            ("hook ran\n".into(), None),
            (cargo.into(), Some((Test, Passed))),
            ("All checks passed!\n".into(), Some((Lint, Passed))),
            ("All checks passed!\n3 passed in 0.12s\n".into(), Some((Test, Passed))),
            ("1 failed, 3 passed in 0.12s\n".into(), Some((Test, Failed))),
            ("no tests ran in 0.01s\n".into(), None),
            ("ruff check........................Passed\n".into(), Some((Lint, Passed))),
            (
                "mypy..............................Failed\n- exit code: 1\n".into(),
                Some((Types, Failed)),
            ),
            ("unit tests.......(no files to check)Skipped\n".into(), None),
            ("Unit tests........................Passed\n".into(), Some((Test, Passed))),
            ("trim trailing whitespace..........Passed\n".into(), None),
            (
                "trim trailing whitespace..........Failed\nmypy....Passed\n".into(),
                Some((Types, Passed)),
            ),
        ] {
            let hooks = read_commit_hooks("git commit -m x", &format!("{output}{MADE}")).unwrap();
            let hook_result = hooks.hook_result.map(|(check, summary)| (check.kind, summary));
            assert_eq!((hook_result, hooks.committed), (expected, true), "{output}");
        }
        // Text after git's report of the commit does not come from its hooks.
        for after in ["[main 1a2b3c4] Finished `x`", "[main 1a2b3c4] x\n3 passed in 0.12s"] {
            assert_eq!(
                read_commit_hooks("git commit -m x", after).unwrap().hook_result,
                None,
                "{after}"
            );
        }
        let failed = read_commit_hooks("git commit -m x", "1 failed, 3 passed in 0.12s").unwrap();
        assert!(!failed.committed && failed.hook_result.is_some());
    }

    #[test]
    fn other_output_and_skipped_hooks_do_not_count() {
        for (line, counts) in [
            ("git commit -m x", true),
            ("git add -A && git commit -qam 'a && b'", true),
            ("cd web && git -c core.pager=cat commit -m x && git push", true),
            ("git commit -m \"$(cat <<'EOF'\n3 passed in 0.1s\nEOF\n)\"", true),
            ("git commit --no-verify -m x", false),
            ("git commit -n -m x", false),
            ("git commit -anm x", false),
            ("git commit -m n", true),
            ("git commit -mn", true),
            ("cat old.log; git commit -m x", false),
            ("git show HEAD && git commit -m x", false),
            ("git log -p", false),
            ("echo git commit", false),
        ] {
            assert_eq!(read_commit_hooks(line, MADE).is_some(), counts, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_output_is_accepted(output in "(\\.\\.\\.|Passed|Failed|passed|[0-9]| in |s|\n|é|\\[main 1a2b3c4\\] x){0,40}") {
            read_commit_hooks("git commit -m x", &output);
        }
    }
}
