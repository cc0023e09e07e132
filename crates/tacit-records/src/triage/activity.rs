//! The activity of a session: what was used and changed, and the results of its commands.

/// The maximum number of commands, files and fixes kept of a session.
const MAX_KEPT: usize = 64;
/// The most bytes of a command worth quoting.
const MAX_COMMAND: usize = 200;
/// The most changed files that can count as one fix.
const MAX_FIX_FILES: usize = 5;
/// Programs that only read, which say nothing about the work.
const READ_ONLY: [&str; 18] = [
    "cat", "cd", "df", "du", "echo", "env", "file", "find", "grep", "head", "ls", "pwd", "rg",
    "sleep", "stat", "tail", "wc", "which",
];

/// The activity of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// The number of tool calls.
    pub tool_uses: usize,
    /// The number of different tools.
    pub distinct_tools: usize,
    /// The number of user messages.
    pub exchanges: usize,
    /// The user's first request.
    pub goal: Option<String>,
    /// The changed files.
    pub files: Vec<String>,
    /// The commands, each with its last result.
    pub commands: Vec<SessionCommand>,
    /// The failures that were fixed.
    pub fixes: Vec<Fix>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCommand {
    /// The command line.
    pub command: String,
    /// The error of the last run, in one line.
    pub error: Option<String>,
    /// The files changed since it failed.
    files: Vec<String>,
}

/// A command that failed and passed after files were changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The command line.
    pub command: String,
    /// The error, in one line.
    pub error: String,
    /// The changed files.
    pub files: Vec<String>,
}

impl Activity {
    /// Records a changed file.
    pub fn record_change(&mut self, file: &str) {
        add(&mut self.files, file);
        for ran in self.commands.iter_mut().filter(|ran| ran.error.is_some()) {
            add(&mut ran.files, file);
        }
    }

    /// Records a command and its error, if it failed. Commands that only read are ignored.
    pub fn record_command(&mut self, command: &str, error: Option<&str>) {
        let command = command.trim();
        let program = command.split_whitespace().next().unwrap_or_default();
        let only_reads = READ_ONLY.contains(&program) || program.is_empty();
        if only_reads || command.len() > MAX_COMMAND || command.contains('\n') {
            return;
        }
        let before = self.commands.iter().position(|ran| ran.command == command);
        let before = before.map(|at| self.commands.remove(at));
        let error = error.map(significant_line);
        if let (None, Some(SessionCommand { error: Some(error), files, .. })) = (&error, before)
            && (1..=MAX_FIX_FILES).contains(&files.len())
            && self.fixes.len() < MAX_KEPT
        {
            self.fixes.push(Fix { command: command.to_owned(), error, files });
        }
        if self.commands.len() == MAX_KEPT {
            self.commands.remove(0);
        }
        self.commands.push(SessionCommand {
            command: command.to_owned(),
            error,
            files: Vec::new(),
        });
    }

    /// Returns the commands whose last run failed, with their errors.
    pub fn open_failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.commands.iter().filter_map(|ran| Some((ran.command.as_str(), ran.error.as_deref()?)))
    }

    /// Returns the commands whose last run passed.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter(|ran| ran.error.is_none()).map(|ran| ran.command.as_str())
    }
}

fn add(files: &mut Vec<String>, file: &str) {
    if files.len() < MAX_KEPT && !files.iter().any(|known| known == file) {
        files.push(file.to_owned());
    }
}

/// Returns the most significant line of an error: the first that names an error, else the first
/// that is not an exit code.
fn significant_line(error: &str) -> String {
    let lines = || error.lines().map(str::trim).filter(|line| !line.is_empty());
    let names = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "panicked", "failed", "exception", "not found", "denied"]
            .iter()
            .any(|word| line.contains(word))
    };
    let plain = |line: &&str| !line.to_lowercase().starts_with("exit code");
    let line = lines().find(names).or_else(|| lines().find(plain)).or_else(|| lines().next());
    let line = line.unwrap_or("it failed");
    line[..line.floor_char_boundary(300)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_stays_open_until_the_command_passes() {
        let mut activity = Activity::default();
        activity.record_change("early.rs");
        activity.record_command(
            "cargo test",
            Some("Exit code 101\nwarning: x\nerror[E0308]: mismatched"),
        );
        activity.record_command("ls src", None);
        assert_eq!(
            activity.open_failures().collect::<Vec<_>>(),
            [("cargo test", "error[E0308]: mismatched")]
        );
        activity.record_change("src/a.rs");
        activity.record_change("src/a.rs");
        activity.record_command("cargo test", None);
        assert_eq!(activity.open_failures().count(), 0);
        assert_eq!(activity.passed().collect::<Vec<_>>(), ["cargo test"]);
        let [fix] = &activity.fixes[..] else { panic!("{activity:?}") };
        assert_eq!(
            (fix.command.as_str(), &fix.files[..]),
            ("cargo test", &["src/a.rs".into()][..])
        );
    }

    #[test]
    fn a_pass_without_changes_or_after_many_is_not_a_fix() {
        let mut activity = Activity::default();
        activity.record_command("make", Some("Exit code 2"));
        activity.record_command("make", None);
        activity.record_command("make", Some("Exit code 2"));
        for n in 0..6 {
            activity.record_change(&format!("{n}.rs"));
        }
        activity.record_command("make", None);
        assert_eq!(activity.fixes, []);
    }
}
