//! The modules of the project with the memories about them, and how they depend on each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tacit_codebase::history::History;
use tacit_codebase::{CodebaseError, OpenGraph};
use tacit_core::BuiltinType;
use tacit_engine::{Engine, StoreScope, StoredMemory};
use tacit_graph::{Module, innermost_module, modules};
use tacit_store::{Filter, ListOrder};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::codebase;

/// The memories that are read at once.
const PAGE: usize = 1_000;
/// The commits that change two modules from which on the modules belong together.
const LEAST_COMMITS: u32 = 2;

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
    /// The share of those among the commits of the module that changed less.
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

/// Counts the memories about each module, by its path: about the whole module, or about files in it
/// that belong to no inner module.
pub fn remembered(
    engine: &Engine<'_>,
    modules: &[Module],
) -> AppResult<HashMap<String, ModuleMemories>> {
    let mut counts: HashMap<String, ModuleMemories> = HashMap::new();
    if engine.store(StoreScope::Project).is_none() {
        return Ok(counts);
    }
    for page in 0.. {
        let (scope, filter) = (Some(StoreScope::Project), Filter::default());
        let found = engine.list(scope, &filter, ListOrder::Oldest, PAGE, page * PAGE)?;
        for StoredMemory { memory, .. } in &found {
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
        }
        if found.len() < PAGE {
            break;
        }
    }
    Ok(counts)
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

/// Counts the commits that changed two modules. Commits of very many files say nothing.
fn pairs(history: &History, modules: &[Module]) -> Vec<ModulePair> {
    let mut single: BTreeMap<&str, u32> = BTreeMap::new();
    let mut both: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for commit in &history.commits {
        let paths = commit.files.iter().filter_map(|file| history.names.path(*file));
        let touched = paths.filter_map(|path| innermost_module(modules, path));
        let touched: BTreeSet<&str> = touched.map(|module| module.path.as_str()).collect();
        for (at, one) in touched.iter().enumerate() {
            *single.entry(one).or_default() += 1;
            for other in touched.iter().skip(at + 1) {
                *both.entry((one, other)).or_default() += 1;
            }
        }
    }
    let often = both.into_iter().filter(|(_, commits)| *commits >= LEAST_COMMITS);
    let pairs = often.map(|((one, other), commits)| {
        let least = single[one].min(single[other]).max(1);
        let weight = f64::from(commits) / f64::from(least);
        ModulePair { modules: (one.to_owned(), other.to_owned()), commits, weight }
    });
    pairs.collect()
}
