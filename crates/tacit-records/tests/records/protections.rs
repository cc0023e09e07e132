//! The write rules, one by one and combined.

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_core::Timestamp;
use tacit_records::{
    MAX_CHANGES, MAX_TAGS, Record, RecordCategory, RecordResult, allow_create, apply_update,
    archive, merge_fields, restore, retire,
};

use crate::support::{fields, next, now, record};

fn hours(later: f64) -> Timestamp {
    now().plus_days(later / 24.0)
}

fn update(old: &Record, new: Value) -> RecordResult<Record> {
    apply_update(old, fields(new), hours(1.0), &|path| path == "src/there.rs")
}

fn with_tags(count: usize) -> Record {
    let mut old = record(RecordCategory::Decision, "A title");
    old.tags = (0..count).map(|n| format!("t{n}")).collect();
    old
}

#[test]
fn the_name_of_a_retired_record_is_reserved_for_a_day() {
    let active = record(RecordCategory::Decision, "A title");
    let gone = retire(&active, "wrong", now()).unwrap();
    let kept = archive(&active, "old", now()).unwrap();
    for (there, later, expected) in [
        (None, 0.0, None),
        (Some(&active), 0.0, Some("ALREADY_EXISTS")),
        (Some(&active), 1000.0, Some("ALREADY_EXISTS")),
        (Some(&kept), 1000.0, Some("ALREADY_EXISTS")),
        (Some(&gone), 0.0, Some("ANTI_RESURRECTION_ERROR")),
        (Some(&gone), 23.99, Some("ANTI_RESURRECTION_ERROR")),
        (Some(&gone), 24.0, None),
        (Some(&gone), -5.0, Some("ANTI_RESURRECTION_ERROR")),
    ] {
        let code = allow_create(there, hours(later)).err().map(|error| error.code());
        assert_eq!(code, expected, "{later} hours");
    }
}

#[test]
fn a_missing_retirement_time_falls_back_to_the_last_change() {
    let mut json = record(RecordCategory::Decision, "A title").to_json();
    json["record_status"] = json!("retired");
    let gone = Record::from_json(json).unwrap();
    assert!(allow_create(Some(&gone), hours(23.0)).is_err());
    assert!(allow_create(Some(&gone), hours(24.0)).is_ok());
}

#[test]
fn fixed_fields_cannot_change() {
    let old = record(RecordCategory::Decision, "A title");
    for (name, value, message) in [
        (
            "created_at",
            json!("2020-01-01T00:00:00Z"),
            "created_at: cannot be changed from `2026-11-15T10:30:00Z` to `2020-01-01T00:00:00Z`",
        ),
        ("id", json!("other"), "id: cannot be changed from `a-title` to `other`"),
        (
            "record_status",
            json!("retired"),
            "record_status: cannot be changed from `active` to `retired` by an update; retire, archive or restore it",
        ),
    ] {
        let mut new = next(&old);
        new[name] = value;
        let error = update(&old, new).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), ("MERGE_ERROR", message));
    }
    let mut new = next(&record(RecordCategory::Runbook, "A title"));
    new["id"] = json!("a-title");
    let error = update(&old, new).unwrap_err();
    assert_eq!(error.to_string(), "category: cannot be changed from `decision` to `runbook`");
    let mut new = next(&old);
    new["schema_version"] = json!("1.1");
    assert_eq!(update(&old, new).unwrap_err().code(), "VALIDATION_ERROR");
}

#[test]
fn times_are_compared_by_moment() {
    let old = record(RecordCategory::Decision, "A title");
    let mut new = next(&old);
    new["created_at"] = json!("2026-11-15T11:30:00+01:00");
    assert_eq!(update(&old, new).unwrap().created_at.as_str(), "2026-11-15T10:30:00Z");
}

#[test]
fn an_update_increments_the_counter() {
    let old = record(RecordCategory::Decision, "A title");
    let mut new = next(&old);
    new["title"] = json!("Another title");
    new["times_updated"] = json!(77);
    new["updated_at"] = json!("2001-01-01T00:00:00Z");
    let after = update(&old, new).unwrap();
    assert_eq!((after.times_updated, after.title.as_str()), (1, "Another title"));
    assert_eq!(after.updated_at.as_str(), "2026-11-15T11:30:00Z");
    assert_eq!(after.id.as_str(), "a-title");
}

#[test]
fn tags_are_removed_only_to_make_room() {
    let names = |range: std::ops::Range<usize>| range.map(|n| format!("t{n}")).collect::<Vec<_>>();
    let new = ["new".to_owned()];
    for (old, wanted, allowed) in [
        (3, names(0..3), true),
        (3, [names(0..3), new.to_vec()].concat(), true),
        (3, names(0..2), false),
        (3, [names(0..2), new.to_vec()].concat(), false),
        (11, [names(0..11), new.to_vec()].concat(), true),
        (11, [names(1..11), new.to_vec()].concat(), false),
        (11, [names(1..11), names(20..22)].concat(), true),
        (12, names(0..12), true),
        (12, names(1..12), false),
        (12, [names(1..12), new.to_vec()].concat(), true),
        (12, [names(0..12), new.to_vec()].concat(), false),
    ] {
        let old = with_tags(old);
        let mut json = next(&old);
        json["tags"] = json!(wanted);
        let result = update(&old, json);
        assert_eq!(result.is_ok(), allowed, "{} -> {wanted:?}: {result:?}", old.tags.len());
    }
}

#[test]
fn only_deleted_files_can_be_removed() {
    let mut old = record(RecordCategory::Decision, "A title");
    old.related_files = vec!["src/there.rs".into(), "src/gone.rs".into()];
    for (wanted, code) in [
        (json!(["src/there.rs", "src/gone.rs", "src/new.rs"]), None),
        (json!(["src/there.rs"]), None),
        (json!(["src/gone.rs"]), Some("MERGE_ERROR")),
        (json!([]), Some("MERGE_ERROR")),
        (json!(["src/there.rs", "../out.rs"]), Some("VALIDATION_ERROR")),
    ] {
        let mut json = next(&old);
        json["related_files"] = wanted.clone();
        assert_eq!(update(&old, json).err().map(|error| error.code()), code, "{wanted}");
    }
}

fn changes(range: std::ops::Range<usize>) -> Value {
    range.map(|n| json!({"date": "d", "summary": format!("c{n}")})).collect()
}

#[test]
fn the_change_log_is_append_only() {
    for (old, new, kept) in [
        (0..0, 0..1, Some(1)),
        (0..3, 0..4, Some(4)),
        (0..3, 0..3, None),
        (0..3, 0..2, None),
        (0..3, 1..4, None),
        (0..49, 0..51, Some(50)),
        (0..50, 0..51, Some(50)),
        (0..50, 1..51, Some(50)),
        (0..50, 2..51, None),
        (0..50, 5..55, Some(50)),
        (0..50, 0..50, None),
        (0..50, 60..110, Some(50)),
    ] {
        let mut json = record(RecordCategory::Decision, "A title").to_json();
        json["changes"] = changes(old.clone());
        let record = Record::from_json(json.clone()).unwrap();
        json["changes"] = changes(new.clone());
        let last = new.end;
        let result = update(&record, json).ok();
        assert_eq!(result.as_ref().map(|r| r.changes.len()), kept, "{old:?} {new:?}");
        if let Some(after) = result {
            assert_eq!(after.changes.last().unwrap().summary(), format!("c{}", last - 1));
        }
    }
}

#[test]
fn all_violations_are_reported_at_once() {
    let old = with_tags(2);
    let mut json = old.to_json();
    json["tags"] = json!(["x"]);
    json["record_status"] = json!("archived");
    let error = update(&old, json).unwrap_err().to_string();
    for part in ["record_status: ", "tags: ", "changes: an update needs at least one new entry"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn status_transitions_are_restricted() {
    type Move = fn(&Record) -> RecordResult<Record>;
    let moves: [(&str, Move); 3] = [
        ("retire", |r| retire(r, "why", now())),
        ("archive", |r| archive(r, "why", now())),
        ("restore", |r| restore(r, now())),
    ];
    let active = record(RecordCategory::Decision, "A title");
    let states = [active.clone(), moves[0].1(&active).unwrap(), moves[1].1(&active).unwrap()];
    for (state, expected) in states.iter().zip([
        [Some("retired"), Some("archived"), None],
        [None, Some("archived"), Some("active")],
        [None, None, Some("active")],
    ]) {
        for ((name, step), expected) in moves.iter().zip(expected) {
            let after = step(state).ok();
            let word = after.as_ref().map(|record| record.status.as_str());
            assert_eq!(word, expected, "{name} {}", state.status.as_str());
        }
    }
}

#[test]
fn status_changes_are_logged() {
    let gone = retire(&record(RecordCategory::Decision, "A title"), "wrong", now()).unwrap();
    let json = gone.to_json();
    assert_eq!(json["retired_at"], "2026-11-15T10:30:00Z");
    assert_eq!(json["retired_reason"], "wrong");
    assert_eq!(json["changes"][0]["new_value"], "retired");
    assert_eq!(update(&gone, next(&gone)).unwrap_err().code(), "STATUS_ERROR");
    let back = restore(&gone, hours(1.0)).unwrap().to_json();
    assert_eq!(back["record_status"], "active");
    assert!(back.get("retired_at").is_none() && back.get("retired_reason").is_none());
}

#[test]
fn partial_fields_merge_into_the_record() {
    let mut old = record(RecordCategory::Decision, "A title");
    old.tags = vec!["first".into()];
    let part = json!({
        "tags": ["first", "second"],
        "content": {"status": "superseded", "rationale": ["readers never wait", "faster"]},
    });
    let whole = merge_fields(&old, &fields(part), "Overtaken", now());
    let after = apply_update(&old, whole, now(), &|_| true).unwrap();
    assert_eq!(after.tags, ["first", "second"]);
    assert_eq!(after.content["status"], "superseded");
    assert_eq!(after.content["rationale"], json!(["readers never wait", "faster"]));
    assert_eq!(after.content["context"], "writers block readers");
    assert_eq!(after.changes.last().unwrap().summary(), "Overtaken");
}

proptest! {
    #[test]
    fn accepted_updates_keep_every_rule(
        old_tags in prop::collection::btree_set("[a-f]{1,2}", 1..13),
        new_tags in prop::collection::btree_set("[a-f]{1,2}", 0..15),
        old_files in prop::collection::btree_set("[a-d]", 0..4),
        new_files in prop::collection::btree_set("[a-d]", 0..4),
        there in prop::collection::btree_set("[a-d]", 0..4),
        before in 0_usize..55,
        from in 0_usize..4,
        more in 0_usize..6,
    ) {
        let mut json = record(RecordCategory::Decision, "A title").to_json();
        json["tags"] = json!(old_tags);
        json["related_files"] = json!(old_files);
        json["changes"] = changes(0..before.min(MAX_CHANGES));
        let old = Record::from_json(json.clone()).unwrap();
        json["tags"] = json!(new_tags);
        json["related_files"] = json!(new_files);
        json["changes"] = changes(from..(old.changes.len() + more).max(from));
        let exists = |path: &str| there.contains(path);
        if let Ok(after) = apply_update(&old, fields(json), now(), &exists) {
            prop_assert!((1..=MAX_TAGS).contains(&after.tags.len()));
            let lost = old_tags.difference(&new_tags).count();
            let won = new_tags.difference(&old_tags).count();
            prop_assert!(lost == 0 || (won > 0 && old_tags.len() + won > MAX_TAGS));
            prop_assert!(old_files.difference(&new_files).all(|file| !there.contains(file)));
            prop_assert!((1..=MAX_CHANGES).contains(&after.changes.len()));
            // As many of the old entries as there is room for are still there, in order.
            let added = after.changes.len().min(more);
            let tail = &after.changes[..after.changes.len() - added];
            prop_assert!(old.changes.ends_with(tail));
            prop_assert!(more > 0);
            prop_assert_eq!(after.times_updated, old.times_updated + 1);
        }
    }
}
