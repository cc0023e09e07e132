//! Finds the checks in command lines: tests, builds, linters and type checkers, also those that a
//! task of the project runs.

use tacit_core::CheckKind;

use super::launch::{Launched, LaunchedTasks, launched};
use super::recognise::{check_limits, recognise, script};
use crate::git_commits::program;
use crate::shell::{CommandSeparator, JoinedCommand, joined_commands};
use crate::tasks::{DEFAULT_TARGET, TaskDefinitions, TaskRunner};

/// Maximum depth of launchers and tasks in tasks.
const MAX_DEPTH: usize = 5;
/// Limits on the checks of a line and the commands that are read to find them.
const MAX_CHECKS: usize = 32;
const MAX_COMMANDS: usize = 400;

/// A check that a command line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckCommand {
    /// The kind of check.
    pub kind: CheckKind,
    /// The tool that checks, such as `cargo test`, or the task if its tool is unknown.
    pub runner: String,
    /// The task of the project that runs it, such as `make test`.
    pub task: Option<String>,
    /// The key that is equal for equal checks.
    pub key: String,
    /// The packages or paths it is limited to; empty if it checks everything.
    pub filters: Vec<String>,
    /// The names of tests it is limited to; empty if it runs all.
    pub names: Vec<String>,
    /// The directory that the line changes to before.
    pub directory: String,
    /// The index of its command in the line.
    pub command_index: usize,
    /// True if the tool is unknown and the name of the task tells the kind.
    pub(super) by_name: bool,
    /// True if nothing within its command hides a failure.
    pub(super) exit_code_counts: bool,
}

impl CheckCommand {
    /// Creates a check of everything.
    pub(super) fn new(kind: CheckKind, runner: &str, directory: &str) -> CheckCommand {
        CheckCommand {
            kind,
            runner: runner.to_owned(),
            task: None,
            key: format!("{directory}|{runner}"),
            filters: Vec::new(),
            names: Vec::new(),
            directory: directory.to_owned(),
            command_index: 0,
            by_name: false,
            exit_code_counts: true,
        }
    }

    /// Returns true if this checks everything that `other` checks: the same tool, or a task that
    /// may run it, with wider limits. Tests cover the builds of compiled languages.
    pub fn covers(&self, other: &CheckCommand) -> bool {
        if self.key == other.key {
            return true;
        }
        let builds = self.kind == CheckKind::Test
            && other.kind == CheckKind::Build
            && !matches!(ecosystem(&other.runner), Some("js" | "python"));
        (self.kind == other.kind || builds)
            && self.may_run_tool_of(other, builds)
            && is_within(&other.directory, &self.directory)
            && self.is_wider_than(other)
    }

    fn may_run_tool_of(&self, other: &CheckCommand, builds: bool) -> bool {
        if family(&self.runner) == family(&other.runner) {
            return true;
        }
        let (own, others) = (ecosystem(&self.runner), ecosystem(&other.runner));
        let compatible = own.is_none() || others.is_none() || own == others;
        if !compatible {
            return false;
        }
        // `test:integration` runs more than `test`, unless this is the task for everything.
        let special = other.by_name && is_qualified(&other.runner);
        (builds && own == others)
            || ((self.by_name || other.by_name) && (!special || is_for_everything(&self.runner)))
    }

    fn is_wider_than(&self, other: &CheckCommand) -> bool {
        let in_one = |filter: &String| self.filters.iter().any(|wide| is_within(filter, wide));
        let places = self.filters.is_empty()
            || (!other.filters.is_empty() && other.filters.iter().all(in_one));
        let names = self.names.iter().all(|name| other.names.iter().any(|o| o.contains(name)));
        places && names
    }
}

/// Returns true if a path or test is in a directory or file, or is the same.
fn is_within(inner: &str, outer: &str) -> bool {
    let outer = outer.trim_end_matches('/');
    outer.is_empty()
        || inner.is_empty()
        || inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':', '.', '#']))
        // A path may be written in full or relative to a directory.
        || outer.strip_suffix(inner).is_some_and(|rest| rest.ends_with('/'))
}

/// Returns the name that tools with the same tests share.
fn family(runner: &str) -> &str {
    match runner {
        "gotestsum" => "go test",
        "cargo nextest" => "cargo test",
        "vue-tsc" => "tsc",
        "basedpyright" => "pyright",
        runner => runner,
    }
}

/// Returns the language whose code a runner checks, if it is one.
fn ecosystem(runner: &str) -> Option<&'static str> {
    let program = runner.split(' ').next().unwrap_or(runner);
    Some(match program {
        "cargo" => "rust",
        "npm" | "pnpm" | "yarn" | "bun" | "jest" | "vitest" | "mocha" | "ava" | "jasmine"
        | "karma" | "playwright" | "cypress" | "eslint" | "stylelint" | "tsc" | "vue-tsc"
        | "svelte-check" | "prettier" | "biome" | "oxlint" | "standard" | "flow" | "turbo"
        | "nx" | "deno" => "js",
        "pytest" | "unittest" | "django" | "tox" | "nox" | "nose2" | "ruff" | "mypy"
        | "pyright" | "basedpyright" | "ty" | "black" | "isort" | "flake8" | "pylint" | "poe"
        | "pdm" | "rye" | "hatch" | "invoke" | "inv" => "python",
        "go" | "gotestsum" | "golangci-lint" => "go",
        "gradle" | "maven" | "sbt" | "ktlint" => "jvm",
        "dotnet" => "dotnet",
        "composer" | "phpunit" | "pest" | "artisan" | "phpcs" | "phpstan" | "psalm" => "php",
        "rspec" | "rake" | "rails" | "rubocop" => "ruby",
        "mix" => "elixir",
        "swift" | "xcodebuild" => "swift",
        _ => return None,
    })
}

/// Returns the words in the name of a task.
fn task_words(runner: &str) -> Vec<&str> {
    let name = runner.rsplit(' ').next().unwrap_or(runner);
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn is_qualified(runner: &str) -> bool {
    task_words(runner).len() > 1
}

fn is_for_everything(runner: &str) -> bool {
    task_words(runner)
        .iter()
        .any(|word| matches!(*word, "ci" | "all" | "full" | "check" | "verify" | "validate"))
}

/// Flags that change the output but not what is checked.
const OUTPUT_FLAGS: [&str; 18] = [
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "-s",
    "--nocapture",
    "--no-capture",
    "--show-output",
    "--color=always",
    "--color=never",
    "--no-color",
    "-x",
    "--tb=short",
    "--tb=long",
    "--silent",
    "--no-fail-fast",
    "--",
];

/// Returns the checks of a command line in order; the names of tasks tell what they run.
pub fn checks(line: &str) -> Vec<CheckCommand> {
    TaskDefinitions::default().checks(line)
}

impl TaskDefinitions {
    /// Returns the checks of a command line in order, with what the tasks in it run.
    pub fn checks(&self, line: &str) -> Vec<CheckCommand> {
        let mut finder =
            CheckFinder { tasks: self, found: Vec::new(), budget: MAX_COMMANDS, depth: 0 };
        finder.line(line, &Surroundings::default());
        finder.found
    }
}

/// The place of a command within others.
#[derive(Clone, Default)]
struct Surroundings {
    directory: String,
    command_index: Option<usize>,
    task: Option<String>,
    hides_failures: bool,
}

struct CheckFinder<'t> {
    tasks: &'t TaskDefinitions,
    found: Vec<CheckCommand>,
    /// The number of commands that are still read.
    budget: usize,
    depth: usize,
}

impl CheckFinder<'_> {
    fn line(&mut self, line: &str, around: &Surroundings) {
        let mut around = around.clone();
        let commands = joined_commands(line);
        let first_found = self.found.len();
        let mut first = None;
        for (index, command) in commands.iter().enumerate() {
            let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
            if let Some(("cd" | "pushd", [to, ..])) = program(&words) {
                (*to).clone_into(&mut around.directory);
                continue;
            }
            let nested = around.command_index.is_some();
            let inner = Surroundings {
                command_index: around.command_index.or(Some(index)),
                ..around.clone()
            };
            let before = self.found.len();
            self.command(&words, &inner);
            if self.found.len() > before && nested {
                first.get_or_insert(index);
            }
        }
        if first.is_some_and(|first| !exit_code_is_reliable(&commands, first)) {
            for check in &mut self.found[first_found..] {
                check.exit_code_counts = false;
            }
        }
    }

    fn command(&mut self, words: &[&str], around: &Surroundings) {
        let Some((name, args)) = program(words) else { return };
        if self.budget == 0 || self.depth > MAX_DEPTH || self.found.len() >= MAX_CHECKS {
            return;
        }
        self.budget -= 1;
        self.depth += 1;
        match launched(name, args, self.tasks) {
            Some(Launched::Program(words)) => self.command(&words, around),
            Some(Launched::Script(line)) => self.line(line, around),
            Some(Launched::Tasks(tasks)) => self.tasks(&tasks, around),
            None => {
                if let Some((kind, runner, args)) =
                    recognise(name, args).or_else(|| script(words, args))
                {
                    // The targets of these tools are names like those of tasks.
                    let by_name = runner.starts_with("gradle") || runner.starts_with("maven");
                    let targets: Vec<&str> = runner.split(' ').skip(1).collect();
                    if by_name && targets.len() > 1 {
                        for target in targets {
                            let own: Vec<&str> = [&[target], args.as_slice()].concat();
                            if let Some((kind, runner, args)) = recognise(name, &own) {
                                self.add(kind, &runner, &args, by_name, around);
                            }
                        }
                    } else {
                        self.add(kind, &runner, &args, by_name, around);
                    }
                }
            }
        }
        self.depth -= 1;
    }

    fn add(
        &mut self,
        kind: CheckKind,
        runner: &str,
        args: &[&str],
        by_name: bool,
        around: &Surroundings,
    ) {
        let telling: Vec<&str> =
            args.iter().copied().filter(|arg| !OUTPUT_FLAGS.contains(arg)).collect();
        let (filters, names) = check_limits(runner, &telling);
        let key = format!("{}|{runner} {}", around.directory, telling.join(" "));
        if self.found.iter().any(|check| check.key == key) {
            return;
        }
        self.found.push(CheckCommand {
            key,
            filters,
            names,
            by_name,
            task: around.task.clone(),
            command_index: around.command_index.unwrap_or(0),
            exit_code_counts: !around.hides_failures,
            ..CheckCommand::new(kind, runner, &around.directory)
        });
    }

    fn tasks(&mut self, launched: &LaunchedTasks<'_>, around: &Surroundings) {
        let is_defined_here = launched.packages.is_empty() && self.tasks.is_root(&around.directory);
        for (name, args) in &launched.tasks {
            if self.budget == 0 || self.depth > MAX_DEPTH {
                return;
            }
            self.budget -= 1;
            let label = format!("{} {name}", launched.program).trim_end().to_owned();
            let inner = Surroundings {
                task: around.task.clone().or(Some(label.clone())),
                ..around.clone()
            };
            let before = self.found.len();
            if is_defined_here {
                self.depth += 1;
                self.defined(launched, name, args, &inner);
                self.depth -= 1;
            }
            let found = &self.found[before..];
            let Some(kind) = task_kind(launched.runner, launched.program, name) else { continue };
            let is_told = !found.is_empty()
                && (kind != CheckKind::Test
                    || !names_tests(name)
                    || found.iter().any(|check| check.kind == kind));
            if !is_told {
                let added = self.found.len();
                self.add(kind, &label, args, true, around);
                if let Some(check) = self.found.get_mut(added) {
                    check.filters.extend(launched.packages.iter().map(|name| (*name).to_owned()));
                    check.filters.extend(suites(name).map(|suite| format!("suite {suite}")));
                    if !launched.packages.is_empty() {
                        check.key = format!("{} {}", check.key, launched.packages.join(" "));
                    }
                }
            }
        }
    }

    /// Finds the checks in the definition of a task. Arguments go to its last command.
    fn defined(
        &mut self,
        launched: &LaunchedTasks<'_>,
        name: &str,
        args: &[&str],
        around: &Surroundings,
    ) {
        let tasks = self.tasks;
        let runner = launched.runner;
        for name in tasks.matching(runner, name) {
            let Some(task) = tasks.task(runner, name) else { continue };
            let depends = task.depends.iter().map(|name| (name.as_str(), Vec::new())).collect();
            let (program, packages) = (launched.program, Vec::new());
            self.tasks(&LaunchedTasks { runner, program, tasks: depends, packages }, around);
            for (at, command) in task.commands.iter().enumerate() {
                if at + 1 == task.commands.len() && !args.is_empty() {
                    let quoted = args.iter().map(|arg| format!("'{}'", arg.replace('\'', "'\\''")));
                    let quoted = quoted.collect::<Vec<_>>().join(" ");
                    self.line(&format!("{command} {quoted}"), around);
                } else {
                    self.line(command, around);
                }
            }
        }
    }
}

/// Returns the kind of a task by its name.
fn task_kind(runner: TaskRunner, program: &str, name: &str) -> Option<CheckKind> {
    match (runner, program, name) {
        (TaskRunner::PreCommit | TaskRunner::Lefthook, ..) => {
            Some(script_kind(name).unwrap_or(CheckKind::Lint))
        }
        (TaskRunner::Tox, _, name) | (_, "nox", name) => {
            Some(script_kind(name).unwrap_or(CheckKind::Test))
        }
        (TaskRunner::Make, _, DEFAULT_TARGET | "all") => Some(CheckKind::Build),
        (_, "rake", DEFAULT_TARGET) => Some(CheckKind::Test),
        (_, _, name) => script_kind(name),
    }
}

/// Returns true if the exit code of a line is that of the checks from a command on: nothing hides a
/// failure.
pub(super) fn exit_code_is_reliable(commands: &[JoinedCommand], first: usize) -> bool {
    let pipefail = commands.iter().any(|command| {
        command.words.first().is_some_and(|word| word == "set")
            && command.words.iter().any(|word| word == "pipefail")
    });
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

/// Returns the name of the program that a command runs.
pub(super) fn program_name(words: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    program(&words).map(|(name, _)| name.to_owned())
}

/// Removes the commands that only filter output.
pub(super) fn without_output_filters(line: &str) -> String {
    let commands = joined_commands(line);
    let mut kept = Vec::new();
    for command in &commands {
        if let Some(name) = program_name(&command.words)
            && !matches!(
                name.as_str(),
                "tail" | "head" | "true" | "cat" | "tee" | "grep" | "echo" | "less"
            )
        {
            kept.push(command.words.join(" "));
        }
    }
    if kept.is_empty() {
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        kept.join("; ")
    }
}

const TEST_WORDS: [&str; 6] = ["test", "tests", "spec", "unit", "e2e", "integration"];

/// Derives the kind of check from the words in the name of a script or target.
pub(crate) fn script_kind(script: &str) -> Option<CheckKind> {
    let words: Vec<&str> = script.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if has(&["watch", "dev", "serve", "fix", "write", "start", "update", "clean"]) {
        None
    } else if has(&TEST_WORDS) {
        Some(CheckKind::Test)
    } else if has(&["lint", "eslint", "clippy", "stylelint"]) {
        Some(CheckKind::Lint)
    } else if has(&["typecheck", "types", "tsc", "mypy", "pyright"])
        || script.contains("type-check")
    {
        Some(CheckKind::Types)
    } else if has(&["check", "verify", "ci", "validate"]) {
        Some(CheckKind::Test)
    } else if has(&["build", "compile"]) {
        Some(CheckKind::Build)
    } else {
        None
    }
}

fn names_tests(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| TEST_WORDS.contains(&word))
}

/// Returns the parts of the tests that the name of a task limits it to.
fn suites(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| {
        matches!(
            *word,
            "unit"
                | "e2e"
                | "integration"
                | "smoke"
                | "acceptance"
                | "functional"
                | "ui"
                | "api"
                | "bench"
                | "browser"
                | "fast"
                | "slow"
                | "quick"
        )
    })
}

#[cfg(test)]
mod tests;
