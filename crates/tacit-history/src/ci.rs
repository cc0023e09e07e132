//! The commands that CI runs to check a change, read from the files of CI services.
//!
//! Only commands that a person could run as they stand are kept: none with variables of the service,
//! and none that publishes, deploys or only prepares the machine.

mod github;
mod script;
mod services;
mod yaml;

use tacit_core::CheckKind;
use tacit_observer::TaskDefinitions;

pub use script::is_set_up;
use script::{ScriptCommand, commands};

/// The most bytes of a file that are read, and the most jobs of all files.
pub const MAX_CI_FILE: usize = 256 * 1024;
const MAX_JOBS: usize = 400;
/// The most commands of each runner that are kept, such as tests with different features.
const MAX_OF_RUNNER: usize = 2;

/// A command that CI runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiCommand {
    /// The command line.
    pub command: String,
    /// The directory in which it runs; empty for the root.
    pub directory: String,
    /// The kind of check; `None` for commands that prepare the others.
    pub kind: Option<CheckKind>,
    /// The file that says so.
    pub file: String,
}

/// A job of a CI service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Job {
    name: String,
    steps: Vec<Step>,
}

/// A script that a job runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Step {
    script: String,
    directory: String,
}

/// Files in which CI services are told what to run, by their path. A path that ends in `/` stands for
/// the YAML files below it.
pub const CI_FILES: [&str; 16] = [
    ".github/workflows/",
    ".gitea/workflows/",
    ".forgejo/workflows/",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    ".azure-pipelines.yml",
    ".travis.yml",
    ".cirrus.yml",
    ".woodpecker.yml",
    ".woodpecker/",
    ".drone.yml",
    ".build.yml",
    ".builds/",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
];

/// Returns the commands of CI in the order in which a change is best checked: preparation, then
/// formatting and linting, types, builds and tests. `files` are paths with texts.
#[must_use]
pub fn ci_commands(files: &[(String, String)], tasks: &TaskDefinitions) -> Vec<CiCommand> {
    let mut jobs: Vec<(&str, Job)> = Vec::new();
    for (path, text) in files.iter().filter(|(_, text)| text.len() <= MAX_CI_FILE) {
        jobs.extend(jobs_of(path, text).into_iter().map(|job| (path.as_str(), job)));
    }
    jobs.retain(|(path, job)| !is_publishing(&job.name) && !is_publishing(file_name(path)));
    jobs.truncate(MAX_JOBS);
    jobs.sort_by_key(|(path, job)| (rank(file_name(path)), rank(&job.name)));
    let mut found: Vec<(CiCommand, String)> = Vec::new();
    for (path, job) in &jobs {
        let all: Vec<ScriptCommand> = job
            .steps
            .iter()
            .flat_map(|step| commands(&step.script, &step.directory, tasks))
            .collect();
        // Preparation matters only to a job that checks something.
        let checks = all.iter().any(|command| command.kind.is_some());
        for ScriptCommand { command, directory, kind, runner } in all {
            if !checks && kind.is_none() {
                continue;
            }
            let same = |(known, _): &&(CiCommand, String)| {
                known.command == command && known.directory == directory
            };
            let of_runner =
                found.iter().filter(|(known, of)| *of == runner && known.directory == directory);
            if found.iter().any(|known| same(&known)) || of_runner.count() >= MAX_OF_RUNNER {
                continue;
            }
            let file = (*path).to_owned();
            found.push((CiCommand { command, directory, kind, file }, runner));
        }
    }
    let mut found: Vec<CiCommand> = found.into_iter().map(|(command, _)| command).collect();
    found.sort_by_key(|command| order(command.kind));
    found
}

fn order(kind: Option<CheckKind>) -> u8 {
    match kind {
        None => 0,
        Some(CheckKind::Lint) => 1,
        Some(CheckKind::Types) => 2,
        Some(CheckKind::Build) => 3,
        Some(CheckKind::Test) => 4,
    }
}

fn jobs_of(path: &str, text: &str) -> Vec<Job> {
    match path {
        path if path.contains("/workflows/") => github::jobs(text),
        ".gitlab-ci.yml" => services::gitlab(text),
        ".circleci/config.yml" => services::circle(text),
        "azure-pipelines.yml" | ".azure-pipelines.yml" => services::azure(text),
        ".travis.yml" => services::travis(text),
        ".cirrus.yml" => services::cirrus(text),
        "bitbucket-pipelines.yml" => services::bitbucket(text),
        "Jenkinsfile" => services::jenkins(text),
        path if path == ".build.yml" || path.starts_with(".builds/") => services::sourcehut(text),
        _ => services::steps_with_commands(text),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns true for names of jobs and files that do more than check a change.
fn is_publishing(name: &str) -> bool {
    const PUBLISHING: [&str; 13] = [
        "deploy",
        "publish",
        "release",
        "docker",
        "pages",
        "website",
        "stale",
        "upload",
        "codeql",
        "scorecard",
        "dependabot",
        "wheels",
        "benchmark",
    ];
    let name = name.to_lowercase();
    PUBLISHING.iter().any(|word| name.contains(word))
}

/// Returns a lower number for names of jobs and files that check every change.
fn rank(name: &str) -> u8 {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&[
        "fuzz",
        "coverage",
        "miri",
        "bench",
        "msrv",
        "minimal",
        "windows",
        "macos",
        "mac",
        "cross",
        "android",
        "ios",
        "bsd",
        "sanitizer",
        "valgrind",
        "docs",
    ]) {
        2
    } else {
        u8::from(!has(&["ci", "test", "check", "build", "lint", "main", "verify"]))
    }
}
