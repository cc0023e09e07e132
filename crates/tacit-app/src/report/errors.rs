//! Errors that earlier sessions met: how they went with a memory at the first failure, and without.
//!
//! A case counts as answered only if a memory was shown with its first failure. One that was shown
//! earlier in the session, or with a later failure, counts as not answered, which makes the cases
//! without a memory look better than they are. The two groups are not a random choice; the holdout is.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use tacit_core::FingerprintDigest;
use tacit_observer::ErrorCase;
use tacit_store::Injection;

use super::period::ReportPeriod;
use super::sessions::{KnownErrors, MeasuredSession};
use super::statistics::Proportion;

/// The fewest cases of the same errors, in each group, from which an estimate is made.
pub const LEAST_CASES: u64 = 5;

/// The known errors that sessions met again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorReport {
    /// The number of cases.
    pub cases: u64,
    /// The number of sessions with one.
    pub sessions: u64,
    /// The cases in which a memory was shown with the first failure.
    pub with_memory: CaseGroup,
    /// All others.
    pub without_memory: CaseGroup,
    /// The cases in each part of the period.
    pub over_time: Vec<AnsweredErrors>,
    /// The failures that memories avoided: those that the cases with a memory would have had as cases
    /// without one of the same errors, minus those that they had.
    pub avoided_failures: Estimate,
    /// The tokens saved between the first failure and the pass, computed in the same way.
    pub saved_tokens: Estimate,
}

/// The cases of a part of the period, and those in which a memory was shown with the first failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[expect(missing_docs, reason = "the names say what is counted")]
pub struct AnsweredErrors {
    pub cases: u64,
    pub answered: u64,
}

/// The cases with or without a memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseGroup {
    /// The number of cases.
    pub cases: u64,
    /// The share that passed on the try after the first failure.
    pub passed_next: Proportion,
    /// The mean number of further failures with the same error.
    pub mean_repeats: Option<f64>,
    /// The cases that passed in the end.
    pub resolved: u64,
    /// The mean number of tool calls from the first failure to the pass.
    pub mean_calls: Option<f64>,
    /// The mean number of tokens from the first failure to the pass, those of the shown memories
    /// included.
    pub mean_tokens: Option<f64>,
}

/// An estimate from the cases of errors that occurred both with a memory and without.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate; `None` if there are too few cases.
    pub value: Option<f64>,
    /// The number of cases with a memory.
    pub with_memory: u64,
    /// The number of cases without.
    pub without_memory: u64,
    /// The number of cases that is needed in each group.
    pub needed: u64,
}

/// A case of a known error.
#[derive(Debug, Clone, Copy)]
struct KnownCase<'s> {
    case: &'s ErrorCase,
    /// The tokens of the memories that were shown with the first failure; `None` without a memory.
    shown: Option<u64>,
}

impl KnownCase<'_> {
    fn tokens(&self) -> Option<f64> {
        let resolution = self.case.resolution?;
        Some((resolution.tokens + self.shown.unwrap_or(0)) as f64)
    }
}

impl ErrorReport {
    /// Compares the cases of known errors in some sessions.
    #[must_use]
    pub fn new(
        sessions: &[&MeasuredSession],
        known: &KnownErrors<'_>,
        injections: &[Injection],
        period: &ReportPeriod,
    ) -> ErrorReport {
        let mut shown: BTreeMap<&str, u64> = BTreeMap::new();
        for one in injections.iter().filter(|one| one.memory.is_some() && !one.withheld) {
            *shown.entry(one.event.as_str()).or_default() += u64::from(one.tokens);
        }
        let mut cases = Vec::new();
        let mut with_case = HashSet::new();
        for session in sessions {
            let id = &session.outcome.session;
            for case in session.outcome.errors.iter().filter(|case| known.has(id, case)) {
                let first = case.failures.first().map_or("", String::as_str);
                cases.push(KnownCase { case, shown: shown.get(first).copied() });
                with_case.insert(id);
            }
        }
        let mut over_time = vec![AnsweredErrors::default(); period.parts.len()];
        for case in &cases {
            let part = &mut over_time[period.part(case.case.at)];
            part.cases += 1;
            part.answered += u64::from(case.shown.is_some());
        }
        let (with, without): (Vec<_>, Vec<_>) =
            cases.iter().partition(|case: &&KnownCase<'_>| case.shown.is_some());
        ErrorReport {
            cases: cases.len() as u64,
            sessions: with_case.len() as u64,
            with_memory: CaseGroup::new(&with),
            without_memory: CaseGroup::new(&without),
            over_time,
            avoided_failures: Estimate::of(
                &with,
                &without,
                |case| Some(case.case.repeats() as f64),
            ),
            saved_tokens: Estimate::of(&with, &without, |case| case.tokens()),
        }
    }
}

impl ErrorReport {
    /// Returns the share of cases in which a memory was shown with the first failure: the recall of
    /// injections. `None` without cases.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        (self.cases > 0).then(|| self.with_memory.cases as f64 / self.cases as f64)
    }
}

impl CaseGroup {
    fn new(cases: &[&KnownCase<'_>]) -> CaseGroup {
        let passed = cases.iter().filter(|case| case.case.passed_next()).count() as u64;
        let resolved = cases.iter().filter_map(|case| case.case.resolution);
        let calls: Vec<f64> = resolved.map(|resolution| resolution.calls as f64).collect();
        let tokens: Vec<f64> = cases.iter().filter_map(|case| case.tokens()).collect();
        let repeats: Vec<f64> = cases.iter().map(|case| case.case.repeats() as f64).collect();
        CaseGroup {
            cases: cases.len() as u64,
            passed_next: Proportion::new(passed, cases.len() as u64),
            mean_repeats: average(&repeats),
            resolved: calls.len() as u64,
            mean_calls: average(&calls),
            mean_tokens: average(&tokens),
        }
    }
}

impl Estimate {
    /// Compares the values of cases error by error, so that errors which are hard with or without a
    /// memory do not distort the sum.
    fn of(
        with: &[&KnownCase<'_>],
        without: &[&KnownCase<'_>],
        value: impl Fn(&KnownCase<'_>) -> Option<f64>,
    ) -> Estimate {
        let mut errors: BTreeMap<&FingerprintDigest, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for case in with {
            errors.entry(&case.case.fingerprint).or_default().0.extend(value(case));
        }
        for case in without {
            errors.entry(&case.case.fingerprint).or_default().1.extend(value(case));
        }
        let (mut saved, mut cases_with, mut cases_without) = (0.0, 0, 0);
        for (with, without) in errors.values() {
            let (Some(mean_with), Some(mean_without)) = (average(with), average(without)) else {
                continue;
            };
            saved += (mean_without - mean_with) * with.len() as f64;
            cases_with += with.len() as u64;
            cases_without += without.len() as u64;
        }
        let is_enough = cases_with >= LEAST_CASES && cases_without >= LEAST_CASES;
        Estimate {
            value: is_enough.then_some(saved),
            with_memory: cases_with,
            without_memory: cases_without,
            needed: LEAST_CASES,
        }
    }
}

fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
