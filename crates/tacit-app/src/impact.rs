//! Impact of a change: dependents and dependencies of a target in the code, paths between two
//! targets, and the memories about them.

use tacit_core::{RepoPath, SymbolRef};
use tacit_engine::{LocationMemories, StoreAccess, StoreScope};
use tacit_graph::{Direction, Edge, Flow, Impact, ImpactQuery, PackedGraph, flow, impact};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::{CodeTarget, codebase, query_graph};

/// The depth of a search, and the page of results to return.
#[derive(Debug, Clone, Copy)]
pub struct ImpactRange {
    /// The number of dependency steps to follow.
    pub depth: u32,
    /// The number of files to skip.
    pub offset: usize,
    /// The number of files to return.
    pub limit: usize,
}

/// Returns the files that depend on a target, or that it depends on, and the full names of the
/// symbols that the target names.
pub fn related_files(
    app: &App,
    target: &CodeTarget,
    direction: Direction,
    range: ImpactRange,
) -> AppResult<(Impact, Vec<String>)> {
    let ImpactRange { depth, offset, limit } = range;
    let partners = codebase(app).partners(target.path.as_str());
    let together = |path: &str| partners.get(path).copied();
    query_graph(app, |graph| {
        let start = target.nodes(graph)?;
        let packed = graph.packed();
        let symbols = match target.symbol {
            Some(_) => start.iter().map(|id| packed.name(*id).to_owned()).collect(),
            None => Vec::new(),
        };
        let question =
            ImpactQuery { start: &start, direction, depth, offset, limit, co_change: &together };
        let answer = impact(&packed, &question).note_outdated(graph.stale_reason());
        let listed = answer.affected.iter().map(|file| file.path.clone());
        let named = listed.chain([target.path.to_string()]).collect();
        Ok(((answer, symbols), named))
    })
}

/// Returns the files that may break if a target changes, and memories about them, at most
/// `memories` of each kind.
pub fn impact_with_memories(
    app: &App,
    target: &CodeTarget,
    range: ImpactRange,
    memories: usize,
) -> AppResult<(Impact, LocationMemories)> {
    let (answer, symbols) = related_files(app, target, Direction::Dependents, range)?;
    if !app.places.database(StoreScope::Project).exists() {
        return Ok((answer, LocationMemories::default()));
    }
    let path = target.path.as_str();
    let symbols: Vec<SymbolRef> =
        symbols.iter().filter_map(|name| SymbolRef::of(path, name).ok()).collect();
    let affected = answer.affected.iter();
    let affected: Vec<RepoPath> =
        affected.filter_map(|file| RepoPath::new(file.path.as_str()).ok()).collect();
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let known = engine.known_about(&target.path, &symbols, &affected, memories)?;
    Ok((answer, known))
}

/// The paths from one target to another, each step as text.
#[derive(Debug, Clone)]
pub struct CodePaths {
    /// True if the paths lead from the second target to the first.
    pub backwards: bool,
    /// The steps of the shortest path.
    pub shortest: Vec<String>,
    /// The steps of the path that is most certain to exist.
    pub strongest: Vec<String>,
    /// The strength of the strongest path, from 0 to 1.
    pub strength: f32,
}

/// Finds the paths from one target to another or, if there are none, back.
pub fn find_paths(app: &App, from: &CodeTarget, to: &CodeTarget) -> AppResult<Option<CodePaths>> {
    query_graph(app, |graph| {
        let (start, end) = (from.nodes(graph)?, to.nodes(graph)?);
        let packed = graph.packed();
        let there = flow(&packed, &start, &end).map(|found| (false, found));
        let found = there.or_else(|| flow(&packed, &end, &start).map(|found| (true, found)));
        let mut named = vec![from.path.to_string(), to.path.to_string()];
        named.extend(found.iter().flat_map(|(_, flow)| files(&packed, flow)));
        Ok((found.map(|(backwards, flow)| CodePaths::new(&packed, backwards, &flow)), named))
    })
}

fn files(graph: &PackedGraph<'_>, flow: &Flow) -> Vec<String> {
    let edges = flow.shortest.iter().chain(&flow.strongest);
    let files = edges.flat_map(|edge| [edge.from, edge.to]).filter_map(|node| graph.file_of(node));
    files.map(|file| graph.path(file).to_owned()).collect()
}

impl CodePaths {
    fn new(graph: &PackedGraph<'_>, backwards: bool, flow: &Flow) -> CodePaths {
        let step = |edge: &Edge| {
            let (from, to) = (graph.label(edge.from), graph.label(edge.to));
            format!("{from} {} {to}, {}", edge.kind.as_str(), graph.edge_location(edge))
        };
        CodePaths {
            backwards,
            shortest: flow.shortest.iter().map(step).collect(),
            strongest: flow.strongest.iter().map(step).collect(),
            strength: flow.strength,
        }
    }
}
