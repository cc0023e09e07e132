//! Failures that an output shows although no exit code and no recognised runner tells of them.

use super::CheckCommand;
use super::command::program_name;
use super::launch::{Launched, launched};
use super::summary::{RunnerSummary, read_failures};
use crate::git_commits::program;
use crate::shell::{CommandSeparator, JoinedCommand};
use crate::tasks::TaskDefinitions;

/// The number of launchers seen through to find a script.
const MAX_DEPTH: usize = 4;

impl TaskDefinitions {
    /// Returns true if the output of a line shows that one of its checks, scripts or tasks failed: a
    /// script or task of any name prints the summary of a runner, or the line itself prints the exit
    /// code or a text that it prints only then.
    pub(super) fn reports_failure(
        &self,
        checks: &[CheckCommand],
        commands: &[JoinedCommand],
        output: &str,
    ) -> bool {
        let is_own = |index: usize| {
            checks.iter().any(|check| check.command_index == index)
                || self.runs_script(&commands[index].words, MAX_DEPTH)
        };
        let mut own = (0..commands.len()).filter(|index| is_own(*index)).peekable();
        if own.peek().is_none() {
            return false;
        }
        (checks.is_empty() && read_failures(output) == RunnerSummary::Failed)
            || own.any(|index| prints_failure(commands, index, output))
    }

    /// Returns true if a command runs a script or a task of the project.
    fn runs_script(&self, words: &[String], depth: usize) -> bool {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((_, args)) = program(&words) else { return false };
        let path = words[words.len() - args.len() - 1];
        is_script(path, args) || self.launches_script(&words, depth)
    }

    fn launches_script(&self, words: &[&str], depth: usize) -> bool {
        let Some((name, args)) = program(words).filter(|_| depth > 0) else { return false };
        match launched(name, args, self) {
            Some(Launched::Tasks(_)) => true,
            Some(Launched::Program(inner)) => {
                let inner: Vec<String> = inner.into_iter().map(str::to_owned).collect();
                self.runs_script(&inner, depth - 1)
            }
            Some(Launched::Script(line)) => crate::shell::simple_commands(line)
                .iter()
                .any(|words| self.runs_script(words, depth - 1)),
            None => false,
        }
    }
}

/// Returns true for a script: a shell script, a program in a folder for scripts, or the file that an
/// interpreter runs.
fn is_script(path: &str, args: &[&str]) -> bool {
    const SOURCES: [&str; 7] = [".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".php"];
    const FOLDERS: [&str; 9] =
        [".", "scripts", "script", "tools", "tool", "ci", ".ci", "hack", "dev"];
    let is_file = |word: &str| SOURCES.iter().any(|end| word.ends_with(end));
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "python" | "python3" | "py" | "node" | "ruby" | "perl" | "php" | "tsx" | "bun" | "deno" => {
            args.iter().find(|word| !word.starts_with('-')).is_some_and(|word| is_file(word))
        }
        _ => {
            name.ends_with(".sh")
                || folder.rsplit('/').next().is_some_and(|last| FOLDERS.contains(&last))
        }
    }
}

/// Returns true if the line prints the exit code of a command, which is not zero, or a text only if
/// the command failed: `make; echo "exit $?"`, `make || echo failed`.
fn prints_failure(commands: &[JoinedCommand], index: usize, output: &str) -> bool {
    let Some(next) = commands.get(index + 1) else { return false };
    let prints = matches!(program_name(&next.words).as_deref(), Some("echo" | "printf"));
    match commands[index].separator {
        CommandSeparator::Or if prints => {
            let text = next.words[1..].join(" ");
            let is_plain = !text.is_empty() && !text.contains(['$', '%', '\\', '`']);
            is_plain && output.lines().any(|line| line.trim() == text)
        }
        CommandSeparator::Sequence if prints => exit_code(&next.words, "$?", output),
        // The exit code of a pipe is that of its last command; bash knows those of the others.
        CommandSeparator::Pipe => commands[index + 1..].iter().any(|command| {
            let prints = matches!(program_name(&command.words).as_deref(), Some("echo" | "printf"));
            prints && exit_code(&command.words, "${PIPESTATUS[0]}", output)
        }),
        _ => false,
    }
}

/// Returns true if a printed exit code is not zero.
fn exit_code(words: &[String], variable: &str, output: &str) -> bool {
    let text = words[1..].join(" ");
    let Some((before, after)) = text.split_once(variable) else { return false };
    let mut lines = output.lines().rev();
    let code = lines.find_map(|line| {
        let code = line.trim().strip_prefix(before.trim_start())?;
        code.strip_suffix(after.trim_end())?.parse::<u8>().ok()
    });
    code.is_some_and(|code| code != 0)
}

#[cfg(test)]
mod tests {
    use super::super::{CheckOutcome, evaluate_command};

    #[test]
    fn an_output_shows_failures_that_no_exit_code_tells_of() {
        const BAD: &str = "1 failed, 3 passed in 0.12s";
        const GOOD: &str = "4 passed in 0.12s";
        for (line, output, expected) in [
            ("./run.sh | tail -3", BAD, true),
            ("./run.sh | tail -3", GOOD, false),
            ("bash tools/all.sh || true", BAD, true),
            ("sh all.sh; true", BAD, true),
            ("python tools/all.py | tail", BAD, true),
            ("timeout 60 ./tools/everything | tail", BAD, true),
            ("sh -c './run.sh | tail'", BAD, true),
            ("make everything | tail", BAD, true),
            ("just everything | tail", BAD, true),
            ("cat old.log | tail", BAD, false),
            ("/usr/bin/tail old.log", BAD, false),
            ("grep failed old.log", BAD, false),
            ("git log -3", BAD, false),
            ("cargo test > log 2>&1; echo $?", "101", true),
            ("cargo test > log 2>&1; echo $?", "0", false),
            ("cargo test > log; echo \"exit: $?\"", "exit: 1", true),
            ("cargo test > log; echo \"exit: $?\"", "exit: 0", false),
            ("cargo test -q | tail -2; echo $?", "1", false),
            ("cargo test -q | tail -2; echo ${PIPESTATUS[0]}", "x\n101", true),
            ("cargo test -q | tail -2; echo ${PIPESTATUS[0]}", "x\n0", false),
            ("cargo test -q > log || echo TESTS FAILED", "TESTS FAILED", true),
            ("cargo test -q > log || echo TESTS FAILED", "", false),
            ("ls nowhere; echo $?", "2", false),
            ("grep x y || echo none", "none", false),
        ] {
            let outcome = evaluate_command(line, output, Some(true)).outcome;
            assert_eq!(outcome == CheckOutcome::Failed, expected, "{line} {output:?}");
        }
    }
}
