//! The tasks that a project defines for its task runners, read from the text of its files.
//!
//! Reading is tolerant: what is not understood is left out, and the name of the task decides.

mod listed;
mod manifest;
mod recipe_file;
mod yaml;

use std::collections::BTreeMap;

pub use listed::ProjectTask;

/// Names of the files in the root of a project that define tasks.
pub const TASK_FILES: [&str; 23] = [
    "package.json",
    "composer.json",
    "deno.json",
    "deno.jsonc",
    "turbo.json",
    "mise.toml",
    ".mise.toml",
    "pixi.toml",
    "pyproject.toml",
    "hatch.toml",
    "tox.ini",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.yml",
    "Taskfile.yaml",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    "Makefile.toml",
];
/// Maximum size of a file with tasks, in bytes.
pub const MAX_TASK_FILE: u64 = 256 * 1024;
/// Limits on the tasks of a project and the commands of a task.
const MAX_TASKS: usize = 2_000;
const MAX_COMMANDS: usize = 40;
/// Maximum length of a command, in bytes.
const MAX_COMMAND: usize = 4_096;
/// The name of the target that `make` runs without arguments.
pub(crate) const DEFAULT_TARGET: &str = "";

/// A program with tasks that a project defines.
#[expect(missing_docs, reason = "each is the program of the same name")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskRunner {
    /// Scripts in `package.json`.
    Package,
    Composer,
    Deno,
    Turbo,
    Mise,
    Pixi,
    Poe,
    Pdm,
    Hatch,
    Taskipy,
    Tox,
    Make,
    Just,
    GoTask,
    PreCommit,
    Lefthook,
    CargoMake,
    /// A runner whose definitions are programs, such as `nox` or `invoke`.
    Named,
}

/// The definition of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TaskDefinition {
    /// Command lines.
    pub(crate) commands: Vec<String>,
    /// Tasks of the same runner that run before them; `*` at the end stands for any name.
    pub(crate) depends: Vec<String>,
}

/// The tasks of a project by runner and name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskDefinitions {
    root: String,
    tasks: BTreeMap<(TaskRunner, String), TaskDefinition>,
}

impl TaskDefinitions {
    /// Reads the files of a project, each by name and text. `root` is the directory of the project
    /// as command lines name it.
    ///
    /// ```
    /// use tacit_observer::TaskDefinitions;
    /// let files = [("Makefile", "verify:\n\tgo vet ./...\n\tgo test ./...\n")];
    /// let tasks = TaskDefinitions::from_files("/srv/app", files);
    /// let runners: Vec<String> =
    ///     tasks.checks("make verify").into_iter().map(|check| check.runner).collect();
    /// assert_eq!(runners, ["go vet", "go test"]);
    /// ```
    pub fn from_files<'a>(
        root: &str,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> TaskDefinitions {
        let mut all = TaskDefinitions { root: root.to_owned(), ..TaskDefinitions::default() };
        for (name, text) in files {
            if text.len() as u64 > MAX_TASK_FILE {
                continue;
            }
            match name {
                "package.json" => manifest::package_json(text, &mut all),
                "composer.json" => manifest::composer_json(text, &mut all),
                "deno.json" | "deno.jsonc" => manifest::deno_json(text, &mut all),
                "turbo.json" => manifest::turbo_json(text, &mut all),
                "mise.toml" | ".mise.toml" => manifest::mise_toml(text, &mut all),
                "pixi.toml" => manifest::pixi_toml(text, &mut all),
                "pyproject.toml" => manifest::pyproject_toml(text, &mut all),
                "hatch.toml" => manifest::hatch_toml(text, &mut all),
                "Makefile.toml" => manifest::cargo_make_toml(text, &mut all),
                "tox.ini" => recipe_file::tox_ini(text, &mut all),
                "Makefile" | "makefile" | "GNUmakefile" => recipe_file::makefile(text, &mut all),
                "justfile" | "Justfile" | ".justfile" => recipe_file::justfile(text, &mut all),
                "Taskfile.yml" | "Taskfile.yaml" => yaml::taskfile(text, &mut all),
                ".pre-commit-config.yaml" => yaml::pre_commit(text, &mut all),
                "lefthook.yml" | "lefthook.yaml" => yaml::lefthook(text, &mut all),
                _ => {}
            }
        }
        all
    }

    /// Returns the definition of a task.
    pub(crate) fn task(&self, runner: TaskRunner, name: &str) -> Option<&TaskDefinition> {
        self.tasks.get(&(runner, name.to_owned()))
    }

    /// Returns the names of a runner's tasks that a name or a pattern with `*` at the end matches.
    pub(crate) fn matching(&self, runner: TaskRunner, pattern: &str) -> Vec<&str> {
        let names =
            self.tasks.keys().filter(|(of, _)| *of == runner).map(|(_, name)| name.as_str());
        match pattern.trim_end_matches('*') {
            exact if exact == pattern => names.filter(|name| *name == exact).collect(),
            start => names.filter(|name| name.starts_with(start)).collect(),
        }
    }

    /// Returns true if a directory, as a command line names it, is the root of the project.
    pub(crate) fn is_root(&self, directory: &str) -> bool {
        let directory = directory.trim_end_matches('/');
        matches!(directory, "" | ".") || directory == self.root.trim_end_matches('/')
    }

    /// Returns true if a directory is the root of the project.
    pub(crate) fn is_root_path(&self, directory: &std::path::Path) -> bool {
        directory.to_str().is_some_and(|directory| self.is_root(directory))
    }

    fn add(&mut self, runner: TaskRunner, name: &str, mut task: TaskDefinition) {
        task.commands.retain(|command| !command.trim().is_empty() && command.len() <= MAX_COMMAND);
        task.commands.truncate(MAX_COMMANDS);
        task.depends.truncate(MAX_COMMANDS);
        if self.tasks.len() < MAX_TASKS {
            self.tasks.entry((runner, name.to_owned())).or_insert(task);
        }
    }
}

#[cfg(test)]
mod tests;
