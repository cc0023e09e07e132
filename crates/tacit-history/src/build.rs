//! Tells how a project is built, checked and run: what CI runs, the project's own tasks, and the versions that
//! its code has to work with, as one lesson.

mod tasks;
mod versions;

use std::collections::BTreeMap;

use tacit_core::CheckKind;
use tacit_observer::{TASK_FILES, TaskDefinitions};

use crate::ci::{CI_FILES, CiCommand, ci_commands};
use crate::lesson::{Lesson, LessonKind};
use crate::stated::StatedTexts;
use crate::text::{code, codes};
use tasks::{own_tasks, package_manager};
use versions::versions;

pub use versions::VERSION_FILES;

/// The most checks, commands of preparation, own tasks and files that are named.
const MAX_CHECKS: usize = 8;
const MAX_SET_UP: usize = 2;
const MAX_TASKS: usize = 8;
const MAX_FILES: usize = 3;
/// The confidence of what committed files say.
const CONFIDENCE: f64 = 0.9;

/// Returns true for files that the lesson is read from, by their path from the root.
#[must_use]
pub fn is_build_file(path: &str) -> bool {
    let is_ci = CI_FILES.iter().any(|known| match known.strip_suffix('/') {
        Some(folder) => {
            let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            name.is_some_and(|name| {
                !name.contains('/') && (name.ends_with(".yml") || name.ends_with(".yaml"))
            })
        }
        None => path == *known,
    });
    is_ci || TASK_FILES.contains(&path) || VERSION_FILES.contains(&path)
}

/// Returns the lesson of a project's committed files, given with their paths from the root. `lockfiles`
/// are the names of files in the root that tell the package manager.
#[must_use]
pub fn build_lesson(
    files: &[(String, String)],
    lockfiles: &[String],
    stated: &StatedTexts,
) -> Option<Lesson> {
    let named = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let definitions = TaskDefinitions::from_files("", named);
    let ci = ci_commands(files, &definitions);
    let (set_up, mut checks): (Vec<CiCommand>, Vec<CiCommand>) =
        ci.into_iter().partition(|command| command.kind.is_none());
    keep_varied(&mut checks);
    let manager = package_manager(files, lockfiles);
    let mut tasks = own_tasks(files, &definitions, manager);
    tasks.retain(|task| !checks.iter().any(|check| runs(&check.command, &task.command, manager)));
    tasks.truncate(MAX_TASKS);
    if checks.is_empty() && !tasks.iter().any(|task| task.checks) {
        return None;
    }
    let versions = versions(files);
    // If a document has every check, agents that read it gain nothing.
    let is_stated = |command: &str| stated.states(command);
    let checks_stated = checks.iter().all(|check| is_stated(&check.command));
    let tasks_stated = tasks.iter().all(|task| is_stated(&task.command));
    if checks_stated && tasks_stated {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    let mut sources: Vec<String> = Vec::new();
    if !checks.is_empty() && !checks_stated {
        for check in &checks {
            push_new(&mut sources, &check.file);
        }
        sources.truncate(MAX_FILES);
        let set_up: Vec<CiCommand> = set_up.into_iter().take(MAX_SET_UP).collect();
        if !set_up.is_empty() {
            parts.push(format!("Set up: {}.", in_places(&set_up)));
        }
        // Commands with values that only the service knows were left out, often those of the tests.
        let tests = checks.iter().any(|check| check.kind == Some(CheckKind::Test));
        let what = if tests { "Check a change as CI does" } else { "CI checks with, among others" };
        parts.push(format!("{what} ({}): {}.", codes(&sources), in_places(&checks)));
    }
    if !tasks.is_empty() && !tasks_stated {
        let mut own: Vec<String> = Vec::new();
        for task in &tasks {
            push_new(&mut own, &task.file);
        }
        let commands: Vec<&str> = tasks.iter().map(|task| task.command.as_str()).collect();
        let what = if checks.is_empty() { "Tasks" } else { "More tasks" };
        parts.push(format!("{what} ({}): {}.", codes(&own), codes(&commands)));
        own.iter().for_each(|file| push_new(&mut sources, file));
    }
    if parts.is_empty() {
        return None;
    }
    if let Some((text, from)) = versions {
        parts.push(text);
        from.iter().for_each(|file| push_new(&mut sources, file));
    }
    Some(Lesson {
        kind: LessonKind::Build,
        key: "build".to_owned(),
        title: "Build, check and run this project".to_owned(),
        content: parts.join(" "),
        details: None,
        files: Vec::new(),
        commits: Vec::new(),
        sources,
        confidence: CONFIDENCE,
        worth: 1.0,
    })
}

/// Keeps the most telling checks: of every kind and directory some, in their order.
fn keep_varied(checks: &mut Vec<CiCommand>) {
    let mut rounds: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, usize)> = checks
        .iter()
        .enumerate()
        .map(|(at, check)| {
            let kind = check.kind.map(|kind| kind.to_string()).unwrap_or_default();
            let round = rounds.entry((check.directory.clone(), kind)).or_default();
            *round += 1;
            // The checks of the whole project come before those of its parts.
            (*round + 2 * usize::from(!check.directory.is_empty()), at)
        })
        .collect();
    ranked.sort_unstable();
    let mut kept: Vec<usize> = ranked.into_iter().take(MAX_CHECKS).map(|(_, at)| at).collect();
    kept.sort_unstable();
    *checks = kept.into_iter().map(|at| checks[at].clone()).collect();
}

/// Lists commands, those of a directory together.
fn in_places(commands: &[CiCommand]) -> String {
    let mut places: Vec<(&str, Vec<&str>)> = Vec::new();
    for command in commands {
        match places.iter_mut().find(|(place, _)| *place == command.directory) {
            Some((_, list)) => list.push(&command.command),
            None => places.push((&command.directory, vec![&command.command])),
        }
    }
    let texts = places.iter().map(|(place, list)| match *place {
        "" => codes(list),
        place => format!("in {}: {}", code(place), codes(list)),
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// Returns true if a command runs a task, in any of the forms that package managers accept.
fn runs(command: &str, task: &str, manager: &str) -> bool {
    let short = task.replace(&format!("{manager} run "), &format!("{manager} "));
    command == task || command == short || command.starts_with(&format!("{task} "))
}

fn push_new(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}
