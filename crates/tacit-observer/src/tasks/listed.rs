//! The tasks of a project as commands that a person types.

use super::{DEFAULT_TARGET, TaskDefinitions, TaskRunner};

/// A task with the command that runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectTask {
    /// The name of the task.
    pub name: String,
    /// The command that runs it.
    pub command: String,
    /// The first command line; empty if it only runs other tasks.
    pub runs: String,
}

impl TaskDefinitions {
    /// Returns true if the runner has a task that it runs without a name.
    pub fn has_default(&self, runner: TaskRunner) -> bool {
        self.task(runner, DEFAULT_TARGET).is_some()
    }

    /// Returns the tasks with a command that runs each. `package_manager` runs the scripts of
    /// `package.json`, such as `pnpm`.
    pub fn listed(&self, package_manager: &str) -> Vec<ProjectTask> {
        let tasks = self.tasks.iter().filter(|((_, name), _)| name != DEFAULT_TARGET);
        tasks
            .filter_map(|((runner, name), task)| {
                let starter = starter(*runner, package_manager)?;
                let runs = task.commands.first().cloned().unwrap_or_default();
                Some(ProjectTask { name: name.clone(), command: format!("{starter} {name}"), runs })
            })
            .collect()
    }
}

/// Returns the words before the name of a task; `None` for runners whose tasks are run by other
/// events.
fn starter(runner: TaskRunner, package_manager: &str) -> Option<String> {
    Some(
        match runner {
            TaskRunner::Package => return Some(format!("{package_manager} run")),
            TaskRunner::Composer => "composer",
            TaskRunner::Deno => "deno task",
            TaskRunner::Mise => "mise run",
            TaskRunner::Pixi => "pixi run",
            TaskRunner::Poe => "poe",
            TaskRunner::Pdm => "pdm run",
            TaskRunner::Hatch => "hatch run",
            TaskRunner::Taskipy | TaskRunner::GoTask => "task",
            TaskRunner::Tox => "tox -e",
            TaskRunner::Make => "make",
            TaskRunner::Just => "just",
            TaskRunner::CargoMake => "cargo make",
            TaskRunner::Turbo
            | TaskRunner::PreCommit
            | TaskRunner::Lefthook
            | TaskRunner::Named => {
                return None;
            }
        }
        .to_owned(),
    )
}
