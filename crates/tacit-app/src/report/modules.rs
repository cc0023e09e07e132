//! Coverage by module: the memories about each module, and the sessions that changed it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_core::RepoPath;

/// The coverage of modules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ModuleReport {
    /// The source of the modules.
    pub basis: ModuleBasis,
    /// The modules with memories or changes, those first that most sessions changed.
    pub modules: Vec<ModuleCoverage>,
    /// The number of modules with neither.
    pub quiet: u64,
    /// The memories that are about no file and no module.
    pub general: u64,
}

/// The source of the modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleBasis {
    /// The code graph.
    Graph,
    /// The outermost directories, because there is no code graph.
    #[default]
    Directories,
}

/// The coverage of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ModuleCoverage {
    /// The directory; `.` for the root.
    pub module: String,
    /// The number of active memories about it, module cards excluded.
    pub memories: u64,
    /// The number of sessions that changed it.
    pub changed_in: u64,
}

/// The places that a memory is about.
#[derive(Debug, Clone, Default)]
pub struct MemoryPlaces {
    /// The files of the memory.
    pub files: Vec<String>,
    /// The modules that it names.
    pub modules: Vec<String>,
}

impl ModuleReport {
    /// Counts memories and changes by module. Without a code graph, `graph` is `None`.
    #[must_use]
    pub fn new<'c>(
        graph: Option<&[String]>,
        memories: &[MemoryPlaces],
        changes: impl IntoIterator<Item = &'c [RepoPath]>,
    ) -> ModuleReport {
        let home = |path: &str| match graph {
            Some(modules) => innermost(modules, path).map(displayed),
            None => Some(outermost(path)),
        };
        let mut found: BTreeMap<String, ModuleCoverage> = BTreeMap::new();
        for module in graph.unwrap_or_default() {
            found.entry(displayed(module)).or_default();
        }
        let mut general = 0;
        for memory in memories {
            let files = memory.files.iter().filter_map(|file| home(file));
            // A module may be named by a directory, or by a word that is none.
            let named = memory.modules.iter().filter_map(|name| match graph {
                Some(_) => home(name),
                None => Some(displayed(name)),
            });
            let homes: BTreeSet<String> = files.chain(named).collect();
            general += u64::from(homes.is_empty());
            for module in homes {
                found.entry(module).or_default().memories += 1;
            }
        }
        for changed in changes {
            let homes: BTreeSet<String> =
                changed.iter().filter_map(|file| home(file.as_str())).collect();
            for module in homes {
                found.entry(module).or_default().changed_in += 1;
            }
        }
        let all = found.len();
        let mut modules: Vec<ModuleCoverage> = found
            .into_iter()
            .map(|(module, coverage)| ModuleCoverage { module, ..coverage })
            .filter(|one| one.memories + one.changed_in > 0)
            .collect();
        modules.sort_by(|a, b| {
            (b.changed_in, b.memories, &a.module).cmp(&(a.changed_in, a.memories, &b.module))
        });
        let basis = match graph {
            Some(_) => ModuleBasis::Graph,
            None => ModuleBasis::Directories,
        };
        ModuleReport { basis, quiet: (all - modules.len()) as u64, modules, general }
    }

    /// Returns the modules that sessions changed and no memory is about.
    pub fn uncovered(&self) -> impl Iterator<Item = &ModuleCoverage> {
        self.modules.iter().filter(|one| one.memories == 0 && one.changed_in > 0)
    }
}

fn displayed(module: &str) -> String {
    let module = module.trim_end_matches('/');
    if module.is_empty() { ".".to_owned() } else { module.to_owned() }
}

/// Returns the innermost module that contains a path.
fn innermost<'m>(modules: &'m [String], path: &str) -> Option<&'m str> {
    let contains = |module: &&String| {
        let rest = path.strip_prefix(module.as_str());
        module.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    modules.iter().filter(contains).max_by_key(|module| module.len()).map(String::as_str)
}

/// Returns the outermost directory of a file.
fn outermost(path: &str) -> String {
    displayed(path.split_once('/').map_or("", |(directory, _)| directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: &[&str], modules: &[&str]) -> MemoryPlaces {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        MemoryPlaces { files: owned(files), modules: owned(modules) }
    }

    fn rows(report: &ModuleReport) -> Vec<(&str, u64, u64)> {
        let row = |one: &'_ ModuleCoverage| (one.memories, one.changed_in);
        report.modules.iter().map(|one| (one.module.as_str(), row(one).0, row(one).1)).collect()
    }

    #[test]
    fn memories_and_changes_belong_to_the_innermost_module() {
        let modules = ["", "api", "api/auth", "web"].map(str::to_owned);
        let memories = [
            places(&["api/auth/token.rs", "api/auth/key.rs"], &[]),
            places(&["api/main.rs", "Cargo.toml"], &[]),
            places(&[], &["api"]),
            places(&[], &[]),
        ];
        let changed = |files: &[&str]| -> Vec<RepoPath> {
            files.iter().map(|file| RepoPath::new(*file).unwrap()).collect()
        };
        let sessions =
            [changed(&["api/auth/token.rs", "api/main.rs"]), changed(&["api/auth/x.rs"]), vec![]];
        let report =
            ModuleReport::new(Some(&modules), &memories, sessions.iter().map(Vec::as_slice));
        assert_eq!(rows(&report), [("api/auth", 1, 2), ("api", 2, 1), (".", 1, 0)]);
        assert_eq!((report.quiet, report.general), (1, 1));
        assert_eq!(report.uncovered().count(), 0);
    }

    #[test]
    fn directories_stand_for_modules_without_a_graph() {
        let changed = [RepoPath::new("web/index.ts").unwrap(), RepoPath::new("README").unwrap()];
        let memories = [places(&["api/a/b.rs"], &[])];
        let report = ModuleReport::new(None, &memories, [&changed[..]]);
        assert_eq!(rows(&report), [(".", 0, 1), ("web", 0, 1), ("api", 1, 0)]);
        let uncovered: Vec<&str> = report.uncovered().map(|one| one.module.as_str()).collect();
        assert_eq!(uncovered, [".", "web"]);
    }
}
