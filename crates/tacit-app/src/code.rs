//! Compares memories with the code: which symbols exist, which changed, and where files moved.
//!
//! All worktrees share the memories, so the main worktree is the one to compare with.

mod components;
mod link;
mod locations;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use tacit_codebase::history::FileNameHistory;
use tacit_codebase::{Codebase, CodebaseError, HistoryConsumer, OpenGraph};
use tacit_core::{RepoPath, SymbolRef};
use tacit_engine::{CodeIndex, Engine, FileCoverage, LinkReport, RenameResolver};
use tacit_git::{commits_touching, contents_at, uncommitted_files};
use tacit_graph::{
    Extractor, Language, NodeId, NodeKind, PackedGraph, SourceText, find_target, symbol_checksum,
    symbol_checksum_in,
};
use tacit_redact::mask;
use tacit_store::CodeLink;

use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

pub use components::link_components;
pub use link::{link_memory, unknown_references};
pub use locations::{MemoryLocation, locations};

/// The number of commits of a file searched for the one that changed a symbol.
const COMMITS_SEARCHED: usize = 20;

/// Compares all memories with the code, if there is a graph of it.
pub fn link_memories(app: &App, engine: &mut Engine<'_>) -> AppResult<LinkReport> {
    let codebase = main_codebase(app);
    let graph = match codebase.open() {
        Ok(graph) => graph,
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => {
            return Ok(LinkReport::default());
        }
        Err(error) => return Err(error.into()),
    };
    let anew = !codebase.is_linked()?;
    let linking = engine.link_code(&CurrentCode::new(app, &codebase, &graph), anew)?;
    codebase.mark_linked()?;
    Ok(linking)
}

/// Updates the paths in memories after renames, if there are new commits or `again` is set. Returns
/// the number of renamed files.
pub fn follow_renames(app: &App, engine: &mut Engine<'_>, again: bool) -> AppResult<usize> {
    if app.repository.is_none() {
        return Ok(0);
    }
    let codebase = main_codebase(app);
    codebase.refresh_history()?;
    if codebase.is_up_to_date(HistoryConsumer::Renames)? && !again {
        return Ok(0);
    }
    let names = codebase.history()?.names;
    let followed = engine.follow_files(&Renames { root: codebase.root(), names: &names })?;
    codebase.mark_up_to_date(HistoryConsumer::Renames)?;
    Ok(followed.len())
}

/// The files of a worktree, with the names that the git history gave them.
struct Renames<'a> {
    root: &'a Path,
    names: &'a FileNameHistory,
}

impl RenameResolver for Renames<'_> {
    fn exists(&self, path: &RepoPath) -> bool {
        self.root.join(path.as_str()).exists()
    }

    fn current_name(&self, path: &RepoPath) -> Option<RepoPath> {
        let now = self.names.path(self.names.owner(path.as_str())?)?;
        RepoPath::new(now).ok().filter(|now| now != path)
    }

    fn is_in_history(&self, path: &RepoPath) -> bool {
        self.names.owner(path.as_str()).is_some()
    }
}

/// The code as the graph has it.
struct CurrentCode<'a> {
    root: &'a Path,
    graph: PackedGraph<'a>,
    in_git: bool,
    /// All symbols by the last part of their names; built on first use.
    by_name: OnceCell<HashMap<&'a str, Vec<NodeId>>>,
    /// Files with uncommitted changes; `None` if git cannot list them.
    uncommitted_files: OnceCell<Option<HashSet<String>>>,
}

impl<'a> CurrentCode<'a> {
    fn new(app: &App, codebase: &'a Codebase, graph: &'a OpenGraph) -> CurrentCode<'a> {
        CurrentCode {
            root: codebase.root(),
            graph: graph.packed(),
            in_git: app.repository.is_some(),
            by_name: OnceCell::new(),
            uncommitted_files: OnceCell::new(),
        }
    }

    fn by_name(&self) -> &HashMap<&'a str, Vec<NodeId>> {
        self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&str, Vec<NodeId>> = HashMap::new();
            for id in 0..self.graph.nodes() {
                if !matches!(self.graph.kind(id), None | Some(NodeKind::File | NodeKind::Directory))
                {
                    by_name.entry(last(self.graph.name(id))).or_default().push(id);
                }
            }
            by_name
        })
    }

    fn link(&self, path: &str, name: &str) -> Option<CodeLink> {
        let sum = symbol_checksum(&self.graph, self.graph.find(path)?, name)?;
        Some(CodeLink { symbol: SymbolRef::of(path, name).ok()?, checksum: sum })
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl CodeIndex for CurrentCode<'_> {
    fn resolve(&self, path: &str, name: &str) -> Option<CodeLink> {
        self.graph.find(path)?;
        let nodes = find_target(&self.graph, path, Some(name)).ok()?;
        self.link(path, self.graph.name(*nodes.first()?))
    }

    fn find_everywhere(&self, name: &str) -> Vec<CodeLink> {
        let ending = format!(".{name}");
        let same_name = self.by_name().get(last(name)).into_iter().flatten();
        let mut matching: Vec<(&str, &str)> = same_name
            .map(|id| (*id, self.graph.name(*id)))
            .filter(|(_, full)| *full == name || full.ends_with(&ending))
            .filter_map(|(id, full)| Some((self.graph.path(self.graph.file_of(id)?), full)))
            .collect();
        matching.dedup();
        matching.into_iter().filter_map(|(path, full)| self.link(path, full)).collect()
    }

    fn coverage(&self, path: &str) -> FileCoverage {
        match self.graph.find(path).and_then(|file| self.graph.file(file)) {
            Some(file) if file.skipped.is_none() && file.error_line.is_none() => {
                FileCoverage::Complete
            }
            Some(_) => FileCoverage::Partial,
            // The file may be ignored by git, or not be source code.
            None if self.root.join(path).exists() => FileCoverage::Partial,
            None => FileCoverage::Missing,
        }
    }

    fn is_committed(&self, path: &str) -> bool {
        if !self.in_git {
            return true;
        }
        let uncommitted_files = self.uncommitted_files.get_or_init(|| {
            uncommitted_files(self.root).ok().map(|files| files.into_iter().collect())
        });
        uncommitted_files.as_ref().is_some_and(|files| !files.contains(path))
    }

    fn changing_commit(&self, symbol: &SymbolRef) -> Option<String> {
        if !self.in_git {
            return None;
        }
        let (path, name) = (symbol.path(), symbol.name());
        let language = Language::of_path(path.as_str())?;
        let mut extractor = Extractor::default();
        let mut at = |commit: &str| {
            let bytes = contents_at(self.root, commit, path.as_str()).ok()??;
            symbol_checksum_in(
                &extractor.extract(language, &SourceText::new(&mask(&bytes, b'x')))?,
                name,
            )
        };
        let commits = commits_touching(self.root, path.as_str(), COMMITS_SEARCHED).ok()?;
        let mut changed = commits.first()?;
        let now = at(changed);
        for earlier in &commits[1..] {
            if at(earlier) != now {
                return Some(changed.clone());
            }
            changed = earlier;
        }
        // The change may be in a commit that was not searched.
        (commits.len() == 1).then(|| changed.clone())
    }
}
