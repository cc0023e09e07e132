//! The lifecycle of records, also over random histories.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use tacit_core::Timestamp;
use tacit_records::files::RecordsFolder;
use tacit_records::{
    IndexForm, RecordCategory, RecordSettings, RecordStatus, index_markdown, is_expired,
    is_removable, retire, sessions_beyond_window, unique_items, unique_warning,
};

use crate::support::{at, fields, given, next, now, record};

#[test]
fn retired_records_are_kept_for_the_grace_period() {
    let gone = retire(&record(RecordCategory::Decision, "A title"), "why", now()).unwrap();
    for (grace, days, gone_for_good) in
        [(30, 29.9, false), (30, 30.0, true), (0, 0.9, false), (0, 1.0, true), (1, -3.0, false)]
    {
        let settings = RecordSettings { grace_period_days: grace, ..RecordSettings::default() };
        assert_eq!(is_removable(&gone, now().plus_days(days), &settings), gone_for_good, "{days}");
    }
    let active = record(RecordCategory::Decision, "A title");
    assert!(!is_removable(&active, now().plus_days(1e5), &RecordSettings::default()));
    let kept = tacit_records::archive(&active, "why", now()).unwrap();
    assert!(!is_removable(&kept, now().plus_days(1e5), &RecordSettings::default()));
}

#[test]
fn only_sessions_expire_by_default() {
    let settings = RecordSettings::default();
    for category in RecordCategory::ALL {
        let record = record(category, "A title");
        let sessions = category == RecordCategory::SessionSummary;
        assert!(!is_expired(&record, now().plus_days(89.9), &settings));
        assert_eq!(is_expired(&record, now().plus_days(90.0), &settings), sessions, "{category}");
    }
}

#[test]
fn the_window_drops_the_oldest_sessions() {
    let mut records: Vec<_> = (0..8)
        .map(|n| {
            let mut session = record(RecordCategory::SessionSummary, &format!("Session {n}"));
            let day = at("2026-11-01T00:00:00Z").plus_days(f64::from(8 - n));
            session.created_at = tacit_records::RecordTime::of(day);
            session
        })
        .collect();
    records.push(record(RecordCategory::Decision, "Not a session"));
    let names = |records: &[tacit_records::Record], settings: &RecordSettings| -> Vec<String> {
        sessions_beyond_window(records, settings).iter().map(|r| r.id.to_string()).collect()
    };
    let settings = RecordSettings::default();
    assert_eq!(names(&records, &settings), ["session-7", "session-6", "session-5"]);
    records[7] = retire(&records[7], "why", now()).unwrap();
    assert_eq!(names(&records, &settings), ["session-6", "session-5"]);
}

#[test]
fn unique_content_of_a_session_is_reported() {
    let mut session = record(RecordCategory::SessionSummary, "Importer");
    session.content["completed"] = json!(["use WAL mode for readers"]);
    session.content["blockers"] = json!(["the vendor rotates certificates on Fridays"]);
    session.content["next_actions"] = json!([]);
    let records = [session.clone(), record(RecordCategory::Decision, "WAL mode for readers")];
    let items = unique_items(&session, &records);
    assert_eq!(items, ["the vendor rotates certificates on Fridays"]);
    assert_eq!(
        unique_warning(&session, &items),
        "WARNING: Session importer contains unique content not captured elsewhere: the vendor \
         rotates certificates on Fridays. Consider saving these before retirement."
    );
}

#[derive(Debug, Clone)]
enum Step {
    Create(usize),
    Update(usize, bool),
    Retire(usize),
    Archive(usize),
    Restore(usize),
    Gc,
    Wait(f64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = 0_usize..4;
    let step = prop_oneof![
        3 => name.clone().prop_map(Step::Create),
        3 => (name.clone(), any::<bool>()).prop_map(|(n, stale)| Step::Update(n, stale)),
        2 => name.clone().prop_map(Step::Retire),
        1 => name.clone().prop_map(Step::Archive),
        1 => name.prop_map(Step::Restore),
        1 => Just(Step::Gc),
        2 => prop::sample::select(vec![0.1, 0.95, 1.0, 12.0, 31.0]).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..40)
}

/// The expected state of a record.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    state: &'static str,
    since: Timestamp,
    born: Timestamp,
    updates: u64,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_histories_keep_the_rules(steps in steps()) {
        let directory = tempfile::tempdir().unwrap();
        let folder = RecordsFolder::at(directory.path());
        let settings = RecordSettings { max_per_category: 3, ..RecordSettings::default() };
        let category = RecordCategory::Decision;
        let mut now = now();
        let mut model: BTreeMap<String, Known> = BTreeMap::new();
        for step in steps {
            if let Step::Wait(days) = step {
                now = now.plus_days(days);
                continue;
            }
            let writer = folder.writer(&settings, now, Duration::from_secs(5)).unwrap();
            let active = model.values().filter(|known| known.state == "active").count();
            match step {
                Step::Create(n) => {
                    let name = format!("record-{n}");
                    let result = writer.create(category, None, given(category, &name));
                    let blocked = model.get(&name).is_some_and(|known| {
                        known.state != "retired" || now.days_since(known.since) < 1.0
                    });
                    prop_assert_eq!(result.is_ok(), !blocked && active < 3, "{:?}", result);
                    if result.is_ok() {
                        let known = Known { state: "active", since: now, born: now, updates: 0 };
                        model.insert(name, known);
                    }
                }
                Step::Update(n, stale) => {
                    let name = format!("record-{n}");
                    let Ok(stored) = folder.find(&name) else {
                        prop_assert!(!model.contains_key(&name));
                        continue;
                    };
                    let hash = if stale { "0".repeat(32) } else { stored.hash.clone() };
                    let result = writer.update(&name, fields(next(&stored.record)), Some(&hash));
                    let known = model.get_mut(&name).unwrap();
                    prop_assert_eq!(result.is_ok(), !stale && known.state == "active");
                    known.updates += u64::from(result.is_ok());
                }
                Step::Retire(n) | Step::Archive(n) | Step::Restore(n) => {
                    let name = format!("record-{n}");
                    let (result, from, to): (_, &[&str], _) = match step {
                        Step::Retire(_) => (writer.retire(&name, "why", None), &["active"], "retired"),
                        Step::Archive(_) => {
                            (writer.archive(&name, "why", None), &["active", "retired"], "archived")
                        }
                        _ => (writer.restore(&name, None), &["retired", "archived"], "active"),
                    };
                    let room = to != "active" || active < 3;
                    let allowed = room
                        && model.get(&name).is_some_and(|known| from.contains(&known.state));
                    prop_assert_eq!(result.is_ok(), allowed, "{:?}", result);
                    if allowed {
                        let known = model.get_mut(&name).unwrap();
                        (known.state, known.since) = (to, now);
                    }
                }
                Step::Gc => {
                    for record in folder.load().unwrap().records() {
                        let known = &model[record.id.as_str()];
                        let over = known.state == "retired" && now.days_since(known.since) >= 30.0;
                        prop_assert_eq!(writer.remove(&record).is_ok(), over);
                        if over {
                            model.remove(record.id.as_str());
                        }
                    }
                }
                Step::Wait(_) => {}
            }
            drop(writer);
            let loaded = folder.load().unwrap();
            prop_assert!(loaded.problems.is_empty());
            let records = loaded.records();
            let seen: BTreeMap<String, Known> = records
                .iter()
                .map(|record| {
                    let since = match &record.status {
                        RecordStatus::Active => model[record.id.as_str()].since,
                        RecordStatus::Retired(gone) | RecordStatus::Archived(gone) => {
                            gone.at.as_ref().unwrap().at()
                        }
                    };
                    let known = Known {
                        state: record.status.as_str(),
                        since,
                        born: record.created_at.at(),
                        updates: record.times_updated,
                    };
                    (record.id.to_string(), known)
                })
                .collect();
            prop_assert_eq!(&seen, &model);
            let index = std::fs::read_to_string(folder.root().join("index.md")).unwrap_or_default();
            if !index.is_empty() {
                prop_assert_eq!(index, index_markdown(&records, IndexForm::Links));
            }
        }
    }
}
