//! Something failed: what is known about this error.

use tacit_core::{AgentEvent, BatchCall, FailureCause, ToolFailure, ToolUse};
use tacit_engine::{EngineResult, SearchChannels};
use tacit_observer::error_fingerprint;

use super::item::Item;
use super::prompt::recall;
use super::{Decision, Desk};

/// How many memories are shown.
const LIMIT: usize = 3;
/// How many of them may be notes of the same session.
const SCRATCHPAD: usize = 1;
/// How many entries of the trigger index are offered.
const OFFERS: usize = 1;

/// A tool failed.
pub(super) fn failed(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    failure: &ToolFailure,
    decision: &mut Decision,
) -> EngineResult<()> {
    if failure.is_interrupt {
        decision.trace.push("interrupted by the user".into());
        return Ok(());
    }
    let mut items = known(desk, event, tool, failure, decision)?;
    items.extend(desk.new_offers(event)?.into_iter().take(OFFERS));
    desk.show(event, "for this error", &items, desk.settings.tool_tokens, decision);
    Ok(())
}

/// All tools of one answer are done: those whose failure nobody told of before are among them.
pub(super) fn batch(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    calls: &[BatchCall],
    decision: &mut Decision,
) -> EngineResult<()> {
    let untold = calls.iter().filter_map(|call| {
        let failure = call.failure.as_ref().filter(|failure| is_untold(failure))?;
        Some((&call.tool, failure))
    });
    let mut items: Vec<Item> = Vec::new();
    for (tool, failure) in untold.take(LIMIT) {
        for item in known(desk, event, tool, failure, decision)? {
            if items.iter().all(|known| known.memory_id() != item.memory_id()) {
                items.push(item);
            }
        }
    }
    items.truncate(LIMIT);
    desk.show(event, "for these errors", &items, desk.settings.tool_tokens, decision);
    Ok(())
}

/// Whether a batch has failures that nobody told of before.
pub(super) fn concerns(calls: &[BatchCall]) -> bool {
    calls.iter().any(|call| call.failure.as_ref().is_some_and(is_untold))
}

/// Whether the client tells of such a failure only with the batch.
fn is_untold(failure: &ToolFailure) -> bool {
    !failure.is_interrupt && !matches!(failure.cause, FailureCause::Ran | FailureCause::Interrupted)
}

/// What is known about a failure: first what was learnt from the very same error, then what speaks
/// of the like.
fn known(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    failure: &ToolFailure,
    decision: &mut Decision,
) -> EngineResult<Vec<Item>> {
    let mut items: Vec<Item> = Vec::new();
    let fingerprint = error_fingerprint(&tool.name, &failure.error);
    if let Some(fingerprint) = &fingerprint {
        decision.trace.push(format!("fingerprint {}", fingerprint.digest()));
        // What ended the same error a while ago in this session, whoever did it.
        let shown = desk.shown(event)?;
        for inferred in desk.engine.inferred_notes(&event.session, fingerprint.digest().as_str())? {
            let item = Item::noted(&inferred);
            if shown.iter().all(|injection| injection.text != item.headline()) {
                items.push(item);
            }
        }
        items.truncate(SCRATCHPAD);
        let same = desk.engine.memories_of_error(fingerprint.digest(), &desk.seen(event)?)?;
        let same = same.into_iter().take(LIMIT - items.len());
        items.extend(same.map(|found| Item::memory(found, "learnt from the same error")));
    }
    if items.len() < LIMIT {
        let text = fingerprint.as_ref().map_or(failure.error.as_str(), |f| f.text());
        let query = match tool.kind.command() {
            Some(command) => format!("{command}\n{text}"),
            None => text.to_owned(),
        };
        for item in recall(desk, event, &query, SearchChannels::Words, LIMIT, decision)? {
            if items.iter().all(|known| known.memory_id() != item.memory_id()) {
                items.push(item);
            }
        }
        items.truncate(LIMIT);
    }
    Ok(items)
}
