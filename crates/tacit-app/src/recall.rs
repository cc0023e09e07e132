//! Recall for explicit queries.

use tacit_engine::{Engine, EngineError, RankProfile, RecallPeriod, RecallRequest, RecallResults};

use crate::app::App;
use crate::error::AppResult;
use crate::human_time;

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

/// Runs a query and counts the results as shown.
pub fn recall(
    app: &App,
    engine: &Engine<'_>,
    query: RecallRequest,
    period: &RequestedPeriod,
) -> AppResult<RecallResults> {
    let profile = match engine.config().recall_profile.as_str() {
        "relevance" => RankProfile::Relevance,
        "seed" => RankProfile::Seed,
        _ => RankProfile::Balanced,
    };
    let query = RecallRequest { period: resolve_period(app, engine, period)?, profile, ..query };
    let answers = engine.recall(&query)?;
    engine.note_uses(&answers.shown);
    Ok(answers)
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
