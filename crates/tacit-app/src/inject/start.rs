//! The start of a session: what an agent should know before anything is said.

use tacit_core::log::LogRecord;
use tacit_core::{
    AgentEvent, BuiltinType, Details, ErrorPattern, EventKind, EventName, FailureCause, MemoryId,
    RepoPath, Source, StartSource, Tag, Timestamp,
};
use tacit_engine::{EngineResult, StoreScope, StoredMemory};
use tacit_store::{EventQuery, Filter, Injection, InjectionQuery, ListOrder, SessionChange};
use tacit_work::is_volatile;
use tacit_work::scope::applies;

use super::command::{DANGER, named_commands};
use super::item::Item;
use super::{Decision, Desk, REMEMBERED};
use crate::context::{last_state, state_item};
use crate::topics::{Remembered, Topics, discover};

/// How many memories are shown, besides the state of the work.
const LIMIT: usize = 5;
/// How many of them may be the user's preferences.
const PREFERENCES: usize = 2;
/// How many memories that were of use before a summary are shown again.
const AGAIN: usize = 5;
/// The tag of what everybody should know.
const CHEAT_SHEET: &str = "cheat-sheet";
/// The tag of what makes commands hot topics.
const HOT_TOPIC: &str = "hot-topic";
/// How many memories and failures are looked through for commands.
const LOOKED_AT_TOPICS: usize = 40;
/// A tag on so many of the newest memories is often spoken of.
const FREQUENT_TAG: u64 = 5;
/// How many of the newest memories are looked through for tags.
const LOOKED_AT_TAGS: u64 = 1_000;
/// How many events of a session are looked through for signs of use.
const LOOKED_AT: usize = 2_000;

/// A session started, went on, or lost its context.
pub(super) fn session(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    source: StartSource,
    decision: &mut Decision,
) -> EngineResult<()> {
    let lost = matches!(source, StartSource::Compact | StartSource::Clear);
    if lost && desk.session.is_some() {
        decision.changes.push(SessionChange::Compacted);
    }
    let mut items = Vec::new();
    // What is resumed still has what it was shown.
    let mut seen = if lost { Vec::new() } else { desk.seen(event)? };
    let state = last_state(desk.engine, &desk.work, desk.branch.as_deref(), desk.now)?;
    let state = state.map(|found| state_item(desk.engine, found));
    items.extend(state.filter(|item| fresh(item, &seen)));
    for item in worth_knowing(desk, event, &seen)? {
        seen.extend(item.memory_id());
        items.push(item);
    }
    if lost {
        items.extend(used_before(desk, event, &seen)?);
    }
    desk.show(event, "for this session", &items, desk.settings.session_tokens, decision);
    // What is resumed still has what it was told at its start.
    if source != StartSource::Resume || !is_started(desk, event)? {
        let context = decision.reply.context.get_or_insert_default();
        if !context.is_empty() {
            context.push('\n');
        }
        context.push_str(&hint(desk));
    }
    Ok(())
}

/// Whether the start of this session was seen before.
fn is_started(desk: &Desk<'_, '_>, event: &AgentEvent) -> EngineResult<bool> {
    let starts = EventQuery {
        session: Some(event.session.clone()),
        kinds: vec![EventName::SessionStarted.into()],
        limit: 1,
        ..EventQuery::default()
    };
    Ok(!desk.engine.events(&starts)?.is_empty())
}

/// The context was summarised. Clients may tell of that and start the session again, in either
/// order: what a start has just shown is not lost.
pub(super) fn compacted(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    decision: &mut Decision,
) -> EngineResult<()> {
    let last =
        EventQuery { session: Some(event.session.clone()), limit: 1, ..EventQuery::default() };
    let last = desk.engine.events(&last)?;
    if last.first().is_none_or(|event| !event.record.is_event(EventName::SessionStarted)) {
        decision.changes.push(SessionChange::Compacted);
    }
    Ok(())
}

/// A subagent started: it knows nothing of what the agent was shown.
pub(super) fn subagent(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    decision: &mut Decision,
) -> EngineResult<()> {
    let items = worth_knowing(desk, event, &desk.seen(event)?)?;
    desk.show(event, "for this task", &items, desk.settings.prompt_tokens, decision);
    Ok(())
}

/// The commands of this project for which memory is asked before they run.
pub fn hot_topics(desk: &Desk<'_, '_>) -> EngineResult<Topics> {
    let mut hot_topics = Vec::new();
    // What is dangerous must be hot, or the guard would never look.
    for tag in DANGER.into_iter().chain([HOT_TOPIC]).filter_map(|tag| Tag::new(tag).ok()) {
        let filter = Filter { tags: vec![tag], stale: Some(false), ..Filter::default() };
        let marked = desk.engine.list(None, &filter, ListOrder::Newest, LOOKED_AT_TOPICS, 0)?;
        hot_topics.extend(marked.iter().map(|found| found.memory.body.content.to_string()));
    }
    let failed = EventQuery {
        kinds: vec![EventName::ToolFailed.into()],
        limit: LOOKED_AT_TOPICS,
        ..EventQuery::default()
    };
    let mut failed_commands: Vec<String> = Vec::new();
    for event in desk.engine.events(&failed)? {
        failed_commands.extend(failed_command(&event.record));
    }
    let errors = Filter { types: vec![BuiltinType::ErrorPattern.into()], ..Filter::default() };
    for found in desk.engine.list(None, &errors, ListOrder::Newest, LOOKED_AT_TOPICS, 0)? {
        let said = &found.memory.body;
        failed_commands.extend(match said.subject.details() {
            Details::ErrorPattern(ErrorPattern { fix: Some(fix), .. }) => {
                Some(fix.failing_command.clone())
            }
            // Whoever tells of an error names the command in backticks.
            _ if said.origin.source == Source::QaAuto => None,
            _ => named_commands(said.content.as_str()).next().map(str::to_owned),
        });
    }
    let tags: Vec<String> = desk
        .engine
        .frequent_tags(LOOKED_AT_TAGS, LOOKED_AT_TOPICS)?
        .into_iter()
        .filter(|(_, count)| *count >= FREQUENT_TAG)
        .map(|(tag, _)| tag)
        .collect();
    let remembered =
        Remembered { hot_topics: &hot_topics, failed_commands: &failed_commands, tags: &tags };
    Ok(discover(desk.root, remembered, desk.now))
}

/// The command of which a kept event tells that it ran and failed.
fn failed_command(record: &LogRecord) -> Option<String> {
    match record.client()?.event().ok()?.kind {
        EventKind::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
            tool.kind.command().map(str::to_owned)
        }
        _ => None,
    }
}

/// How the agent may store what it learns; skills read these lines.
fn hint(desk: &Desk<'_, '_>) -> String {
    let settings = desk.settings;
    format!(
        "Tip: Use /remember <learning> to capture insights, or use the store_memory MCP tool \
         directly.\nMemory capture mode: {}\nMemory silent capture budget: {}",
        settings.capture_mode, settings.silent_budget
    )
}

fn fresh(item: &Item, seen: &[MemoryId]) -> bool {
    item.memory_id().is_none_or(|id| !seen.contains(&id))
}

/// What everybody should know, what the user prefers, and what matters most in this phase.
fn worth_knowing(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    seen: &[MemoryId],
) -> EngineResult<Vec<Item>> {
    let mut items: Vec<Item> = Vec::new();
    let mut add = |found: Vec<StoredMemory>, why: &str, most: usize| {
        let room = most.min(LIMIT - items.len().min(LIMIT));
        let known: Vec<MemoryId> = items.iter().filter_map(Item::memory_id).collect();
        let new = found
            .into_iter()
            .filter(|f| !seen.contains(&f.memory.id) && !known.contains(&f.memory.id))
            .take(room)
            .map(|found| Item::memory(found, why));
        items.extend(new.collect::<Vec<_>>());
    };
    let (engine, phase) = (desk.engine, desk.settings.phase);
    if let Ok(tag) = Tag::new(CHEAT_SHEET) {
        let filter = Filter { tags: vec![tag], ..Filter::default() };
        add(engine.top_memories(None, &filter, phase, LIMIT)?, "on the cheat sheet", LIMIT);
    }
    let preferences = Filter { types: vec![BuiltinType::Preference.into()], ..Filter::default() };
    if engine.store(StoreScope::Global).is_some() {
        let own = engine.top_memories(Some(StoreScope::Global), &preferences, None, PREFERENCES)?;
        add(own, "the user prefers it", PREFERENCES);
    }
    let top =
        engine.top_memories(Some(StoreScope::Project), &Filter::default(), phase, 3 * LIMIT)?;
    let useful = |found: &StoredMemory| {
        let memory = &found.memory;
        !is_volatile(&memory.memory_type())
            && applies(memory.body.subject.placement(), &desk.position(event))
    };
    let top = top.into_iter().filter(useful).collect();
    add(top, "among the most useful of this project", LIMIT);
    Ok(items)
}

/// What was shown before the context was lost and seems to have been of use: the agent named it, or
/// worked on a file it is about.
fn used_before(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    seen: &[MemoryId],
) -> EngineResult<Vec<Item>> {
    let query = InjectionQuery {
        session: Some(event.session.clone()),
        limit: REMEMBERED,
        ..InjectionQuery::default()
    };
    let mut shown: Vec<(MemoryId, Timestamp)> = Vec::new();
    for Injection { memory, at, .. } in desk.engine.injections(&query)? {
        if let Some(id) = memory
            && !seen.contains(&id)
            && shown.iter().all(|(known, _)| *known != id)
        {
            shown.push((id, at));
        }
    }
    if shown.is_empty() {
        return Ok(Vec::new());
    }
    let events = EventQuery {
        session: Some(event.session.clone()),
        limit: LOOKED_AT,
        ..EventQuery::default()
    };
    let later = desk.engine.events(&events)?;
    let mut items = Vec::new();
    for (id, at) in shown {
        if items.len() >= AGAIN {
            break;
        }
        let Ok(found) = desk.engine.find(&id.to_string()) else { continue };
        let files: Vec<&str> = found.memory.body.files.iter().map(RepoPath::as_str).collect();
        let name = id.short().to_string();
        let used = later.iter().filter(|event| event.at >= at).any(|event| {
            let Some(told) = event.record.client() else { return false };
            told.subject().is_some_and(|subject| files.contains(&subject))
                || (told.name() == EventName::TurnStopped && told.mentions(&name))
        });
        if used {
            items.push(Item::memory(found, "of use before the summary"));
        }
    }
    Ok(items)
}
