//! The modules of the project with the memories about them, and how they depend on each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tacit_codebase::history::History;
use tacit_codebase::{CodebaseError, OpenGraph};
use tacit_core::{BuiltinType, Memory, Module as ModuleLabel};
use tacit_engine::{Engine, StoreScope};
use tacit_graph::{Module, innermost_module, modules};
use tacit_store::{Filter, ModuleFilter};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::codebase;

/// The commits that change two modules from which on the modules may belong together.
const LEAST_COMMITS: u32 = 3;
/// The share of common commits, of all that change either module, from which on modules belong together.
const LEAST_SHARE: f64 = 0.15;
/// The factor by which common commits must exceed chance: a module that most commits change has some in
/// common with every other one.
const BEYOND_CHANCE: f64 = 1.5;
/// The share of common commits that counts whatever chance would give, as in a project of two modules.
const CLEAR_SHARE: f64 = 0.5;

/// The memories about a module. A memory counts once per module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleMemories {
    /// The memories about the module as a whole, or about files in it.
    pub memories: usize,
    /// Observations of the running application among them.
    pub e2e: usize,
    /// The files in it that a memory is about.
    pub files: BTreeSet<String>,
}

/// Two modules that commits change together.
#[derive(Debug, Clone, PartialEq)]
pub struct ModulePair {
    /// The paths of the modules.
    pub modules: (String, String),
    /// The commits that changed both.
    pub commits: u32,
    /// The share of those among the commits that changed either.
    pub weight: f64,
}

/// Returns the modules as of the last index of the code; `None` if there is none.
pub fn indexed_modules(app: &App) -> AppResult<Option<Vec<Module>>> {
    let codebase = codebase(app);
    let graph: OpenGraph = match codebase.open() {
        Ok(graph) => graph,
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let manifests: BTreeSet<String> = codebase.manifests(&graph).into_iter().collect();
    Ok(Some(modules(&graph.packed(), &manifests)))
}

/// Counts the memories of each module, by its path: those labelled with it, and those about files in it
/// that belong to no inner module.
pub fn remembered(
    engine: &Engine<'_>,
    modules: &[Module],
) -> AppResult<HashMap<String, ModuleMemories>> {
    let mut counts: HashMap<String, ModuleMemories> = HashMap::new();
    if engine.store(StoreScope::Project).is_none() {
        return Ok(counts);
    }
    let mut count = |memory: &Memory| {
        let is_e2e = memory.memory_type() == BuiltinType::E2eObservation.into();
        let mut about: BTreeSet<&str> =
            memory.body.modules.iter().map(|label| directory(label.as_str())).collect();
        for file in memory.body.files.iter() {
            let Some(module) = innermost_module(modules, file.as_str()) else { continue };
            about.insert(&module.path);
            let count = counts.entry(module.path.clone()).or_default();
            count.files.insert(file.to_string());
        }
        for module in about {
            let count = counts.entry(module.to_owned()).or_default();
            count.memories += 1;
            count.e2e += usize::from(is_e2e);
        }
        Ok(())
    };
    // Both stores, as a list with the filter of a module has them: a global memory may name a module.
    for (scope, _) in engine.stores() {
        engine.export(scope, &Filter::default(), &mut count)?;
    }
    Ok(counts)
}

/// Returns the filters for modules by their names, by the rule of [`remembered`].
pub fn module_filters(app: &App, names: Vec<ModuleLabel>) -> AppResult<Vec<ModuleFilter>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let modules = indexed_modules(app)?.unwrap_or_default();
    let directories = || modules.iter().map(|module| module.path.as_str());
    Ok(names.into_iter().map(|name| ModuleFilter::new(name, directories())).collect())
}

/// Returns the directory of a module by its name.
fn directory(name: &str) -> &str {
    if name == "." { "" } else { name }
}

/// Returns the modules that commits change together, as of the last time the history was read.
pub fn changed_together(app: &App, modules: &[Module]) -> AppResult<Vec<ModulePair>> {
    let codebase = codebase(app);
    if app.repository.is_none() || !codebase.has_history() {
        return Ok(Vec::new());
    }
    Ok(pairs(&codebase.history()?, modules))
}

/// Finds the pairs of modules in a history, which leaves out commits of very many files.
fn pairs(history: &History, modules: &[Module]) -> Vec<ModulePair> {
    let touched = history.commits.iter().map(|commit| {
        let paths = commit.files.iter().filter_map(|file| history.names.path(*file));
        let touched = paths.filter_map(|path| innermost_module(modules, path));
        touched.map(|module| module.path.as_str()).collect()
    });
    pairs_of(touched)
}

/// Finds the pairs that commits change together more often than by chance, from the modules that each
/// commit changed.
fn pairs_of<'m>(commits: impl Iterator<Item = BTreeSet<&'m str>>) -> Vec<ModulePair> {
    let mut all = 0_u32;
    let mut single: BTreeMap<&str, u32> = BTreeMap::new();
    let mut both: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for touched in commits {
        all += 1;
        for (at, one) in touched.iter().enumerate() {
            *single.entry(one).or_default() += 1;
            for other in touched.iter().skip(at + 1) {
                *both.entry((one, other)).or_default() += 1;
            }
        }
    }
    let pairs = both.into_iter().filter_map(|((one, other), commits)| {
        let (first, second) = (single[one], single[other]);
        let weight = f64::from(commits) / f64::from(first + second - commits);
        let by_chance = f64::from(first) * f64::from(second) / f64::from(all);
        let is_beyond_chance = f64::from(commits) >= BEYOND_CHANCE * by_chance;
        let belong = commits >= LEAST_COMMITS
            && weight >= LEAST_SHARE
            && (is_beyond_chance || weight >= CLEAR_SHARE);
        let modules = (one.to_owned(), other.to_owned());
        belong.then_some(ModulePair { modules, commits, weight })
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pairs for commits, each written as the modules that it changed, and how many there are.
    fn found(commits: &[(&str, usize)]) -> Vec<String> {
        let each = commits.iter().flat_map(|(modules, times)| vec![*modules; *times]);
        let pairs = pairs_of(each.map(|modules| modules.split(' ').collect()));
        let shown = pairs.into_iter().map(|pair| {
            format!("{} {} {} {:.2}", pair.modules.0, pair.modules.1, pair.commits, pair.weight)
        });
        shown.collect()
    }

    #[test]
    fn a_filter_takes_the_files_that_are_counted_for_its_module() {
        let module = |path: &str| Module { path: path.into(), ..Module::default() };
        let modules = ["", "src", "src/pool", "web", "web/a b"].map(module);
        for path in [
            "setup.py",
            "src",
            "src/a.rs",
            "src/pool",
            "src/pool.rs",
            "src/pool-b/c.rs",
            "src/pool/d.rs",
            "srcs/e.rs",
            "web/a b/ü.ts",
            "web/a/f.ts",
            "web.json",
        ] {
            let counted = innermost_module(&modules, path).map(|module| module.path.as_str());
            let taken = modules.iter().filter(|module| {
                let label = if module.path.is_empty() { "." } else { &module.path };
                let directories = modules.iter().map(|module| module.path.as_str());
                ModuleFilter::new(label.parse().expect("a label"), directories).contains(path)
            });
            let taken: Vec<&str> = taken.map(|module| module.path.as_str()).collect();
            assert_eq!(taken, Vec::from_iter(counted), "{path}");
        }
    }

    #[test]
    fn modules_belong_together_from_three_commits_and_a_share_of_them() {
        assert_eq!(found(&[("a b", 2), ("c", 20)]), [""; 0]);
        assert_eq!(found(&[("a b", 3), ("c", 20)]), ["a b 3 1.00"]);
        assert_eq!(found(&[("a b", 3), ("a", 9), ("b", 8), ("c", 80)]), ["a b 3 0.15"]);
        assert_eq!(found(&[("a b", 3), ("a", 9), ("b", 9), ("c", 80)]), [""; 0]);
    }

    #[test]
    fn frequently_changed_modules_are_not_paired_by_chance() {
        let most = [("app a", 20), ("app b", 20), ("app c", 20), ("app", 40)];
        assert_eq!(found(&most), [""; 0]);
        assert_eq!(found(&[("app a", 20), ("app", 10), ("c", 70)]), ["a app 20 0.67"]);
    }

    #[test]
    fn two_modules_that_always_change_together_belong_together_in_a_small_project() {
        assert_eq!(found(&[("client server", 9), ("client", 1)]), ["client server 9 0.90"]);
    }
}
