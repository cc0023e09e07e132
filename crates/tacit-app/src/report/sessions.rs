//! Sessions with their outcomes and what they were shown, and the errors that earlier ones met.

use std::collections::{BTreeMap, HashMap};

use tacit_core::{FingerprintDigest, SessionId, Timestamp};
use tacit_observer::{ErrorCase, SessionOutcome};
use tacit_store::Injection;

use super::statistics::SessionSample;

/// A session with its outcome and what it was shown.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredSession {
    /// The time of its first activity.
    pub started_at: Timestamp,
    /// True if memories are withheld from it, false if it is one of those that are compared with such
    /// sessions; `None` outside of a trial.
    pub held_out: Option<bool>,
    /// The outcome.
    pub outcome: SessionOutcome,
    /// The injections that hooks chose for it.
    pub chosen: ChosenInjections,
}

/// The injections of a session in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChosenInjections {
    /// The number that was shown.
    pub shown: u64,
    /// The approximate number of tokens that were shown.
    pub shown_tokens: u64,
    /// The number that was withheld.
    pub withheld: u64,
}

impl ChosenInjections {
    /// Counts the injections of each session.
    #[must_use]
    pub fn by_session(injections: &[Injection]) -> BTreeMap<&SessionId, ChosenInjections> {
        let mut sessions: BTreeMap<&SessionId, ChosenInjections> = BTreeMap::new();
        for injection in injections {
            let chosen = sessions.entry(&injection.session).or_default();
            if injection.withheld {
                chosen.withheld += 1;
            } else {
                chosen.shown += 1;
                chosen.shown_tokens += u64::from(injection.tokens);
            }
        }
        sessions
    }

    /// Returns true if there was something to show. Until then a held-out session is like any other,
    /// so this does not depend on what withholding changes.
    #[must_use]
    pub fn has_any(&self) -> bool {
        self.shown + self.withheld > 0
    }
}

impl MeasuredSession {
    /// Returns the tokens of the session with those that hooks showed.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.outcome.tokens + self.chosen.shown_tokens
    }

    /// Returns the number of runs that failed with an error which an earlier session met.
    #[must_use]
    pub fn known_failures(&self, known: &KnownErrors<'_>) -> u64 {
        let cases =
            self.outcome.errors.iter().filter(|case| known.has(&self.outcome.session, case));
        cases.map(|case| case.failures.len() as u64).sum()
    }

    /// Returns the failed runs of checks and the number of checks that failed.
    #[must_use]
    pub fn failed_checks(&self) -> SessionSample {
        let streaks = &self.outcome.failed_checks;
        let failures: u64 = streaks.iter().map(|streak| u64::from(streak.failures)).sum();
        SessionSample { sum: failures as f64, cases: streaks.len() as f64 }
    }
}

/// The first two sessions that met each error.
#[derive(Debug, Clone, Default)]
pub struct KnownErrors<'s> {
    first: HashMap<&'s FingerprintDigest, Vec<(Timestamp, &'s SessionId)>>,
}

impl<'s> KnownErrors<'s> {
    /// Reads the errors of all sessions in the log, in whatever order they are.
    #[must_use]
    pub fn of(outcomes: impl IntoIterator<Item = &'s SessionOutcome>) -> KnownErrors<'s> {
        let mut first: HashMap<&FingerprintDigest, Vec<(Timestamp, &SessionId)>> = HashMap::new();
        for outcome in outcomes {
            for case in &outcome.errors {
                let met = first.entry(&case.fingerprint).or_default();
                match met.iter_mut().find(|(_, session)| *session == &outcome.session) {
                    Some((at, _)) => *at = (*at).min(case.at),
                    None => met.push((case.at, &outcome.session)),
                }
            }
        }
        // The second one tells whether the session that met it first meets it again after another.
        for met in first.values_mut() {
            met.sort();
            met.truncate(2);
        }
        KnownErrors { first }
    }

    /// Returns true if another session met the error of a case before.
    #[must_use]
    pub fn has(&self, session: &SessionId, case: &ErrorCase) -> bool {
        let met = self.first.get(&case.fingerprint);
        let mut others = met.into_iter().flatten().filter(|(_, other)| *other != session);
        others.any(|(at, _)| *at < case.at)
    }
}
