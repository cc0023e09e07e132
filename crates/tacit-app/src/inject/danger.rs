//! Dangers: memories that warn of a command. The guard stops an agent before it runs one.

use tacit_agents::{Client, ReplyPart, safe_text};
use tacit_core::{AgentEvent, CommandGuard, EventKind, EventName, FailureCause, Memory, MemoryId};
use tacit_core::{Review, Tag, Timestamp};
use tacit_engine::{EngineResult, StoredMemory};
use tacit_store::{EventQuery, Filter, Injection, InjectionQuery, ListOrder};

use super::item::{InjectionItem, headline};
use super::{HookContext, HookDecision, INJECTIONS_EXAMINED};
use crate::topics::{danger_forms, runs_danger};

/// The tags that mark a command as dangerous in this project.
pub(super) const DANGER: [&str; 3] = ["danger", "dangerous", "destructive"];
/// The maximum number of memories examined per tag.
const EXAMINED: usize = 200;
/// The maximum number of warnings shown when a session starts.
const AT_START: usize = 2;
/// The maximum number of events searched for a command that was allowed.
const EVENTS_EXAMINED: usize = 200;
/// The review states of memories that may stop a command.
const TRUSTED: [Review; 2] = [Review::Verified, Review::Committed];
/// The layer of injections that stopped a command.
const DENIED: &str = "guard";
/// The layer of injections with which a person was asked.
const ASKED: &str = "guard_asked";

/// Returns the commands that a memory warns of, as forms.
pub fn commands_warned_of(memory: &Memory) -> Vec<String> {
    let is_danger = memory.body.tags.iter().any(|tag| DANGER.contains(&tag.as_str()));
    if is_danger { danger_forms(memory.body.content.as_str()) } else { Vec::new() }
}

/// Returns the memories with a danger tag that are neither stale nor superseded, newest first: all,
/// or those in some review states.
pub(super) fn warnings(
    ctx: &HookContext<'_, '_>,
    reviews: &[Review],
    limit: usize,
) -> EngineResult<Vec<StoredMemory>> {
    let mut found: Vec<StoredMemory> = Vec::new();
    for tag in DANGER.into_iter().filter_map(|tag| Tag::new(tag).ok()) {
        let filter = Filter {
            reviews: reviews.to_vec(),
            tags: vec![tag],
            stale: Some(false),
            ..Filter::default()
        };
        for one in ctx.engine.list(None, &filter, ListOrder::Newest, limit, 0)? {
            if found.iter().all(|known| known.memory.id != one.memory.id) {
                found.push(one);
            }
        }
    }
    ctx.engine.without_superseded(found)
}

/// Returns the warnings that may stop a command.
pub(super) fn trusted_warnings(ctx: &HookContext<'_, '_>) -> EngineResult<Vec<StoredMemory>> {
    warnings(ctx, &TRUSTED, EXAMINED)
}

/// Returns the warnings that every session should see.
pub(super) fn at_start(
    ctx: &HookContext<'_, '_>,
    seen: &[MemoryId],
) -> EngineResult<Vec<InjectionItem>> {
    let mut found = warnings(ctx, &TRUSTED, AT_START)?;
    found
        .retain(|found| !seen.contains(&found.memory.id) && ctx.objection(&found.memory).is_none());
    found.truncate(AT_START);
    let item = |found| InjectionItem::introduced(found, "a warning about a command");
    Ok(found.into_iter().map(item).collect())
}

/// Stops an agent before a command that a memory of a person or the team warns of. A person who
/// watches is asked; otherwise the agent is told why. With `once`, it may go ahead afterwards.
pub(super) fn guard(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    line: &str,
    can_ask: bool,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let mode = ctx.settings.guard;
    let can_deny = Client::named(event.client).takes(ReplyPart::Deny, event.name());
    if mode == CommandGuard::Off || !(can_ask || can_deny) {
        return Ok(());
    }
    let mut found = trusted_warnings(ctx)?;
    found.retain(|found| {
        commands_warned_of(&found.memory).iter().any(|form| runs_danger(line, form))
            && ctx.objection(&found.memory).is_none()
    });
    if mode == CommandGuard::Once && !found.is_empty() {
        let earlier = earlier_stops(ctx, event)?;
        let mut open = Vec::new();
        for one in found {
            if !may_go_ahead(ctx, event, &one.memory, &earlier)? {
                open.push(one);
            }
        }
        found = open;
    }
    let Some(found) = found.into_iter().next() else { return Ok(()) };
    let (id, text) = (found.memory.id, safe_text(&warning_text(&found.memory)));
    let reason = format!("Known to be dangerous in this project [{}]: {text}", id.short());
    let asks = can_ask && (!can_deny || ctx.attended || mode == CommandGuard::Always);
    let layer = if asks { ASKED } else { DENIED };
    decision.trace.push(format!("{layer} {}: names the command", id.short()));
    decision.injections.push(stop(ctx, event, id, &text, layer));
    if asks {
        decision.reply.ask = Some(reason);
    } else {
        let next = match mode {
            CommandGuard::Once => "If you are sure, run it again to go ahead.",
            _ => "Leave it to the user to run it.",
        };
        decision.reply.deny = Some(format!("{reason}\n{next}"));
    }
    Ok(())
}

/// Returns the warnings that stopped this session.
fn earlier_stops(ctx: &HookContext<'_, '_>, event: &AgentEvent) -> EngineResult<Vec<Injection>> {
    let query = InjectionQuery {
        session: Some(event.session.clone()),
        limit: INJECTIONS_EXAMINED,
        ..InjectionQuery::default()
    };
    let mut stops = ctx.engine.injections(&query)?;
    stops.retain(|injection| [DENIED, ASKED].contains(&injection.layer.as_str()));
    Ok(stops)
}

/// Returns true if the session was told of the danger, or a person allowed the command: it has run
/// since they were asked.
fn may_go_ahead(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    memory: &Memory,
    earlier: &[Injection],
) -> EngineResult<bool> {
    let mut stops = earlier.iter().filter(|stop| stop.memory == Some(memory.id)).peekable();
    let Some(first) = stops.peek().map(|stop| stop.at) else { return Ok(false) };
    Ok(stops.any(|stop| stop.layer == DENIED) || has_run(ctx, event, memory, first)?)
}

/// Returns true if the session ran a command that a memory warns of, from a time on.
fn has_run(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    memory: &Memory,
    since: Timestamp,
) -> EngineResult<bool> {
    let query = EventQuery {
        session: Some(event.session.clone()),
        kinds: vec![EventName::ToolFinished.into(), EventName::ToolFailed.into()],
        limit: EVENTS_EXAMINED,
        ..EventQuery::default()
    };
    let forms = commands_warned_of(memory);
    let ran =
        ctx.engine.events(&query)?.into_iter().filter(|event| event.at >= since).any(|event| {
            let kind = event.record.client().and_then(|record| Some(record.event().ok()?.kind));
            let command = match &kind {
                Some(EventKind::ToolFinished { tool, .. }) => tool.kind.command(),
                Some(EventKind::ToolFailed { tool, failure, .. }) => {
                    tool.kind.command().filter(|_| failure.cause == FailureCause::Ran)
                }
                _ => None,
            };
            command.is_some_and(|line| forms.iter().any(|form| runs_danger(line, form)))
        });
    Ok(ran)
}

fn stop(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    memory: MemoryId,
    text: &str,
    layer: &str,
) -> Injection {
    Injection {
        session: event.session.clone(),
        agent: event.agent.as_ref().map(|agent| agent.id.clone()),
        context: ctx.context_number(),
        at: ctx.now,
        layer: layer.to_owned(),
        event: ctx.event_id.clone(),
        memory: Some(memory),
        text: headline(text),
        tokens: u32::try_from(text.len() / 4).unwrap_or(u32::MAX),
        why: "warns about this command".to_owned(),
        withheld: false,
        fate: None,
    }
}

/// Returns the lines of a warning that name a command, or all; long ones are cut.
fn warning_text(memory: &Memory) -> String {
    const MAX_BYTES: usize = 400;
    let content = memory.body.content.as_str();
    let named: Vec<&str> = content.lines().filter(|line| !danger_forms(line).is_empty()).collect();
    let text = match &memory.body.title {
        Some(title) if content.contains('\n') && !named.is_empty() => {
            format!("{title}: {}", named.join(" "))
        }
        _ => memory.body.titled(),
    };
    if text.len() <= MAX_BYTES {
        return text;
    }
    format!("{} …", &text[..text.floor_char_boundary(MAX_BYTES)])
}
