//! `memory_search`: finds memories, one line each.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_agents::safe_text;
use tacit_app::human_time;
use tacit_app::module_map::module_filters;
use tacit_app::recall::{AT_LEAST, RequestedPeriod, matching_notes};
use tacit_core::{Problem, UniversalPhase};
use tacit_engine::{Engine, RecallRequest};
use tacit_store::{Filter, WorkUnitFilter};

use super::{Effect, ToolSpec, object, text, texts};
use crate::show::{ShownNote, fenced, hit_value};
use crate::tool_context::{ToolContext, parse_all};
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, field, read, shortened};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "memory_search",
    title: "Search memories",
    description: "Search what is known: past errors and fixes, decisions, pitfalls, preferences. \
                  Returns one line per memory; read what matters with `memory_get`. Without \
                  `query`, lists the newest.",
    input: || {
        object(
            json!({
                "query": text("Words, an error message, a question"),
                "types": texts(""),
                "files": texts("Files or folders"),
                "modules": texts(""),
                "phase": text("define, implement, …"),
                "methodology": text(""),
                "recent_sessions": {"type": "integer", "description": "The last N"},
                "time_window": object(json!({
                    "since": text("3d, 2w or a date"), "until": text(""),
                }), &[]),
                "around_event": object(json!({
                    "event": text("An id or a date"), "days": {"type": "number"},
                }), &["event"]),
                "limit": {"type": "integer"},
            }),
            &[],
        )
    },
    output: || {
        object(
            json!({
                "hits": {"type": "array", "items": object(json!({
                    "id": text(""), "type": text(""), "headline": text(""), "files": texts(""),
                    "confidence": {"type": "number"}, "created_at": text(""),
                    "verified": {"type": "boolean"}, "committed": {"type": "boolean"},
                    "stale": {"type": "boolean"}, "global": {"type": "boolean"}, "likely": {"type": "number"},
                    "conflicts": texts(""),
                }), &["id", "type", "headline"])},
                "nothing_clear": {"type": "boolean"},
                "session_notes": texts(""),
                "remarks": texts(""),
            }),
            &["hits"],
        )
    },
    effect: Effect::Reads,
    run,
};

/// The heading if nothing clearly matches.
const UNCLEAR: &str = "nothing clearly matches the query; these are nearest";
/// The maximum number of hits per call.
const MAX_HITS: u64 = 50;
/// The number of characters used of a query: it may be a pasted log.
const MAX_QUERY: usize = 16_384;
/// The default number of days around an event.
const AROUND_DAYS: f64 = 3.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: Option<String>,
    types: Option<Vec<String>>,
    files: Option<Vec<String>>,
    modules: Option<Vec<String>>,
    phase: Option<String>,
    methodology: Option<String>,
    recent_sessions: Option<u64>,
    time_window: Option<Window>,
    around_event: Option<Around>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `since` or `until`")]
struct Window {
    since: Option<String>,
    until: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `event`")]
struct Around {
    event: String,
    days: Option<f64>,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    const STEPS: usize = 2;
    let arguments: Arguments = read(arguments)?;
    let config = ctx.config()?;
    let filter = arguments.filter(ctx)?;
    let limit = match arguments.limit {
        None => config.recall_limit,
        Some(0) => return Err(ToolError::error("`limit` is 0; give 1 to 50")),
        Some(limit) => limit.min(MAX_HITS),
    };
    let when = arguments.when()?;
    let engine = ctx.engine_for_query()?;
    let phase = arguments.phase.as_deref().map(|word| phase(&engine, word)).transpose()?;
    let recall = RecallRequest {
        phase,
        at_least: AT_LEAST,
        ..RecallRequest::explicit(
            shortened(arguments.query.as_deref().unwrap_or_default(), MAX_QUERY),
            filter,
            usize::try_from(limit).unwrap_or(usize::MAX),
        )
    };
    (ctx.progress)(1, STEPS);
    ctx.check_cancelled()?;
    let here = ctx.here(&engine);
    let notes = matching_notes(&engine, &here, &recall);
    let answers = tacit_app::recall::recall(ctx.app(), &engine, &here, recall, &when)?;
    (ctx.progress)(STEPS, STEPS);
    let root = engine.paths().root.clone();
    let mut shown: Vec<ShownNote> =
        answers.shown.iter().map(|answer| ShownNote::hit(&root, answer)).collect();
    shown.extend(notes.iter().map(ShownNote::note));
    let is_unclear = !answers.is_clear && !answers.shown.is_empty();
    let heading = if is_unclear { UNCLEAR } else { "as searched for" };
    let mut text = fenced(heading, &shown, "No memory answers that.");
    for remark in &answers.notes {
        text.push_str(&format!("\nRemark: {}", safe_text(remark)));
    }
    let hits: Vec<Value> = answers.shown.iter().map(hit_value).collect();
    let mut value = json!({"hits": hits});
    if is_unclear {
        value["nothing_clear"] = json!(true);
    }
    if !notes.is_empty() {
        let texts: Vec<String> = notes.iter().map(|note| safe_text(&note.text)).collect();
        value["session_notes"] = json!(texts);
    }
    if !answers.notes.is_empty() {
        value["remarks"] = answers.notes.iter().map(|remark| safe_text(remark)).collect();
    }
    Ok(ToolAnswer::notes(text, value))
}

impl Arguments {
    fn filter(&self, ctx: &ToolContext<'_>) -> Result<Filter, ToolError> {
        let mut filter = Filter {
            types: parse_all("types", self.types.clone())?,
            files: ctx.files(self.files.clone())?,
            modules: module_filters(ctx.app(), parse_all("modules", self.modules.clone())?)?,
            work_unit: self.methodology.clone().map(|methodology| WorkUnitFilter {
                methodology: Some(methodology),
                hierarchy: Vec::new(),
            }),
            ..Filter::default()
        };
        if let Some(window) = &self.time_window {
            let moment = |text: &Option<String>| {
                text.as_deref().map(|text| human_time::parse(text, ctx.now())).transpose()
            };
            let (since, until) = (moment(&window.since)?, moment(&window.until)?);
            filter.narrow(since, until);
        }
        Ok(filter)
    }

    fn when(&self) -> Result<RequestedPeriod, ToolError> {
        let around = match (&self.around_event, self.recent_sessions) {
            (None, None) => return Ok(RequestedPeriod::Any),
            (None, Some(0)) => {
                return Err(ToolError::error("`recent_sessions` is 0; give 1 or more"));
            }
            (None, Some(count)) => {
                return Ok(RequestedPeriod::RecentSessions(
                    usize::try_from(count).unwrap_or(usize::MAX),
                ));
            }
            (Some(_), Some(_)) => {
                return Err(ToolError::error("give `recent_sessions` or `around_event`, not both"));
            }
            (Some(around), None) => around,
        };
        let days = around.days.unwrap_or(AROUND_DAYS);
        if !(days > 0.0 && days.is_finite()) {
            return Err(ToolError::error("`around_event.days` must be above 0"));
        }
        Ok(RequestedPeriod::Around(around.event.clone(), days))
    }
}

/// Finds the universal phase for a phase of the active methodology.
fn phase(engine: &Engine<'_>, word: &str) -> Result<UniversalPhase, ToolError> {
    let methodology = engine.methodology();
    methodology.find_phase(word).ok_or_else(|| {
        let parse_all = methodology.phase_words().join(", ");
        let expected = format!("a phase of `{}` ({parse_all})", methodology.id());
        field("phase", Problem::unexpected(word, expected))
    })
}
