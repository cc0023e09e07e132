//! The review: what waits for a person, and the summary of a session.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacit_app::review::{
    AutoConfirmed, CERTAIN, ReviewDecision, ReviewItem, USED, card, is_about_changed_code,
    last_session, link_confirmed, note_waiting, review_queue, session_review, why_auto_confirmed,
};
use tacit_core::SessionId;
use tacit_engine::{Engine, StoreAccess, StoreScope};

use super::changes::decide;
use crate::error::ApiError;
use crate::phrase::Sentence;
use crate::route::{ApiCall, Route};
use crate::wire::memory::{Changed, Evidence, Item, Items, Nothing, ReviewQuery};

/// The cards of one answer, and the most of one.
const CARDS: usize = 50;
const MOST_CARDS: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/review", "List what waits for a person.", queue).cached(),
        Route::new(Method::GET, "/review/sessions/{session}", "Review a session.", session),
        Route::new(Method::POST, "/review/finish", "Link what was confirmed to the code.", finish),
        Route::new(Method::POST, "/review/{id}", "Decide about a memory.", decision),
    ]
}

/// The review queue.
#[derive(Debug, Serialize, JsonSchema)]
struct Queue {
    cards: Vec<Card>,
    total: usize,
    auto_confirmed: usize,
    rule: Rule,
}

/// A memory that waits, with what a person needs to judge it.
#[derive(Debug, Serialize, JsonSchema)]
struct Card {
    item: Item,
    /// flagged, conflict, code_changed, replaces or unconfirmed.
    reason: String,
    /// Details beyond the reason.
    why: Option<Sentence>,
    value: f64,
    phase: Option<String>,
    evidence: Evidence,
    others: Vec<Item>,
}

/// The rule by which memories need no review.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule {
    confidence_above: f64,
    shown_at_least: u64,
}

const RULE: Rule = Rule { confidence_above: CERTAIN, shown_at_least: USED };

/// The summary of a session.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionSummary {
    session: Option<String>,
    applied: Vec<Item>,
    new: Vec<Card>,
    auto_confirmed: Vec<Settled>,
    rule: Rule,
}

/// A memory that needs no review.
#[derive(Debug, Serialize, JsonSchema)]
struct Settled {
    #[serde(flatten)]
    item: Item,
    /// verified, committed, commit, certain_and_used or other.
    why: String,
}

/// A decision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionInput {
    decision: Decision,
    /// The original, of a duplicate.
    of: Option<String>,
}

/// A decision in a word.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Confirm,
    Reject,
    Wrong,
    Outdated,
    Duplicate,
}

fn cards(
    engine: &Engine<'_>,
    items: &Items,
    waiting: Vec<ReviewItem>,
) -> Result<Vec<Card>, ApiError> {
    let one = |item| {
        let card = card(engine, item)?;
        Ok(Card {
            item: items.one(&card.item.found),
            reason: card.item.reason.as_str().to_owned(),
            why: card.detail.map(Sentence::from),
            value: card.item.value,
            phase: card.phase,
            evidence: card.evidence.into(),
            others: items.all(&card.others),
        })
    };
    waiting.into_iter().map(one).collect()
}

fn queue(call: &ApiCall<'_>, query: ReviewQuery) -> Result<Queue, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let mut queue = review_queue(&engine, call.app.now())?;
    if engine.store(StoreScope::Project).is_some() {
        // The reminder is a convenience; a read-only store must not prevent a review.
        let _ = note_waiting(&call.app.places, &queue);
    }
    if query.stale.is_some_and(|stale| stale.0) {
        queue.items.retain(|item| is_about_changed_code(&item.found.memory));
    }
    let total = queue.items.len();
    queue.items.truncate(query.limit.map_or(CARDS, |limit| limit.0).clamp(1, MOST_CARDS));
    let items = Items::read(&engine)?;
    let cards = cards(&engine, &items, queue.items)?;
    Ok(Queue { cards, total, auto_confirmed: queue.auto_confirmed, rule: RULE })
}

fn session(call: &ApiCall<'_>, _: Nothing) -> Result<SessionSummary, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let session = match call.name() {
        "last" => last_session(&engine)?,
        name => Some(SessionId::new(tacit_redact::identifier(name))?),
    };
    let empty = SessionSummary {
        session: None,
        applied: Vec::new(),
        new: Vec::new(),
        auto_confirmed: Vec::new(),
        rule: RULE,
    };
    let Some(session) = session else { return Ok(empty) };
    let review = session_review(&engine, &session, call.app.now())?;
    let items = Items::read(&engine)?;
    let settled = review.auto_confirmed.iter().map(|found| {
        let item = items.one(found);
        let why = match why_auto_confirmed(&found.memory, item.shown) {
            Some(AutoConfirmed::Verified) => "verified",
            Some(AutoConfirmed::Committed) => "committed",
            Some(AutoConfirmed::FromCommit) => "commit",
            Some(AutoConfirmed::CertainAndUsed) => "certain_and_used",
            None => "other",
        };
        Settled { item, why: why.to_owned() }
    });
    Ok(SessionSummary {
        session: Some(review.session.to_string()),
        auto_confirmed: settled.collect(),
        applied: items.all(&review.applied),
        new: cards(&engine, &items, review.new)?,
        rule: RULE,
    })
}

fn decision(call: &ApiCall<'_>, input: DecisionInput) -> Result<Changed, ApiError> {
    decide(call, call.name(), |engine| {
        Ok(match (input.decision, input.of) {
            (Decision::Duplicate, Some(of)) => {
                ReviewDecision::Duplicate(engine.find(&of)?.memory.id)
            }
            (Decision::Duplicate, None) => {
                return Err(ApiError::usage("`of` must name the original"));
            }
            (_, Some(_)) => return Err(ApiError::usage("only a duplicate has an `of`")),
            (Decision::Confirm, None) => ReviewDecision::Confirm,
            (Decision::Reject, None) => ReviewDecision::Reject,
            (Decision::Wrong, None) => ReviewDecision::Wrong,
            (Decision::Outdated, None) => ReviewDecision::Outdated,
        })
    })
}

fn finish(call: &ApiCall<'_>, _: Nothing) -> Result<Done, ApiError> {
    link_confirmed(call.app)?;
    Ok(Done {})
}

/// The answer when nothing is left to say.
#[derive(Debug, Serialize, JsonSchema)]
struct Done {}
