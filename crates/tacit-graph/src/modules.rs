//! The modules of a project: packages that manifests make, else the directories that code is in,
//! with what each offers and needs, and the parts of those that are large and flat.

use std::collections::{BTreeMap, BTreeSet};

use crate::communities::{Community, communities};
use crate::graph::{EdgeKind, NodeKind};
use crate::packed::PackedGraph;
use crate::project::{FileId, ancestors, manifest_directory, parent};
use crate::skip::is_listed;

/// How many names of each sort are kept.
const KEPT: usize = 12;

/// A module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// Its directory; empty for the root.
    pub path: String,
    /// How many source files it has.
    pub files: u64,
    /// How many lines.
    pub lines: u64,
    /// How many of the files are tests.
    pub tests: u64,
    /// Files in which one starts to read: by name, and those that most others import.
    pub entry_points: Vec<String>,
    /// What others use most, as `file::symbol`: what other modules use first, and nothing private
    /// that none of them does.
    pub exports: Vec<String>,
    /// Modules it imports, with how many edges.
    pub uses: BTreeMap<String, u64>,
    /// How many edges from other modules lead to it.
    pub used: u64,
    /// The parts of its large directories, the largest first in each.
    pub communities: Vec<Community>,
}

/// Finds the modules. Directories with a manifest are modules; where there is none, those at the
/// top are, and those below a top that has nothing but directories.
#[must_use]
pub fn modules(graph: &PackedGraph<'_>, manifests: &BTreeSet<String>) -> Vec<Module> {
    let homes = homes(graph, manifests);
    let home = |file: FileId| homes.get(file as usize).map_or("", String::as_str);
    let mut modules: BTreeMap<&str, Module> = BTreeMap::new();
    let mut imported: BTreeMap<FileId, u64> = BTreeMap::new();
    // How often other modules, and other files of the own one, use a symbol.
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
        module.exports = symbols.iter().take(KEPT).map(|(_, node)| graph.label(*node)).collect();
    }
    modules.into_values().collect()
}

/// The innermost of some modules that a file or directory is in.
#[must_use]
pub fn module_around<'m>(modules: &'m [Module], path: &str) -> Option<&'m Module> {
    let is_around = |module: &&Module| {
        let rest = path.strip_prefix(module.path.as_str());
        module.path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    modules.iter().filter(is_around).max_by_key(|module| module.path.len())
}

/// The files of a module in which one starts to read: those named so, then those that most others
/// import. An `__init__` that defines nothing gives way to all others.
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
        is_entry(path) && (!is_init(path) || defines(file) && Some(depth(path)) == outermost)
    };
    let code = members.iter().filter(|file| !graph.file(**file).is_some_and(|file| file.test));
    let (hollow, mut files): (Vec<FileId>, Vec<FileId>) =
        code.partition(|file| is_init(graph.path(**file)) && !defines(**file));
    let count = |file: &FileId| imported.get(file).copied().unwrap_or(0);
    files.retain(|file| is_named(*file) || count(file) > 0);
    if files.is_empty() {
        files = hollow;
    }
    files.sort_by_key(|file| (std::cmp::Reverse((is_named(*file), count(file))), *file));
    files.iter().take(KEPT).map(|file| graph.path(*file).to_owned()).collect()
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// Whether a file makes a package of its directory.
fn is_init(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("__init__.py" | "__init__.pyi"))
}

/// Whether a symbol is not meant for others, by its name.
fn is_private(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.starts_with('_') && !last.starts_with("__")
}

/// The module of each file.
fn homes(graph: &PackedGraph<'_>, manifests: &BTreeSet<String>) -> Vec<String> {
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
            // One package or none: its parts are the directories, below `src` if that is all.
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

/// Whether a file is one that people start with, by its name.
fn is_entry(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    is_listed("index main lib mod __init__ __main__ app App Main server cli", stem)
}

#[cfg(test)]
mod tests {
    use super::{Module, is_entry, is_private, module_around};

    #[test]
    fn a_file_is_in_the_innermost_module_around_it() {
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
            let found = module_around(&modules, path).map(|module| module.path.as_str());
            assert_eq!(found, Some(expected), "{path}");
        }
        assert_eq!(module_around(&modules[1..], "setup.py"), None);
    }

    #[test]
    fn names_tell_what_is_not_meant_for_others() {
        for (name, private) in
            [("_run", true), ("Pool._run", true), ("_Pool.run", false), ("__init__", false)]
        {
            assert_eq!(is_private(name), private, "{name}");
        }
    }

    #[test]
    fn one_starts_with_files_of_certain_names() {
        for (path, entry) in
            [("src/lib.rs", true), ("a/index.test.ts", true), ("a/indexes.ts", false)]
        {
            assert_eq!(is_entry(path), entry, "{path}");
        }
    }
}
