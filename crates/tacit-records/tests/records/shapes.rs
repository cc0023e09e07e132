//! The record format: validation, defaults and unknown fields.

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_records::files::parse;
use tacit_records::{Record, RecordCategory, RecordStatus, json_schema, new_record, note_text};

use crate::support::{content, given, now, record};

#[test]
fn records_of_every_category_round_trip() {
    for category in RecordCategory::ALL {
        let record = record(category, "A title");
        assert_eq!(parse(&record.to_bytes(), "x").unwrap(), record);
        assert_eq!(parse(&record.to_bytes(), "x").unwrap().to_bytes(), record.to_bytes());
    }
}

#[test]
fn notes_begin_with_what_holds() {
    use RecordCategory::{Constraint, Decision, Preference, Runbook, SessionSummary, TechDebt};
    for (category, expected) in [
        (
            SessionSummary,
            "ship the importer\noutcome: partial\ncompleted: parser\nblockers: no fixtures\n\
             next actions: write fixtures",
        ),
        (
            Decision,
            "use WAL mode\ncontext: writers block readers\n\
             alternatives: option one file a day; rejected reason hard to query\n\
             rationale: readers never wait\nconsequences: two more files",
        ),
        (
            Runbook,
            "database is locked\nsymptoms: exit code 5\nsteps: find the process\nsteps: end it\n\
             verification: `tacit health` is well\nroot cause: a writer that hangs\n\
             environment: any",
        ),
        (Constraint, "no network in tests\nimpact: stubs\nworkarounds: a local server"),
        (TechDebt, "the parser copies every line\nreason deferred: fast enough"),
        (Preference, "British\ntopic: spelling\nreason: the team is\nprefer: colour\navoid: color"),
    ] {
        assert_eq!(note_text(&record(category, "A title")), expected, "{category:?}");
    }
    let unusual = |category, field: &str, value: Value| {
        let mut record = record(category, "A title");
        record.content.insert(field.to_owned(), value);
        note_text(&record)
    };
    assert!(unusual(Decision, "status", json!("deprecated")).contains("status: deprecated"));
    assert!(unusual(Constraint, "active", json!(false)).contains("active: false"));
}

#[test]
fn errors_name_the_path_of_the_field() {
    let wrong = |category: RecordCategory, change: fn(&mut Value)| {
        let mut json = record(category, "A title").to_json();
        change(&mut json);
        let errors = Record::from_json(json).unwrap_err();
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    use RecordCategory::{Constraint, Decision, Preference, Runbook, SessionSummary, TechDebt};
    for (category, change, expected) in [
        (
            Decision,
            (|r| r["content"]["status"] = json!("maybe")) as fn(&mut Value),
            "content.status: `maybe` is not one of proposed, accepted, deprecated, superseded",
        ),
        (
            Decision,
            |r| r["content"]["alternatives"][0]["option"] = json!(3),
            "content.alternatives[0].option: `3` is not a text",
        ),
        (Decision, |r| r["content"]["rationale"] = json!([]), "content.rationale: is empty"),
        (
            Decision,
            |r| r["content"] = json!({}),
            "content.status: is missing\ncontent.context: is missing\ncontent.decision: is missing\ncontent.rationale: is missing",
        ),
        (
            SessionSummary,
            |r| r["content"]["outcome"] = json!("fine"),
            "content.outcome: `fine` is not one of success, partial, blocked, abandoned",
        ),
        (
            Runbook,
            |r| r["content"]["steps"] = json!("one"),
            "content.steps: `\\\"one\\\"` is not a list of texts",
        ),
        (Runbook, |r| r["content"]["steps"][1] = json!(" "), "content.steps[1]: is empty"),
        (
            Constraint,
            |r| r["content"]["active"] = json!("yes"),
            "content.active: `\\\"yes\\\"` is not true or false",
        ),
        (
            TechDebt,
            |r| r["content"]["priority"] = json!("now"),
            "content.priority: `now` is not one of critical, high, medium, low",
        ),
        (
            Preference,
            |r| r["content"]["examples"]["prefer"] = json!({}),
            "content.examples.prefer: `{}` is not a list of texts",
        ),
        (
            Preference,
            |r| r["title"] = json!("x".repeat(121)),
            "title: is 121 characters long; the limit is 120",
        ),
        (Preference, |r| r["tags"] = json!([]), "tags: needs at least one tag"),
        (
            Preference,
            |r| r["tags"] = (0..13).map(|n| json!(format!("t{n}"))).collect(),
            "tags: has 13 items; the limit is 12",
        ),
        (
            Preference,
            |r| r["confidence"] = json!(1.5),
            "confidence: `1.5` is not a confidence between 0 and 1",
        ),
        (
            Preference,
            |r| r["record_status"] = json!("gone"),
            "record_status: `gone` is not active, retired or archived",
        ),
        (
            Preference,
            |r| r["created_at"] = json!("yesterday"),
            "created_at: `yesterday` is not a UTC time such as 2026-11-15T10:30:00Z",
        ),
        (
            Preference,
            |r| r["id"] = json!("../x"),
            "id: `../x` is not a slug: lower-case letters, digits and single hyphens, such as `use-wal-mode`",
        ),
        (Preference, |r| r["schema_version"] = json!("2.0"), "schema_version: `2.0` is not `1.0`"),
        (
            Preference,
            |r| r["times_updated"] = json!(-1),
            "times_updated: `-1` is not a whole number from 0 up",
        ),
        (Preference, |r| r["changes"] = json!([{"date": "x"}]), "changes[0].summary: is missing"),
    ] {
        assert_eq!(wrong(category, change), expected);
    }
}

#[test]
fn missing_fields_get_defaults() {
    let mut json = record(RecordCategory::Decision, "A title").to_json();
    let fields = json.as_object_mut().unwrap();
    for name in ["record_status", "changes", "times_updated", "related_files", "confidence"] {
        assert!(fields.remove(name).is_some(), "{name}");
    }
    let record = Record::from_json(json).unwrap();
    assert_eq!(record.status, RecordStatus::Active);
    assert_eq!((record.changes.len(), record.times_updated), (0, 0));
    assert!(record.related_files.is_empty() && record.confidence.is_none());
}

#[test]
fn unknown_fields_are_preserved() {
    let mut json = record(RecordCategory::Runbook, "A title").to_json();
    json["owner"] = json!({"team": "storage"});
    json["content"]["severity"] = json!(7);
    json["changes"] = json!([{"date": "d", "summary": "s", "by": "ada"}]);
    let written = Record::from_json(json).unwrap().to_json();
    assert_eq!(written["owner"]["team"], "storage");
    assert_eq!(written["content"]["severity"], 7);
    assert_eq!(written["changes"][0]["by"], "ada");
}

#[test]
fn new_records_get_generated_fields() {
    let record = record(RecordCategory::Decision, "  Use WAL mode ");
    assert_eq!(record.id.as_str(), "use-wal-mode");
    assert_eq!(record.title, "Use WAL mode");
    assert_eq!(record.created_at.as_str(), "2026-11-15T10:30:00Z");
    assert_eq!(record.path(), "decisions/use-wal-mode.json");
    assert_eq!(record.confidence.unwrap().value(), 0.7);
}

#[test]
fn new_records_cannot_set_generated_fields() {
    let category = RecordCategory::Decision;
    for (name, value, message) in [
        ("category", json!("runbook"), "VALIDATION_ERROR"),
        ("category", json!("preference"), "VALIDATION_ERROR"),
        ("record_status", json!("retired"), "MERGE_ERROR"),
        ("created_at", json!("2030-01-01T00:00:00Z"), "MERGE_ERROR"),
        ("related_files", json!(["../../etc/passwd"]), "VALIDATION_ERROR"),
        ("related_files", json!(["/etc/passwd"]), "VALIDATION_ERROR"),
        ("title", json!("決定"), "VALIDATION_ERROR"),
    ] {
        let mut given = given(category, "A title");
        given.insert(name.to_owned(), value.clone());
        let error = new_record(category, None, given, now()).unwrap_err();
        assert_eq!(error.code(), message, "{name} {value} {error}");
    }
    // Of the right shape, but for another folder.
    let mut given = given(RecordCategory::Runbook, "A title");
    given.insert("category".to_owned(), json!("runbook"));
    let error = new_record(category, None, given, now()).unwrap_err();
    assert_eq!(error.to_string(), "category: `runbook` is not `decision`");
}

#[test]
fn secrets_are_redacted() {
    let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let mut given = given(RecordCategory::Decision, "A title");
    given["content"]["rationale"] = json!([format!("push with {token}")]);
    given.insert("note".to_owned(), json!({"deep": [token]}));
    let record = new_record(RecordCategory::Decision, None, given, now()).unwrap();
    let text = String::from_utf8(record.to_bytes()).unwrap();
    assert!(!text.contains(token), "{text}");
}

#[test]
fn the_schema_matches_the_validation() {
    for category in RecordCategory::ALL {
        let schema = json_schema(category);
        assert_eq!(schema["properties"]["category"]["const"], category.as_str());
        let fields = schema["properties"]["content"]["properties"].as_object().unwrap();
        let example = content(category);
        let names: Vec<&String> = example.as_object().unwrap().keys().collect();
        assert_eq!(fields.keys().collect::<Vec<_>>(), names, "{category}");
        // What the schema calls required cannot be left out.
        for name in schema["properties"]["content"]["required"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            let mut json = record(category, "A title").to_json();
            json["content"].as_object_mut().unwrap().remove(name);
            let errors = Record::from_json(json).unwrap_err();
            assert_eq!(errors[0].field, format!("content.{name}"));
        }
    }
}

#[test]
fn merge_conflicts_are_distinguished_from_invalid_json() {
    let text = String::from_utf8(record(RecordCategory::Decision, "A title").to_bytes()).unwrap();
    let torn = text.replace(
        "  \"title\": \"A title\",\n",
        "<<<<<<< HEAD\n  \"title\": \"A\",\n=======\n  \"title\": \"B\",\n>>>>>>> other\n",
    );
    let error = parse(torn.as_bytes(), "decisions/a-title.json").unwrap_err();
    assert_eq!(error.code(), "MERGE_CONFLICT");
    assert!(error.to_string().ends_with("on line 5"), "{error}");
    assert_eq!(parse(b"{", "x").unwrap_err().code(), "VALIDATION_ERROR");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_parsed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes, "x");
    }

    #[test]
    fn any_value_is_accepted_or_reported(
        category in prop::sample::select(RecordCategory::ALL.to_vec()),
        which in any::<prop::sample::Index>(),
        inside in any::<bool>(),
        value in any_json(),
    ) {
        let mut json = record(category, "A title").to_json();
        let object = if inside { &mut json["content"] } else { &mut json };
        let names: Vec<String> = object.as_object().unwrap().keys().cloned().collect();
        let name = which.get(&names).clone();
        object[&name] = value;
        match Record::from_json(json) {
            // What is taken is written so that it is taken again, and then stays as it is.
            Ok(record) => {
                let again = parse(&record.to_bytes(), "x").unwrap();
                prop_assert_eq!(again.to_bytes(), record.to_bytes());
            }
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }

    #[test]
    fn a_truncated_file_is_invalid(cut in 1_usize..400) {
        let bytes = record(RecordCategory::Preference, "A title").to_bytes();
        let cut = cut.min(bytes.len() - 2);
        prop_assert!(parse(&bytes[..cut], "x").is_err());
    }
}
