//! What belongs together: sessions on one unit of work, and units inside one larger piece.
//!
//! Compaction, resuming and subagents keep the session's name, so that they are in its log already;
//! a session that goes on from another under a new name, and those that are at the same work, are
//! put together by whoever gathers.

use std::collections::BTreeMap;

use tacit_core::log::UnitStatus;
use tacit_core::{SessionId, Timestamp, WorkUnitRef};

use crate::log::{LogEntry, LogEvent, SessionNote};
use crate::validation::SessionVerdict;

/// Up to so many units are promoted together or not at all; of more, each when it passes.
pub const SMALL_SPEC_UNITS: usize = 5;
/// A small piece of which all units are done, and of which nothing more was said for so many days, is
/// done, whether or not anybody said so.
pub const QUIET_DAYS: f64 = 1.0;

/// Sessions that are looked at as one.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionTree {
    /// The session that the tree is named by: the first of them.
    pub session: SessionId,
    /// Everything that is logged of them, and what was reported elsewhere about their unit.
    pub log: Vec<LogEntry>,
    /// Everything that was noted in them.
    pub notes: Vec<SessionNote>,
    /// The units beside theirs, as far as they are known.
    pub siblings: Vec<UnitState>,
    /// How many tokens their contexts took, where the clients reported it.
    pub context_tokens: Option<u64>,
}

impl SessionTree {
    /// The unit of work of the tree: the one that was last named in it.
    pub fn unit(&self) -> Option<&WorkUnitRef> {
        last_unit(&self.log)
    }
}

/// How a unit of work stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitState {
    /// Which.
    pub unit: WorkUnitRef,
    /// What was last said of it.
    pub status: UnitStatus,
    /// When that was.
    pub at: Timestamp,
}

/// The unit that a log names last.
pub fn last_unit(log: &[LogEntry]) -> Option<&WorkUnitRef> {
    let named = log.iter().filter_map(|entry| match &entry.event {
        LogEvent::Unit(unit) => Some((entry, &unit.work_unit)),
        _ => None,
    });
    named.max_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key())).map(|(_, unit)| unit)
}

/// Puts sessions together that work on the same unit. Sessions without a unit stay alone.
pub fn group_sessions(sessions: &[(SessionId, Option<WorkUnitRef>)]) -> Vec<Vec<SessionId>> {
    let mut trees: Vec<Vec<SessionId>> = Vec::new();
    let mut tree_by_unit: BTreeMap<(String, Vec<String>), usize> = BTreeMap::new();
    for (session, unit) in sessions {
        let key =
            unit.as_ref().map(|unit| (unit.methodology().to_owned(), unit.hierarchy().to_vec()));
        match key.as_ref().and_then(|key| tree_by_unit.get(key)) {
            Some(place) => trees[*place].push(session.clone()),
            None => {
                tree_by_unit.extend(key.map(|key| (key, trees.len())));
                trees.push(vec![session.clone()]);
            }
        }
    }
    trees
}

/// How every unit that a log names stands, in order of their names.
pub fn unit_states(log: &[LogEntry]) -> Vec<UnitState> {
    let mut entries: Vec<&LogEntry> = log.iter().collect();
    entries.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    let mut states: BTreeMap<(String, Vec<String>), UnitState> = BTreeMap::new();
    for entry in entries {
        let (unit, status) = match &entry.event {
            LogEvent::Unit(unit) => (&unit.work_unit, unit.status),
            LogEvent::Check(check) => match &check.work_unit {
                Some(unit) if check.passed => (unit, UnitStatus::Succeeded),
                Some(unit) => (unit, UnitStatus::Failed),
                None => continue,
            },
            LogEvent::Client(_) => continue,
        };
        let key = (unit.methodology().to_owned(), unit.hierarchy().to_vec());
        states.insert(key, UnitState { unit: unit.clone(), status, at: entry.at });
    }
    states.into_values().collect()
}

/// Whether what was learnt in a tree may be promoted now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// It may.
    Now,
    /// Not yet: something it belongs to is not done.
    Wait(String),
    /// It may not: the work failed, or nobody knows.
    Never(String),
}

/// Decides by the tree's own verdict and by how the units beside it stand. A unit of a small piece
/// waits until the whole is done; a unit of a large one goes by itself.
pub fn release(
    verdict: &SessionVerdict,
    unit: Option<&WorkUnitRef>,
    states: &[UnitState],
    now: Timestamp,
) -> Release {
    if !verdict.passed() {
        return Release::Never(verdict.describe());
    }
    let Some(unit) = unit.filter(|unit| unit.hierarchy().len() > 1) else { return Release::Now };
    let spec_units: Vec<&UnitState> = latest_states(states)
        .into_iter()
        .filter(|state| {
            state.unit.methodology() == unit.methodology()
                && state.unit.hierarchy()[0] == unit.hierarchy()[0]
        })
        .collect();
    let (whole, parts): (Vec<_>, Vec<_>) =
        spec_units.into_iter().partition(|state| state.unit.hierarchy().len() == 1);
    if parts.len() > SMALL_SPEC_UNITS {
        return Release::Now;
    }
    for state in parts.iter().filter(|state| state.unit.hierarchy() != unit.hierarchy()) {
        match state.status {
            UnitStatus::Succeeded => {}
            UnitStatus::Started => {
                return Release::Wait(format!("`{}` is not done", state.unit.label()));
            }
            UnitStatus::Failed => return Release::Wait(format!("`{}` failed", state.unit.label())),
        }
    }
    match whole.first() {
        Some(UnitState { status: UnitStatus::Succeeded, .. }) => Release::Now,
        Some(UnitState { status: UnitStatus::Failed, unit, .. }) => {
            Release::Wait(format!("`{}` failed", unit.label()))
        }
        // More units may come.
        _ => match parts.iter().map(|state| state.at).max() {
            Some(last) if now.days_since(last) < QUIET_DAYS => {
                Release::Wait(format!("`{}` is not finished", unit.hierarchy()[0]))
            }
            _ => Release::Now,
        },
    }
}

/// What was last said of each unit.
fn latest_states(states: &[UnitState]) -> Vec<&UnitState> {
    let mut latest_states: BTreeMap<(&str, &[String]), &UnitState> = BTreeMap::new();
    for state in states {
        let known = latest_states
            .entry((state.unit.methodology(), state.unit.hierarchy()))
            .or_insert(state);
        if known.at < state.at {
            *known = state;
        }
    }
    latest_states.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str) -> WorkUnitRef {
        WorkUnitRef::new("native", vec!["spec".into(), name.into()], name).unwrap()
    }

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_794_738_600_000 + hours * 3_600_000).unwrap()
    }

    fn states(count: usize, last: UnitStatus, whole: Option<UnitStatus>) -> Vec<UnitState> {
        let mut states: Vec<UnitState> = (1..=count)
            .map(|number| UnitState {
                unit: unit(&format!("u{number}")),
                status: if number == count { last } else { UnitStatus::Succeeded },
                at: at(0),
            })
            .collect();
        let spec = WorkUnitRef::new("native", vec!["spec".into()], "spec").unwrap();
        states.extend(whole.map(|status| UnitState { unit: spec, status, at: at(0) }));
        // What one's own log says is among the reports as well.
        states.extend(states.clone());
        states
    }

    #[test]
    fn small_specs_wait_for_all_units_and_large_ones_do_not() {
        use UnitStatus::{Failed, Started, Succeeded};
        let passed =
            SessionVerdict::Passed { last_step: 1, at: Timestamp::MIN, summary: "t".into() };
        let own = unit("u1");
        for (count, last, whole, hours, expected) in [
            (1, Succeeded, None, 1, "wait"),
            (1, Succeeded, Some(Succeeded), 1, "now"),
            (1, Succeeded, None, 23, "wait"),
            (1, Succeeded, None, 24, "now"),
            (4, Started, Some(Succeeded), 99, "wait"),
            (5, Succeeded, Some(Started), 1, "wait"),
            (5, Succeeded, Some(Succeeded), 1, "now"),
            (5, Succeeded, Some(Failed), 99, "wait"),
            (5, Started, None, 99, "wait"),
            (5, Failed, None, 99, "wait"),
            (6, Started, None, 1, "now"),
            (6, Failed, None, 1, "now"),
        ] {
            let states = states(count, last, whole);
            let released = match release(&passed, Some(&own), &states, at(hours)) {
                Release::Now => "now",
                Release::Wait(_) => "wait",
                Release::Never(_) => "never",
            };
            assert_eq!(released, expected, "{count} units, the last {last:?}, all {whole:?}");
        }
        for verdict in [SessionVerdict::Unvalidated, SessionVerdict::Failed { summary: "t".into() }]
        {
            let states = states(6, Succeeded, None);
            let released = release(&verdict, Some(&own), &states, at(0));
            assert!(matches!(released, Release::Never(_)), "{verdict:?}");
        }
        let states = states(5, Failed, None);
        assert_eq!(release(&passed, None, &states, at(0)), Release::Now);
        // The last word counts: it was tried again.
        let again = UnitState { unit: unit("u5"), status: Succeeded, at: at(1) };
        let states = [states, vec![again]].concat();
        assert_eq!(release(&passed, Some(&own), &states, at(30)), Release::Now);
    }

    #[test]
    fn sessions_on_one_unit_form_one_tree() {
        let name = |text: &str| -> SessionId { text.parse().unwrap() };
        let sessions = [
            (name("a"), Some(unit("u1"))),
            (name("b"), None),
            (name("c"), Some(unit("u1"))),
            (name("d"), Some(unit("u2"))),
        ];
        let trees = group_sessions(&sessions);
        assert_eq!(trees, [vec![name("a"), name("c")], vec![name("b")], vec![name("d")]]);
    }
}
