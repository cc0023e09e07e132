//! Tasks in YAML files, as far as their layout tells: keys, lists and indentation.

use super::recipe_file::without_interpolations;
use super::{DEFAULT_TARGET, TaskDefinition, TaskDefinitions, TaskRunner};

/// A line of a YAML file.
struct YamlLine<'a> {
    indent: usize,
    /// True if it begins an item of a list.
    item: bool,
    /// The key; empty for a plain value.
    key: &'a str,
    value: &'a str,
}

fn lines(text: &str) -> impl Iterator<Item = YamlLine<'_>> {
    text.lines().filter_map(|line| {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if bare.is_empty() || bare.starts_with('#') || bare.starts_with("---") {
            return None;
        }
        let (item, bare) = match bare.strip_prefix("- ") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, bare),
        };
        let bare = bare.trim_end();
        let pair = bare.split_once(": ").or_else(|| bare.strip_suffix(':').map(|key| (key, "")));
        let is_key = |key: &str| !key.is_empty() && !key.contains([' ', '{', '[']);
        let (key, value) = match pair {
            Some((key, value)) if is_key(unquoted(key)) => (unquoted(key), value.trim()),
            _ => ("", bare),
        };
        Some(YamlLine { indent, item, key, value: unquoted(value) })
    })
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// Returns the items of `[a, b]`.
fn flow_list(value: &str) -> impl Iterator<Item = String> {
    let inner = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let items = inner.unwrap_or_default().split(',').map(|item| unquoted(item.trim()).to_owned());
    items.filter(|item| !item.is_empty())
}

/// Reads a `Taskfile.yml` of go-task.
pub(super) fn taskfile(text: &str, all: &mut TaskDefinitions) {
    let mut in_tasks = false;
    let mut names_at = None;
    let mut current: Option<(String, TaskDefinition)> = None;
    let mut section = "";
    for line in lines(text) {
        if line.indent == 0 && !line.item {
            in_tasks = line.key == "tasks";
            continue;
        }
        if !in_tasks {
            continue;
        }
        let at = *names_at.get_or_insert(line.indent);
        if line.indent == at && !line.item && !line.key.is_empty() {
            if let Some((name, task)) = current.take() {
                all.add(TaskRunner::GoTask, &name, task);
            }
            let mut task = TaskDefinition::default();
            task.commands.push(without_interpolations(line.value));
            current = Some((line.key.to_owned(), task));
            section = "cmds";
            continue;
        }
        let Some((_, task)) = &mut current else { continue };
        match (line.item, line.key) {
            (true, "task") if section == "deps" || section == "cmds" => {
                task.depends.push(line.value.to_owned());
            }
            (true, "cmd") => task.commands.push(without_interpolations(line.value)),
            (true, "") if section == "deps" => task.depends.push(line.value.to_owned()),
            (true, _) if section == "cmds" => {
                let text = if line.key.is_empty() {
                    line.value.to_owned()
                } else {
                    format!("{}: {}", line.key, line.value)
                };
                task.commands.push(without_interpolations(&text));
            }
            (false, "cmds") => section = "cmds",
            (false, "deps") => {
                section = "deps";
                task.depends.extend(flow_list(line.value));
            }
            (false, "cmd") => task.commands.push(without_interpolations(line.value)),
            // The lines of a block are commands, too.
            (false, "") if section == "cmds" => {
                task.commands.push(without_interpolations(line.value));
            }
            (false, key) if !key.is_empty() && !matches!(key, "task" | "vars") => section = "other",
            _ => {}
        }
    }
    if let Some((name, task)) = current {
        all.add(TaskRunner::GoTask, &name, task);
    }
}

/// Reads the hooks of the `pre-commit` framework: by identifier, and all together.
pub(super) fn pre_commit(text: &str, all: &mut TaskDefinitions) {
    let mut hooks: Vec<(String, String)> = Vec::new();
    for line in lines(text) {
        match line.key {
            "id" => hooks.push((line.value.to_owned(), hook_command(line.value).to_owned())),
            "entry" => {
                if let Some((_, command)) = hooks.last_mut() {
                    line.value.clone_into(command);
                }
            }
            _ => {}
        }
    }
    let depends = hooks.iter().map(|(id, _)| id.clone()).collect();
    let everything = TaskDefinition { commands: Vec::new(), depends };
    all.add(TaskRunner::PreCommit, DEFAULT_TARGET, everything);
    for (id, command) in hooks {
        let task = TaskDefinition { commands: vec![command], depends: Vec::new() };
        all.add(TaskRunner::PreCommit, &id, task);
    }
}

/// Returns the command of a hook that is named after its program.
fn hook_command(id: &str) -> &str {
    match id {
        "ruff" | "ruff-check" => "ruff check",
        "ruff-format" => "ruff format --check",
        "golangci-lint" | "golangci-lint-full" => "golangci-lint run",
        "black" => "black --check",
        "clippy" => "cargo clippy",
        id => id,
    }
}

/// Reads the commands of each git hook in `lefthook.yml`.
pub(super) fn lefthook(text: &str, all: &mut TaskDefinitions) {
    let mut current: Option<(String, TaskDefinition)> = None;
    for line in lines(text) {
        if line.indent == 0 && !line.item {
            if let Some((name, task)) = current.take() {
                all.add(TaskRunner::Lefthook, &name, task);
            }
            current = Some((line.key.to_owned(), TaskDefinition::default()));
        } else if let Some((_, task)) = &mut current
            && line.key == "run"
        {
            task.commands.push(without_staged_files(line.value));
        }
    }
    if let Some((name, task)) = current {
        all.add(TaskRunner::Lefthook, &name, task);
    }
}

/// Removes `{staged_files}` and similar placeholders.
fn without_staged_files(line: &str) -> String {
    let words = line.split_whitespace().filter(|word| !word.starts_with('{'));
    words.collect::<Vec<_>>().join(" ")
}
