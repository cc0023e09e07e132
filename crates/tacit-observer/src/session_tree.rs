//! Session trees: sessions on one unit of work, and units of one spec.
//!
//! Compaction, resuming and subagents keep the session's identifier and are already in its log.
//! Continuations under a new identifier and sessions on the same work are joined by the caller.

use std::collections::BTreeMap;

use tacit_core::log::UnitStatus;
use tacit_core::{SessionId, Timestamp, WorkUnitRef};

use crate::application::AppTools;
use crate::log::{LogEntry, LogEvent, SessionNote};
use crate::tasks::TaskDefinitions;
use crate::validation::SessionVerdict;

/// Largest number of units that are promoted together or not at all; in larger specs each is
/// promoted when it passes.
pub const SMALL_SPEC_UNITS: usize = 5;
/// A small spec whose units are all done counts as finished after this many days without a report.
pub const QUIET_DAYS: f64 = 1.0;

/// Sessions that are learnt from as one.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionTree {
    /// The first session, which names the tree.
    pub session: SessionId,
    /// The logs of all sessions, with reports about their unit from elsewhere.
    pub log: Vec<LogEntry>,
    /// The notes made in them.
    pub notes: Vec<SessionNote>,
    /// The other units of the same spec, as far as they are known.
    pub siblings: Vec<UnitState>,
    /// The tasks that the project defines.
    pub tasks: TaskDefinitions,
    /// Further tools that drive the application of the project.
    pub app_tools: AppTools,
    /// The number of context tokens that the clients reported.
    pub context_tokens: Option<u64>,
}

impl SessionTree {
    /// Returns the unit of work that was named last.
    pub fn unit(&self) -> Option<&WorkUnitRef> {
        last_unit(&self.log)
    }
}

/// The status of a unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitState {
    /// The unit of work.
    pub unit: WorkUnitRef,
    /// The last reported status.
    pub status: UnitStatus,
    /// The time of that report.
    pub at: Timestamp,
}

/// Returns the unit of work that a log names last.
pub fn last_unit(log: &[LogEntry]) -> Option<&WorkUnitRef> {
    let named = log.iter().filter_map(|entry| match &entry.event {
        LogEvent::Unit(unit) => Some((entry, &unit.work_unit)),
        _ => None,
    });
    named.max_by(|(a, _), (b, _)| a.sort_key().cmp(&b.sort_key())).map(|(_, unit)| unit)
}

/// Groups sessions that work on the same unit. Sessions without a unit stay alone.
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

/// Returns the status of every unit that a log names, sorted by name.
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

/// The decision whether candidates of a tree may be promoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// Promote now.
    Now,
    /// Wait, because another unit of the spec is not done.
    Wait(String),
    /// Never promote: the work was not checked.
    Never(String),
}

/// Decides by the verdict and the status of the other units. A unit of a small spec waits until the
/// whole spec is done; a unit of a large one does not.
pub fn release(
    verdict: &SessionVerdict,
    unit: Option<&WorkUnitRef>,
    states: &[UnitState],
    now: Timestamp,
) -> Release {
    if *verdict == SessionVerdict::Unvalidated {
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
        // More units may follow.
        _ => match parts.iter().map(|state| state.at).max() {
            Some(last) if now.days_since(last) < QUIET_DAYS => {
                Release::Wait(format!("`{}` is not finished", unit.hierarchy()[0]))
            }
            _ => Release::Now,
        },
    }
}

/// Returns the latest status of each unit.
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
        // The tree's own log is among the reports as well.
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
        let failed =
            SessionVerdict::Failed { summary: "t".into(), last_step: None, open: Vec::new() };
        let now = |verdict| release(verdict, Some(&own), &states(6, Succeeded, None), at(0));
        assert!(matches!(now(&SessionVerdict::Unvalidated), Release::Never(_)));
        // Each candidate is compared with the failed checks.
        assert_eq!(now(&failed), Release::Now);
        let states = states(5, Failed, None);
        assert_eq!(release(&passed, None, &states, at(0)), Release::Now);
        // The last report counts: the unit was tried again.
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
