//! `analyze_impact`, `get_dependencies` and `trace_data_flow`: questions to the code graph.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_agents::safe_text;
use tacit_app::graph::CodeTarget;
use tacit_app::impact::{self, ImpactRange};
use tacit_core::visible_line;
use tacit_engine::LocationMemories;
use tacit_graph::Direction;

use super::{Effect, ToolSpec, object, text, texts};
use crate::show::{headline, warned};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read};

pub(super) const IMPACT: ToolSpec = ToolSpec {
    name: "analyze_impact",
    title: "What may break",
    description: "Before changing shared code: what depends on it, likeliest first, with tests and memories.",
    input,
    output,
    effect: Effect::Reads,
    run: |ctx, arguments| reach(ctx, arguments, Direction::Dependents),
};

pub(super) const DEPENDENCIES: ToolSpec = ToolSpec {
    name: "get_dependencies",
    title: "What it uses",
    description: "What a file or symbol uses.",
    input,
    output,
    effect: Effect::Reads,
    run: |ctx, arguments| reach(ctx, arguments, Direction::Dependencies),
};

pub(super) const FLOW: ToolSpec = ToolSpec {
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

/// Programs have `tacit code impact --json`; here every word of a schema is paid for in every session.
pub(super) fn output() -> Value {
    object(json!({"lines": texts("")}), &["lines"])
}

pub(super) fn told(lines: &[String]) -> ToolAnswer {
    let lines: Vec<String> = lines.iter().map(|line| safe_text(&visible_line(line))).collect();
    ToolAnswer { text: lines.join("\n"), value: json!({"lines": lines}) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    target: String,
    depth: Option<u32>,
    cursor: Option<usize>,
}

fn reach(ctx: &ToolContext<'_>, arguments: Map<String, Value>, direction: Direction) -> ToolResult {
    let Arguments { target, depth, cursor } = read(arguments)?;
    let range =
        ImpactRange { depth: depth.unwrap_or(DEPTH), offset: cursor.unwrap_or(0), limit: LISTED };
    if !(1..=DEEPEST).contains(&range.depth) {
        let depth = range.depth;
        return Err(ToolError::error(format!("depth: is {depth}; from 1 to {DEEPEST} fit")));
    }
    ctx.go_on()?;
    let app = ctx.app();
    let target = CodeTarget::parse(app, &target)?;
    let (answer, known) = match direction {
        Direction::Dependents => impact::impact_with_memories(app, &target, range, MEMORIES)?,
        Direction::Dependencies => {
            (impact::related_files(app, &target, direction, range)?.0, LocationMemories::default())
        }
    };
    let mut lines = answer.lines(direction);
    if let Some(next) = answer.next_offset(range.offset) {
        lines.push(format!("{} more: cursor {next}", answer.total - next));
    }
    for (label, found) in [
        ("Memory", known.memories),
        ("Must hold", known.invariants),
        ("Observed", known.observations),
    ] {
        lines.extend(found.iter().map(|found| {
            let text = warned(&app.places.root, found, headline(&found.memory));
            format!("{label} [{}]: {text}", found.memory.id.short())
        }));
    }
    Ok(told(&lines))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: String,
    to: String,
}

fn trace(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Ends { from, to } = read(arguments)?;
    ctx.go_on()?;
    let app = ctx.app();
    let (start, end) = (CodeTarget::parse(app, &from)?, CodeTarget::parse(app, &to)?);
    let Some(ways) = impact::find_paths(app, &start, &end)? else {
        return Ok(told(&[format!("{from} and {to} do not lead to each other")]));
    };
    let mut lines = Vec::new();
    if ways.backwards {
        lines.push(format!("{from} does not lead to {to}, but the other way round:"));
    }
    let is_other = ways.strongest != ways.shortest;
    lines.push("shortest:".to_owned());
    lines.extend(ways.shortest);
    if is_other {
        lines.push("strongest:".to_owned());
        lines.extend(ways.strongest);
    }
    Ok(told(&lines))
}
