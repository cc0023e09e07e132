//! With a prompt: shows what is known about the user's request.

use tacit_core::log::Complexity;
use tacit_core::{AgentEvent, UniversalPhase};
use tacit_engine::{
    EngineResult, RecallRequest, RecallResult, RemovalReason, StoredMemory, Strictness,
};
use tacit_store::Filter;

use super::item::InjectionItem;
use super::{HookContext, HookDecision, unverified};
use crate::briefing::recipes;
use crate::prompt_query::{asks_for_plan, parse_prompt};

/// The maximum number of memories shown. A third one is rarely the right one.
pub const LIMIT: usize = 2;
/// The greatest difference between the logits of the first memory and of a further one.
const MOST_DOUBT: f64 = 2.0;
/// The maximum number of trigger entries offered.
const OFFERS: usize = 2;

/// Handles a prompt of the user.
pub(super) fn prompt(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    text: &str,
    planning: bool,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let prompt = parse_prompt(text);
    if prompt.is_command() {
        decision.trace.push("a slash command of Tacit itself".into());
        return Ok(());
    }
    let mut items = Vec::new();
    if let Some(query) = prompt.query() {
        let is_defining = ctx.settings.phase == Some(UniversalPhase::Define);
        if is_defining || planning || asks_for_plan(&prompt.text) {
            steps_that_worked(ctx, event, &query, decision)?;
        }
        let shown_recipes: Vec<_> = decision.injections.iter().map(|shown| shown.memory).collect();
        let request = RecallRequest::proactive(query, LIMIT);
        let (found, unproven) = search_all(ctx, event, request, decision)?;
        items = without_doubtful(found).into_iter().map(InjectionItem::recalled).collect();
        items.retain(|item| !shown_recipes.contains(&item.memory_id()));
        items.extend(unverified::conclusion(ctx, event, &prompt.text, unproven)?);
    }
    let mut offers = ctx.new_offers(event)?;
    offers.retain(|offer| !items.iter().any(|item| item.is_opened_by(offer)));
    items.extend(offers.into_iter().take(OFFERS));
    items.extend(ctx.new_likely(event)?);
    ctx.show(event, "for this prompt", &items, ctx.settings.prompt_tokens, decision);
    Ok(())
}

/// Removes memories that are much less likely than the first: of those, only one in ten is right.
fn without_doubtful(mut found: Vec<RecallResult>) -> Vec<RecallResult> {
    let logit = |one: &RecallResult| {
        let likelihood = one.why.map_or(0.0, |why| why.likelihood);
        (likelihood / (1.0 - likelihood).max(f64::EPSILON)).ln()
    };
    let least = found.first().map(|first| logit(first) - MOST_DOUBT);
    found.retain(|one| least.is_none_or(|least| logit(one) >= least));
    found
}

/// Shows recipes for the task that is being planned, in a block of their own. A trivial task needs
/// none.
fn steps_that_worked(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    task: &str,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    if ctx.work().complexity == Some(Complexity::Trivial) {
        decision.trace.push("no recipes for a trivial task".into());
        return Ok(());
    }
    let how = RecallRequest {
        strictness: Strictness::Event,
        embed_timeout: ctx.settings.embedding_timeout,
        seen: ctx.seen(event)?,
        ..RecallRequest::explicit(String::new(), Filter::default(), 0)
    };
    // Uses the same text as the other search, because its vector is already computed.
    let embedded = RecallRequest::proactive(task, 1).embedding_text();
    let task = embedded.as_deref().unwrap_or(task);
    let items: Vec<InjectionItem> =
        recipes(ctx.engine, task, how)?.into_iter().map(InjectionItem::recalled).collect();
    ctx.show(event, "steps that worked before", &items, ctx.settings.prompt_tokens, decision);
    Ok(())
}

/// Runs a proactive search, without what was shown before or belongs to other work.
pub(super) fn search(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    request: RecallRequest,
    decision: &mut HookDecision,
) -> EngineResult<Vec<RecallResult>> {
    Ok(search_all(ctx, event, request, decision)?.0)
}

/// Runs a proactive search, and also returns the memories that were left out because they are not
/// proven, best first.
fn search_all(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    request: RecallRequest,
    decision: &mut HookDecision,
) -> EngineResult<(Vec<RecallResult>, Vec<StoredMemory>)> {
    if request.query.trim().is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let recall = RecallRequest {
        phase: ctx.settings.phase,
        embed_timeout: ctx.settings.embedding_timeout,
        seen: ctx.seen(event)?,
        ..request
    };
    let answers = ctx.engine.recall(&recall)?;
    decision.trace.extend(answers.notes);
    for omitted in &answers.omitted {
        let why = match omitted.why {
            RemovalReason::Seen => "shown before in this session".to_owned(),
            RemovalReason::Stale => "about things that no longer exist".to_owned(),
            RemovalReason::Unused => "shown often and never used".to_owned(),
            RemovalReason::Unproven => "seen only once and not verified".to_owned(),
            RemovalReason::Unlikely(likely) => format!("unlikely ({:.0}%)", likely * 100.0),
            RemovalReason::SupersededBy(id) => format!("superseded by {}", id.short()),
            RemovalReason::FoldedInto(_) => "nearly the same as another one".to_owned(),
            RemovalReason::BeyondLimit => format!("beyond the limit of {}", recall.limit),
            RemovalReason::BeyondBudget => "beyond the budget".to_owned(),
        };
        decision.trace.push(format!("cut {}: {why}", omitted.found.memory.id.short()));
    }
    let mut shown = answers.shown;
    shown.retain(|recalled| {
        let memory = &recalled.found.memory;
        let why = match ctx.applies(event, memory) {
            true => ctx.objection(memory),
            false => Some("belongs to another unit of work"),
        };
        if let Some(why) = why {
            decision.trace.push(format!("cut {}: {why}", memory.id.short()));
        }
        why.is_none()
    });
    let unproven = answers.omitted.into_iter();
    let unproven = unproven.filter(|omitted| omitted.why == RemovalReason::Unproven);
    Ok((shown, unproven.map(|omitted| omitted.found).collect()))
}
