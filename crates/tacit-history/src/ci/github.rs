//! Workflows of GitHub, Gitea and Forgejo.

use super::yaml::{Yaml, parse};
use super::{Job, Step};

/// Returns the jobs of a workflow that runs for changes.
pub(super) fn jobs(text: &str) -> Vec<Job> {
    let workflow = parse(text);
    if !runs_for_changes(&workflow) {
        return Vec::new();
    }
    let defaults = directory_of(workflow.get("defaults").and_then(|it| it.get("run")));
    let jobs = workflow.get("jobs").map(Yaml::entries).unwrap_or_default().iter();
    jobs.filter(|(_, job)| !is_special(job))
        .map(|(name, job)| read_job(name, job, &defaults))
        .collect()
}

/// Returns true if a push to a branch or a pull request starts the workflow.
fn runs_for_changes(workflow: &Yaml) -> bool {
    let Some(on) = workflow.get("on").or_else(|| workflow.get("true")) else { return false };
    if on.texts().iter().any(|event| is_change(event)) {
        return true;
    }
    on.entries().iter().any(|(event, filter)| {
        let only_tags = filter.get("tags").is_some()
            && filter.get("branches").is_none()
            && filter.get("branches-ignore").is_none();
        is_change(event) && !only_tags
    })
}

fn is_change(event: &str) -> bool {
    matches!(event, "push" | "pull_request" | "pull_request_target" | "merge_group")
}

/// Returns true for jobs that run only for releases, on a schedule, or on Windows.
fn is_special(job: &Yaml) -> bool {
    const SPECIAL: [&str; 7] = [
        "refs/tags",
        "schedule",
        "workflow_dispatch",
        "release",
        "failure()",
        "cancelled()",
        "workflow_run",
    ];
    let condition = job.get("if").and_then(Yaml::text).unwrap_or_default();
    let machine = job.get("runs-on").map(Yaml::texts).unwrap_or_default().join(" ");
    let name = job.get("name").and_then(Yaml::text).unwrap_or_default();
    SPECIAL.iter().any(|word| condition.contains(word))
        || machine.starts_with("windows")
        || machine.starts_with("macos")
        || job.get("environment").is_some()
        || super::is_publishing(name)
}

fn read_job(name: &str, job: &Yaml, defaults: &str) -> Job {
    let own = directory_of(job.get("defaults").and_then(|it| it.get("run")));
    let defaults = if own.is_empty() { defaults.to_owned() } else { own };
    let matrix = job.get("strategy").and_then(|it| it.get("matrix"));
    let steps = job.get("steps").map(Yaml::items).unwrap_or_default().iter();
    let steps = steps.filter_map(|step| {
        let script = step.get("run")?.text()?;
        let shell = step.get("shell").and_then(Yaml::text).unwrap_or_default();
        let condition = step.get("if").and_then(Yaml::text).unwrap_or_default();
        let is_other_shell = ["pwsh", "powershell", "cmd"].contains(&shell);
        if is_other_shell || is_conditional(condition) {
            return None;
        }
        let directory = step.get("working-directory").and_then(Yaml::text).unwrap_or(&defaults);
        let (script, directory) = (filled(script, matrix), filled(directory, matrix));
        // A directory that only the service knows.
        (!directory.contains("${{")).then_some(Step { script, directory })
    });
    Job { name: name.to_owned(), steps: steps.collect() }
}

/// Returns true for conditions of steps that do not run for every change.
fn is_conditional(condition: &str) -> bool {
    const ALWAYS: [&str; 3] = ["always()", "success()", "!cancelled()"];
    let condition = condition.trim().trim_start_matches("${{").trim_end_matches("}}").trim();
    !(condition.is_empty() || ALWAYS.contains(&condition))
}

fn directory_of(run: Option<&Yaml>) -> String {
    let directory = run.and_then(|run| run.get("working-directory")).and_then(Yaml::text);
    directory.unwrap_or_default().to_owned()
}

/// Fills in the values of a matrix: of several, the last one that is no development version.
fn filled(script: &str, matrix: Option<&Yaml>) -> String {
    let mut text = String::new();
    let mut rest = script;
    while let Some((before, after)) = rest.split_once("${{") {
        text.push_str(before);
        let Some((expression, after)) = after.split_once("}}") else { return script.to_owned() };
        let value =
            expression.trim().strip_prefix("matrix.").and_then(|name| value_of(matrix?, name));
        match value {
            Some(value) => text.push_str(value),
            None => text.push_str(&format!("${{{{{expression}}}}}")),
        }
        rest = after;
    }
    text + rest
}

fn value_of<'m>(matrix: &'m Yaml, name: &str) -> Option<&'m str> {
    let mut values = matrix.get(name).map(Yaml::texts).unwrap_or_default();
    if values.is_empty() {
        let included = matrix.get("include").map(Yaml::items).unwrap_or_default().iter();
        values = included.filter_map(|entry| entry.get(name)?.text()).take(1).collect();
    }
    let is_plain = |value: &&str| !value.is_empty() && !value.contains("${{");
    let is_preview = |value: &str| {
        ["dev", "alpha", "beta", "rc", "pypy", "nightly", "windows"]
            .iter()
            .any(|word| value.contains(word))
    };
    let plain: Vec<&str> = values.into_iter().filter(is_plain).collect();
    plain.iter().rev().find(|value| !is_preview(value)).or(plain.last()).copied()
}
