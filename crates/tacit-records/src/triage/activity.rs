//! How much happened in a session, and what became of the commands that were run in it.

/// How many commands, files and fixes of a session are kept.
const KEPT: usize = 64;
/// The longest command that is worth quoting.
const LONGEST_COMMAND: usize = 200;
/// The most files whose change can be what made one command pass.
const MOST_FILES: usize = 5;
/// Programs that only look: that they ran says nothing about the work.
const LOOKS: [&str; 18] = [
    "cat", "cd", "df", "du", "echo", "env", "file", "find", "grep", "head", "ls", "pwd", "rg",
    "sleep", "stat", "tail", "wc", "which",
];

/// How much happened in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// How often tools were used.
    pub tool_uses: usize,
    /// How many different tools.
    pub distinct_tools: usize,
    /// How often the user said something.
    pub exchanges: usize,
    /// What was asked for first.
    pub goal: Option<String>,
    /// The files that were changed.
    pub files: Vec<String>,
    /// The commands that were run, each with what came of it the last time.
    pub commands: Vec<CommandRun>,
    /// The failures that were ended.
    pub fixes: Vec<Fix>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// The command line.
    pub command: String,
    /// What went wrong the last time, in a line.
    pub error: Option<String>,
    /// The files that were changed since it failed.
    files: Vec<String>,
}

/// A command that failed, and passed after files were changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The command line.
    pub command: String,
    /// What went wrong, in a line.
    pub error: String,
    /// The files.
    pub files: Vec<String>,
}

impl Activity {
    /// A file was changed.
    pub fn record_change(&mut self, file: &str) {
        add(&mut self.files, file);
        for ran in self.commands.iter_mut().filter(|ran| ran.error.is_some()) {
            add(&mut ran.files, file);
        }
    }

    /// A command was run, and failed if there is an error. One that only looks is not kept.
    pub fn record_command(&mut self, command: &str, error: Option<&str>) {
        let command = command.trim();
        let program = command.split_whitespace().next().unwrap_or_default();
        let looks = LOOKS.contains(&program) || program.is_empty();
        if looks || command.len() > LONGEST_COMMAND || command.contains('\n') {
            return;
        }
        let before = self.commands.iter().position(|ran| ran.command == command);
        let before = before.map(|at| self.commands.remove(at));
        let error = error.map(significant_line);
        if let (None, Some(CommandRun { error: Some(error), files, .. })) = (&error, before)
            && (1..=MOST_FILES).contains(&files.len())
            && self.fixes.len() < KEPT
        {
            self.fixes.push(Fix { command: command.to_owned(), error, files });
        }
        if self.commands.len() == KEPT {
            self.commands.remove(0);
        }
        self.commands.push(CommandRun { command: command.to_owned(), error, files: Vec::new() });
    }

    /// The commands that failed the last time.
    pub fn open_failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.commands.iter().filter_map(|ran| Some((ran.command.as_str(), ran.error.as_deref()?)))
    }

    /// The commands that passed the last time.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter(|ran| ran.error.is_none()).map(|ran| ran.command.as_str())
    }
}

fn add(files: &mut Vec<String>, file: &str) {
    if files.len() < KEPT && !files.iter().any(|known| known == file) {
        files.push(file.to_owned());
    }
}

/// The line of an error that says most: the first that names one, or else the first that is not
/// only the exit code.
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
    fn a_failure_is_open_until_it_passes() {
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
    fn what_passes_by_itself_or_after_everything_changed_is_no_fix() {
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
