//! Runs of checks that say nothing about the work: on files in a temporary folder, outside their
//! configuration, on the state before the work, on code that was broken on purpose, and commands
//! that are wrong themselves.

use std::path::{Path, PathBuf};

use tacit_core::RepoPath;

use super::{CheckCommand, CheckOutcome, CheckResult};
use crate::file_edit::FileEdit;
use crate::findings::{FindingKind, findings};
use crate::git_commits::program;
use crate::reverts::{GitRevert, git_reverts};
use crate::shell::{CommandSeparator, JoinedCommand, joined_commands};
use crate::task_prefix::without_task_prefix;
use crate::timeline::{CommandRun, StepKind, Timeline};

/// Maximum number of steps between an edit and its exact revert.
const MUTATION_STEPS: usize = 12;
/// Number of lines at the beginning and the end of an output that tell that the command is wrong.
const TELLING_LINES: usize = 4;
/// Beginnings of paths in temporary folders.
const TEMPORARY: [&str; 8] = [
    "/tmp/",
    "/private/tmp/",
    "/var/tmp/",
    "/var/folders/",
    "/dev/shm/",
    "$TMPDIR",
    "${TMPDIR",
    "$(mktemp",
];
/// Flags that make a linter ignore the configuration of the project.
const WITHOUT_CONFIGURATION: [&str; 6] =
    ["--no-config", "--no-eslintrc", "--no-config-lookup", "--isolated", "--noconfig", "--norc"];
/// Parts of lines with which a shell or a tool rejects a command, in lower case.
const WRONG_COMMAND: [&str; 29] = [
    "command not found",
    "unknown flag",
    "unknown option",
    "unknown shorthand flag",
    "unknown command",
    "unrecognized option",
    "unrecognized argument",
    "unrecognized subcommand",
    "unexpected argument",
    "invalid option",
    "no such option",
    "flag provided but not defined",
    "executable file not found",
    "missing script:",
    "err_pnpm_no_script",
    "no rule to make target",
    "does not contain recipe",
    "no task named",
    "no tasks named",
    "couldn't find a package.json",
    "could not find a package.json",
    "could not read package.json",
    "no module named pytest",
    "named files must be .go files",
    "no matches found:",
    "no such command:",
    "did not match any packages",
    "is not recognized as an internal or external command",
    "can't open file",
];

/// The steps of a timeline at which checks say nothing about the work.
pub(super) struct Trials {
    /// Ranges in which the work was set aside or broken on purpose.
    ranges: Vec<(usize, usize)>,
    root: Option<PathBuf>,
}

impl Trials {
    pub(super) fn of(timeline: &Timeline) -> Trials {
        let mut ranges = mutations(timeline);
        ranges.extend(baselines(timeline));
        Trials { ranges, root: timeline.root.clone() }
    }

    /// Returns true if a command says nothing about the work.
    pub(super) fn include(&self, step_index: usize, run: &CommandRun) -> bool {
        if run.check.checks.is_empty() {
            return false;
        }
        self.ranges.iter().any(|(from, to)| (*from..*to).contains(&step_index))
            || is_trial(&run.line, &run.output, &run.check, self.root.as_deref())
    }
}

/// Returns true if a command line with checks says nothing about the work: it checks something
/// elsewhere or an earlier state, asks for a result, or is wrong itself. `root` is the worktree.
pub fn is_trial(line: &str, output: &str, result: &CheckResult, root: Option<&Path>) -> bool {
    result.checks.iter().all(|check| is_elsewhere(check, line, root))
        || is_baseline(line, result)
        || is_question(&joined_commands(line))
        || (result.outcome == CheckOutcome::Failed && is_wrong_command(output))
}

/// Returns the ranges between an edit and its exact revert that have nothing but checks and reads in
/// between.
fn mutations(timeline: &Timeline) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let edits: Vec<_> = timeline.changes().collect();
    for pair in edits.windows(2) {
        let [(from, file, edit), (to, same, back)] = pair else { continue };
        let reverts = |edit: &FileEdit, back: &FileEdit| {
            !edit.whole_file && !back.whole_file && edit.old == back.new && edit.new == back.old
        };
        if file == same && reverts(edit, back) && to - from <= MUTATION_STEPS {
            found.push((*from, *to));
        }
    }
    found
}

/// Returns the ranges in which the work was in the stash.
fn baselines(timeline: &Timeline) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut since = None;
    for (step_index, step) in timeline.steps.iter().enumerate() {
        let StepKind::Command(run) = &step.kind else { continue };
        for revert in &run.reverts {
            match revert {
                GitRevert::Stash(_) => since = Some(step_index),
                GitRevert::Restore => {
                    found.extend(since.take().map(|from| (from + 1, step_index)));
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns true if a line looks at the state before the work, or breaks files and restores them.
fn is_baseline(line: &str, result: &CheckResult) -> bool {
    let reverts = git_reverts(line, |path| RepoPath::new(path).ok());
    if reverts.iter().any(|revert| matches!(revert, GitRevert::Stash(_))) {
        return true;
    }
    let commands = joined_commands(line);
    let first = result.checks.first().map_or(0, |check| check.command_index);
    let breaks = commands[..first.min(commands.len())].iter().any(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match program(&words) {
            Some(("sed" | "perl" | "gsed", args)) => args.iter().any(|arg| {
                arg.starts_with("-i") || arg.starts_with("-pi") || arg.starts_with("--in-place")
            }),
            Some(("patch" | "cp" | "mv", _)) => true,
            Some(("git", args)) => args.first() == Some(&"apply"),
            _ => false,
        }
    });
    let restores = commands.iter().skip(first + 1).any(|command| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        match program(&words) {
            Some(("git", args)) => matches!(args.first(), Some(&("checkout" | "restore"))),
            Some(("mv" | "cp" | "patch", _)) => true,
            _ => false,
        }
    });
    breaks && restores
}

/// Returns true if a check is about files of another place, or ignores the configuration.
fn is_elsewhere(check: &CheckCommand, line: &str, root: Option<&Path>) -> bool {
    // The project itself may be in a temporary folder.
    let is_temporary = |path: &str| {
        (TEMPORARY.iter().any(|start| path.starts_with(start)) || path == "/tmp")
            && !root.is_some_and(|root| Path::new(path).starts_with(root))
    };
    let places = check.filters.iter().map(String::as_str).chain([check.directory.as_str()]);
    let from_mktemp = |place: &str| {
        let name = place.split('/').next().unwrap_or(place).trim_matches(['$', '{', '}', '"']);
        place.starts_with('$') && line.contains(&format!("{name}=$(mktemp"))
    };
    if places.into_iter().any(|place| is_temporary(place) || from_mktemp(place)) {
        return true;
    }
    let names_file = |ending: &str| check.filters.iter().any(|path| path.ends_with(ending));
    let single = match check.runner.as_str() {
        "tsc" => names_file(".ts") || names_file(".tsx"),
        "go vet" | "go build" | "golangci-lint" => names_file(".go"),
        _ => false,
    };
    single || check.key.split(' ').any(|word| WITHOUT_CONFIGURATION.contains(&word))
}

/// Recognises `check && echo yes || echo no`, which asks for the result.
fn is_question(commands: &[JoinedCommand]) -> bool {
    let is_echo = |command: &JoinedCommand| {
        command.words.first().is_some_and(|word| matches!(word.as_str(), "echo" | "printf"))
    };
    commands.windows(2).any(|pair| {
        is_echo(&pair[0]) && is_echo(&pair[1]) && pair[0].separator == CommandSeparator::Or
    })
}

/// Returns true if the output says that the command itself is wrong, not the code.
fn is_wrong_command(output: &str) -> bool {
    let found = findings(output);
    if !found.is_empty() {
        return found.iter().all(|finding| finding.kind == FindingKind::Usage);
    }
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let (first, last) = (lines.iter().take(TELLING_LINES), lines.iter().rev().take(TELLING_LINES));
    first.chain(last).any(|line| {
        let line = without_task_prefix(line).to_lowercase();
        WRONG_COMMAND.iter().any(|part| line.contains(part))
            || (line.contains("no task ") && line.ends_with(" found"))
    })
}
