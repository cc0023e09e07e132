//! Impact of a change: dependents and dependencies of a place in the code, the ways between two
//! places, and the memories about them.

use tacit_core::{RepoPath, SymbolRef};
use tacit_engine::{LocationMemories, StoreAccess, StoreScope};
use tacit_graph::{Direction, Edge, Flow, Impact, Packed, Question, flow, impact};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::{Target, ask, codebase};

/// The depth of a search, and the page of files to list.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// Number of steps away.
    pub depth: u32,
    /// Number of files to skip.
    pub offset: usize,
    /// Number of files to list.
    pub limit: usize,
}

/// The files that depend on a target, or those it depends on, with the names of the symbols that the
/// target means.
pub fn reach(
    app: &App,
    target: &Target,
    direction: Direction,
    range: Range,
) -> AppResult<(Impact, Vec<String>)> {
    let Range { depth, offset, limit } = range;
    let partners = codebase(app).partners(target.path.as_str());
    let together = |path: &str| partners.get(path).copied();
    ask(app, |graph| {
        let start = target.nodes(graph)?;
        let packed = graph.packed();
        let symbols = match target.symbol {
            Some(_) => start.iter().map(|id| packed.name(*id).to_owned()).collect(),
            None => Vec::new(),
        };
        let question =
            Question { start: &start, direction, depth, offset, limit, together: &together };
        let answer = impact(&packed, &question).unless_behind(graph.behind());
        let listed = answer.affected.iter().map(|file| file.path.clone());
        let named = listed.chain([target.path.to_string()]).collect();
        Ok(((answer, symbols), named))
    })
}

/// The files that may break with a target, and at most so many memories about each kind of thing
/// that is known of them.
pub fn may_break(
    app: &App,
    target: &Target,
    range: Range,
    memories: usize,
) -> AppResult<(Impact, LocationMemories)> {
    let (answer, symbols) = reach(app, target, Direction::Dependents, range)?;
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
    let known = engine.memories_at(&target.path, &symbols, &affected, memories)?;
    Ok((answer, known))
}

/// The ways from one place to another, step by step, as text.
#[derive(Debug, Clone)]
pub struct Ways {
    /// True if they lead from the end to the start.
    pub backwards: bool,
    /// The shortest.
    pub shortest: Vec<String>,
    /// The one that is least likely to be broken.
    pub strongest: Vec<String>,
    /// The strength of the strongest way, from 0 to 1.
    pub strength: f32,
}

/// Finds the ways from one place to another or, if there are none, back.
pub fn ways(app: &App, from: &Target, to: &Target) -> AppResult<Option<Ways>> {
    ask(app, |graph| {
        let (start, end) = (from.nodes(graph)?, to.nodes(graph)?);
        let packed = graph.packed();
        let there = flow(&packed, &start, &end).map(|found| (false, found));
        let found = there.or_else(|| flow(&packed, &end, &start).map(|found| (true, found)));
        let mut named = vec![from.path.to_string(), to.path.to_string()];
        named.extend(found.iter().flat_map(|(_, flow)| files(&packed, flow)));
        Ok((found.map(|(backwards, flow)| Ways::new(&packed, backwards, &flow)), named))
    })
}

fn files(graph: &Packed<'_>, flow: &Flow) -> Vec<String> {
    let edges = flow.shortest.iter().chain(&flow.strongest);
    let files = edges.flat_map(|edge| [edge.from, edge.to]).filter_map(|node| graph.file_of(node));
    files.map(|file| graph.path(file).to_owned()).collect()
}

impl Ways {
    fn new(graph: &Packed<'_>, backwards: bool, flow: &Flow) -> Ways {
        let step = |edge: &Edge| {
            let (from, to) = (graph.label(edge.from), graph.label(edge.to));
            format!("{from} {} {to}, {}", edge.kind.as_str(), graph.said(edge))
        };
        Ways {
            backwards,
            shortest: flow.shortest.iter().map(step).collect(),
            strongest: flow.strongest.iter().map(step).collect(),
            strength: flow.strength,
        }
    }
}
