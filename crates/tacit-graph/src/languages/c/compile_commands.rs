//! Include paths from `compile_commands.json`, as paths of the project.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::project::{FileId, ProjectIndex, join};

/// The include paths of one compilation, in the order in which they are searched.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct IncludePaths {
    /// For `#include "…"` only.
    pub(crate) quoted: Vec<String>,
    pub(crate) all: Vec<String>,
}

/// The include paths of every file that is compiled.
pub(crate) fn include_paths_by_file(index: &ProjectIndex<'_>) -> BTreeMap<FileId, IncludePaths> {
    let mut found = BTreeMap::new();
    for (_, text) in index.manifests("compile_commands.json") {
        let Ok(Value::Array(entries)) = serde_json::from_str(text) else { continue };
        let Some(root) = root(index, &entries) else { continue };
        for entry in &entries {
            let Some(file) = absolute(entry, "file") else { continue };
            let Some(file) = inside(&root, &file).and_then(|file| index.file(&file)) else {
                continue;
            };
            let directory = text_of(entry, "directory");
            found.insert(file, paths(&root, directory, &arguments(entry)));
        }
    }
    found
}

fn text_of<'v>(entry: &'v Value, key: &str) -> &'v str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A path of an entry as it is on the machine that wrote it.
fn absolute(entry: &Value, key: &str) -> Option<String> {
    on_machine(text_of(entry, "directory"), text_of(entry, key))
}

fn on_machine(directory: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if path.is_empty() {
        return None;
    }
    let is_absolute = path.starts_with('/') || path.get(1..2) == Some(":");
    if is_absolute { join("", &path) } else { join(&directory.replace('\\', "/"), &path) }
}

/// Where the project is on the machine that wrote the commands: above most of the files it names,
/// each seen as the longest path that the project has.
fn root(index: &ProjectIndex<'_>, entries: &[Value]) -> Option<String> {
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for file in entries.iter().filter_map(|entry| absolute(entry, "file")) {
        let starts = std::iter::once(0).chain(file.match_indices('/').map(|(at, _)| at + 1));
        let start = { starts }.find(|start| index.file(&file[*start..]).is_some());
        if let Some(start) = start {
            *votes.entry(file[..start].trim_end_matches('/').to_owned()).or_default() += 1;
        }
    }
    let most = votes.values().copied().max()?;
    votes.into_iter().find(|(_, count)| *count == most).map(|(root, _)| root)
}

/// A path on the machine as one of the project.
fn inside(root: &str, path: &str) -> Option<String> {
    let rest = path.strip_prefix(root)?;
    if root.is_empty() || rest.is_empty() {
        return Some(rest.to_owned());
    }
    rest.strip_prefix('/').map(str::to_owned)
}

/// The arguments of a command; a command in one text is split as a shell would.
fn arguments(entry: &Value) -> Vec<String> {
    if let Some(list) = entry.get("arguments").and_then(Value::as_array) {
        return list.iter().filter_map(|value| Some(value.as_str()?.to_owned())).collect();
    }
    let mut words = Vec::new();
    let (mut word, mut quote, mut escaped) = (String::new(), None, false);
    for c in text_of(entry, "command").chars() {
        match (c, quote) {
            _ if escaped => {
                word.push(c);
                escaped = false;
            }
            ('\\', None | Some('"')) => escaped = true,
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            (c, None) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn paths(root: &str, directory: &str, arguments: &[String]) -> IncludePaths {
    let (mut quoted, mut own, mut system) = (Vec::new(), Vec::new(), Vec::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let options = [("-iquote", 0), ("-isystem", 2), ("-I", 1), ("/I", 1)];
        let Some((option, sort)) = options.iter().find(|(option, _)| word.starts_with(option))
        else {
            continue;
        };
        let path = match &word[option.len()..] {
            "" => words.next().map(String::as_str),
            path => Some(path),
        };
        let path = path.and_then(|path| on_machine(directory, path));
        // What is outside of the project has nothing to link to.
        if let Some(path) = path.and_then(|path| inside(root, &path)) {
            [&mut quoted, &mut own, &mut system][*sort].push(path);
        }
    }
    own.append(&mut system);
    let mut seen = BTreeSet::new();
    own.retain(|path| seen.insert(path.clone()));
    IncludePaths { quoted, all: own }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn include_paths_are_taken_from_arguments() {
        let words =
            |text: &str| -> Vec<String> { arguments(&serde_json::json!({ "command": text })) };
        for (command, quoted, all) in [
            ("cc -Iinc -I ../up -c a.c", &[][..], &["build/inc", "up"][..]),
            ("cc -iquote q -isystem sys -I/home/me/p/abs", &["build/q"], &["abs", "build/sys"]),
            (
                "cc '-Iwith space' -I\"two words\" -Ia\\ b",
                &[],
                &["build/with space", "build/two words", "build/a b"],
            ),
            ("cc -I/usr/include -I../../outside", &[], &[]),
            ("cc -Ia -Ia -I", &[], &["build/a"]),
        ] {
            let found = paths("home/me/p", "/home/me/p/build", &words(command));
            assert_eq!(
                (found.quoted.as_slice(), found.all.as_slice()),
                (
                    &quoted.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..],
                    &all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..]
                ),
                "{command}"
            );
        }
    }
}
