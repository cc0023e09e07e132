//! At the start of a session: shows what an agent should know from the beginning.

use tacit_core::log::LogRecord;
use tacit_core::{
    AgentEvent, BuiltinType, Details, ErrorPattern, EventKind, EventName, FailureCause, Memory,
    MemoryId, RepoPath, Source, StartSource, Tag, Timestamp, UniversalPhase,
};
use tacit_engine::{EngineResult, StoreScope, StoredMemory};
use tacit_observer::rules::VARIANT_TAG;
use tacit_observer::validation::{CheckOutcome, evaluate_command};
use tacit_store::{EventQuery, Filter, Injection, InjectionQuery, ListOrder, SessionChange};
use tacit_work::is_volatile;

use super::command::{named_commands, variant_memories, variant_topic};
use super::danger::{at_start, commands_warned_of, trusted_warnings, warnings};
use super::focus::{Focus, without_repeated};
use super::item::InjectionItem;
use super::{HookContext, HookDecision, INJECTIONS_EXAMINED};
use crate::briefing::{last_state, observations, state_item};
use crate::topics::{HotTopics, KnownCommands, command_forms, discover};

/// The maximum number of memories shown, besides the state of the work.
const LIMIT: usize = 5;
/// The maximum number of memories compared.
const EXAMINED: usize = 120;
/// The maximum number of them that may be preferences.
const PREFERENCES: usize = 2;
/// The maximum number of useful memories shown again after a compaction.
const AGAIN: usize = 5;
/// The tag of memories that every session should see.
const CHEAT_SHEET: &str = "cheat-sheet";
/// The tag of memories that make commands hot topics.
const HOT_TOPIC: &str = "hot-topic";
/// The maximum number of memories and failures searched for commands.
const TOPICS_EXAMINED: usize = 40;
/// The maximum number of memories searched for commands that they name.
const NAMING_EXAMINED: usize = 500;
/// A tag on this many of the newest memories is frequent.
const FREQUENT_TAG: u64 = 5;
/// The number of the newest memories searched for frequent tags.
const TAGS_EXAMINED: u64 = 1_000;
/// The maximum number of events of a session searched for signs of use.
const EVENTS_EXAMINED: usize = 2_000;

/// Handles a session that starts, resumes, or was compacted or cleared.
pub(super) fn session(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    source: StartSource,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let is_cleared = matches!(source, StartSource::Compact | StartSource::Clear);
    if is_cleared && ctx.session.is_some() {
        decision.changes.push(SessionChange::Compacted);
    }
    let mut items = Vec::new();
    // A resumed session still has what it was shown.
    let mut seen = if is_cleared { Vec::new() } else { ctx.seen(event)? };
    let mut state = last_state(ctx.engine, ctx.work(), ctx.branch(), ctx.root, ctx.now)?;
    if let Some(found) = &state
        && is_cleared
        && ctx.engine.has_settled(&event.session, &found.memory)?
    {
        state = None;
    }
    let state = state.map(|found| state_item(ctx.engine, found));
    items.extend(state.filter(|item| is_new(item, &seen)));
    let qa_issues = ctx.qa_issues(&[])?;
    items.extend(if is_cleared { qa_issues } else { ctx.not_shown(event, qa_issues)? });
    for item in at_start(ctx, &seen)? {
        seen.extend(item.memory_id());
        items.push(item);
    }
    let observed = match ctx.settings.phase {
        Some(UniversalPhase::Validate) => observed_behaviour(ctx, &seen)?,
        _ => Vec::new(),
    };
    seen.extend(observed.iter().filter_map(InjectionItem::memory_id));
    for item in worth_knowing(ctx, event, &seen)? {
        seen.extend(item.memory_id());
        items.push(item);
    }
    if is_cleared {
        items.extend(used_before(ctx, event, &seen)?);
    }
    ctx.show(event, "for this session", &items, ctx.settings.session_tokens, decision);
    let heading = "E2E validation memory";
    ctx.show(event, heading, &observed, ctx.settings.session_tokens, decision);
    // A resumed session still has the hint from its start.
    let is_told = source == StartSource::Resume && is_started(ctx, event)?;
    if ctx.can_show(event) && !is_told {
        let context = decision.reply.context.get_or_insert_default();
        if !context.is_empty() {
            context.push('\n');
        }
        context.push_str(&hint(ctx));
    }
    Ok(())
}

/// Returns how the running application behaves, for an agent that is about to validate it, in
/// groups.
fn observed_behaviour(
    ctx: &HookContext<'_, '_>,
    seen: &[MemoryId],
) -> EngineResult<Vec<InjectionItem>> {
    let mut found = observations::best(ctx.engine)?;
    found.retain(|found| !seen.contains(&found.memory.id));
    let groups = observations::grouped(&found).into_iter();
    let items = groups.flat_map(|(name, group)| {
        group.into_iter().map(move |found| {
            let text = format!("{name}: {}", found.memory.body.content.as_str());
            InjectionItem::memory(found.clone(), "observed in the application").with_text(text)
        })
    });
    Ok(items.collect())
}

/// Returns true if this session has started before.
fn is_started(ctx: &HookContext<'_, '_>, event: &AgentEvent) -> EngineResult<bool> {
    let starts = EventQuery {
        session: Some(event.session.clone()),
        kinds: vec![EventName::SessionStarted.into()],
        limit: 1,
        ..EventQuery::default()
    };
    Ok(!ctx.engine.events(&starts)?.is_empty())
}

/// Handles a compaction. Some clients also start the session again, before or after; what such a
/// start has just shown is not lost.
pub(super) fn compacted(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let last =
        EventQuery { session: Some(event.session.clone()), limit: 1, ..EventQuery::default() };
    let last = ctx.engine.events(&last)?;
    if last.first().is_none_or(|event| !event.record.is_event(EventName::SessionStarted)) {
        decision.changes.push(SessionChange::Compacted);
    }
    Ok(())
}

/// Handles the start of a subagent, which does not have what the agent was shown.
pub(super) fn subagent(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let mut items = ctx.not_shown(event, ctx.qa_issues(&[])?)?;
    items.extend(worth_knowing(ctx, event, &ctx.seen(event)?)?);
    ctx.show(event, "for this task", &items, ctx.settings.prompt_tokens, decision);
    Ok(())
}

/// Finds the hot topics of the project: commands to consult the memory about before they run.
pub fn hot_topics(ctx: &HookContext<'_, '_>) -> EngineResult<HotTopics> {
    let mut hot_topics = Vec::new();
    if let Ok(tag) = Tag::new(HOT_TOPIC) {
        let filter = Filter { tags: vec![tag], stale: Some(false), ..Filter::default() };
        let marked = ctx.engine.list(None, &filter, ListOrder::Newest, TOPICS_EXAMINED, 0)?;
        hot_topics.extend(marked.iter().map(|found| found.memory.body.content.to_string()));
    }
    // The guard sees only these. A person may verify any of the others during the session.
    let mut dangers = trusted_warnings(ctx)?;
    dangers.extend(warnings(ctx, &[], TOPICS_EXAMINED)?);
    let dangers: Vec<String> =
        dangers.iter().flat_map(|found| commands_warned_of(&found.memory)).collect();
    let failed = EventQuery {
        kinds: vec![EventName::ToolFailed.into()],
        limit: TOPICS_EXAMINED,
        ..EventQuery::default()
    };
    let mut failed_commands: Vec<String> = Vec::new();
    for event in ctx.engine.events(&failed)? {
        failed_commands.extend(failed_command(&event.record));
    }
    let errors = Filter {
        types: vec![BuiltinType::ErrorPattern.into()],
        stale: Some(false),
        ..Filter::default()
    };
    for found in ctx.engine.list(None, &errors, ListOrder::Newest, TOPICS_EXAMINED, 0)? {
        let said = &found.memory.body;
        failed_commands.extend(match said.subject.details() {
            // Commands that do not work are hot in their failing form only.
            _ if said.tags.iter().any(|tag| tag.as_str() == VARIANT_TAG) => None,
            Details::ErrorPattern(ErrorPattern { fix: Some(fix), .. }) => {
                Some(fix.failing_command.clone())
            }
            // Memories about errors name the command in backticks; generated ones may quote
            // anything.
            _ if said.origin.source == Source::QaAuto => None,
            _ => named_commands(said.content.as_str()).next().map(str::to_owned),
        });
    }
    let tags: Vec<String> = ctx
        .engine
        .frequent_tags(TAGS_EXAMINED, TOPICS_EXAMINED)?
        .into_iter()
        .filter(|(_, count)| *count >= FREQUENT_TAG)
        .map(|(tag, _)| tag)
        .collect();
    let remembered =
        KnownCommands { hot_topics: &hot_topics, failed_commands: &failed_commands, tags: &tags };
    let everything = Filter { stale: Some(false), ..Filter::default() };
    let mut named: Vec<String> = Vec::new();
    for found in ctx.engine.list(None, &everything, ListOrder::Newest, NAMING_EXAMINED, 0)? {
        named.extend(commands_named_by(&found.memory));
    }
    let variants = variant_memories(ctx)?;
    let variants = variants.iter().filter_map(|found| variant_topic(&found.memory)).collect();
    let topics = discover(ctx.root, remembered, ctx.now);
    Ok(topics.with_variants(variants).with_commands(named).with_dangers(dangers))
}

/// Returns the commands to show a memory for. Of commands that do not work only the failing form is
/// hot, and generated texts quote anything.
pub fn commands_named_by(memory: &Memory) -> Vec<String> {
    let body = &memory.body;
    let is_variant = body.tags.iter().any(|tag| tag.as_str() == VARIANT_TAG);
    if is_variant || matches!(body.origin.source, Source::QaAuto | Source::ObserverInferred) {
        return Vec::new();
    }
    let cues = body.cues.iter().map(|cue| cue.as_str());
    [body.titled().as_str()].into_iter().chain(cues).flat_map(command_forms).collect()
}

/// Returns the command of an event in which a command ran and failed.
fn failed_command(record: &LogRecord) -> Option<String> {
    match record.client()?.event().ok()?.kind {
        EventKind::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
            let command = tool.kind.command()?;
            let check = evaluate_command(command, &failure.error, Some(false));
            (check.outcome == CheckOutcome::Failed).then(|| command.to_owned())
        }
        _ => None,
    }
}

/// Returns the hint on how to store what the agent learns, by the means that are installed. The skill
/// that captures learnings reads the last two lines.
fn hint(ctx: &HookContext<'_, '_>) -> String {
    let (settings, tools) = (ctx.settings, &ctx.memory_tools);
    let mut hint = match (tools.command, tools.server) {
        (Some(command), true) => format!(
            "Tip: Use {command} <learning> to capture insights, or use the store_memory MCP tool \
             directly."
        ),
        (Some(command), false) => format!("Tip: Use {command} <learning> to capture insights."),
        (None, true) => "Tip: Use the store_memory MCP tool to capture insights.".to_owned(),
        (None, false) => "Tip: Use `tacit remember \"…\"` to capture insights.".to_owned(),
    };
    if tools.capture_skill {
        hint.push_str(&format!(
            "\nMemory capture mode: {}\nMemory silent capture budget: {}",
            settings.capture_mode, settings.silent_budget
        ));
    }
    hint
}

fn is_new(item: &InjectionItem, seen: &[MemoryId]) -> bool {
    item.memory_id().is_none_or(|id| !seen.contains(&id))
}

/// Returns the cheat sheet, the user's preferences, and the best memories for the work at hand.
fn worth_knowing(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    seen: &[MemoryId],
) -> EngineResult<Vec<InjectionItem>> {
    let mut items: Vec<InjectionItem> = Vec::new();
    let mut add = |found: Vec<StoredMemory>, why: &str, limit: usize| {
        let room = limit.min(LIMIT - items.len().min(LIMIT));
        let known: Vec<MemoryId> = items.iter().filter_map(InjectionItem::memory_id).collect();
        let new = found
            .into_iter()
            .filter(|f| !seen.contains(&f.memory.id) && !known.contains(&f.memory.id))
            .filter(|f| ctx.objection(&f.memory).is_none() && !ctx.is_unused(event, &f.memory))
            .take(room)
            .map(|found| InjectionItem::introduced(found, why));
        items.extend(new.collect::<Vec<_>>());
    };
    let (engine, phase) = (ctx.engine, ctx.settings.phase);
    if let Ok(tag) = Tag::new(CHEAT_SHEET) {
        let filter = Filter { tags: vec![tag], ..Filter::default() };
        add(engine.top_memories(None, &filter, phase, LIMIT)?, "on the cheat sheet", LIMIT);
    }
    let preferences = Filter { types: vec![BuiltinType::Preference.into()], ..Filter::default() };
    if engine.store(StoreScope::Global).is_some() {
        let own = engine.top_memories(Some(StoreScope::Global), &preferences, None, PREFERENCES)?;
        add(own, "a preference of the user", PREFERENCES);
    }
    for (found, why) in best_of_project(ctx, event)? {
        add(vec![found], why, LIMIT);
    }
    Ok(items)
}

/// Returns the memories of the project, those first that are near to what is about to be worked on,
/// then the most useful ones, each with the reason.
fn best_of_project(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
) -> EngineResult<Vec<(StoredMemory, &'static str)>> {
    // Records and decision files are reference: a prompt, a file or a command brings them.
    let sources = Source::ALL.iter().copied().filter(|source| *source != Source::File).collect();
    let (filter, phase) = (Filter { sources, ..Filter::default() }, ctx.settings.phase);
    let mut top = ctx.engine.top_memories(Some(StoreScope::Project), &filter, phase, EXAMINED)?;
    top.retain(|found| {
        !is_volatile(&found.memory.memory_type())
            && ctx.applies(event, &found.memory)
            && !ctx.is_unused(event, &found.memory)
    });
    let focus = Focus::find(ctx, &top)?;
    let mut best: Vec<(u8, &str, StoredMemory)> = top
        .into_iter()
        .map(|found| {
            let near = focus.nearness(&found.memory);
            let (nearness, why) = near.unwrap_or((0, "one of the best of this project"));
            (nearness, why, found)
        })
        .collect();
    best.sort_by_key(|(nearness, ..)| std::cmp::Reverse(*nearness));
    best.truncate(2 * LIMIT);
    Ok(without_repeated(best.into_iter().map(|(_, why, found)| (found, why)).collect()))
}

/// Returns memories shown before a compaction that the agent seems to have used: it named them, or
/// worked on one of their files.
fn used_before(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    seen: &[MemoryId],
) -> EngineResult<Vec<InjectionItem>> {
    let query = InjectionQuery {
        session: Some(event.session.clone()),
        limit: INJECTIONS_EXAMINED,
        ..InjectionQuery::default()
    };
    let mut shown: Vec<(MemoryId, Timestamp)> = Vec::new();
    for Injection { memory, at, .. } in ctx.engine.injections(&query)? {
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
        limit: EVENTS_EXAMINED,
        ..EventQuery::default()
    };
    let later = ctx.engine.events(&events)?;
    let mut items = Vec::new();
    for (id, at) in shown {
        if items.len() >= AGAIN {
            break;
        }
        let Ok(found) = ctx.engine.find(&id.to_string()) else { continue };
        let files: Vec<&str> = found.memory.body.files.iter().map(RepoPath::as_str).collect();
        let name = id.short().to_string();
        let used = later.iter().filter(|event| event.at >= at).any(|event| {
            let Some(record) = event.record.client() else { return false };
            record.subject().is_some_and(|subject| files.contains(&subject))
                || (record.name() == EventName::TurnStopped && record.mentions(&name))
        });
        if used {
            items.push(InjectionItem::memory(found, "used before the compaction"));
        }
    }
    Ok(items)
}
