//! Tasks in `Makefile`, `justfile` and `tox.ini`.

use std::collections::BTreeMap;

use super::{DEFAULT_TARGET, TaskDefinition, TaskDefinitions, TaskRunner};

/// Maximum depth of variables in variables.
const MAX_VARIABLE_DEPTH: usize = 4;

pub(super) fn makefile(text: &str, all: &mut TaskDefinitions) {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut variables: BTreeMap<&str, &str> = BTreeMap::from([("MAKE", "make")]);
    let mut tasks: Vec<(Vec<&str>, TaskDefinition)> = Vec::new();
    for line in joined.lines() {
        if let Some(command) = line.strip_prefix('\t') {
            if let Some((_, task)) = tasks.last_mut() {
                let command = command.trim_start_matches(['@', '-', '+', ' ']);
                task.commands.push(command.to_owned());
            }
            continue;
        }
        let line = line.split('#').next().unwrap_or_default().trim_end();
        if let Some((name, value)) = assignment(line) {
            variables.insert(name, value);
        } else if let Some((names, rest)) = line.split_once(':').filter(|_| !line.starts_with(' '))
        {
            let names: Vec<&str> =
                names.split_whitespace().filter(|name| !name.contains(['$', '%'])).collect();
            let (depends, inline) =
                rest.trim_start_matches(':').split_once(';').unwrap_or((rest, ""));
            let task = TaskDefinition {
                commands: vec![inline.trim().trim_start_matches('@').to_owned()],
                depends: depends.split_whitespace().map(str::to_owned).collect(),
            };
            tasks.push((names, task));
        }
    }
    let first = tasks.iter().flat_map(|(names, _)| names).find(|name| !name.starts_with('.'));
    if let Some(first) = first.map(|name| (*name).to_owned()) {
        let task = TaskDefinition { commands: Vec::new(), depends: vec![first] };
        all.add(TaskRunner::Make, DEFAULT_TARGET, task);
    }
    // A target can have several rules, of which one has commands.
    let mut merged: BTreeMap<&str, TaskDefinition> = BTreeMap::new();
    for (names, task) in &tasks {
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            let known = merged.entry(*name).or_default();
            known.depends.extend(task.depends.iter().cloned());
            let commands = task.commands.iter().filter(|line| !line.is_empty());
            known
                .commands
                .extend(commands.map(|line| expand(line, &variables, MAX_VARIABLE_DEPTH)));
        }
    }
    for (name, task) in merged {
        all.add(TaskRunner::Make, name, task);
    }
}

/// Reads `NAME = value`, `:=`, `?=` and `+=`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', '!']).trim();
    let name = name.strip_prefix("export ").unwrap_or(name);
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then(|| (name, value.trim()))
}

/// Replaces `$(NAME)` and `${NAME}` by what the file assigns to them, unknown ones by nothing.
fn expand(line: &str, variables: &BTreeMap<&str, &str>, depth: usize) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let close = match after.as_bytes().first() {
            Some(b'(') => ')',
            Some(b'{') => '}',
            Some(b'$') => {
                text.push('$');
                rest = &after[1..];
                continue;
            }
            _ => {
                text.push('$');
                rest = after;
                continue;
            }
        };
        let Some(end) = after.find(close) else {
            rest = after;
            break;
        };
        if let Some(value) = variables.get(&after[1..end]).filter(|_| depth > 0)
            && text.len() < super::MAX_COMMAND
        {
            text.push_str(&expand(value, variables, depth - 1));
        }
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    text
}

pub(super) fn justfile(text: &str, all: &mut TaskDefinitions) {
    let mut current: Option<(String, TaskDefinition)> = None;
    let mut first = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, task)) = &mut current {
                let command = line.trim().trim_start_matches(['@', '-']);
                task.commands.push(without_interpolations(command));
            }
            continue;
        }
        if line.trim().is_empty() || line.starts_with(['#', '[']) {
            continue;
        }
        if let Some((name, task)) = current.take() {
            all.add(TaskRunner::Just, &name, task);
        }
        if let Some((name, target)) =
            line.strip_prefix("alias ").and_then(|alias| alias.split_once(":="))
        {
            let depends = vec![target.trim().to_owned()];
            all.add(
                TaskRunner::Just,
                name.trim(),
                TaskDefinition { commands: Vec::new(), depends },
            );
        } else if let Some((head, depends)) = line.split_once(':')
            && !depends.starts_with('=')
        {
            let name = head.trim_start_matches('@').split_whitespace().next().unwrap_or_default();
            // Dependencies with arguments stand in brackets.
            let depends = depends.split('#').next().unwrap_or_default();
            let depends = depends.split_whitespace().map(|name| name.trim_matches(['(', ')']));
            let depends = depends.filter(|name| *name != "&&").map(str::to_owned).collect();
            first.get_or_insert_with(|| name.to_owned());
            current = Some((name.to_owned(), TaskDefinition { commands: Vec::new(), depends }));
        }
    }
    if let Some((name, task)) = current {
        all.add(TaskRunner::Just, &name, task);
    }
    if let Some(first) = first {
        let task = TaskDefinition { commands: Vec::new(), depends: vec![first] };
        all.add(TaskRunner::Just, DEFAULT_TARGET, task);
    }
}

/// Removes `{{ … }}`.
pub(super) fn without_interpolations(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        match after.split_once("}}") {
            Some((_, after)) => rest = after,
            None => return text,
        }
    }
    text.push_str(rest);
    text
}

pub(super) fn tox_ini(text: &str, all: &mut TaskDefinitions) {
    let mut name: Option<String> = None;
    let mut task = TaskDefinition::default();
    let mut in_commands = false;
    for line in text.lines().chain(std::iter::once("[end]")) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.trim().strip_suffix(']'))
        {
            if let Some(name) = name.take() {
                all.add(TaskRunner::Tox, &name, std::mem::take(&mut task));
            }
            in_commands = false;
            name = match section.strip_prefix("testenv") {
                Some("") => Some(DEFAULT_TARGET.to_owned()),
                Some(env) => env.strip_prefix(':').map(str::to_owned),
                None => None,
            };
        } else if !line.starts_with([' ', '\t']) {
            let value = line.split_once('=').filter(|(key, _)| key.trim() == "commands");
            in_commands = value.is_some();
            task.commands.extend(value.map(|(_, value)| value.trim().to_owned()));
        } else if in_commands {
            let command = line.trim().trim_start_matches(['-', '!', ' ']);
            task.commands.push(command.replace("{posargs}", ""));
        }
    }
}
