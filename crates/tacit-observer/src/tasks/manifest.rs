//! Tasks in JSON and TOML manifests.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use super::{TaskDefinition, TaskDefinitions, TaskRunner};

fn command(text: &str) -> TaskDefinition {
    TaskDefinition { commands: vec![text.to_owned()], depends: Vec::new() }
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

pub(super) fn package_json(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = json(text) else { return };
    for (name, script) in manifest["scripts"].as_object().into_iter().flatten() {
        if let Some(script) = script.as_str() {
            all.add(TaskRunner::Package, name, command(script));
        }
    }
}

pub(super) fn composer_json(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = json(text) else { return };
    for (name, script) in manifest["scripts"].as_object().into_iter().flatten() {
        let mut task = TaskDefinition::default();
        for line in json_strings(script) {
            match line.strip_prefix('@').map(|line| line.strip_prefix("php ").ok_or(line)) {
                Some(Ok(program)) => task.commands.push(program.to_owned()),
                Some(Err(other)) => task.depends.push(other.to_owned()),
                None => task.commands.push(line.to_owned()),
            }
        }
        all.add(TaskRunner::Composer, name, task);
    }
}

pub(super) fn deno_json(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = json(text) else { return };
    for (name, task) in manifest["tasks"].as_object().into_iter().flatten() {
        let line = task.as_str().or_else(|| task["command"].as_str());
        let depends = json_strings(&task["dependencies"]).map(str::to_owned).collect();
        let commands = line.map(str::to_owned).into_iter().collect();
        all.add(TaskRunner::Deno, name, TaskDefinition { commands, depends });
    }
}

/// Reads which tasks run before others; the scripts themselves are in the packages.
pub(super) fn turbo_json(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = json(text) else { return };
    let tasks = manifest["tasks"].as_object().or_else(|| manifest["pipeline"].as_object());
    for (name, task) in tasks.into_iter().flatten() {
        let depends = json_strings(&task["dependsOn"])
            .filter(|other| !other.contains(['^', '#', '$']))
            .map(str::to_owned)
            .collect();
        all.add(TaskRunner::Turbo, name, TaskDefinition { commands: Vec::new(), depends });
    }
}

/// Returns a string, or the strings of a list.
fn json_strings(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value.as_str().into_iter().chain(list.iter().filter_map(Value::as_str))
}

fn toml(text: &str) -> Option<DocumentMut> {
    text.parse().ok()
}

pub(super) fn mise_toml(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = toml(text) else { return };
    for (name, task) in entries(manifest.get("tasks")) {
        add_toml_task(all, TaskRunner::Mise, name, task);
    }
}

pub(super) fn pixi_toml(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = toml(text) else { return };
    pixi_tasks(manifest.as_item(), all);
}

fn pixi_tasks(table: &Item, all: &mut TaskDefinitions) {
    let features = entries(table.get("feature")).filter_map(|(_, feature)| feature.get("tasks"));
    for tasks in table.get("tasks").into_iter().chain(features) {
        for (name, task) in entries(Some(tasks)) {
            add_toml_task(all, TaskRunner::Pixi, name, task);
        }
    }
}

pub(super) fn hatch_toml(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = toml(text) else { return };
    hatch_scripts(manifest.get("envs"), all);
}

fn hatch_scripts(envs: Option<&Item>, all: &mut TaskDefinitions) {
    for (env, table) in entries(envs) {
        for (name, task) in entries(table.get("scripts")) {
            add_toml_task(all, TaskRunner::Hatch, &format!("{env}:{name}"), task);
            add_toml_task(all, TaskRunner::Hatch, name, task);
        }
    }
}

pub(super) fn cargo_make_toml(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = toml(text) else { return };
    for (name, task) in entries(manifest.get("tasks")) {
        let mut definition = TaskDefinition::default();
        definition.depends.extend(toml_strings(task.get("dependencies")));
        if let Some(program) = task.get("command").and_then(Item::as_str) {
            let words: Vec<String> =
                std::iter::once(program.to_owned()).chain(toml_strings(task.get("args"))).collect();
            definition.commands.push(words.join(" "));
        }
        definition.commands.extend(toml_strings(task.get("script")));
        all.add(TaskRunner::CargoMake, name, definition);
    }
}

pub(super) fn pyproject_toml(text: &str, all: &mut TaskDefinitions) {
    let Some(manifest) = toml(text) else { return };
    let Some(tool) = manifest.get("tool") else { return };
    let tables = [
        (TaskRunner::Poe, "poe", "tasks"),
        (TaskRunner::Pdm, "pdm", "scripts"),
        (TaskRunner::Pdm, "rye", "scripts"),
        (TaskRunner::Taskipy, "taskipy", "tasks"),
    ];
    for (runner, program, table) in tables {
        let table = tool.get(program).and_then(|program| program.get(table));
        for (name, task) in entries(table) {
            add_toml_task(all, runner, name, task);
        }
    }
    if let Some(pixi) = tool.get("pixi") {
        pixi_tasks(pixi, all);
    }
    hatch_scripts(tool.get("hatch").and_then(|hatch| hatch.get("envs")), all);
    let Some(tox) = tool.get("tox") else { return };
    if let Some(ini) = tox.get("legacy_tox_ini").and_then(Item::as_str) {
        super::recipe_file::tox_ini(ini, all);
    }
    let base = tox.get("env_run_base").map(|env| (super::DEFAULT_TARGET, env));
    for (name, env) in base.into_iter().chain(entries(tox.get("env"))) {
        let mut task = TaskDefinition::default();
        let commands = env.get("commands").and_then(Item::as_array);
        for words in commands.into_iter().flatten().filter_map(|line| line.as_array()) {
            let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
            task.commands.push(words.join(" "));
        }
        all.add(TaskRunner::Tox, name, task);
    }
}

/// Adds a task that is a command, a list of commands, or a table with them.
fn add_toml_task(all: &mut TaskDefinitions, runner: TaskRunner, name: &str, task: &Item) {
    let mut definition = TaskDefinition::default();
    // A list of strings in poe names other tasks.
    let list_is_tasks = runner == TaskRunner::Poe;
    if task.is_str() || (task.is_array() && !list_is_tasks) {
        definition.commands.extend(toml_strings(Some(task)));
    } else if task.is_array() {
        definition.depends.extend(toml_strings(Some(task)));
    }
    for key in ["run", "shell", "cmd"] {
        match task.get(key) {
            // A list of words is one command.
            Some(words) if key == "cmd" && words.is_array() => {
                definition.commands.push(toml_strings(Some(words)).collect::<Vec<_>>().join(" "));
            }
            lines => definition.commands.extend(toml_strings(lines)),
        }
    }
    for key in ["depends", "depends-on", "depends_on", "sequence", "deps"] {
        definition.depends.extend(toml_strings(task.get(key)));
    }
    let steps = task.get("run").or_else(|| task.get("sequence")).and_then(Item::as_array);
    for step in steps.into_iter().flatten().filter_map(|step| step.as_inline_table()) {
        for (key, value) in step {
            let Some(text) = value.as_str().map(str::to_owned) else { continue };
            match key {
                "task" | "ref" => definition.depends.push(text),
                "cmd" | "shell" => definition.commands.push(text),
                _ => {}
            }
        }
    }
    // The parts of a composite script are scripts or commands.
    let parts = toml_strings(task.get("composite"));
    definition.commands.extend(parts.map(|part| format!("pdm run {part}")));
    all.add(runner, name, definition);
}

fn entries(item: Option<&Item>) -> impl Iterator<Item = (&str, &Item)> {
    item.and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter)
}

/// Returns a string, or the strings of a list, or those in a list of tables that name tasks.
fn toml_strings(item: Option<&Item>) -> impl Iterator<Item = String> {
    let one = item.and_then(Item::as_str).map(str::to_owned);
    let list = item.and_then(Item::as_array).into_iter().flatten();
    let list = list.filter_map(|value| match value.as_inline_table() {
        Some(table) => table.get("task").and_then(|task| task.as_str()),
        None => value.as_str(),
    });
    one.into_iter().chain(list.map(str::to_owned).collect::<Vec<_>>())
}
