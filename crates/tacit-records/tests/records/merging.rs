//! Three-way merges, which lose nothing of either side.

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_records::files::parse;
use tacit_records::{
    IndexForm, MergeResult, Record, RecordCategory, index_markdown, merge_files, merge_index,
    merge_records,
};

use crate::support::{given, now, record};

const CATEGORY: RecordCategory = RecordCategory::Decision;

/// Returns a record with some fields replaced.
fn with(base: &Record, change: impl FnOnce(&mut Value)) -> Record {
    let mut json = base.to_json();
    change(&mut json);
    Record::from_json(json).unwrap()
}

fn clean(merged: MergeResult) -> Value {
    match merged {
        MergeResult::Clean(record) => record.to_json(),
        MergeResult::Conflict { text, .. } => panic!("a conflict: {text}"),
    }
}

#[test]
fn fields_merge_by_their_kind() {
    let date = |day: u32| json!({"date": format!("2026-11-{day}"), "summary": format!("{day}")});
    let (early, late) = ("2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z");
    for (pointer, base, ours, theirs, expected) in [
        // Lists keep what was added and lose what was taken out.
        ("/tags", json!(["a", "b"]), json!(["a", "b", "c"]), json!(["a"]), json!(["a", "c"])),
        ("/tags", json!(["a"]), json!(["a", "b"]), json!(["a", "b", "c"]), json!(["a", "b", "c"])),
        (
            "/related_files",
            json!(["x.rs"]),
            json!(["x.rs", "y.rs"]),
            json!(["z.rs", "x.rs"]),
            json!(["z.rs", "x.rs", "y.rs"]),
        ),
        (
            "/content/rationale",
            json!(["1", "2", "3"]),
            json!(["1", "2", "ours", "3"]),
            json!(["1", "2", "theirs", "3", "last"]),
            json!(["1", "2", "ours", "theirs", "3", "last"]),
        ),
        (
            "/content/alternatives",
            json!([]),
            json!([{"option": "a", "rejected_reason": "r"}]),
            json!([{"option": "b", "rejected_reason": "r"}]),
            json!([
                {"option": "a", "rejected_reason": "r"}, {"option": "b", "rejected_reason": "r"},
            ]),
        ),
        // Every entry of the log, in the order of dates.
        (
            "/changes",
            json!([date(10)]),
            json!([date(10), date(13)]),
            json!([date(10), date(12), date(14)]),
            json!([date(10), date(12), date(13), date(14)]),
        ),
        // What the tool keeps follows from both.
        ("/updated_at", json!("2026-11-15T10:30:00Z"), json!(early), json!(late), json!(late)),
        ("/times_updated", json!(3), json!(5), json!(4), json!(6)),
        ("/times_updated", json!(3), json!(4), json!(4), json!(5)),
        ("/confidence", json!(0.7), json!(0.9), json!(0.5), json!(0.5)),
        // What one side alone changed is taken.
        ("/title", json!("T"), json!("T"), json!("New"), json!("New")),
        ("/content/decision", json!("d"), json!("new"), json!("d"), json!("new")),
        ("/content/decision", json!("d"), json!("new"), json!("new"), json!("new")),
        (
            "/unknown",
            json!({"a": 1}),
            json!({"a": 2}),
            json!({"a": 1, "b": 3}),
            json!({"a": 2, "b": 3}),
        ),
    ] {
        let set = |side: &str, value: &Value| {
            with(&record(CATEGORY, "A title"), |json| {
                json["unknown"] = json!(null);
                json[side] = json!(true);
                *json.pointer_mut(pointer).unwrap() = value.clone();
            })
        };
        let merged =
            merge_records(Some(&set("base", &base)), &set("ours", &ours), &set("theirs", &theirs));
        assert_eq!(clean(merged).pointer(pointer), Some(&expected), "{pointer}");
    }
}

#[test]
fn conflicting_fields_are_marked() {
    let base = record(CATEGORY, "A title");
    let ours = with(&base, |json| {
        json["content"]["decision"] = json!("ours");
        json["tags"] = json!(["first", "second"]);
    });
    let theirs = with(&base, |json| {
        json["content"]["decision"] = json!("theirs");
        json["tags"] = json!(["first", "third"]);
    });
    let MergeResult::Conflict { text, fields } = merge_records(Some(&base), &ours, &theirs) else {
        panic!("no conflict");
    };
    assert_eq!(fields, ["content.decision"]);
    let marked = "\n<<<<<<< ours\n    \"decision\": \"ours\",\n=======\n    \"decision\": \
                  \"theirs\",\n>>>>>>> theirs\n";
    assert!(text.contains(marked), "{text}");
    assert!(text.contains("\"second\",\n    \"third\"\n"), "{text}");
    assert_eq!(parse(text.as_bytes(), "x").unwrap_err().code(), "MERGE_CONFLICT");
    // Keeping one side restores a valid record.
    let resolved = text.replace(marked, "\n    \"decision\": \"ours\",\n");
    assert_eq!(parse(resolved.as_bytes(), "x").unwrap().content["decision"], "ours");
}

#[test]
fn a_status_change_merges_with_an_update() {
    let base = record(CATEGORY, "A title");
    let gone = tacit_records::retire(&base, "why", now()).unwrap();
    let changed = with(&base, |json| json["content"]["decision"] = json!("new"));
    let merged = clean(merge_records(Some(&base), &changed, &gone));
    assert_eq!(merged["record_status"], "retired");
    assert_eq!(merged["retired_reason"], "why");
    assert_eq!(merged["content"]["decision"], "new");
    let kept = tacit_records::archive(&base, "why", now()).unwrap();
    let MergeResult::Conflict { fields, .. } = merge_records(Some(&base), &gone, &kept) else {
        panic!("no conflict");
    };
    assert_eq!(fields, ["record_status"]);
}

#[test]
fn invalid_files_conflict_as_a_whole() {
    let record = record(CATEGORY, "A title").to_bytes();
    for (ours, theirs) in [(&b"{"[..], &record[..]), (&record, b"<<<<<<< x"), (b"\xff", b"")] {
        let MergeResult::Conflict { text, fields } = merge_files(b"", ours, theirs, "x") else {
            panic!("no conflict");
        };
        assert!(fields.is_empty());
        assert!(text.starts_with("<<<<<<< ours\n") && text.ends_with(">>>>>>> theirs\n"), "{text}");
    }
    // Together more than a list may have.
    let many = |side: &str| {
        let items: Vec<String> = (0..90).map(|n| format!("{side} {n}")).collect();
        with(&crate::support::record(CATEGORY, "A title"), |json| {
            json["content"]["rationale"] = json!(items);
        })
    };
    let merged = merge_records(None, &many("ours"), &many("theirs"));
    assert!(matches!(merged, MergeResult::Conflict { fields, .. } if fields.is_empty()));
}

#[test]
fn indexes_merge_by_entry() {
    let all = ["One", "Two", "Th](ree", "Four"].map(|title| record(CATEGORY, title));
    let runbook = record(RecordCategory::Runbook, "One");
    let pick = |picked: &[usize]| {
        let mut records: Vec<Record> = picked.iter().map(|n| all[*n].clone()).collect();
        records.push(runbook.clone());
        index_markdown(&records, IndexForm::Links)
    };
    let merged = merge_index(&pick(&[0, 1]), &pick(&[0, 1, 2]), &pick(&[1, 3]));
    assert_eq!(merged, pick(&[1, 2, 3]));
    assert_eq!(merge_index("", &pick(&[0]), "anything"), pick(&[0]));
}

/// Generates versions of one record.
fn version() -> impl Strategy<Value = Record> {
    let words = || prop::collection::vec("[a-d]", 1..4);
    let change = prop::collection::vec(("[0-9]", "[a-z]"), 0..4);
    (words(), words(), "[xyz]", 0_u64..5, change).prop_map(|(tags, list, word, times, changes)| {
        let mut fields = given(CATEGORY, "A title");
        fields.insert("tags".into(), json!(tags));
        fields["content"]["rationale"] = json!(list);
        fields["content"]["decision"] = json!(word);
        let changes: Vec<Value> =
            changes.iter().map(|(date, said)| json!({"date": date, "summary": said})).collect();
        fields.insert("changes".into(), json!(changes));
        let record = tacit_records::new_record(CATEGORY, None, fields, now()).unwrap();
        with(&record, |json| json["times_updated"] = json!(times))
    })
}

proptest! {
    #[test]
    fn merges_keep_the_changes_of_both_sides(
        base in version(), ours in version(), theirs in version(),
    ) {
        let only_ours = merge_records(Some(&base), &ours, &base);
        prop_assert_eq!(only_ours, MergeResult::Clean(Box::new(ours.clone())));
        let only_theirs = merge_records(Some(&base), &base, &theirs);
        prop_assert_eq!(only_theirs, MergeResult::Clean(Box::new(theirs.clone())));
        for base in [Some(&base), None] {
            let merged = merge_records(base, &ours, &theirs);
            let back = merge_records(base, &theirs, &ours);
            match (merged, back) {
                (MergeResult::Clean(one), MergeResult::Clean(other)) => {
                    for side in [&ours, &theirs] {
                        let new = |tag: &&String| base.is_none_or(|base| !base.tags.contains(tag));
                        prop_assert!(side.tags.iter().filter(new).all(|t| one.tags.contains(t)));
                        let known = |change: &tacit_records::RecordChange| one.changes.contains(change);
                        let new = |change: &&tacit_records::RecordChange| {
                            base.is_none_or(|base| !base.changes.contains(change))
                        };
                        prop_assert!(side.changes.iter().filter(new).all(known));
                    }
                    let sorted = |record: &Record| {
                        let mut tags = record.tags.clone();
                        tags.sort();
                        (tags, record.times_updated, record.changes.len())
                    };
                    prop_assert_eq!(sorted(&one), sorted(&other));
                }
                (MergeResult::Conflict { text, fields }, MergeResult::Conflict { .. }) => {
                    prop_assert_eq!(fields, ["content.decision"]);
                    let code = parse(text.as_bytes(), "x").unwrap_err().code();
                    prop_assert_eq!(code, "MERGE_CONFLICT");
                }
                other => prop_assert!(false, "only one way round: {:?}", other),
            }
        }
    }

    #[test]
    fn any_bytes_are_merged(
        base in any::<Vec<u8>>(), ours in any::<Vec<u8>>(), cut in 0_usize..700, text in any::<String>(),
    ) {
        let whole = record(CATEGORY, "A title").to_bytes();
        let torn = &whole[..cut.min(whole.len())];
        for (ours, theirs) in [(&ours[..], torn), (torn, &whole), (&whole, text.as_bytes())] {
            if let MergeResult::Conflict { text, .. } = merge_files(&base, ours, theirs, "x") {
                prop_assert!(text.contains("<<<<<<< ours\n"));
            }
        }
        merge_index(&text, &String::from_utf8_lossy(&base), &text);
    }
}
