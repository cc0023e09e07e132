//! The rules of the report, on sessions written by hand.

use tacit_core::{Fate, FingerprintDigest, MemoryId, SessionId, Timestamp};
use tacit_observer::{ErrorCase, FailedCheckStreak, Resolution, SessionOutcome};
use tacit_store::{Injection, JudgedFate};

use super::errors::ErrorReport;
use super::holdout::{HoldoutMeasure, HoldoutReport, HoldoutVerdict};
use super::injections::InjectionReport;
use super::memories::{ActiveMemory, MemoryUseReport};
use super::period::ReportPeriod;
use super::sessions::{ChosenInjections, KnownErrors, MeasuredSession};
use super::tokens::TokenReport;

const DATABASE: &str = "00000000000000d1";
const MODULE: &str = "00000000000000e2";

fn at(minute: i64) -> Timestamp {
    let start: Timestamp = "2026-11-01T08:00:00Z".parse().unwrap();
    Timestamp::from_millis(start.as_millis() + minute * 60_000).unwrap()
}

fn period() -> ReportPeriod {
    ReportPeriod::new(at(0), at(3 * 24 * 60))
}

fn id(number: u8) -> MemoryId {
    MemoryId::from_parts(at(0), [number; 10])
}

/// A session that starts at a minute and fails with an error so many times; without a number of tokens
/// it never passes.
fn session(minute: i64, error: &str, failures: usize, tokens: Option<u64>) -> MeasuredSession {
    let name = format!("s-{minute:04}");
    let case = ErrorCase {
        fingerprint: FingerprintDigest::new(error).unwrap(),
        at: at(minute + 1),
        failures: (0..failures).map(|failure| format!("{name}-{failure}")).collect(),
        resolution: tokens.map(|tokens| Resolution { calls: failures as u64, tokens }),
    };
    let streak = FailedCheckStreak { failures: failures as u32, passed: tokens.is_some() };
    MeasuredSession {
        started_at: at(minute),
        held_out: None,
        outcome: SessionOutcome {
            session: SessionId::new(name).unwrap(),
            calls: 10,
            tokens: 1_000,
            rereads: 0,
            errors: vec![case],
            failed_checks: vec![streak],
            changed: vec![],
        },
        chosen: ChosenInjections::default(),
    }
}

/// A memory that is shown with the first failure of a session.
fn shown(session: &MeasuredSession) -> Injection {
    let case = &session.outcome.errors[0];
    injection(1, &case.failures[0], "tool_failed", None)
}

fn injection(memory: u8, event: &str, layer: &str, fate: Option<Fate>) -> Injection {
    Injection {
        session: SessionId::new(event.split_once("-x").map_or(event, |(name, _)| name)).unwrap(),
        agent: None,
        context: 0,
        at: at(60),
        layer: layer.to_owned(),
        event: event.to_owned(),
        memory: Some(id(memory)),
        text: format!("memory {memory}"),
        tokens: 40,
        why: String::new(),
        withheld: false,
        fate: fate.map(|fate| JudgedFate { fate, why: String::new() }),
    }
}

fn errors(sessions: &[MeasuredSession], injections: &[Injection]) -> ErrorReport {
    let known = KnownErrors::of(sessions.iter().map(|session| &session.outcome));
    ErrorReport::new(&sessions.iter().collect::<Vec<_>>(), &known, injections, &period())
}

#[test]
fn an_error_is_known_once_another_session_met_it() {
    let sessions = [
        session(0, DATABASE, 1, Some(0)),
        session(10, MODULE, 2, Some(0)),
        session(20, DATABASE, 3, None),
    ];
    let known = KnownErrors::of(sessions.iter().map(|session| &session.outcome));
    let failures: Vec<u64> =
        sessions.iter().map(|session| session.known_failures(&known)).collect();
    assert_eq!(failures, [0, 0, 3]);

    // A session that meets its own error again does not know it from another one.
    let mut twice = session(0, DATABASE, 1, None);
    twice.outcome.errors.push(ErrorCase { at: at(30), ..twice.outcome.errors[0].clone() });
    let known = KnownErrors::of([&twice.outcome]);
    assert_eq!(twice.known_failures(&known), 0);
    let between = session(10, DATABASE, 1, None);
    let known = KnownErrors::of([&between.outcome, &twice.outcome]);
    assert_eq!((twice.known_failures(&known), between.known_failures(&known)), (1, 1));
}

#[test]
fn cases_count_as_answered_by_what_their_first_failure_showed() {
    let sessions = [
        session(0, DATABASE, 5, Some(0)),
        session(10, DATABASE, 1, Some(100)),
        session(20, DATABASE, 3, Some(700)),
        session(30, DATABASE, 2, None),
    ];
    let mut injections = vec![shown(&sessions[1])];
    // Shown with the second failure, withheld, and no memory: none of them answers.
    injections.push(injection(1, "s-0020-1", "tool_failed", None));
    injections.push(Injection { withheld: true, ..shown(&sessions[2]) });
    injections.push(Injection { memory: None, ..shown(&sessions[3]) });
    let report = errors(&sessions, &injections);
    assert_eq!((report.cases, report.sessions), (3, 3));
    let (with, without) = (&report.with_memory, &report.without_memory);
    assert_eq!((with.cases, with.passed_next.count, with.mean_repeats), (1, 1, Some(0.0)));
    assert_eq!((with.mean_tokens, with.mean_calls), (Some(140.0), Some(1.0)));
    assert_eq!((without.cases, without.passed_next.count), (2, 0));
    assert_eq!((without.mean_repeats, without.mean_tokens), (Some(1.5), Some(700.0)));
}

#[test]
fn estimates_need_cases_of_the_same_errors_on_both_sides() {
    // 1 is the first case, which is not known; then so many with and without a memory.
    let build = |with: i64, without: i64, other_error: &str| {
        let mut sessions = vec![session(0, DATABASE, 1, None), session(1, MODULE, 1, None)];
        let mut injections = Vec::new();
        for number in 0..with {
            let session = session(10 + number, DATABASE, 1, Some(60));
            injections.push(shown(&session));
            sessions.push(session);
        }
        for number in 0..without {
            sessions.push(session(100 + number, other_error, 3, Some(500)));
        }
        errors(&sessions, &injections)
    };
    for (with, without, error, failures, tokens) in [
        (5, 5, DATABASE, Some(10.0), Some(2_000.0)),
        (6, 9, DATABASE, Some(12.0), Some(2_400.0)),
        (4, 9, DATABASE, None, None),
        (9, 4, DATABASE, None, None),
        (9, 9, MODULE, None, None),
        (0, 0, DATABASE, None, None),
    ] {
        let report = build(with, without, error);
        let found = (report.avoided_failures.value, report.saved_tokens.value);
        assert_eq!(found, (failures, tokens), "{with} {without} {error}");
    }
}

/// Sessions with memory that fail once and held-out ones that fail as often as given.
fn trial(with: i64, held_out: i64, failures: usize) -> Vec<MeasuredSession> {
    let mut sessions = vec![session(0, DATABASE, 1, None)];
    for number in 0..with + held_out {
        let is_held_out = number >= with;
        let failures = if is_held_out { failures } else { 1 };
        let mut session = session(10 + number, DATABASE, failures, Some(100));
        session.held_out = Some(is_held_out);
        session.chosen = match is_held_out {
            true => ChosenInjections { withheld: 1, ..ChosenInjections::default() },
            false => ChosenInjections { shown: 1, shown_tokens: 40, withheld: 0 },
        };
        sessions.push(session);
    }
    sessions
}

fn holdout(sessions: &[MeasuredSession]) -> Option<HoldoutReport> {
    let known = KnownErrors::of(sessions.iter().map(|session| &session.outcome));
    HoldoutReport::new(&sessions.iter().collect::<Vec<_>>(), &known)
}

#[test]
fn holdouts_conclude_from_ten_sessions_in_each_group() {
    for (with, held_out, failures, expected) in [
        (10, 10, 3, HoldoutVerdict::Less),
        (10, 10, 1, HoldoutVerdict::NotShown),
        (40, 9, 3, HoldoutVerdict::TooFew),
        (9, 40, 3, HoldoutVerdict::TooFew),
    ] {
        let report = holdout(&trial(with, held_out, failures)).unwrap();
        let found = report.of(HoldoutMeasure::KnownErrors).unwrap();
        assert_eq!(found.verdict, expected, "{with} {held_out} {failures}");
        assert_eq!(found.difference, Some(1.0 - failures as f64));
        assert_eq!(found.interval.is_some(), expected != HoldoutVerdict::TooFew);
        let share = report.of(HoldoutMeasure::SessionsWithKnownErrors).unwrap();
        assert_eq!((share.with_memory, share.held_out), (Some(1.0), Some(1.0)));
    }
    assert_eq!(holdout(&trial(20, 0, 1)), None);
}

#[test]
fn only_sessions_of_the_trial_with_something_to_show_are_compared() {
    let mut sessions = trial(12, 12, 2);
    // Neither a session with nothing to show nor one outside of the trial counts.
    for (number, held_out) in [(1, Some(false)), (2, Some(true)), (3, None)] {
        let mut other = session(500 + number, DATABASE, 9, None);
        other.held_out = held_out;
        other.chosen.shown = u64::from(held_out.is_none());
        sessions.push(other);
    }
    let report = holdout(&sessions).unwrap();
    assert_eq!((report.with_memory, report.held_out), (12, 12));
    assert_eq!((report.since, report.until), (Some(at(10)), Some(at(33))));
    let found = report.of(HoldoutMeasure::KnownErrors).unwrap();
    assert_eq!((found.with_memory, found.held_out), (Some(1.0), Some(2.0)));

    // What hooks showed counts among the tokens, so it must be saved first.
    let all: Vec<&MeasuredSession> = sessions.iter().collect();
    let tokens = TokenReport::new(480, &all, &errors(&sessions, &[]), Some(&report));
    let saved = tokens.saved_per_session.unwrap();
    assert_eq!(saved.mean, -40.0);
    assert_eq!(saved.interval.map(|interval| (interval.low, interval.high)), Some((-40.0, -40.0)));
}

#[test]
fn injections_are_counted_by_layer_part_and_fate() {
    let all = [
        injection(1, "a-x", "tool_failed", Some(Fate::Helped)),
        injection(2, "b-x", "guard", Some(Fate::Contradicted)),
        injection(1, "a-x", "prompt_submitted", Some(Fate::Ignored)),
        injection(3, "c-x", "from_the_future", None),
        Injection { at: at(-1), ..injection(1, "a-x", "tool_failed", None) },
        Injection { withheld: true, ..injection(1, "d-x", "tool_failed", None) },
    ];
    let report = InjectionReport::new(&all, &period(), false);
    assert_eq!((report.shown, report.withheld, report.tokens), (4, 1, 160));
    assert_eq!(report.sessions, 3);
    assert_eq!((report.fates.used(), report.fates.wrong(), report.fates.judged()), (1, 1, 3));
    assert_eq!(report.fates.not_judged, 1);
    let layers: Vec<&str> = report.layers.iter().map(|layer| layer.layer.as_str()).collect();
    assert_eq!(layers, ["prompt_submitted", "guard", "tool_failed", "from_the_future"]);
    assert_eq!(report.layers[2].over_time, [1, 0, 0]);
    assert_eq!(report.over_time.iter().map(|fates| fates.judged()).sum::<u64>(), 3);
}

#[test]
fn memories_are_best_by_what_they_helped_and_dead_by_what_they_did_not() {
    let times = |memory, fate, count: usize| {
        (0..count).map(move |_| injection(memory, "a-x", "prompt_submitted", fate))
    };
    let all: Vec<Injection> = times(1, Some(Fate::Helped), 1)
        .chain(times(2, Some(Fate::Cited), 3))
        .chain(times(3, Some(Fate::Ignored), 5))
        .chain(times(4, Some(Fate::Ignored), 4))
        .chain(times(5, Some(Fate::Contradicted), 2))
        .chain(times(5, Some(Fate::Cited), 1))
        .chain(times(6, None, 9))
        .collect();
    let active = |number, days: f64, accessed| ActiveMemory {
        id: id(number),
        text: String::new(),
        created_at: period().until.plus_days(-days),
        accessed,
    };
    let active = [
        active(1, 40.0, 0),
        active(7, 14.0, 0),
        active(8, 40.0, 0),
        active(9, 13.9, 0),
        active(10, 40.0, 2),
    ];
    let ever_shown = [id(1)].into_iter().collect();
    let report = MemoryUseReport::new(&all, &active, &ever_shown, &period());
    let best: Vec<MemoryId> = report.best.iter().map(|one| one.id).collect();
    assert_eq!(best, [id(1), id(2)]);
    let unused: Vec<MemoryId> = report.unused.iter().map(|one| one.id).collect();
    assert_eq!((unused, report.unused_count), (vec![id(3)], 1));
    let never: Vec<MemoryId> = report.never_shown.iter().map(|one| one.id).collect();
    assert_eq!((never, report.never_shown_count, report.active), (vec![id(8), id(7)], 2, 5));
}
