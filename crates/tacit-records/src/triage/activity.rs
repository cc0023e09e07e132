//! The activity of a session: what was used and changed, and the results of its checks.

use tacit_core::UserRequests;

/// The maximum number of checks, files and fixes kept of a session.
const MAX_KEPT: usize = 64;
/// The most bytes of a command worth quoting.
const MAX_COMMAND: usize = 200;
/// The most commands that can count as one fix.
const MAX_STEPS: usize = 3;
/// Programs that only read or move around, which fix nothing.
const READ_ONLY: [&str; 22] = [
    "cat", "cd", "date", "df", "diff", "du", "echo", "env", "file", "find", "gh", "grep", "head",
    "ls", "ps", "pwd", "rg", "sleep", "stat", "tail", "wc", "which",
];
/// Commands of git that only read.
const GIT_READS: [&str; 8] =
    ["blame", "branch", "diff", "log", "rev-parse", "show", "stash", "status"];

/// The activity of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// The number of tool calls.
    pub tool_uses: usize,
    /// The number of different tools.
    pub distinct_tools: usize,
    /// The number of user messages.
    pub exchanges: usize,
    /// The requests of the user.
    pub requests: UserRequests,
    /// The changed files.
    pub files: Vec<String>,
    /// The checks, each with its last result, oldest first.
    pub checks: Vec<CheckRun>,
    /// The failures that were fixed by commands.
    pub fixes: Vec<Fix>,
    /// The part of the last message that says what is left to do.
    pub open_points: Option<String>,
}

/// A check that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    /// The command line.
    pub command: String,
    /// True if it passed.
    pub passed: bool,
    /// The first finding of a check that failed.
    pub finding: Option<String>,
    /// The commands run since it failed.
    steps: Vec<String>,
    /// True if files were changed since it failed.
    changed: bool,
}

/// A check that failed, and passed after commands were run, with no file changed in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The command line of the check.
    pub command: String,
    /// The first finding of the check.
    pub finding: String,
    /// The commands that were run in between.
    pub steps: Vec<String>,
}

impl Activity {
    /// Records a changed file.
    pub fn record_change(&mut self, file: &str) {
        if self.files.len() < MAX_KEPT && !self.files.iter().any(|known| known == file) {
            self.files.push(file.to_owned());
        }
        self.checks.iter_mut().for_each(|check| check.changed = true);
        self.requests.count_change();
        self.open_points = None;
    }

    /// Records a command that succeeded and is not a check. Commands that only read are ignored.
    pub fn record_step(&mut self, command: &str) {
        let Some(command) = quotable(command).filter(|command| !only_reads(command)) else {
            return;
        };
        for check in self.checks.iter_mut().filter(|check| !check.passed) {
            if check.steps.len() <= MAX_STEPS && !check.steps.iter().any(|step| step == command) {
                check.steps.push(command.to_owned());
            }
        }
    }

    /// Records a check, with its first finding if it failed.
    pub fn record_check(&mut self, command: &str, passed: bool, finding: Option<&str>) {
        let Some(command) = quotable(command) else { return };
        let before = self.checks.iter().position(|ran| ran.command == command);
        let before = before.map(|at| self.checks.remove(at));
        if let Some(CheckRun {
            passed: false, finding: Some(finding), steps, changed: false, ..
        }) = before
            && passed
            && (1..=MAX_STEPS).contains(&steps.len())
            && self.fixes.len() < MAX_KEPT
        {
            self.fixes.push(Fix { command: command.to_owned(), finding, steps });
        }
        if self.checks.len() == MAX_KEPT {
            self.checks.remove(0);
        }
        self.checks.push(CheckRun {
            command: command.to_owned(),
            passed,
            finding: finding.filter(|_| !passed).map(str::to_owned),
            steps: Vec::new(),
            changed: false,
        });
    }

    /// Returns the task of the session, in the user's words.
    pub fn goal(&self) -> Option<&str> {
        self.requests.main_task()
    }

    /// Returns the last check if it failed and nothing was changed since: the work is not done.
    pub fn open_failure(&self) -> Option<&CheckRun> {
        self.checks.last().filter(|check| !check.passed && !check.changed)
    }

    /// Returns the checks whose last run passed.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().filter(|ran| ran.passed).map(|ran| ran.command.as_str())
    }
}

/// Returns a command of one line that is short enough to quote.
fn quotable(command: &str) -> Option<&str> {
    let command = command.trim();
    let short = !command.is_empty() && command.len() <= MAX_COMMAND && !command.contains('\n');
    short.then_some(command)
}

fn only_reads(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let argument = words.next().unwrap_or_default();
    READ_ONLY.contains(&program) || (program == "git" && GIT_READS.contains(&argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_end_a_failure_are_a_fix() {
        let mut activity = Activity::default();
        activity.record_check("npm test", false, Some("cannot find module `left-pad`"));
        activity.record_step("ls node_modules");
        activity.record_step("git status");
        activity.record_step("npm install");
        activity.record_check("npm test", true, None);
        let [fix] = &activity.fixes[..] else { panic!("{activity:?}") };
        assert_eq!(
            (fix.command.as_str(), fix.finding.as_str(), &fix.steps[..]),
            ("npm test", "cannot find module `left-pad`", &["npm install".to_owned()][..])
        );
        assert_eq!(activity.open_failure(), None);
        assert_eq!(activity.passed().collect::<Vec<_>>(), ["npm test"]);
    }

    #[test]
    fn changes_unknown_causes_and_repetitions_are_no_fix() {
        let finding = Some("E0308 mismatched types");
        let mut activity = Activity::default();
        activity.record_check("make a", false, finding);
        activity.record_change("a.rs");
        activity.record_step("make clean");
        activity.record_check("make a", true, None);
        activity.record_check("make b", false, None);
        activity.record_step("make clean");
        activity.record_check("make b", true, None);
        activity.record_check("make c", false, finding);
        activity.record_check("make c", true, None);
        activity.record_check("make d", false, finding);
        for step in ["a", "b", "c", "d"] {
            activity.record_step(step);
        }
        activity.record_check("make d", true, None);
        assert_eq!(activity.fixes, []);
    }
}
