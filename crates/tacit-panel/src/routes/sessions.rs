//! Sessions and what happened in them.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacit_core::log::{LogRecord, NoteKind};
use tacit_core::{EventKind, EventName, SessionId, Timestamp, shorten_at_word};
use tacit_engine::{Engine, StoreAccess, StoreScope};
use tacit_store::{EventQuery, Filter, InjectionQuery, ListOrder};

use crate::error::ApiError;
use crate::input::Count;
use crate::phrase::Sentence;
use crate::route::{ApiCall, Route};
use crate::wire::memory::{InjectionView, Item, Items, Nothing};

/// The sessions of a page, and the most of one.
const PAGE: usize = 50;
const LARGEST_PAGE: usize = 500;
/// The events of a timeline, and the most of one.
const EVENTS: usize = 500;
const MOST_EVENTS: usize = 5_000;
/// The most characters of a prompt in a timeline.
const PROMPT: usize = 400;
/// The most notes of a session that are looked at, and the memories learnt that are listed.
const NOTES: usize = 5_000;
const LEARNT: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/sessions", "List the sessions of agents.", list),
        Route::new(Method::GET, "/sessions/{id}", "Show what happened in a session.", show),
        Route::new(
            Method::GET,
            "/sessions/{id}/considered",
            "Explain what was learnt.",
            considered,
        ),
    ]
}

/// A page of sessions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct SessionsQuery {
    limit: Option<Count>,
    offset: Option<Count>,
}

/// The events of a session.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct TimelineQuery {
    limit: Option<Count>,
    /// The `earlier` of the page shown, for the events before it; the newest if not given.
    before: Option<String>,
}

/// A page of sessions.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionList {
    sessions: Vec<SessionView>,
    total: usize,
}

/// A session of an agent.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionView {
    id: String,
    client: String,
    started_at: String,
    last_at: String,
    ended: Option<String>,
    /// waits or done; null if it was not examined yet.
    state: Option<String>,
    /// Only in the list of sessions.
    counts: Option<SessionCounts>,
}

/// The memories that a session saw and taught.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionCounts {
    injections: usize,
    learnt: usize,
}

/// The events of a session.
#[derive(Debug, Serialize, JsonSchema)]
struct Timeline {
    session: SessionView,
    /// The oldest first.
    timeline: Vec<Entry>,
    /// The number of events, whatever the limit.
    events: usize,
    /// The place of the oldest event here, if there are earlier ones; the `before` of their page.
    earlier: Option<String>,
    learnt: Vec<Item>,
}

/// Something that happened.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    at: String,
    /// The kind of event, injection, learnt, note, or what was noted without the agent: checkout, commit,
    /// inferred, observation or qa_failure.
    kind: String,
    tool: Option<String>,
    subject: Option<String>,
    text: String,
    injection: Option<InjectionView>,
    memory: Option<String>,
}

/// The conclusions from a session.
#[derive(Debug, Serialize, JsonSchema)]
struct Explained {
    verdict: String,
    /// False for a preview of what would be learnt.
    concluded: bool,
    considered: Vec<Considered>,
}

/// One thing that was considered.
#[derive(Debug, Serialize, JsonSchema)]
struct Considered {
    basis: String,
    about: Sentence,
    occurrences: u32,
    score: Option<f64>,
    kept: bool,
    why: Sentence,
}

fn views(call: &ApiCall<'_>) -> Result<Vec<SessionView>, ApiError> {
    // Events that cannot be written now are written with the next one, and are missing here.
    if let Ok(mut engine) = call.app.engine(StoreAccess::Session) {
        let _ = engine.flush_events();
    }
    let engine = call.app.engine(StoreAccess::Read(StoreScope::Project))?;
    let sessions = engine.observed_sessions(usize::MAX)?.into_iter();
    let views = sessions.map(|(session, state)| SessionView {
        id: session.id.to_string(),
        client: session.client,
        started_at: session.started_at.to_string(),
        last_at: session.last_at.to_string(),
        ended: session.ended,
        state: state.map(|state| state.as_str().to_owned()),
        counts: None,
    });
    Ok(views.collect())
}

/// Counts what a session was shown and what is known from it.
fn count(engine: &Engine<'_>, session: &str) -> Result<SessionCounts, ApiError> {
    let id = SessionId::new(session)?;
    let shown = InjectionQuery {
        session: Some(id.clone()),
        limit: MOST_EVENTS,
        ..InjectionQuery::default()
    };
    let injections = engine.injections(&shown)?.iter().filter(|shown| !shown.withheld).count();
    let filter = Filter { sessions: vec![id], ..Filter::default() };
    Ok(SessionCounts { injections, learnt: engine.count(Some(StoreScope::Project), &filter)? })
}

fn list(call: &ApiCall<'_>, query: SessionsQuery) -> Result<SessionList, ApiError> {
    let sessions = views(call)?;
    let total = sessions.len();
    let limit = query.limit.map_or(PAGE, |limit| limit.0).clamp(1, LARGEST_PAGE);
    let offset = query.offset.map_or(0, |offset| offset.0);
    let mut page: Vec<_> = sessions.into_iter().skip(offset).take(limit).collect();
    let engine = call.app.engine(StoreAccess::Read(StoreScope::Project))?;
    for session in &mut page {
        session.counts = Some(count(&engine, &session.id)?);
    }
    Ok(SessionList { sessions: page, total })
}

fn named(call: &ApiCall<'_>) -> Result<SessionId, ApiError> {
    Ok(SessionId::new(tacit_redact::identifier(call.name()))?)
}

fn show(call: &ApiCall<'_>, query: TimelineQuery) -> Result<Timeline, ApiError> {
    let id = named(call)?;
    let session = views(call)?.into_iter().find(|session| session.id == id.as_str());
    let unknown = || ApiError::not_found(format!("there is no session `{id}`"));
    let session = session.ok_or_else(unknown)?;
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let limit = query.limit.map_or(EVENTS, |limit| limit.0).clamp(1, MOST_EVENTS);
    let before = query.before.as_deref().map(Place::read).transpose()?;
    let of_session = EventQuery { session: Some(id.clone()), ..EventQuery::default() };
    let total = engine.count_events(&of_session)?;
    let page = EventQuery {
        before: before.as_ref().map(|place| place.event.clone()),
        limit: limit + 1,
        ..of_session
    };
    let mut events = engine.events(&page)?;
    let has_more = events.len() > limit;
    events.truncate(limit);
    let oldest = events.last().map(|event| Place { at: event.at, event: event.id.clone() });
    let earlier = oldest.filter(|_| has_more);
    // What else happened is on the page of the events around it.
    let since = earlier.as_ref().map(|place| place.at);
    let is_here = |at: Timestamp| {
        since.is_none_or(|since| at >= since) && before.as_ref().is_none_or(|before| at < before.at)
    };
    let mut timeline = Vec::new();
    for event in events {
        let (tool, subject) = (event.record.tool(), event.record.subject());
        let text = match prompt_of(&event.record) {
            Some(prompt) => shorten_at_word(&prompt, PROMPT),
            None => [tool, subject.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" "),
        };
        timeline.push((
            event.at,
            Entry {
                at: event.at.to_string(),
                kind: event.record.kind().to_string(),
                tool: tool.map(str::to_owned),
                subject: subject.as_deref().map(str::to_owned),
                text,
                injection: None,
                memory: None,
            },
        ));
    }
    let plain = |at: Timestamp, kind: &str, text: String| Entry {
        at: at.to_string(),
        kind: kind.to_owned(),
        tool: None,
        subject: None,
        text,
        injection: None,
        memory: None,
    };
    let shown = InjectionQuery {
        session: Some(id.clone()),
        since,
        limit: usize::MAX,
        ..InjectionQuery::default()
    };
    for injection in engine.injections(&shown)?.iter().filter(|shown| is_here(shown.at)) {
        let mut entry = plain(injection.at, "injection", injection.text.clone());
        entry.memory = injection.memory.map(|id| id.to_string());
        entry.injection = Some(InjectionView::from(injection));
        timeline.push((injection.at, entry));
    }
    let notes = engine.notes(&id, &[], NOTES)?.into_iter();
    for note in notes.filter(|note| is_here(note.at)) {
        let kind = match note.record.kind() {
            NoteKind::Agent => "note",
            NoteKind::Checkout => "checkout",
            kind => kind.as_str(),
        };
        timeline.push((note.at, plain(note.at, kind, note.text)));
    }
    let filter = Filter { sessions: vec![id.clone()], ..Filter::default() };
    let learnt = engine.list(Some(StoreScope::Project), &filter, ListOrder::Oldest, LEARNT, 0)?;
    // A session also confirms what earlier ones taught.
    let began = engine.session(&id)?.map(|session| session.started_at);
    let taught = learnt.iter().filter(|found| Some(found.memory.created_at) >= began);
    for found in taught.filter(|found| is_here(found.memory.created_at)) {
        let at = found.memory.created_at;
        let mut entry = plain(at, "learnt", found.memory.headline());
        entry.memory = Some(found.memory.id.to_string());
        timeline.push((at, entry));
    }
    timeline.sort_by_key(|(at, _)| *at);
    Ok(Timeline {
        session,
        timeline: timeline.into_iter().map(|(_, entry)| entry).collect(),
        events: total,
        earlier: earlier.map(|place| place.to_string()),
        learnt: Items::read(&engine)?.all(&learnt),
    })
}

/// The place of an event in its session, written as its time and its identifier.
struct Place {
    at: Timestamp,
    event: String,
}

impl Place {
    fn read(text: &str) -> Result<Place, ApiError> {
        let place = text.split_once('.').and_then(|(at, event)| {
            let at = Timestamp::from_millis(at.parse().ok()?)?;
            Some(Place { at, event: event.to_owned() })
        });
        place.ok_or_else(|| ApiError::usage(format!("`before`: `{text}` is no place of an event")))
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.at.as_millis(), self.event)
    }
}

/// Returns what the user asked, if the record is a prompt.
fn prompt_of(record: &LogRecord) -> Option<String> {
    // Events are long, so only those that are prompts are parsed.
    let client = record.client().filter(|_| record.is_event(EventName::PromptSubmitted))?;
    match client.event().ok()?.kind {
        EventKind::PromptSubmitted { prompt, .. } => Some(prompt),
        _ => None,
    }
}

fn considered(call: &ApiCall<'_>, _: Nothing) -> Result<Explained, ApiError> {
    let engine = call.app.engine_with_embedder(StoreAccess::Read(StoreScope::Project))?;
    let explained = engine.explain_session(&named(call)?)?;
    let considered = explained.considered.into_iter().map(|one| Considered {
        basis: one.basis.as_str().to_owned(),
        about: one.about.into(),
        occurrences: one.occurrences,
        score: one.score,
        kept: one.fate == tacit_engine::Fate::Kept,
        why: one.why.into(),
    });
    Ok(Explained {
        verdict: explained.verdict,
        concluded: explained.concluded,
        considered: considered.collect(),
    })
}
