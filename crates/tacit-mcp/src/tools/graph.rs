//! `analyze_impact`, `get_dependencies` and `trace_data_flow`: queries to the code graph.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_agents::safe_text;
use tacit_app::graph::CodeTarget;
use tacit_app::impact::{self, ImpactRange};
use tacit_core::visible_line;
use tacit_engine::LocationMemories;
use tacit_graph::Direction;

use super::{Effect, ToolSpec, object, text, texts};
use crate::show::{headline, with_warnings};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read};

pub(super) const IMPACT: ToolSpec = ToolSpec {
    name: "analyze_impact",
    title: "Impact",
    description: "Before changing shared code: what depends on it, likeliest first, with tests and memories.",
    input,
    output,
    effect: Effect::Reads,
    run: |ctx, arguments| reach(ctx, arguments, Direction::Dependents),
};

pub(super) const DEPENDENCIES: ToolSpec = ToolSpec {
    name: "get_dependencies",
    title: "Dependencies",
    description: "What a file or symbol depends on.",
    input,
    output,
    effect: Effect::Reads,
    run: |ctx, arguments| reach(ctx, arguments, Direction::Dependencies),
};

pub(super) const FLOW: ToolSpec = ToolSpec {
    name: "trace_data_flow",
    title: "Path through code",
    description: "The path from one file or symbol to another.",
    input: || object(json!({"from": text(""), "to": text("")}), &["from", "to"]),
    output,
    effect: Effect::Reads,
    run: trace,
};

/// The default and the greatest depth of a search, and how many files are listed.
const DEFAULT_DEPTH: u32 = 3;
const MAX_DEPTH: u32 = 20;
const LISTED: usize = 20;
/// The maximum number of memories listed of each kind.
const MEMORIES: usize = 5;

fn input() -> Value {
    let number = json!({"type": "integer"});
    let target = text("`path` or `path::symbol`");
    object(json!({"target": target, "depth": number, "cursor": number}), &["target"])
}

/// Returns a minimal schema: agents pay for every word of it, and programs have `tacit code impact
/// --json`.
pub(super) fn output() -> Value {
    object(json!({"lines": texts("")}), &["lines"])
}

pub(super) fn lines_answer(lines: &[String]) -> ToolAnswer {
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
    let range = ImpactRange {
        depth: depth.unwrap_or(DEFAULT_DEPTH),
        offset: cursor.unwrap_or(0),
        limit: LISTED,
    };
    if !(1..=MAX_DEPTH).contains(&range.depth) {
        let depth = range.depth;
        return Err(ToolError::error(format!("`depth` is {depth}; give 1 to {MAX_DEPTH}")));
    }
    ctx.check_cancelled()?;
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
        lines.push(format!("{} more: call again with cursor {next}", answer.total - next));
    }
    let before = lines.len();
    for (label, found) in [
        ("Memory", known.memories),
        ("Must hold", known.invariants),
        ("Observed", known.observations),
    ] {
        lines.extend(found.iter().map(|found| {
            let text = with_warnings(&app.places.root, found, headline(&found.memory));
            format!("{label} [{}]: {text}", found.memory.id.short())
        }));
    }
    let answer = lines_answer(&lines);
    if lines.len() == before {
        return Ok(answer);
    }
    Ok(ToolAnswer::unfenced_notes(&answer.text, answer.value))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: String,
    to: String,
}

fn trace(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let Ends { from, to } = read(arguments)?;
    ctx.check_cancelled()?;
    let app = ctx.app();
    let (start, end) = (CodeTarget::parse(app, &from)?, CodeTarget::parse(app, &to)?);
    let Some(paths) = impact::find_paths(app, &start, &end)? else {
        return Ok(lines_answer(&[format!("there is no path between {from} and {to}")]));
    };
    let mut lines = Vec::new();
    if paths.backwards {
        lines.push(format!("there is no path from {from} to {to}, only the other way round:"));
    }
    let has_stronger = paths.strongest != paths.shortest;
    lines.push("shortest:".to_owned());
    lines.extend(paths.shortest);
    if has_stronger {
        lines.push("strongest:".to_owned());
        lines.extend(paths.strongest);
    }
    Ok(lines_answer(&lines))
}
