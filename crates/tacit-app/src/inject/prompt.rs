//! A prompt: what is known about what the user wants.

use tacit_core::log::Complexity;
use tacit_core::{AgentEvent, UniversalPhase};
use tacit_engine::{EngineResult, RecallRequest, RemovalReason, SearchChannels, Strictness};
use tacit_store::Filter;
use tacit_work::scope::applies;

use super::item::Item;
use super::{Decision, Desk};
use crate::context::recipes;
use crate::question::{asks_for_plan, question};

/// How many memories are shown.
const LIMIT: usize = 3;
/// How many entries of the trigger index are offered.
const OFFERS: usize = 2;

/// The user said something.
pub(super) fn prompt(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    text: &str,
    planning: bool,
    decision: &mut Decision,
) -> EngineResult<()> {
    let question = question(text);
    if question.is_command() {
        decision.trace.push("a command of memory itself".into());
        return Ok(());
    }
    let mut items = Vec::new();
    if let Some(query) = question.query() {
        let define = desk.settings.phase == Some(UniversalPhase::Define);
        if define || planning || asks_for_plan(&question.text) {
            steps_that_worked(desk, event, &query, decision)?;
        }
        let told: Vec<_> = decision.injections.iter().map(|shown| shown.memory).collect();
        items = recall(desk, event, &query, SearchChannels::Both, LIMIT, decision)?;
        items.retain(|item| !told.contains(&item.memory_id()));
    }
    items.extend(desk.new_offers(event)?.into_iter().take(OFFERS));
    items.extend(desk.new_likely(event)?);
    desk.show(event, "for this prompt", &items, desk.settings.prompt_tokens, decision);
    Ok(())
}

/// Shows recipes for what is being planned, in a block of their own. A trivial task needs none.
fn steps_that_worked(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    task: &str,
    decision: &mut Decision,
) -> EngineResult<()> {
    if desk.work.complexity == Some(Complexity::Trivial) {
        decision.trace.push("no recipes for a trivial task".into());
        return Ok(());
    }
    let how = RecallRequest {
        strictness: Strictness::Event,
        embed_timeout: desk.settings.patience,
        seen: desk.seen(event)?,
        ..RecallRequest::explicit(String::new(), Filter::default(), 0)
    };
    // By the very text that the rest is searched by, whose vector is at hand.
    let embedded = RecallRequest::proactive(task, 1).embedding_text();
    let task = embedded.as_deref().unwrap_or(task);
    let items: Vec<Item> =
        recipes(desk.engine, task, how)?.into_iter().map(Item::recalled).collect();
    desk.show(event, "steps that worked before", &items, desk.settings.prompt_tokens, decision);
    Ok(())
}

/// What is clearly about a text and was not shown yet.
pub(super) fn recall(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    query: &str,
    channels: SearchChannels,
    limit: usize,
    decision: &mut Decision,
) -> EngineResult<Vec<Item>> {
    if query.trim().is_empty() {
        return Ok(Vec::new());
    }
    let strictness =
        if channels == SearchChannels::Words { Strictness::Event } else { Strictness::Proactive };
    let recall = RecallRequest {
        strictness,
        channels,
        phase: desk.settings.phase,
        embed_timeout: desk.settings.patience,
        seen: desk.seen(event)?,
        ..RecallRequest::explicit(query, Filter::default(), limit)
    };
    let answers = desk.engine.recall(&recall)?;
    decision.trace.extend(answers.notes);
    for omitted in &answers.omitted {
        let why = match omitted.why {
            RemovalReason::Seen => "shown before in this session".to_owned(),
            RemovalReason::Stale => "about things that are gone".to_owned(),
            RemovalReason::Unproven => "learnt only once and confirmed by nobody".to_owned(),
            RemovalReason::Unlikely(likely) => format!("unlikely ({:.0}%)", likely * 100.0),
            RemovalReason::FoldedInto(_) => "nearly the same as another".to_owned(),
            RemovalReason::BeyondLimit => format!("beyond the {limit} that are shown"),
            RemovalReason::BeyondBudget => "beyond the budget".to_owned(),
        };
        decision.trace.push(format!("cut {}: {why}", omitted.found.memory.id.short()));
    }
    let mut shown = answers.shown;
    shown.retain(|recalled| {
        let memory = &recalled.found.memory;
        let here = applies(memory.body.subject.placement(), &desk.position(event));
        if !here {
            let id = memory.id.short();
            decision.trace.push(format!("cut {id}: of another unit of work"));
        }
        here
    });
    Ok(shown.into_iter().map(Item::recalled).collect())
}
