//! Recall for explicit queries of commands, MCP tools and briefings.

use tacit_core::log::NoteRecord;
use tacit_core::{SHORT_ID_LENGTH, StaleKind, tokenize};
use tacit_engine::{
    Engine, EngineError, EngineResult, RankProfile, RecallPeriod, RecallRequest, RecallResults,
    WorkContext,
};
use tacit_store::Note;

use crate::app::App;
use crate::error::AppResult;
use crate::inject::FilePresence;
use crate::{human_time, life};

/// The number of results that a query gets even if nothing clearly matches.
pub const AT_LEAST: usize = 3;

/// The period that results may be from, as typed.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestedPeriod {
    /// Any time.
    Any,
    /// The last sessions in which a memory was stored.
    RecentSessions(usize),
    /// A number of days around an event, which is a memory's id, a date, or a time.
    Around(String, f64),
}

/// The number of session notes examined, and returned.
const NOTES_EXAMINED: usize = 200;
const NOTES_SHOWN: usize = 5;

/// Runs a query and counts the results as shown. Without a phase in the query, the phase declared
/// for the work counts.
pub fn recall(
    app: &App,
    engine: &Engine<'_>,
    here: &WorkContext,
    query: RecallRequest,
    period: &RequestedPeriod,
) -> AppResult<RecallResults> {
    let phase = match query.phase {
        Some(phase) => Some(phase),
        None => engine.declared_work(here)?.phase(),
    };
    let period = resolve_period(app, engine, period)?;
    let mut answers = search(engine, RecallRequest { period, phase, ..query })?;
    engine.note_uses(&answers.shown);
    mark_missing(app, &mut answers);
    Ok(answers)
}

/// Marks the results as stale whose files are gone. The store learns it from maintenance.
fn mark_missing(app: &App, answers: &mut RecallResults) {
    // A sparse checkout leaves files out that are still part of the project.
    if app.repository.as_ref().is_some_and(life::is_sparse) {
        return;
    }
    // A file that one worktree lacks may be new in the other.
    let roots = [app.worktree(), &app.places.root];
    let files = [FilePresence::default(), FilePresence::default()];
    for memory in answers.shown.iter_mut().map(|answer| &mut answer.found.memory) {
        if files.iter().zip(roots).all(|(files, root)| files.is_unnoticed(root, memory)) {
            memory.body.trust.mark_stale(app.now(), StaleKind::FileMissing, None);
        }
    }
}

/// Runs a query with the configured composition of the score.
pub(crate) fn search(engine: &Engine<'_>, query: RecallRequest) -> EngineResult<RecallResults> {
    let profile = match engine.config().recall_profile.as_str() {
        "relevance" => RankProfile::Relevance,
        "seed" => RankProfile::Seed,
        _ => RankProfile::Balanced,
    };
    engine.recall(&RecallRequest { profile, ..query })
}

/// Returns notes about a query that are no memories yet, the most similar first: those of the
/// session, and issues that QA found in the work and that are not fixed yet. If the log cannot be
/// read, there are none; the search still has its results.
pub fn matching_notes(engine: &Engine<'_>, here: &WorkContext, query: &RecallRequest) -> Vec<Note> {
    let files = &query.filter.files;
    let unit = || engine.work(here).ok()?.unit().cloned();
    let mut notes =
        engine.open_qa_failures(unit, here.branch.as_deref(), files).unwrap_or_default();
    if let Some(session) = &here.session {
        let own = engine.notes(session, files, NOTES_EXAMINED).unwrap_or_default();
        notes.extend(own.into_iter().filter(|note| {
            note.record.is_learning() && !matches!(note.record, NoteRecord::QaFailure(_))
        }));
    }
    let query_words = tokenize(&query.query);
    let query_words = query_words.distinct();
    let mut near: Vec<(usize, Note)> = notes
        .into_iter()
        .map(|note| {
            let tokens = tokenize(&note.text);
            let note_words = tokens.distinct();
            (query_words.iter().filter(|token| note_words.contains(token)).count(), note)
        })
        .filter(|(shared, _)| 2 * shared >= query_words.len())
        .collect();
    near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    near.into_iter().take(NOTES_SHOWN).map(|(_, note)| note).collect()
}

fn resolve_period(
    app: &App,
    engine: &Engine<'_>,
    period: &RequestedPeriod,
) -> AppResult<RecallPeriod> {
    let (event, days) = match period {
        RequestedPeriod::Any => return Ok(RecallPeriod::Any),
        RequestedPeriod::RecentSessions(count) => return Ok(RecallPeriod::RecentSessions(*count)),
        RequestedPeriod::Around(event, days) => (event, *days),
    };
    // An id whose digits are all decimal also reads as a date, such as `20261118`.
    let is_short_id = event.len() == SHORT_ID_LENGTH && event.bytes().all(|b| b.is_ascii_digit());
    let named = is_short_id.then(|| engine.find(event).ok()).flatten();
    if let Some(found) = named {
        return Ok(RecallPeriod::Around(found.memory.created_at, days));
    }
    let time = match human_time::parse(event, app.now()) {
        Ok(time) => time,
        Err(not_a_time) => match engine.find(event) {
            Ok(found) => found.memory.created_at,
            Err(EngineError::NotAnId { .. }) => return Err(not_a_time),
            Err(error) => return Err(error.into()),
        },
    };
    Ok(RecallPeriod::Around(time, days))
}
