//! `analyze_impact`, `get_dependencies` and `trace_data_flow`: questions to the code graph.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_agents::safe_text;
use tacit_codebase::{CodebaseError, OpenGraph, Options};
use tacit_core::{RepoPath, SymbolRef, visible_line};
use tacit_engine::{Needs, Shelf};
use tacit_graph::{
    Direction, Edge, NodeId, Question, TargetError, find_target, flow, impact, split_target,
};

use super::{Effect, Spec, object, text, texts};
use crate::answer::{Answer, Refusal, Told, read};
use crate::desk::Desk;
use crate::show::{headline, warned};

pub(super) const IMPACT: Spec = Spec {
    name: "analyze_impact",
    title: "What may break",
    description: "Before changing shared code: what depends on it, likeliest first, with tests and memories.",
    input,
    output,
    effect: Effect::Reads,
    run: |desk, arguments| reach(desk, arguments, Direction::Dependents),
};

pub(super) const DEPENDENCIES: Spec = Spec {
    name: "get_dependencies",
    title: "What it uses",
    description: "What a file or symbol uses.",
    input,
    output,
    effect: Effect::Reads,
    run: |desk, arguments| reach(desk, arguments, Direction::Dependencies),
};

pub(super) const FLOW: Spec = Spec {
    name: "trace_data_flow",
    title: "Ways through code",
    description: "How one file or symbol leads to another.",
    input: || object(json!({"from": text(""), "to": text("")}), &["from", "to"]),
    output,
    effect: Effect::Reads,
    run: trace,
};

/// How far is looked unless told, how far at most, and how many files are listed.
const DEPTH: u32 = 3;
const DEEPEST: u32 = 20;
const LISTED: usize = 20;
/// How many memories are named.
const MEMORIES: usize = 5;

fn input() -> Value {
    let number = json!({"type": "integer"});
    let target = text("`path` or `path::symbol`");
    object(json!({"target": target, "depth": number, "cursor": number}), &["target"])
}

/// Programs have `tacit impact --json`; here every word of a schema is paid for in every session.
pub(super) fn output() -> Value {
    object(json!({"lines": texts("")}), &["lines"])
}

pub(super) fn told(lines: &[String]) -> Answer {
    let lines: Vec<String> = lines.iter().map(|line| safe_text(&visible_line(line))).collect();
    Answer { text: lines.join("\n"), value: json!({"lines": lines}) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    target: String,
    depth: Option<u32>,
    cursor: Option<usize>,
}

/// A target as an agent writes it.
struct Target {
    path: RepoPath,
    symbol: Option<String>,
}

impl Target {
    fn read(desk: &Desk<'_>, typed: &str) -> Result<Target, Refusal> {
        let is_there = |path: &str| {
            let path = desk.host.file(path);
            path.is_ok_and(|path| desk.host.codebase().root().join(path.as_str()).exists())
        };
        let (path, symbol) = split_target(typed, is_there);
        let path = desk.host.file(path).map_err(Refusal::error)?;
        Ok(Target { path, symbol: symbol.map(str::to_owned) })
    }

    fn nodes(&self, graph: &OpenGraph) -> Result<Vec<NodeId>, Refusal> {
        Ok(find_target(&graph.packed(), self.path.as_str(), self.symbol.as_deref())?)
    }
}

fn reach(desk: &Desk<'_>, arguments: Map<String, Value>, direction: Direction) -> Told {
    let Arguments { target, depth, cursor } = read(arguments)?;
    let (depth, offset) = (depth.unwrap_or(DEPTH), cursor.unwrap_or(0));
    if !(1..=DEEPEST).contains(&depth) {
        return Err(Refusal::error(format!("depth: is {depth}; from 1 to {DEEPEST} fit")));
    }
    let target = Target::read(desk, &target)?;
    let partners = desk.host.codebase().partners(target.path.as_str());
    let (answer, names) = ask(
        desk,
        |graph| {
            let start = target.nodes(graph)?;
            let names: Vec<String> = match target.symbol {
                Some(_) => start.iter().map(|id| graph.packed().name(*id).to_owned()).collect(),
                None => Vec::new(),
            };
            let (limit, together) = (LISTED, &|path: &str| partners.get(path).copied());
            let question = Question { start: &start, direction, depth, offset, limit, together };
            Ok((impact(&graph.packed(), &question).unless_behind(graph.behind()), names))
        },
        |(answer, _)| {
            let shown = answer.affected.iter().map(|file| file.path.clone());
            shown.chain([target.path.to_string()]).collect()
        },
    )?;
    let mut lines = answer.lines(direction);
    if let Some(next) = answer.next(offset) {
        lines.push(format!("{} more: cursor {next}", answer.total - next));
    }
    if direction == Direction::Dependents {
        let affected: Vec<String> = answer.affected.iter().map(|file| file.path.clone()).collect();
        lines.extend(known(desk, &target, &names, &affected)?);
    }
    Ok(told(&lines))
}

/// What is known about a target and the files that depend on it, a line each.
fn known(
    desk: &Desk<'_>,
    target: &Target,
    names: &[String],
    affected: &[String],
) -> Result<Vec<String>, Refusal> {
    if !desk.host.places().database(Shelf::Project).exists() {
        return Ok(Vec::new());
    }
    let path = target.path.as_str();
    let symbols: Vec<SymbolRef> =
        names.iter().filter_map(|name| SymbolRef::of(path, name).ok()).collect();
    let affected: Vec<RepoPath> =
        affected.iter().filter_map(|path| RepoPath::new(path.as_str()).ok()).collect();
    let engine = desk.engine(Needs::ReadBoth)?;
    let known = engine.known_about(&target.path, &symbols, &affected, MEMORIES)?;
    let lines = |label: &'static str, found: Vec<tacit_engine::Found>| {
        found.into_iter().map(move |found| {
            let text = warned(desk.host.places().root.as_path(), &found, headline(&found.memory));
            format!("{label} [{}]: {text}", found.memory.id.short())
        })
    };
    Ok(lines("Memory", known.memories)
        .chain(lines("Must hold", known.invariants))
        .chain(lines("Observed", known.observations))
        .collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: String,
    to: String,
}

fn trace(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let Ends { from, to } = read(arguments)?;
    let (start, end) = (Target::read(desk, &from)?, Target::read(desk, &to)?);
    let found = ask(
        desk,
        |graph| {
            let (start, end) = (start.nodes(graph)?, end.nodes(graph)?);
            let graph = graph.packed();
            let step = |edge: &Edge| {
                let (from, to) = (graph.label(edge.from), graph.label(edge.to));
                format!("{from} {} {to}, {}", edge.kind.as_str(), graph.said(edge))
            };
            let there = flow(&graph, &start, &end).map(|ways| (Vec::new(), ways));
            let back = || {
                let turned = format!("{from} does not lead to {to}, but the other way round:");
                flow(&graph, &end, &start).map(|ways| (vec![turned], ways))
            };
            let Some((mut lines, ways)) = there.or_else(back) else {
                return Ok(vec![format!("{from} and {to} do not lead to each other")]);
            };
            lines.push("shortest:".to_owned());
            lines.extend(ways.shortest.iter().map(step));
            if ways.strongest != ways.shortest {
                lines.push("strongest:".to_owned());
                lines.extend(ways.strongest.iter().map(step));
            }
            Ok(lines)
        },
        |_| vec![start.path.to_string(), end.path.to_string()],
    )?;
    Ok(told(&found))
}

/// An answer from the graph, which is built or brought up to date if it has to be.
fn ask<T>(
    desk: &Desk<'_>,
    answer: impl Fn(&OpenGraph) -> Result<T, Refusal>,
    names: impl Fn(&T) -> Vec<String>,
) -> Result<T, Refusal> {
    place(desk)?;
    let absent = |refusal: &Refusal| matches!(refusal, Refusal::NotFound(_));
    desk.host.codebase().ask(&options(), answer, names, absent)
}

/// Whether there is a place for a graph.
pub(super) fn place(desk: &Desk<'_>) -> Result<(), Refusal> {
    desk.go_on()?;
    if !desk.host.places().project.exists() {
        return Err(Refusal::error(
            "there is no memory here. The user can create one with `tacit init`",
        ));
    }
    Ok(())
}

/// How a graph is brought up to date.
pub(super) fn options() -> Options<'static> {
    Options {
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        all: false,
        progress: &|_, _| {},
    }
}

impl From<CodebaseError> for Refusal {
    fn from(error: CodebaseError) -> Refusal {
        Refusal::error(error.to_string())
    }
}

impl From<TargetError> for Refusal {
    fn from(error: TargetError) -> Refusal {
        let near = error.near().join(", ");
        let near = if near.is_empty() { String::new() } else { format!("; there is {near}") };
        Refusal::NotFound(format!("Error: {error}{near}"))
    }
}
