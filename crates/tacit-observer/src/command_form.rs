//! Forms of commands: the words that identify a command, without what differs from call to call.
//!
//! A form is written like a command: `golangci-lint run --disable-all …`. The ellipsis stands for
//! any arguments.

use crate::git_commits::program;
use crate::shell::{CommandSeparator, joined_commands};
use crate::tasks::TaskDefinitions;
use crate::validation::{Launched, launched};

/// Stands for any arguments in a form.
pub(crate) const ANY: &str = "…";
/// Longer lines hold whole files.
const MAX_LINE: usize = 32 * 1024;
/// The most nested commands that are searched.
const MAX_NESTED: usize = 5;

/// Programs that start the program after them, with their own words.
const LAUNCHERS: [&[&str]; 39] = [
    &["uv", "run"],
    &["uvx"],
    &["pipx", "run"],
    &["poetry", "run"],
    &["pdm", "run"],
    &["hatch", "run"],
    &["pipenv", "run"],
    &["rye", "run"],
    &["pixi", "run"],
    &["conda", "run"],
    &["python", "-m"],
    &["python3", "-m"],
    &["py", "-m"],
    &["npx"],
    &["npm", "exec"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "exec"],
    &["yarn", "dlx"],
    &["bunx"],
    &["bun", "x"],
    &["corepack"],
    &["bundle", "exec"],
    &["mise", "exec"],
    &["mise", "x"],
    &["asdf", "exec"],
    &["direnv", "exec", "."],
    &["devbox", "run"],
    &["dotenv"],
    &["nvm", "exec"],
    &["volta", "run"],
    &["rustup", "run"],
    &["docker", "compose", "exec"],
    &["docker", "compose", "run"],
    &["docker-compose", "exec"],
    &["docker-compose", "run"],
    &["docker", "exec"],
    &["timeout"],
    &["gtimeout"],
];

/// Options of launchers that take the next word.
const LAUNCHER_VALUES: [&str; 19] = [
    "--group",
    "--extra",
    "--with",
    "--package",
    "-p",
    "--python",
    "--project",
    "--directory",
    "-n",
    "-k",
    "-s",
    "-f",
    "-e",
    "-C",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "--env",
];

/// Shell keywords and programs before a command that do not matter.
const LEADING: [&str; 19] = [
    "!", "{", "do", "elif", "else", "if", "then", "until", "while", "time", "command", "exec",
    "builtin", "nohup", "sudo", "doas", "env", "nice", "stdbuf",
];

/// Programs whose first argument is never a subcommand.
const WITHOUT_SUBCOMMAND: [&str; 60] = [
    "ls", "cat", "grep", "egrep", "rg", "ag", "find", "fd", "sed", "awk", "head", "tail", "python",
    "node", "ruby", "perl", "php", "bash", "sh", "zsh", "fish", "pytest", "tsc", "eslint", "jest",
    "vitest", "mypy", "black", "prettier", "psql", "curl", "wget", "jq", "tar", "echo", "printf",
    "cd", "cp", "mv", "rm", "mkdir", "touch", "chmod", "which", "test", "[", "open", "sleep",
    "source", "export", "xargs", "sort", "uniq", "wc", "diff", "tee", "java", "javac", "gcc",
    "rustc",
];

/// Programs with one level of subcommands; those of others may have two.
const ONE_SUBCOMMAND: [&str; 26] = [
    "git",
    "go",
    "cargo",
    "make",
    "gmake",
    "just",
    "task",
    "pip",
    "composer",
    "dotnet",
    "gradle",
    "mvn",
    "rails",
    "rake",
    "mix",
    "brew",
    "apt",
    "apt-get",
    "golangci-lint",
    "ruff",
    "rustup",
    "terraform",
    "kubectl",
    "helm",
    "systemctl",
    "flutter",
];

/// A simple command of a line.
#[derive(Debug, Clone)]
pub(crate) struct CommandCall<'a> {
    /// The words from the first assignment on, without quotes.
    words: Vec<String>,
    /// The same words as written.
    sources: Vec<&'a str>,
    /// The number of assignments before the command.
    assignments: usize,
    /// The index of the program, after its launchers.
    program: usize,
    pub(crate) separator: CommandSeparator,
}

/// Returns the simple commands of a line.
pub(crate) fn command_calls(line: &str) -> Vec<CommandCall<'_>> {
    let line = &line[..line.floor_char_boundary(MAX_LINE)];
    let mut calls = Vec::new();
    for command in joined_commands(line) {
        let mut words = command.words;
        let mut sources: Vec<&str> =
            command.spans.into_iter().map(|span| line.get(span).unwrap_or_default()).collect();
        let leading = leading_length(&words);
        words.drain(..leading);
        sources.drain(..leading);
        let assignments = words.iter().take_while(|word| is_assignment(word)).count();
        let program = assignments + launcher_length(&words[assignments..]);
        if program < words.len() {
            let separator = command.separator;
            calls.push(CommandCall { words, sources, assignments, program, separator });
        }
    }
    calls
}

impl CommandCall<'_> {
    /// Returns the assignments before the command.
    pub(crate) fn assignments(&self) -> &[String] {
        &self.words[..self.assignments]
    }

    /// Returns the words that start the program, such as `uv run`.
    pub(crate) fn launcher(&self) -> &[String] {
        &self.words[self.assignments..self.program]
    }

    /// Returns the program as written.
    pub(crate) fn program(&self) -> &str {
        &self.words[self.program]
    }

    /// Returns the name of the program, equal for those that stand for each other.
    pub(crate) fn program_name(&self) -> &str {
        canonical_name(self.program())
    }

    /// Returns the arguments, without quotes.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.words[self.program + 1..]
    }

    /// Returns the arguments as written.
    pub(crate) fn argument_sources(&self) -> &[&str] {
        &self.sources[self.program + 1..]
    }

    /// Returns all words from the launcher on.
    pub(crate) fn all_words(&self) -> &[String] {
        &self.words[self.assignments..]
    }

    /// Returns the subcommands: the plain words after the program.
    pub(crate) fn subcommands(&self) -> &[String] {
        let name = self.program_name();
        let most = if WITHOUT_SUBCOMMAND.contains(&name) {
            0
        } else if ONE_SUBCOMMAND.contains(&name) {
            1
        } else {
            2
        };
        let plain = self.arguments().iter().zip(self.argument_sources()).take(most);
        let count = plain.take_while(|(word, source)| is_plain(word) && word == source).count();
        &self.arguments()[..count]
    }

    /// Returns the arguments that are neither options nor subcommands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &str> {
        let rest = &self.arguments()[self.subcommands().len()..];
        rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'))
    }

    /// Returns true if the command works on a temporary folder.
    pub(crate) fn is_temporary(&self) -> bool {
        self.words.iter().any(|word| {
            ["/tmp/", "/private/tmp", "/var/folders/", "$TMP", "${TMP"]
                .iter()
                .any(|start| word.starts_with(start))
        })
    }

    /// Returns true if the command runs a program of the work in progress.
    pub(crate) fn runs_own_code(&self) -> bool {
        let program = self.program();
        let is_own = match self.program_name() {
            "cargo" | "go" | "dotnet" => self.arguments().first().is_some_and(|word| word == "run"),
            "python" | "node" | "ruby" | "php" | "java" | "deno" | "bun" | "tsx" => {
                self.launcher().is_empty()
            }
            _ => false,
        };
        is_own || (program.contains('/') && !is_installed(program))
    }

    /// Returns true if the command has this form.
    pub(crate) fn has_form(&self, form: &str) -> bool {
        self.has_form_from(form, self.assignments)
    }

    /// Returns the index of the script that an interpreter is given.
    fn interpreted(&self) -> Option<usize> {
        let is_interpreter =
            ["python", "node", "ruby", "perl", "php"].contains(&self.program_name());
        let first = self.program + 1;
        let script = self.words[first..].iter().position(|word| !word.starts_with('-'))?;
        is_interpreter.then_some(first + script)
    }

    /// Returns true if a program that the command starts has a form.
    fn runs_inside(&self, form: &str, depth: usize) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let Some((name, args)) = program(&words) else { return false };
        match launched(name, args, &TaskDefinitions::default()) {
            Some(Launched::Script(script)) => runs_nested(script, form, depth),
            Some(Launched::Program(inner)) => runs_nested(&quoted(&inner), form, depth),
            // The words before the program were assignments and wrappers.
            _ if args.len() + 1 < words.len() => {
                runs_nested(&quoted(&words[words.len() - args.len() - 1..]), form, depth)
            }
            _ => false,
        }
    }

    /// Returns true if the words from an index on have a form.
    fn has_form_from(&self, form: &str, start: usize) -> bool {
        let mut form = form.split_whitespace().filter(|word| *word != ANY).peekable();
        while let Some(assignment) = form.next_if(|word| is_assignment(word)) {
            if self.assignments().iter().all(|word| word != assignment) {
                return false;
            }
        }
        let Some(first) = form.next() else { return false };
        let (words, sources) = (&self.words[start..], &self.sources[start..]);
        let mut at = 1;
        (words[0] == first || words[0].rsplit('/').next() == Some(first))
            && form.all(|wanted| {
                let found = (at..words.len()).find(|i| fits(wanted, &words[*i], sources[*i]));
                at = found.map_or(words.len(), |index| index + 1);
                found.is_some()
            })
    }
}

/// Returns true if a command of the line has the form.
///
/// ```
/// use tacit_observer::runs_form;
/// assert!(runs_form("cd web && python -m pytest -q | tail", "python -m pytest …"));
/// assert!(!runs_form("python tests.py", "python -m pytest …"));
/// assert!(!runs_form("uv run python -m pytest", "python -m pytest …"));
/// ```
pub fn runs_form(line: &str, form: &str) -> bool {
    let words = form.split_whitespace().filter(|word| *word != ANY);
    // Most lines do not have the program, and need not be split.
    words.into_iter().find(|word| !is_assignment(word)).is_some_and(|first| line.contains(first))
        && command_calls(line).iter().any(|call| call.has_form(form))
}

/// Returns true if a line runs a command of this form, also by way of a launcher, a wrapper such as
/// `sudo` or `xargs`, or a shell.
///
/// ```
/// use tacit_observer::runs_command;
/// assert!(runs_command("cd api && sudo -E make migrate 2>&1 | tail", "make migrate"));
/// assert!(runs_command("uv run pytest -q", "pytest"));
/// assert!(runs_command("bash -lc 'npm run build'", "npm run build"));
/// assert!(runs_command("bash scripts/deploy.sh staging", "deploy.sh"));
/// assert!(runs_command("timeout 5 /usr/bin/env CI=1 terraform destroy", "terraform destroy"));
/// assert!(!runs_command("make migrate-down", "make migrate"));
/// ```
pub fn runs_command(line: &str, form: &str) -> bool {
    runs_nested(line, form, MAX_NESTED)
}

fn runs_nested(line: &str, form: &str, depth: usize) -> bool {
    let first = form.split_whitespace().find(|word| *word != ANY && !is_assignment(word));
    first.is_some_and(|first| line.contains(first))
        && command_calls(line).iter().any(|call| {
            call.has_form(form)
                || call.has_form_from(form, call.program)
                || call.interpreted().is_some_and(|script| call.has_form_from(form, script))
                || (depth > 0 && call.runs_inside(form, depth - 1))
        })
}

/// Joins words to a line that is read as the same words.
fn quoted(words: &[&str]) -> String {
    let quote = |word: &&str| format!("'{}'", word.replace('\'', "'\\''"));
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Returns true if a word of a form stands for a word of a command.
fn fits(wanted: &str, word: &str, source: &str) -> bool {
    if wanted == word {
        return true;
    }
    if let Some(inner) = wanted.strip_prefix(ANY).and_then(|rest| rest.strip_suffix(ANY)) {
        return word.contains(inner);
    }
    if let Some(option) = wanted.strip_suffix("=*") {
        return source.strip_prefix(option).is_some_and(|rest| {
            rest.starts_with('=') && !rest.contains(['\'', '"', '\\']) && rest.contains(['*', '?'])
        });
    }
    let is_option = wanted.starts_with('-');
    if is_option && !wanted.starts_with("--") && has_letters(word, wanted) {
        return true;
    }
    // A path may be written in more than one way.
    let path = |text: &str| text.trim_start_matches("./").trim_end_matches('/').to_owned();
    if wanted.len() > 2 && !is_option && path(wanted) == path(word) {
        return true;
    }
    (is_option && word.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('=')))
        || (!is_option && word.contains(',') && word.split(',').any(|part| part == wanted))
}

/// Returns true if a word is the short option, also joined with others.
pub(crate) fn has_letter(word: &str, option: &str) -> bool {
    let letters =
        word.strip_prefix('-').filter(|rest| rest.bytes().all(|b| b.is_ascii_alphabetic()));
    letters.is_some_and(|letters| option.strip_prefix('-').is_some_and(|one| letters.contains(one)))
}

/// Returns true if a word has all letters of joined short options, such as `-rf`, in any order.
/// Longer words are options of their own.
fn has_letters(word: &str, option: &str) -> bool {
    let mut letters = option.chars().skip(1);
    let is_joined = option.len() == 2 || (option.len() <= 4 && word.len() <= 6);
    option.len() > 1 && is_joined && letters.all(|letter| has_letter(word, &format!("-{letter}")))
}

/// Returns the number of words before a command that do not matter, options included.
fn leading_length(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(leading) = words.get(at).filter(|word| LEADING.contains(&word.as_str())) {
        at += 1;
        let has_options = matches!(leading.as_str(), "sudo" | "doas" | "env" | "nice" | "stdbuf");
        while let Some(option) = words.get(at).filter(|word| has_options && word.starts_with('-')) {
            at += 1 + usize::from(["-u", "-g", "-C", "-n"].contains(&option.as_str()));
        }
    }
    at.min(words.len())
}

/// Returns the number of words that start the program.
fn launcher_length(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(launcher) = LAUNCHERS.iter().find(|launcher| {
        words.get(at..at + launcher.len()).is_some_and(|start| start == **launcher)
    }) {
        let mut next = at + launcher.len();
        while let Some(word) = words.get(next).filter(|word| word.starts_with('-')) {
            next += 1 + usize::from(LAUNCHER_VALUES.contains(&word.as_str()));
        }
        // The duration, the toolchain or the service.
        let takes_operand = launcher[0].ends_with("timeout") || launcher[0].starts_with("docker");
        next += usize::from(takes_operand || *launcher == ["rustup", "run"]);
        if next >= words.len() {
            break;
        }
        at = next;
    }
    at
}

/// Returns the name that programs share which stand for each other.
pub(crate) fn canonical_name(program: &str) -> &str {
    match program.rsplit('/').next().unwrap_or(program) {
        "python3" | "py" => "python",
        "pip3" => "pip",
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        "nodejs" => "node",
        "gmake" => "make",
        "gsed" => "sed",
        name => name,
    }
}

/// Returns true for a program that an installation put there, not the work in progress.
fn is_installed(program: &str) -> bool {
    let folders = ["/bin/", "bin/", ".bin/", "node_modules/", "/opt/", "/usr/"];
    folders.iter().any(|folder| program.contains(folder))
        || matches!(program, "./gradlew" | "./mvnw" | "./manage.py")
}

fn is_plain(word: &str) -> bool {
    (2..=24).contains(&word.len())
        && word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(&b))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_form_matches_the_command_and_nothing_else() {
        for (line, form, expected) in [
            ("python -m pytest -q", "python -m pytest", true),
            ("cd a && python -m pytest tests | tail", "python -m pytest …", true),
            ("python x.py", "python -m pytest …", false),
            ("uv run python -m pytest", "python -m pytest …", false),
            ("golangci-lint run --disable-all ./...", "golangci-lint run --disable-all …", true),
            ("golangci-lint run --fix", "golangci-lint run --disable-all …", false),
            ("mise exec -- golangci-lint run", "golangci-lint …", false),
            ("A=1 golangci-lint run", "golangci-lint …", true),
            ("grep -rn x --include=*.go .", "grep --include=*", true),
            ("grep -rn x --include='*.go' .", "grep --include=*", false),
            ("grep -rn x --include=\"*.go\" .", "grep --include=*", false),
            ("rg -n \"a\\|b\" src", "rg …\\|…", true),
            ("rg -n \"a|b\" src", "rg …\\|…", false),
            ("gh pr checks 3 --json name,conclusion", "gh pr checks --json conclusion …", true),
            ("gh pr checks 3 --json name,state", "gh pr checks --json conclusion …", false),
            ("gh pr merge 3 --squash --auto", "gh pr merge --auto", true),
            ("npm run build", "npm run build:all", false),
            ("DB=1 cargo test", "DB=1 cargo test", true),
            ("cargo test", "DB=1 cargo test", false),
            ("echo golangci-lint", "golangci-lint …", false),
            ("grep -oP 'a+' x", "grep -P …", true),
            ("grep -oE 'a+' x", "grep -P …", false),
            ("git push origin main", "git push main", true),
            ("git push -u origin docs/main", "git push main", false),
            ("", "x", false),
            ("x", "", false),
        ] {
            assert_eq!(runs_form(line, form), expected, "{line} / {form}");
        }
    }

    #[test]
    fn launchers_and_subcommands_are_told_from_arguments() {
        for (line, launcher, program, subcommands) in [
            ("uv run --group dev pytest -q", "uv run --group dev", "pytest", ""),
            ("mise exec -- golangci-lint run ./...", "mise exec --", "golangci-lint", "run"),
            ("uv run python -m pytest", "uv run python -m", "pytest", ""),
            ("npx --yes tsc --noEmit", "npx --yes", "tsc", ""),
            ("timeout 30 cargo test name", "timeout 30", "cargo", "test"),
            ("gh pr list --state all", "", "gh", "pr list"),
            ("npm run build:all -- -x", "", "npm", "run build:all"),
            ("ec decision create 'a title'", "", "ec", "decision create"),
            ("git push origin main", "", "git", "push"),
            ("ls docs", "", "ls", ""),
        ] {
            let calls = command_calls(line);
            let call = calls.first().unwrap();
            assert_eq!(call.launcher().join(" "), launcher, "{line}");
            assert_eq!(call.program(), program, "{line}");
            assert_eq!(call.subcommands().join(" "), subcommands, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_and_form_are_accepted(
            line in r#"(uv run|timeout|npx|A=1|--x=\*|[a-z '"$();|=/é\n\\-]){0,40}"#,
            form in r"(uv|…|\PC| |=\*){0,12}",
        ) {
            runs_form(&line, &form);
            for call in command_calls(&line) {
                call.subcommands();
                call.runs_own_code();
            }
        }
    }
}
