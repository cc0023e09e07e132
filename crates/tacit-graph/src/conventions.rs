//! Counts the conventions of a module: the places of its tests, naming styles, error types. Unclear
//! cases are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{EdgeKind, NodeKind};
use crate::modules::{Module, innermost_module};
use crate::packed::PackedGraph;
use crate::project::{FileId, parent};

/// The minimum number of names in one style that make a convention.
const MIN_NAMES: usize = 5;
/// The minimum share of that style among all names with a recognisable style.
const MIN_SHARE: f64 = 0.8;
/// The number of error types to name.
const MAX_EXAMPLES: usize = 3;
/// Folders that contain only tests.
const TEST_FOLDERS: [&str; 6] = ["test", "tests", "__tests__", "spec", "testing", "e2e"];

/// Describes the conventions of each module, one line per convention, with counts.
#[must_use]
pub fn conventions(graph: &PackedGraph<'_>, modules: &[Module]) -> Vec<Vec<String>> {
    let mut files: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in 0..graph.files() {
        if let Some(home) = innermost_module(modules, graph.path(file)) {
            files.entry(home.path.as_str()).or_default().push(file);
        }
    }
    let none = Vec::new();
    let describe_module = |module: &Module| {
        let files = files.get(module.path.as_str()).unwrap_or(&none);
        // The root module also counts the tests of the project, even if they are in other modules.
        let beside: Vec<FileId> = match module.path.is_empty() {
            true => {
                (0..graph.files()).filter(|file| in_root_test_folder(graph.path(*file))).collect()
            }
            false => Vec::new(),
        };
        describe_files(graph, files, &beside)
    };
    modules.iter().map(describe_module).collect()
}

/// Returns true if a file is in a test folder at the root.
fn in_root_test_folder(path: &str) -> bool {
    path.split_once('/').is_some_and(|(folder, _)| TEST_FOLDERS.contains(&folder))
}

fn describe_files(graph: &PackedGraph<'_>, files: &[FileId], beside: &[FileId]) -> Vec<String> {
    let with_tests: BTreeSet<FileId> = files.iter().chain(beside).copied().collect();
    let mut lines = vec![describe_tests(graph, &Vec::from_iter(with_tests))];
    let stems = files.iter().map(|file| stem(graph.path(*file)));
    lines.extend(common_style(stems).map(|style| format!("File names: {style}.")));
    let symbols = |kind: NodeKind| {
        let ids = files.iter().flat_map(|file| graph.range(*file));
        ids.filter(move |id| graph.kind(*id) == Some(kind)).map(|id| last_part(graph.name(id)))
    };
    lines.extend(
        common_style(symbols(NodeKind::Function)).map(|style| format!("Functions: {style}.")),
    );
    let is_error = |name: &&str| {
        ["Error", "Exception"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
    };
    let mut errors: Vec<&str> = symbols(NodeKind::Class).filter(is_error).collect();
    errors.sort_unstable();
    errors.dedup();
    if !errors.is_empty() {
        let named: Vec<&str> = errors.iter().take(MAX_EXAMPLES).copied().collect();
        let more = errors.len().saturating_sub(MAX_EXAMPLES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("Error types: {}{more}.", named.join(", ")));
    }
    lines
}

/// Describes the places of the tests.
fn describe_tests(graph: &PackedGraph<'_>, files: &[FileId]) -> String {
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
    let file_count =
        |count: usize| if count == 1 { "1 file".into() } else { format!("{count} files") };
    let mut parts: Vec<String> = folders
        .iter()
        .map(|(folder, count)| format!("{} in {folder}", file_count(*count)))
        .collect();
    if beside > 0 {
        parts.push(format!("{} beside the code", file_count(beside)));
    }
    if inside > 0 {
        parts.push(format!("{} with inline tests", file_count(inside)));
    }
    let elsewhere = tests_elsewhere(graph, files);
    if elsewhere > 0 {
        parts.push(format!("{} elsewhere", file_count(elsewhere)));
    }
    if parts.is_empty() { "Tests: none.".into() } else { format!("Tests: {}.", parts.join(", ")) }
}

/// Counts the test files outside `files` that import one of them.
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

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the style that most names share, if it is clear.
fn common_style<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for style in names.filter_map(naming_style) {
        *counts.entry(style).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let (style, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let clear = count >= MIN_NAMES && count as f64 >= MIN_SHARE * all as f64;
    clear.then(|| format!("{style} ({count} of {all})"))
}

/// Returns the style of a name, or `None` for a single lower-case word, which fits any style.
fn naming_style(name: &str) -> Option<&'static str> {
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
    use super::{common_style, naming_style};

    #[test]
    fn names_have_one_style_or_none() {
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
            assert_eq!(naming_style(name), expected, "{name}");
        }
    }

    #[test]
    fn a_convention_needs_enough_names_and_a_large_share() {
        for (what, names, expected) in [
            ("four", vec!["a_b"; 4], None),
            ("five", vec!["a_b"; 5], Some("snake_case (5 of 5)")),
            ("single words have no style", vec!["run"; 9], None),
            (
                "four of five",
                [vec!["a_b"; 8], vec!["aB"; 2]].concat(),
                Some("snake_case (8 of 10)"),
            ),
            ("fewer", [vec!["a_b"; 7], vec!["aB"; 2]].concat(), None),
        ] {
            assert_eq!(common_style(names.into_iter()).as_deref(), expected, "{what}");
        }
    }
}
