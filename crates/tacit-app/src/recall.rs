//! Recalling what somebody asks for.

use tacit_engine::{Engine, EngineError, RankProfile, RecallPeriod, RecallRequest, RecallResults};

use crate::app::App;
use crate::error::AppResult;
use crate::human_time;

/// The time that answers may be from, as it is typed.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestedPeriod {
    /// Any.
    Any,
    /// The last sessions in which something was learnt.
    RecentSessions(usize),
    /// So many days around an event: a memory's id, a date, or a time.
    Around(String, f64),
}

/// Answers a question, and counts what is shown.
pub fn recall(
    app: &App,
    engine: &Engine<'_>,
    question: RecallRequest,
    when: &RequestedPeriod,
) -> AppResult<RecallResults> {
    let profile = match engine.config().recall_profile.as_str() {
        "relevance" => RankProfile::Relevance,
        "seed" => RankProfile::Seed,
        _ => RankProfile::Balanced,
    };
    let question = RecallRequest { period: period(app, engine, when)?, profile, ..question };
    let answers = engine.recall(&question)?;
    engine.count_shown(&answers.shown);
    Ok(answers)
}

fn period(app: &App, engine: &Engine<'_>, when: &RequestedPeriod) -> AppResult<RecallPeriod> {
    let (event, days) = match when {
        RequestedPeriod::Any => return Ok(RecallPeriod::Any),
        RequestedPeriod::RecentSessions(count) => return Ok(RecallPeriod::RecentSessions(*count)),
        RequestedPeriod::Around(event, days) => (event, *days),
    };
    let moment = match human_time::parse(event, app.now()) {
        Ok(moment) => moment,
        Err(not_a_time) => match engine.find(event) {
            Ok(found) => found.memory.created_at,
            Err(EngineError::NotAnId { .. }) => return Err(not_a_time),
            Err(error) => return Err(error.into()),
        },
    };
    Ok(RecallPeriod::Around(moment, days))
}
