//! Recalling what somebody asks for.

use tacit_engine::{Engine, EngineError, RankProfile, RecallPeriod, RecallRequest, RecallResults};

use crate::app::App;
use crate::error::AppResult;
use crate::moment;

/// The time that answers may be from, as it is typed.
#[derive(Debug, Clone, PartialEq)]
pub enum When {
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
    when: &When,
) -> AppResult<RecallResults> {
    let profile = match engine.config().recall_profile.as_str() {
        "relevance" => RankProfile::Relevance,
        "seed" => RankProfile::Seed,
        _ => RankProfile::Balanced,
    };
    let question = RecallRequest { period: period(app, engine, when)?, profile, ..question };
    let answers = engine.recall(&question)?;
    engine.note_uses(&answers.shown);
    Ok(answers)
}

fn period(app: &App, engine: &Engine<'_>, when: &When) -> AppResult<RecallPeriod> {
    let (event, days) = match when {
        When::Any => return Ok(RecallPeriod::Any),
        When::RecentSessions(count) => return Ok(RecallPeriod::RecentSessions(*count)),
        When::Around(event, days) => (event, *days),
    };
    let moment = match moment::parse(event, app.now()) {
        Ok(moment) => moment,
        Err(not_a_time) => match engine.find(event) {
            Ok(found) => found.memory.created_at,
            Err(EngineError::NotAnId { .. }) => return Err(not_a_time),
            Err(error) => return Err(error.into()),
        },
    };
    Ok(RecallPeriod::Around(moment, days))
}
