//! The code as memories see it: which symbols there are, what became of them, and where files went.
//!
//! Memories are shared by all worktrees, so that they are compared with the main one.

mod learnt;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use tacit_codebase::history::Names;
use tacit_codebase::{Codebase, CodebaseError, Follows, OpenGraph};
use tacit_core::{RepoPath, SymbolRef};
use tacit_engine::{CodeIndex, Engine, FileCoverage, LinkReport, RenameResolver};
use tacit_git::{contents_at, touching, uncommitted};
use tacit_graph::{
    Extractor, Language, NodeId, NodeKind, Packed, Source, anchor, anchor_of, find_target,
};
use tacit_redact::mask;
use tacit_store::CodeLink;

use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

pub use learnt::{link_learnt, unknown};

/// How many commits of a file are looked into for the one that changed a symbol.
const LOOKED_INTO: usize = 20;

/// Compares memories with the code, if there is a graph of it.
pub fn link(app: &App, engine: &mut Engine<'_>) -> AppResult<LinkReport> {
    let codebase = main_codebase(app);
    let graph = match codebase.open() {
        Ok(graph) => graph,
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => {
            return Ok(LinkReport::default());
        }
        Err(error) => return Err(error.into()),
    };
    let anew = !codebase.is_linked()?;
    let linking = engine.link_code(&Present::new(app, &codebase, &graph), anew)?;
    codebase.note_linked()?;
    Ok(linking)
}

/// Lets memories follow files that were renamed, if there are new commits.
pub fn follow(app: &App, engine: &mut Engine<'_>, again: bool) -> AppResult<()> {
    if app.repository.is_none() {
        return Ok(());
    }
    let codebase = main_codebase(app);
    codebase.refresh_history()?;
    if codebase.is_done(Follows::Names)? && !again {
        return Ok(());
    }
    let names = codebase.history()?.names;
    engine.follow_files(&Renames { root: codebase.root(), names: &names })?;
    Ok(codebase.note_done(Follows::Names)?)
}

/// The files of a worktree, with the names that commits gave them.
struct Renames<'a> {
    root: &'a Path,
    names: &'a Names,
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

/// The code as it is now.
struct Present<'a> {
    root: &'a Path,
    graph: Packed<'a>,
    in_git: bool,
    /// Every symbol by the last part of its name, once it was asked for.
    by_name: OnceCell<HashMap<&'a str, Vec<NodeId>>>,
    /// Files that are being worked on; none if that cannot be told.
    at_work: OnceCell<Option<HashSet<String>>>,
}

impl<'a> Present<'a> {
    fn new(app: &App, codebase: &'a Codebase, graph: &'a OpenGraph) -> Present<'a> {
        Present {
            root: codebase.root(),
            graph: graph.packed(),
            in_git: app.repository.is_some(),
            by_name: OnceCell::new(),
            at_work: OnceCell::new(),
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
        let sum = anchor(&self.graph, self.graph.find(path)?, name)?;
        Some(CodeLink { symbol: SymbolRef::of(path, name).ok()?, checksum: sum })
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl CodeIndex for Present<'_> {
    fn resolve(&self, path: &str, name: &str) -> Option<CodeLink> {
        self.graph.find(path)?;
        let nodes = find_target(&self.graph, path, Some(name)).ok()?;
        self.link(path, self.graph.name(*nodes.first()?))
    }

    fn find_everywhere(&self, name: &str) -> Vec<CodeLink> {
        let ending = format!(".{name}");
        let alike = self.by_name().get(last(name)).into_iter().flatten();
        let mut meant: Vec<(&str, &str)> = alike
            .map(|id| (*id, self.graph.name(*id)))
            .filter(|(_, full)| *full == name || full.ends_with(&ending))
            .filter_map(|(id, full)| Some((self.graph.path(self.graph.file_of(id)?), full)))
            .collect();
        meant.dedup();
        meant.into_iter().filter_map(|(path, full)| self.link(path, full)).collect()
    }

    fn coverage(&self, path: &str) -> FileCoverage {
        match self.graph.find(path).and_then(|file| self.graph.file(file)) {
            Some(file) if file.skipped.is_none() && file.error_line.is_none() => {
                FileCoverage::Complete
            }
            Some(_) => FileCoverage::Partial,
            // It may be ignored now, or no source file.
            None if self.root.join(path).exists() => FileCoverage::Partial,
            None => FileCoverage::Missing,
        }
    }

    fn is_committed(&self, path: &str) -> bool {
        if !self.in_git {
            return true;
        }
        let at_work = self
            .at_work
            .get_or_init(|| uncommitted(self.root).ok().map(|files| files.into_iter().collect()));
        at_work.as_ref().is_some_and(|files| !files.contains(path))
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
            anchor_of(&extractor.extract(language, &Source::new(&mask(&bytes, b'x')))?, name)
        };
        let commits = touching(self.root, path.as_str(), LOOKED_INTO).ok()?;
        let mut changed = commits.first()?;
        let now = at(changed);
        for earlier in &commits[1..] {
            if at(earlier) != now {
                return Some(changed.clone());
            }
            changed = earlier;
        }
        // Beyond what was looked into, all that is known is that it was the last that touched it.
        (commits.len() == 1).then(|| changed.clone())
    }
}
