//! After a failure: shows what is known about the error.

use tacit_core::{
    AgentEvent, BatchCall, BuiltinType, FailureCause, Source, Tag, ToolFailure, ToolOutcome,
    ToolUse,
};
use tacit_engine::{EngineResult, RecallResult, StoredMemory};
use tacit_observer::findings::findings;
use tacit_observer::rules::{CHECKER_TAG, advice_about};
use tacit_observer::{error_fingerprint, error_lines};
use tacit_store::{Filter, ListOrder};

use super::command::{CommandNaming, named_commands, variants, word_matches};
use super::error_names::ErrorNames;
use super::item::InjectionItem;
use super::{HookContext, HookDecision};
use crate::topics::telling_words;

/// The maximum number of memories shown.
const LIMIT: usize = 3;
/// The maximum number of them that may be notes of this session.
const SESSION_NOTES: usize = 1;
/// The maximum number of trigger entries offered.
const OFFERS: usize = 1;
/// The number of error lines whose names count.
const ERROR_LINES: usize = 6;
/// The least share of the error's information that a memory must have besides a name that is not
/// very specific.
const MIN_COVERAGE: f64 = 0.2;

/// Handles a failed tool.
pub(super) fn failed(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    failure: &ToolFailure,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    if failure.is_interrupt {
        decision.trace.push("interrupted by the user".into());
        return Ok(());
    }
    let mut items = known(ctx, event, tool, failure, decision)?;
    items.extend(ctx.new_offers(event)?.into_iter().take(OFFERS));
    ctx.show(event, "for this error", &items, ctx.settings.tool_tokens, decision);
    Ok(())
}

/// Handles a command that finished, and whose output shows that a check failed.
pub(super) fn finished(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    outcome: &ToolOutcome,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    decision.trace.push("the output shows a failure".into());
    let failure = ToolFailure {
        error: outcome.text.clone().unwrap_or_default(),
        exit_code: outcome.exit_code,
        is_interrupt: false,
        cause: FailureCause::Ran,
    };
    failed(ctx, event, tool, &failure, decision)
}

/// Handles the end of a batch of tools: some failures are reported only here.
pub(super) fn batch(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    calls: &[BatchCall],
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let unreported = calls.iter().filter_map(|call| {
        let failure = call.failure.as_ref().filter(|failure| failure.is_only_in_batch())?;
        Some((&call.tool, failure))
    });
    let mut items: Vec<InjectionItem> = Vec::new();
    for (tool, failure) in unreported.take(LIMIT) {
        for item in known(ctx, event, tool, failure, decision)? {
            if items.iter().all(|known| known.memory_id() != item.memory_id()) {
                items.push(item);
            }
        }
    }
    items.truncate(LIMIT);
    ctx.show(event, "for these errors", &items, ctx.settings.tool_tokens, decision);
    Ok(())
}

/// Returns true if a batch has failures that were not reported before.
pub(super) fn may_act_on(calls: &[BatchCall]) -> bool {
    calls.iter().any(|call| call.failure.as_ref().is_some_and(ToolFailure::is_only_in_batch))
}

/// Returns what is known about a failure: memories of the same error, of the same command that does
/// not work here, of the rule that is violated, and those that share a specific name with the error.
/// Ordinary words do not count: almost every failure shares some with almost every memory.
fn known(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    failure: &ToolFailure,
    decision: &mut HookDecision,
) -> EngineResult<Vec<InjectionItem>> {
    let mut items: Vec<InjectionItem> = Vec::new();
    let fingerprint = error_fingerprint(&tool.name, &failure.error);
    if let Some(fingerprint) = &fingerprint {
        decision.trace.push(format!("fingerprint {}", fingerprint.digest()));
        // How the same error was fixed earlier in this session, by any of its agents.
        let shown = ctx.shown(event)?;
        for inferred in ctx.engine.inferred_notes(&event.session, fingerprint.digest().as_str())? {
            let item = InjectionItem::noted(&inferred);
            if shown.iter().all(|injection| injection.text != item.headline()) {
                items.push(item);
            }
        }
        items.truncate(SESSION_NOTES);
        let same_error = ctx.engine.memories_of_error(fingerprint.digest(), &ctx.seen(event)?)?;
        let same_error = same_error.into_iter().take(LIMIT - items.len());
        items.extend(
            same_error.map(|found| InjectionItem::memory(found, "learnt from the same error")),
        );
    }
    let command = tool.kind.command();
    let mut more = match command {
        Some(line) => variants(ctx, event, line)?,
        None => Vec::new(),
    };
    more.extend(house_rules(ctx, event, &failure.error)?);
    // As printed: the text of a fingerprint has no numbers and codes, which memories may name.
    let printed = printed_lines(&failure.error);
    let mut named = named_in(ctx, event, command, &failure.error, &printed, decision)?;
    // The telling line of a short output need not look like an error.
    if named.is_empty() && failure.error.lines().count() <= ERROR_LINES {
        let all = failure.error.as_str();
        named = named_in(ctx, event, command, all, all, decision)?;
    }
    more.extend(named);
    for item in more {
        if items.iter().all(|known| known.memory_id() != item.memory_id()) {
            items.push(item);
        }
    }
    items.truncate(LIMIT);
    Ok(items)
}

/// Returns the memories that share a specific name with some lines of an error, quote it, or name the
/// command.
fn named_in(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    command: Option<&str>,
    error: &str,
    lines: &str,
    decision: &mut HookDecision,
) -> EngineResult<Vec<InjectionItem>> {
    let query = format!("{}\n{lines}", command.map(telling_words).unwrap_or_default());
    let names = ErrorNames::of(lines);
    let mut items = Vec::new();
    for one in word_matches(ctx, event, query, decision)? {
        if shares_name(&one, &names) || quotes_error(&one, error) || is_about_command(&one, command)
        {
            items.push(InjectionItem::recalled(one));
        } else {
            let id = one.found.memory.id.short();
            decision.trace.push(format!("cut {id}: shares no name with the error"));
        }
    }
    Ok(items)
}

/// Returns the rules of a checker that the output violates, unless they were shown before.
fn house_rules(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    output: &str,
) -> EngineResult<Vec<InjectionItem>> {
    let findings = findings(output);
    let mut tools: Vec<&str> = findings.iter().map(|finding| finding.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    let mut items = Vec::new();
    for tool in tools {
        let Ok(tag) = Tag::new(format!("{CHECKER_TAG}{tool}")) else { continue };
        let types = vec![BuiltinType::Pattern.into()];
        let filter = Filter { types, tags: vec![tag], stale: Some(false), ..Filter::default() };
        let rules = findings.iter().filter(|finding| finding.tool == tool);
        let rules: Vec<&str> = rules.filter_map(|finding| finding.rule.as_deref()).collect();
        let found = ctx.engine.list(None, &filter, ListOrder::Newest, LIMIT, 0)?;
        for found in found.into_iter().filter(StoredMemory::is_observed_or_proven) {
            if let Some(advice) = advice_about(found.memory.body.content.as_str(), &rules) {
                let item = InjectionItem::memory(found, "about the rule that is violated");
                items.push(item.with_text(advice));
            }
        }
    }
    ctx.not_shown(event, items)
}

/// Returns true if a memory quotes a message of the error, of at least two words.
fn quotes_error(one: &RecallResult, error: &str) -> bool {
    let text = one.found.memory.body.titled();
    named_commands(&text).any(|quoted| quoted.contains(' ') && error.contains(quoted))
}

/// Returns true if a memory that a person or an agent stored names the failed command.
fn is_about_command(one: &RecallResult, command: Option<&str>) -> bool {
    let memory = &one.found.memory;
    let is_inferred = memory.body.origin.source == Source::ObserverInferred;
    let names = |line| CommandNaming::of(memory, line) == CommandNaming::This;
    command.is_some_and(|line| !is_inferred && names(line))
}

/// Returns true if a memory has a name that only this error would have, or a less specific one and
/// other words of the error.
fn shares_name(one: &RecallResult, names: &ErrorNames<'_>) -> bool {
    let body = &one.found.memory.body;
    let cues = body.cues.iter().map(|cue| cue.as_str());
    let text = [body.titled().as_str()].into_iter().chain(cues).collect::<Vec<_>>().join("\n");
    let shared = names.shared_with(&text);
    let coverage = one.why.map_or(0.0, |why| why.coverage);
    shared.strong > 0 || shared.weak > 1 || (shared.weak == 1 && coverage >= MIN_COVERAGE)
}

/// Returns the error lines of an output as printed, or its first lines if none is an error.
fn printed_lines(output: &str) -> String {
    let lines = error_lines(output, ERROR_LINES);
    if lines.is_empty() {
        return output.lines().take(ERROR_LINES).collect::<Vec<_>>().join("\n");
    }
    lines.join("\n")
}
