//! After a failure: shows what is known about the error.

use tacit_core::{AgentEvent, BatchCall, ToolFailure, ToolUse};
use tacit_engine::{EngineResult, SearchChannels};
use tacit_observer::error_fingerprint;

use super::item::InjectionItem;
use super::prompt::recall;
use super::{HookContext, HookDecision};

/// The maximum number of memories shown.
const LIMIT: usize = 3;
/// The maximum number of them that may be notes of this session.
const SESSION_NOTES: usize = 1;
/// The maximum number of trigger entries offered.
const OFFERS: usize = 1;

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

/// Returns what is known about a failure: first memories of the same error, then memories about
/// similar ones.
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
    if items.len() < LIMIT {
        let text = fingerprint.as_ref().map_or(failure.error.as_str(), |f| f.text());
        let query = match tool.kind.command() {
            Some(command) => format!("{command}\n{text}"),
            None => text.to_owned(),
        };
        for item in recall(ctx, event, &query, SearchChannels::Words, LIMIT, decision)? {
            if items.iter().all(|known| known.memory_id() != item.memory_id()) {
                items.push(item);
            }
        }
        items.truncate(LIMIT);
    }
    Ok(items)
}
