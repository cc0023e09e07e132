//! Finds the modules of a project: packages with a manifest, or else directories. Collects their
//! entry points, exports, dependencies and communities.

use std::collections::{BTreeMap, BTreeSet};

use crate::communities::{Community, communities};
use crate::graph::{EdgeKind, NodeKind};
use crate::packed::PackedGraph;
use crate::project::{FileId, ancestors, manifest_directory, parent};
use crate::skip::is_listed;

/// The maximum number of entry points and exports.
const MAX_NAMES: usize = 12;

/// A module of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// The directory; empty for the root.
    pub path: String,
    /// The number of source files.
    pub files: u64,
    /// The number of lines.
    pub lines: u64,
    /// The number of test files.
    pub tests: u64,
    /// Files to start reading with: those with typical names, then those that are imported most.
    pub entry_points: Vec<String>,
    /// The most used symbols, as `file::symbol`. Uses from other modules count first. Private
    /// symbols are only listed if another module uses them.
    pub exports: Vec<String>,
    /// The modules it depends on, with the number of edges.
    pub uses: BTreeMap<String, u64>,
    /// The number of edges from other modules.
    pub used: u64,
    /// The communities of its large directories, the largest first in each directory.
    pub communities: Vec<Community>,
}

/// Finds the modules. Directories with a manifest are modules. Without manifests, top-level
/// directories are, or those below a directory such as `src`.
#[must_use]
pub fn modules(graph: &PackedGraph<'_>, manifests: &BTreeSet<String>) -> Vec<Module> {
    let module_paths = module_paths(graph, manifests);
    let home = |file: FileId| module_paths.get(file as usize).map_or("", String::as_str);
    let mut modules: BTreeMap<&str, Module> = BTreeMap::new();
    let mut imported: BTreeMap<FileId, u64> = BTreeMap::new();
    // Uses of each symbol: from other modules, and from other files of its own module.
    let mut offered: BTreeMap<(&str, u32), (u64, u64)> = BTreeMap::new();
    for id in 0..graph.files() {
        let module = modules.entry(home(id)).or_default();
        let Some(file) = graph.file(id) else { continue };
        module.files += 1;
        module.lines += u64::from(graph.node(file.node).map_or(0, |node| node.end_line));
        module.tests += u64::from(file.test);
    }
    for edge in (0..graph.nodes()).flat_map(|node| graph.dependencies(node)) {
        let (Some(from), Some(to)) = (graph.file_of(edge.from), graph.file_of(edge.to)) else {
            continue;
        };
        if from == to {
            continue;
        }
        *imported.entry(to).or_default() += 1;
        if home(from) != home(to) && edge.kind != EdgeKind::Exports {
            *modules.entry(home(from)).or_default().uses.entry(home(to).to_owned()).or_default() +=
                1;
            modules.entry(home(to)).or_default().used += 1;
        }
        if graph.kind(edge.to) != Some(NodeKind::File)
            && !graph.file(from).is_some_and(|file| file.test)
        {
            let (outside, inside) = offered.entry((home(to), edge.to)).or_default();
            *(if home(from) == home(to) { inside } else { outside }) += 1;
        }
    }
    let mut members: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in 0..graph.files() {
        members.entry(home(file)).or_default().push(file);
    }
    for (path, module) in &mut modules {
        module.path = (*path).to_owned();
        let members = members.get(path).map_or(&[][..], Vec::as_slice);
        module.communities = communities(graph, members);
        module.entry_points = entry_points(graph, members, &imported);
        let mut symbols: Vec<((u64, u64), u32)> = offered
            .range((*path, 0)..=(*path, u32::MAX))
            .filter(|((_, node), (outside, _))| *outside > 0 || !is_private(graph.name(*node)))
            .map(|((_, node), count)| (*count, *node))
            .collect();
        symbols.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        module.exports =
            symbols.iter().take(MAX_NAMES).map(|(_, node)| graph.label(*node)).collect();
    }
    modules.into_values().collect()
}

/// Returns the innermost module that contains a file or directory.
#[must_use]
pub fn innermost_module<'m>(modules: &'m [Module], path: &str) -> Option<&'m Module> {
    let is_around = |module: &&Module| {
        let rest = path.strip_prefix(module.path.as_str());
        module.path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    modules.iter().filter(is_around).max_by_key(|module| module.path.len())
}

/// Returns the entry points of a module. An empty `__init__` is only used if there is nothing else.
fn entry_points(
    graph: &PackedGraph<'_>,
    members: &[FileId],
    imported: &BTreeMap<FileId, u64>,
) -> Vec<String> {
    let defines = |file: FileId| graph.range(file).len() > 1;
    let packages = members.iter().map(|file| graph.path(*file)).filter(|path| is_init(path));
    let outermost = packages.map(depth).min();
    let is_named = |file: FileId| {
        let path = graph.path(file);
        is_entry_point_name(path)
            && (!is_init(path) || defines(file) && Some(depth(path)) == outermost)
    };
    let code = members.iter().filter(|file| !graph.file(**file).is_some_and(|file| file.test));
    let (empty_packages, mut files): (Vec<FileId>, Vec<FileId>) =
        code.partition(|file| is_init(graph.path(**file)) && !defines(**file));
    let count = |file: &FileId| imported.get(file).copied().unwrap_or(0);
    files.retain(|file| is_named(*file) || count(file) > 0);
    if files.is_empty() {
        files = empty_packages;
    }
    files.sort_by_key(|file| (std::cmp::Reverse((is_named(*file), count(file))), *file));
    files.iter().take(MAX_NAMES).map(|file| graph.path(*file).to_owned()).collect()
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// Returns true if a file turns its directory into a Python package.
fn is_init(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("__init__.py" | "__init__.pyi"))
}

/// Returns true if a name marks a symbol as private.
fn is_private(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.starts_with('_') && !last.starts_with("__")
}

/// Returns the module of each file.
fn module_paths(graph: &PackedGraph<'_>, manifests: &BTreeSet<String>) -> Vec<String> {
    let folders: BTreeSet<&str> = manifests.iter().map(|path| manifest_directory(path)).collect();
    let paths: Vec<&str> = (0..graph.files()).map(|file| graph.path(file)).collect();
    paths
        .iter()
        .map(|path| {
            let here = parent(path);
            let package =
                ancestors(here).find(|folder| folders.contains(folder)).unwrap_or_default();
            if !package.is_empty() || folders.len() > 1 {
                return package.to_owned();
            }
            // With at most one package, directories are the modules, below `src` or the like if
            // there is one.
            let mut parts = here.split('/');
            let first = parts.next().unwrap_or_default();
            match (first, parts.next()) {
                ("src" | "lib" | "app" | "packages" | "internal" | "pkg" | "cmd", Some(second)) => {
                    format!("{first}/{second}")
                }
                (first, _) => first.to_owned(),
            }
        })
        .collect()
}

/// Returns true if a file name is typical for an entry point.
fn is_entry_point_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    is_listed("index main lib mod __init__ __main__ app App Main server cli", stem)
}

#[cfg(test)]
mod tests {
    use super::{Module, innermost_module, is_entry_point_name, is_private};

    #[test]
    fn files_belong_to_the_innermost_module() {
        let module = |path: &str| Module { path: path.into(), ..Module::default() };
        let modules = ["", "src", "src/pool"].map(module);
        for (path, expected) in [
            ("setup.py", ""),
            ("src/main.py", "src"),
            ("src/pool/a.py", "src/pool"),
            ("src/pool", "src/pool"),
            ("src/pools.py", "src"),
            ("srcs/a.py", ""),
        ] {
            let found = innermost_module(&modules, path).map(|module| module.path.as_str());
            assert_eq!(found, Some(expected), "{path}");
        }
        assert_eq!(innermost_module(&modules[1..], "setup.py"), None);
    }

    #[test]
    fn leading_underscores_mark_private_symbols() {
        for (name, private) in
            [("_run", true), ("Pool._run", true), ("_Pool.run", false), ("__init__", false)]
        {
            assert_eq!(is_private(name), private, "{name}");
        }
    }

    #[test]
    fn entry_points_have_typical_names() {
        for (path, entry) in
            [("src/lib.rs", true), ("a/index.test.ts", true), ("a/indexes.ts", false)]
        {
            assert_eq!(is_entry_point_name(path), entry, "{path}");
        }
    }
}
