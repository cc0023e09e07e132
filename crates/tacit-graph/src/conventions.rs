//! What the code of a module has in common, as far as it can be counted: where its tests are, how
//! names are written, what its errors are. What is not clear is not said.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{EdgeKind, NodeKind};
use crate::modules::{Module, module_around};
use crate::packed::PackedGraph;
use crate::project::{FileId, parent};

/// A way of writing is a convention if at least so many names are written so,
const FEWEST: usize = 5;
/// and at least this share of those that show any.
const SHARE: f64 = 0.8;
/// How many names are told as examples.
const NAMED: usize = 3;
/// Folders that hold nothing but tests.
const TEST_FOLDERS: [&str; 6] = ["test", "tests", "__tests__", "spec", "testing", "e2e"];

/// What can be counted in each of some modules, a line each, with counts.
#[must_use]
pub fn conventions(graph: &PackedGraph<'_>, modules: &[Module]) -> Vec<Vec<String>> {
    let mut files: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in 0..graph.files() {
        if let Some(home) = module_around(modules, graph.path(file)) {
            files.entry(home.path.as_str()).or_default().push(file);
        }
    }
    let none = Vec::new();
    let of_module = |module: &Module| {
        let files = files.get(module.path.as_str()).unwrap_or(&none);
        // The tests of a project are those of its root, whatever module they are.
        let beside: Vec<FileId> = match module.path.is_empty() {
            true => (0..graph.files()).filter(|file| is_beside(graph.path(*file))).collect(),
            false => Vec::new(),
        };
        of_files(graph, files, &beside)
    };
    modules.iter().map(of_module).collect()
}

/// Whether a file is in a folder for tests at the root.
fn is_beside(path: &str) -> bool {
    path.split_once('/').is_some_and(|(folder, _)| TEST_FOLDERS.contains(&folder))
}

fn of_files(graph: &PackedGraph<'_>, files: &[FileId], beside: &[FileId]) -> Vec<String> {
    let with_tests: BTreeSet<FileId> = files.iter().chain(beside).copied().collect();
    let mut lines = vec![tests(graph, &Vec::from_iter(with_tests))];
    let stems = files.iter().map(|file| stem(graph.path(*file)));
    lines.extend(style(stems).map(|said| format!("File names: {said}.")));
    let symbols = |wanted: NodeKind| {
        let ids = files.iter().flat_map(|file| graph.range(*file));
        ids.filter(move |id| graph.kind(*id) == Some(wanted)).map(|id| last(graph.name(id)))
    };
    lines.extend(style(symbols(NodeKind::Function)).map(|said| format!("Functions: {said}.")));
    let is_error = |name: &&str| {
        ["Error", "Exception"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
    };
    let mut errors: Vec<&str> = symbols(NodeKind::Class).filter(is_error).collect();
    errors.sort_unstable();
    errors.dedup();
    if !errors.is_empty() {
        let named: Vec<&str> = errors.iter().take(NAMED).copied().collect();
        let more = errors.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("Error types: {}{more}.", named.join(", ")));
    }
    lines
}

/// Where the tests are.
fn tests(graph: &PackedGraph<'_>, files: &[FileId]) -> String {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut beside, mut inside) = (0, 0);
    for file in files {
        let path = graph.path(*file);
        let has_tests = || graph.range(*file).any(|id| graph.kind(id) == Some(NodeKind::Test));
        if graph.file(*file).is_some_and(|file| file.test) {
            match parent(path).split('/').find(|part| TEST_FOLDERS.contains(part)) {
                Some(folder) => *folders.entry(folder).or_default() += 1,
                None => beside += 1,
            }
        } else if has_tests() {
            inside += 1;
        }
    }
    let counted =
        |count: usize| if count == 1 { "1 file".into() } else { format!("{count} files") };
    let mut parts: Vec<String> =
        folders.iter().map(|(folder, count)| format!("{} in {folder}", counted(*count))).collect();
    if beside > 0 {
        parts.push(format!("{} beside the code", counted(beside)));
    }
    if inside > 0 {
        parts.push(format!("{} with tests inside", counted(inside)));
    }
    let elsewhere = tests_elsewhere(graph, files);
    if elsewhere > 0 {
        parts.push(format!("{} elsewhere", counted(elsewhere)));
    }
    if parts.is_empty() {
        "It has no tests.".into()
    } else {
        format!("Tests: {}.", parts.join(", "))
    }
}

/// How many files with tests import these, and are none of them.
fn tests_elsewhere(graph: &PackedGraph<'_>, files: &[FileId]) -> usize {
    let own: BTreeSet<FileId> = files.iter().copied().collect();
    let imports = files.iter().flat_map(|file| graph.dependents(graph.range(*file).start));
    let from: BTreeSet<FileId> = imports
        .filter(|edge| edge.kind == EdgeKind::Imports)
        .filter_map(|edge| graph.file_of(edge.from))
        .filter(|file| !own.contains(file))
        .collect();
    from.into_iter().filter(|file| graph.file(*file).is_some_and(|file| file.test)).count()
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// How names are written, if it is clear.
fn style<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for style in names.filter_map(written) {
        *counts.entry(style).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let (style, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let clear = count >= FEWEST && count as f64 >= SHARE * all as f64;
    clear.then(|| format!("{style} ({count} of {all})"))
}

/// How a name is written; none for one word in lower case, which could be any.
fn written(name: &str) -> Option<&'static str> {
    let name = name.trim_matches('_');
    let upper = name.chars().any(char::is_uppercase);
    let begins = name.chars().next().is_some_and(char::is_uppercase);
    match (name.contains('-'), name.contains('_'), upper) {
        (true, false, false) => Some("kebab-case"),
        (false, true, false) => Some("snake_case"),
        (false, false, true) if begins => Some("PascalCase"),
        (false, false, true) => Some("camelCase"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{style, written};

    #[test]
    fn names_are_written_in_one_way_or_none() {
        for (name, expected) in [
            ("token-store", Some("kebab-case")),
            ("token_store", Some("snake_case")),
            ("_token_store", Some("snake_case")),
            ("TokenStore", Some("PascalCase")),
            ("tokenStore", Some("camelCase")),
            ("store", None),
            ("Token_Store", None),
            ("", None),
        ] {
            assert_eq!(written(name), expected, "{name}");
        }
    }

    #[test]
    fn a_convention_is_what_most_of_several_names_show() {
        for (what, names, expected) in [
            ("four", vec!["a_b"; 4], None),
            ("five", vec!["a_b"; 5], Some("snake_case (5 of 5)")),
            ("words alone say nothing", vec!["run"; 9], None),
            (
                "four of five",
                [vec!["a_b"; 8], vec!["aB"; 2]].concat(),
                Some("snake_case (8 of 10)"),
            ),
            ("fewer", [vec!["a_b"; 7], vec!["aB"; 2]].concat(), None),
        ] {
            assert_eq!(style(names.into_iter()).as_deref(), expected, "{what}");
        }
    }
}
