//! Before a command runs: shows what is known about it, if it is a hot topic.

use tacit_core::{AgentEvent, BuiltinType, Details, ErrorPattern, Memory, Tag, ToolUse};
use tacit_engine::{
    EngineResult, RecallRequest, RecallResult, SearchChannels, StoredMemory, Strictness,
};
use tacit_observer::rules::VARIANT_TAG;
use tacit_observer::runs_command;
use tacit_store::{Filter, ListOrder};

use super::item::InjectionItem;
use super::prompt::search;
use super::{HookContext, HookDecision, Occasion, danger};
use crate::topics::{VariantTopic, command_forms, telling_words};

/// The maximum number of memories shown.
const LIMIT: usize = 2;
/// The maximum number of memories compared with a command or an error.
const EXAMINED: usize = 8;
/// The maximum number of trigger entries offered.
const OFFERS: usize = 1;
/// The maximum number of commands that do not work here examined.
const VARIANTS_EXAMINED: usize = 200;

/// Handles a tool that is about to run.
pub(super) fn before(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    can_ask: bool,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let Some(command) = tool.kind.command() else { return Ok(()) };
    match &ctx.occasion {
        Occasion::HotTopic(hot) => decision.trace.push(format!("a hot topic: {hot}")),
        Occasion::Danger(hot) => {
            decision.trace.push(format!("a warning: {hot}"));
            danger::guard(ctx, event, command, can_ask, decision)?;
        }
        Occasion::Event | Occasion::FailedCheck => return Ok(()),
    }
    if decision.reply.deny.is_some() {
        return Ok(());
    }
    let mut items = variants(ctx, event, command)?;
    if items.is_empty() {
        items = known(ctx, event, command, decision)?;
    }
    items.extend(ctx.new_offers(event)?.into_iter().take(OFFERS));
    ctx.show(event, "for this command", &items, ctx.settings.tool_tokens, decision);
    Ok(())
}

/// Returns memories that name a command of the line, then those that share most of its words and do
/// not name another use of its programs.
fn known(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    line: &str,
    decision: &mut HookDecision,
) -> EngineResult<Vec<InjectionItem>> {
    // Options and trivial commands would count as query words that no memory answers.
    let mut found = word_matches(ctx, event, telling_words(line), decision)?;
    let floor = Strictness::Event.floor();
    let is_likely = |one: &RecallResult| one.why.is_some_and(|why| why.likelihood >= floor);
    let naming = |one: &RecallResult| CommandNaming::of(&one.found.memory, line);
    found.retain(|one| match naming(one) {
        CommandNaming::This => true,
        CommandNaming::Other => false,
        CommandNaming::None => is_likely(one),
    });
    found.sort_by_key(|one| naming(one) != CommandNaming::This);
    found.truncate(LIMIT);
    Ok(found.into_iter().map(InjectionItem::recalled).collect())
}

/// Returns the proven memories with the most words of a query in common, also unlikely ones: the
/// caller has evidence of its own.
pub(super) fn word_matches(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    query: String,
    decision: &mut HookDecision,
) -> EngineResult<Vec<RecallResult>> {
    let request = RecallRequest {
        strictness: Strictness::Event,
        channels: SearchChannels::Words,
        at_least: EXAMINED,
        ..RecallRequest::proactive(query, EXAMINED)
    };
    let mut found = search(ctx, event, request, decision)?;
    // A command that does not work here is found by its form: its memory also names the one that does.
    found.retain(|one| one.found.memory.body.tags.iter().all(|tag| tag.as_str() != VARIANT_TAG));
    Ok(found)
}

/// The relation of a memory to a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandNaming {
    /// The memory names a command that the line runs.
    This,
    /// The memory names another use of a program that the line runs.
    Other,
    /// The memory names no program of the line.
    None,
}

impl CommandNaming {
    pub(super) fn of(memory: &Memory, line: &str) -> CommandNaming {
        let cues = memory.body.cues.iter().map(|cue| cue.as_str());
        let text = memory.body.titled();
        let forms: Vec<String> =
            [text.as_str()].into_iter().chain(cues).flat_map(command_forms).collect();
        let program = |form: &String| form.split(' ').next().unwrap_or_default().to_owned();
        if forms.iter().any(|form| runs_command(line, form)) {
            CommandNaming::This
        } else if forms.iter().any(|form| runs_command(line, &program(form))) {
            CommandNaming::Other
        } else {
            CommandNaming::None
        }
    }
}

/// Returns memories of commands that do not work here, if the line runs such a command and they
/// were not shown before.
pub(super) fn variants(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    line: &str,
) -> EngineResult<Vec<InjectionItem>> {
    let mut items = Vec::new();
    let mut seen = None;
    for found in variant_memories(ctx)? {
        if !variant_topic(&found.memory).is_some_and(|topic| topic.matches(line)) {
            continue;
        }
        if seen.is_none() {
            seen = Some(ctx.seen(event)?);
        }
        if seen.iter().flatten().all(|id| *id != found.memory.id) && items.len() < LIMIT {
            items.push(InjectionItem::memory(found, "about this command"));
        }
    }
    Ok(items)
}

/// Returns the memories of commands that do not work here, newest first.
pub(super) fn variant_memories(ctx: &HookContext<'_, '_>) -> EngineResult<Vec<StoredMemory>> {
    let Ok(tag) = Tag::new(VARIANT_TAG) else { return Ok(Vec::new()) };
    let types = vec![BuiltinType::ErrorPattern.into()];
    let filter = Filter { types, tags: vec![tag], stale: Some(false), ..Filter::default() };
    let mut found = ctx.engine.list(None, &filter, ListOrder::Newest, VARIANTS_EXAMINED, 0)?;
    found.retain(StoredMemory::is_observed_or_proven);
    Ok(found)
}

/// Returns the command that a memory says does not work.
pub(super) fn variant_topic(memory: &Memory) -> Option<VariantTopic> {
    let Details::ErrorPattern(ErrorPattern { fix: Some(fix), .. }) = memory.body.subject.details()
    else {
        return None;
    };
    let (failing, working) =
        (fix.failing_command.clone(), fix.resolution.commands.first().cloned());
    (!failing.is_empty()).then_some(VariantTopic { failing, working })
}

/// Returns the texts in backticks.
pub(super) fn named_commands(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|named| named.len() > 1)
}
