//! The comparison of sessions with memory and held-out sessions.
//!
//! Only sessions that began while a share was held out are compared, and of these only those in which
//! there was something to show. Until then a held-out session is like any other, so that withholding
//! does not change which sessions are compared.

use serde::Serialize;
use tacit_core::Timestamp;

use super::sessions::{KnownErrors, MeasuredSession};
use super::statistics::{
    Interval, Proportion, SessionSample, bootstrap_difference, mean, newcombe,
};

/// The fewest sessions in each group from which an interval is computed.
pub const LEAST_SESSIONS: usize = 10;

/// The comparison of sessions with memory and held-out sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HoldoutReport {
    /// The start of the first compared session; `None` if there is none.
    pub since: Option<Timestamp>,
    /// The start of the last compared session.
    pub until: Option<Timestamp>,
    /// The number of sessions with memory.
    pub with_memory: u64,
    /// The number of held-out sessions.
    pub held_out: u64,
    /// The number of sessions in each group that an interval needs.
    pub needed: u64,
    /// The compared measures.
    pub measures: Vec<HoldoutComparison>,
}

/// The comparison of a measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HoldoutComparison {
    /// The measure.
    pub measure: HoldoutMeasure,
    /// The value with memory; `None` if nothing can be measured.
    pub with_memory: Option<f64>,
    /// The value of held-out sessions.
    pub held_out: Option<f64>,
    /// The first minus the second.
    pub difference: Option<f64>,
    /// The interval of the difference; `None` if there are too few sessions.
    pub interval: Option<Interval>,
    /// The conclusion.
    pub verdict: HoldoutVerdict,
}

/// A measure of sessions. Less is better for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldoutMeasure {
    /// The runs of a session that failed with an error which an earlier session met.
    KnownErrors,
    /// The share of sessions that met such an error.
    SessionsWithKnownErrors,
    /// The failed runs of a check until it passed, or until the session ended.
    FailedRunsUntilPass,
    /// The tool calls of a session.
    ToolCalls,
    /// The tokens of a session, what hooks showed included.
    Tokens,
    /// The reads of files that were read before and not changed since.
    Rereads,
}

/// The conclusion of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldoutVerdict {
    /// Too few sessions to compare.
    TooFew,
    /// The interval includes zero: no difference is shown.
    NotShown,
    /// Sessions with memory have less.
    Less,
    /// Sessions with memory have more.
    More,
}

impl HoldoutMeasure {
    /// All measures, the most important first.
    pub const ALL: [HoldoutMeasure; 6] = [
        HoldoutMeasure::KnownErrors,
        HoldoutMeasure::SessionsWithKnownErrors,
        HoldoutMeasure::FailedRunsUntilPass,
        HoldoutMeasure::ToolCalls,
        HoldoutMeasure::Tokens,
        HoldoutMeasure::Rereads,
    ];

    fn sample(self, session: &MeasuredSession, known: &KnownErrors<'_>) -> SessionSample {
        match self {
            HoldoutMeasure::KnownErrors => SessionSample::one(session.known_failures(known)),
            HoldoutMeasure::SessionsWithKnownErrors => {
                SessionSample::one(u64::from(session.known_failures(known) > 0))
            }
            HoldoutMeasure::FailedRunsUntilPass => session.failed_checks(),
            HoldoutMeasure::ToolCalls => SessionSample::one(session.outcome.calls),
            HoldoutMeasure::Tokens => SessionSample::one(session.tokens()),
            HoldoutMeasure::Rereads => SessionSample::one(session.outcome.rereads),
        }
    }

    fn interval(self, with: &[SessionSample], without: &[SessionSample]) -> Option<Interval> {
        if self != HoldoutMeasure::SessionsWithKnownErrors {
            return bootstrap_difference(with, without);
        }
        let share = |samples: &[SessionSample]| {
            let count = samples.iter().filter(|one| one.sum > 0.0).count();
            Proportion::new(count as u64, samples.len() as u64)
        };
        newcombe(share(with), share(without))
    }
}

impl HoldoutReport {
    /// Compares the sessions of a period; `None` if none was held out.
    #[must_use]
    pub fn new(sessions: &[&MeasuredSession], known: &KnownErrors<'_>) -> Option<HoldoutReport> {
        if !sessions.iter().any(|session| session.held_out == Some(true)) {
            return None;
        }
        let is_compared =
            |session: &&MeasuredSession| session.held_out.is_some() && session.chosen.has_any();
        let mut compared: Vec<&MeasuredSession> =
            sessions.iter().copied().filter(is_compared).collect();
        // The bootstrap draws by position.
        compared.sort_by(|a, b| a.outcome.session.cmp(&b.outcome.session));
        let starts = compared.iter().map(|session| session.started_at);
        let (since, until) = (starts.clone().min(), starts.max());
        let (held_out, with): (Vec<_>, Vec<_>) =
            compared.into_iter().partition(|session| session.held_out == Some(true));
        let is_enough = held_out.len().min(with.len()) >= LEAST_SESSIONS;
        let measures = HoldoutMeasure::ALL.map(|measure| {
            let samples = |group: &[&MeasuredSession]| -> Vec<SessionSample> {
                group.iter().map(|session| measure.sample(session, known)).collect()
            };
            HoldoutComparison::new(measure, &samples(&with), &samples(&held_out), is_enough)
        });
        Some(HoldoutReport {
            since,
            until,
            with_memory: with.len() as u64,
            held_out: held_out.len() as u64,
            needed: LEAST_SESSIONS as u64,
            measures: measures.to_vec(),
        })
    }

    /// Returns the comparison of a measure.
    #[must_use]
    pub fn of(&self, measure: HoldoutMeasure) -> Option<&HoldoutComparison> {
        self.measures.iter().find(|compared| compared.measure == measure)
    }
}

impl HoldoutComparison {
    fn new(
        measure: HoldoutMeasure,
        with: &[SessionSample],
        without: &[SessionSample],
        is_enough: bool,
    ) -> HoldoutComparison {
        let (with_memory, held_out) = (mean(with), mean(without));
        let interval = is_enough.then(|| measure.interval(with, without)).flatten();
        let verdict = match interval {
            None => HoldoutVerdict::TooFew,
            Some(interval) if interval.includes_zero() => HoldoutVerdict::NotShown,
            Some(interval) if interval.high < 0.0 => HoldoutVerdict::Less,
            Some(_) => HoldoutVerdict::More,
        };
        let difference = with_memory.zip(held_out).map(|(with, without)| with - without);
        HoldoutComparison { measure, with_memory, held_out, difference, interval, verdict }
    }
}
