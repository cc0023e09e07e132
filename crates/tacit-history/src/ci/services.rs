//! The files of the other CI services.

use super::yaml::{Yaml, parse};
use super::{Job, Step, is_publishing};

fn job<'s>(name: &str, scripts: impl IntoIterator<Item = &'s str>) -> Job {
    // The lines of a job share a shell.
    let script = scripts.into_iter().collect::<Vec<_>>().join("\n");
    let step = Step { script, directory: String::new() };
    Job { name: name.to_owned(), steps: vec![step] }
}

fn texts<'y>(value: &'y Yaml, key: &str) -> Vec<&'y str> {
    value.get(key).map(Yaml::texts).unwrap_or_default()
}

/// `.gitlab-ci.yml`: every entry with a `script` is a job, except templates and jobs for releases.
pub(super) fn gitlab(text: &str) -> Vec<Job> {
    let file = parse(text);
    let common = texts(&file, "before_script");
    let jobs = file.entries().iter().filter(|(name, job)| {
        let stage = job.get("stage").and_then(Yaml::text).unwrap_or_default();
        let manual = job.get("when").and_then(Yaml::text) == Some("manual");
        let only = texts(job, "only");
        let only_tags =
            !only.is_empty() && only.iter().all(|only| matches!(*only, "tags" | "schedules"));
        !name.starts_with('.') && !is_publishing(stage) && !manual && !only_tags
    });
    let jobs = jobs.filter(|(_, job)| job.get("script").is_some());
    jobs.map(|(name, entry)| {
        let own = texts(entry, "before_script");
        let before = if own.is_empty() { common.clone() } else { own };
        job(name, before.into_iter().chain(texts(entry, "script")))
    })
    .collect()
}

/// `.circleci/config.yml`
pub(super) fn circle(text: &str) -> Vec<Job> {
    let file = parse(text);
    let jobs = file.get("jobs").map(Yaml::entries).unwrap_or_default().iter();
    jobs.map(|(name, entry)| {
        let common = entry.get("working_directory").and_then(Yaml::text).unwrap_or_default();
        let common = if common.starts_with(['~', '/']) { "" } else { common };
        let steps = entry.get("steps").map(Yaml::items).unwrap_or_default().iter();
        let steps = steps.filter_map(|step| {
            let run = step.get("run")?;
            let script = run.text().or_else(|| run.get("command")?.text())?.to_owned();
            let directory = run.get("working_directory").and_then(Yaml::text).unwrap_or(common);
            Some(Step { script, directory: directory.to_owned() })
        });
        Job { name: name.clone(), steps: steps.collect() }
    })
    .collect()
}

/// `azure-pipelines.yml`: steps may be at the top, in jobs, or in stages.
pub(super) fn azure(text: &str) -> Vec<Job> {
    fn collect(value: &Yaml, name: &str, found: &mut Vec<Job>) {
        let steps = value.get("steps").map(Yaml::items).unwrap_or_default().iter();
        let steps: Vec<Step> = steps
            .filter_map(|step| {
                let script = step.get("script").or_else(|| step.get("bash"))?.text()?.to_owned();
                let directory = step.get("workingDirectory").and_then(Yaml::text).unwrap_or("");
                let plain = step.get("condition").is_none() && !directory.contains('$');
                plain.then(|| Step { script, directory: directory.to_owned() })
            })
            .collect();
        if !steps.is_empty() {
            found.push(Job { name: name.to_owned(), steps });
        }
        for key in ["jobs", "stages"] {
            for inner in value.get(key).map(Yaml::items).unwrap_or_default() {
                let named = inner.get("job").or_else(|| inner.get("stage")).and_then(Yaml::text);
                collect(inner, named.unwrap_or_default(), found);
            }
        }
    }
    let mut found = Vec::new();
    collect(&parse(text), "", &mut found);
    found
}

/// `.travis.yml`
pub(super) fn travis(text: &str) -> Vec<Job> {
    let file = parse(text);
    let scripts = |value: &Yaml| -> Vec<String> {
        let keys = ["install", "before_script", "script"];
        keys.iter().flat_map(|key| texts(value, key)).map(str::to_owned).collect()
    };
    let includes =
        file.get("jobs").or_else(|| file.get("matrix")).and_then(|jobs| jobs.get("include"));
    let includes = includes.map(Yaml::items).unwrap_or_default().iter();
    let includes = includes.filter(|entry| entry.get("deploy").is_none());
    let all = std::iter::once(scripts(&file)).chain(includes.map(scripts));
    all.filter(|lines| !lines.is_empty())
        .map(|lines| job("", lines.iter().map(String::as_str)))
        .collect()
}

/// `.cirrus.yml`: the keys that end in `_script` are steps, in order.
pub(super) fn cirrus(text: &str) -> Vec<Job> {
    let file = parse(text);
    let tasks = file.entries().iter().filter(|(name, _)| name.ends_with("task"));
    tasks
        .map(|(name, task)| {
            let scripts = task.entries().iter().filter(|(key, _)| key.ends_with("script"));
            job(name, scripts.flat_map(|(_, value)| value.texts()))
        })
        .collect()
}

/// `bitbucket-pipelines.yml`: the steps for every push.
pub(super) fn bitbucket(text: &str) -> Vec<Job> {
    let file = parse(text);
    let steps = file.get("pipelines").and_then(|it| it.get("default"));
    let steps = steps.map(Yaml::items).unwrap_or_default().iter();
    steps.filter_map(|item| item.get("step")).map(|step| job("", texts(step, "script"))).collect()
}

/// `.build.yml` of SourceHut: a list of named scripts.
pub(super) fn sourcehut(text: &str) -> Vec<Job> {
    let file = parse(text);
    let tasks = file.get("tasks").map(Yaml::items).unwrap_or_default().iter();
    let tasks = tasks.flat_map(Yaml::entries);
    tasks
        .filter_map(|(name, script)| {
            // Each task begins in the home folder, beside the project.
            let script = script.text()?;
            let script = script.split_once('\n').filter(|(first, _)| first.starts_with("cd "));
            Some(job(name, [script?.1]))
        })
        .collect()
}

/// Drone and Woodpecker: steps with `commands`.
pub(super) fn steps_with_commands(text: &str) -> Vec<Job> {
    let file = parse(text);
    let steps = file.get("steps").or_else(|| file.get("pipeline"));
    let Some(steps) = steps else { return Vec::new() };
    let named = steps.entries().iter().map(|(name, step)| (name.as_str(), step));
    let listed = steps.items().iter();
    let listed =
        listed.map(|step| (step.get("name").and_then(Yaml::text).unwrap_or_default(), step));
    named.chain(listed).map(|(name, step)| job(name, texts(step, "commands"))).collect()
}

/// `Jenkinsfile`: the texts after `sh`.
pub(super) fn jenkins(text: &str) -> Vec<Job> {
    let mut scripts = Vec::new();
    let mut stage = "";
    let mut rest = text;
    while let Some(line) = rest.lines().next() {
        let after = rest.get(line.len()..).unwrap_or_default();
        let after = after.strip_prefix('\r').unwrap_or(after);
        rest = after.strip_prefix('\n').unwrap_or(after);
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix("stage(") {
            stage = name;
        }
        let Some(argument) = trimmed.strip_prefix("sh ").or_else(|| trimmed.strip_prefix("sh("))
        else {
            continue;
        };
        if is_publishing(stage) {
            continue;
        }
        let argument = argument.trim_start();
        let mut script = None;
        for quote in ["\"\"\"", "'''"] {
            if let Some(begun) = argument.strip_prefix(quote) {
                let whole = format!("{begun}\n{rest}");
                script = whole.split_once(quote).map(|(script, _)| script.to_owned());
            }
        }
        if script.is_none() {
            script = ['"', '\''].iter().find_map(|quote| {
                let inner = argument.strip_prefix(*quote)?;
                Some(inner[..inner.rfind(*quote)?].to_owned())
            });
        }
        scripts.extend(script);
        if scripts.len() >= super::MAX_JOBS {
            break;
        }
    }
    scripts.iter().map(|script| job("", [script.as_str()])).collect()
}
