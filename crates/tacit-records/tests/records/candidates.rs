//! Candidate selection.

use serde_json::json;
use tacit_records::{
    AllowedAction, CandidateQuery, Record, RecordCategory, RecordSettings, best_by_words, retire,
    select_candidate,
};

use crate::support::{given, now, record};

fn ask(
    category: RecordCategory,
    new_info: &str,
    event: Option<&str>,
    records: &[Record],
    settings: &RecordSettings,
) -> tacit_records::CandidateSelection {
    let question = CandidateQuery { category, new_info, automatic: true, event };
    select_candidate(
        &question,
        records,
        best_by_words(category, new_info, records),
        settings,
        now(),
    )
}

#[test]
fn allowed_actions_depend_on_the_candidate() {
    use RecordCategory::{Constraint, Decision, Preference, Runbook, SessionSummary, TechDebt};
    let records: Vec<Record> =
        RecordCategory::ALL.into_iter().map(|category| record(category, "A title")).collect();
    for (category, info, event, structural, pre) in [
        (Decision, "use WAL mode because readers never wait", None, AllowedAction::Update, None),
        (Preference, "British spelling", None, AllowedAction::Update, None),
        (SessionSummary, "ship the importer", None, AllowedAction::Update, None),
        (Runbook, "database is locked", None, AllowedAction::UpdateOrDelete, None),
        (Constraint, "no network in tests", Some("removed"), AllowedAction::UpdateOrDelete, None),
        (
            TechDebt,
            "parser copies every line",
            Some("resolved"),
            AllowedAction::UpdateOrDelete,
            None,
        ),
        (Decision, "quokka habitat", None, AllowedAction::Create, Some(AllowedAction::Create)),
        (
            Decision,
            "quokka habitat",
            Some("reversed"),
            AllowedAction::Noop,
            Some(AllowedAction::Noop),
        ),
        (Decision, " ... ", None, AllowedAction::Noop, Some(AllowedAction::Noop)),
    ] {
        let selection = ask(category, info, event, &records, &RecordSettings::default());
        assert_eq!(selection.structural, structural, "{info}");
        assert_eq!(selection.pre_action, pre, "{info}");
        assert!(selection.vetoes.is_empty());
        let has = matches!(structural, AllowedAction::Update | AllowedAction::UpdateOrDelete);
        assert_eq!(selection.candidate.is_some(), has, "{info}");
        let json = selection.to_json();
        assert_eq!(json.get("candidate").is_some(), has);
        assert_eq!(json["structural_cud"], structural.as_str());
    }
}

#[test]
fn vetoes_forbid_any_action() {
    let category = RecordCategory::Constraint;
    let active = record(category, "A title");
    let gone = retire(&active, "wrong", now()).unwrap();
    let set = |change: fn(&mut RecordSettings)| {
        let mut settings = RecordSettings::default();
        change(&mut settings);
        settings
    };
    let off = set(|s| s.categories[RecordCategory::Constraint as usize].enabled = false);
    let by_hand = set(|s| s.categories[RecordCategory::Constraint as usize].auto_capture = false);
    let full = set(|s| s.max_per_category = 1);
    for (records, info, settings, veto) in [
        (vec![active.clone()], "no network in tests", &off, "category `constraint` is turned off"),
        (vec![], "anything", &by_hand, "category `constraint` is not captured automatically"),
        (vec![active], "quokka habitat", &full, "category `constraint` is full: it has 1 record"),
        (
            vec![gone],
            "no network in tests",
            &RecordSettings::default(),
            "`constraints/a-title.json` says the same and was retired on 2026-11-15T10:30:00Z",
        ),
    ] {
        let selection = ask(category, info, None, &records, settings);
        assert_eq!(selection.vetoes, [veto]);
        assert_eq!(selection.structural, AllowedAction::Veto);
        assert_eq!(
            selection.to_json(),
            json!({"vetoes": [veto], "pre_action": "NOOP", "structural_cud": "NOOP"})
        );
    }
}

#[test]
fn the_most_similar_active_record_is_the_candidate() {
    let category = RecordCategory::Decision;
    let far = record(category, "Tabs for indentation");
    let mut near = given(category, "Cache invalidation by hash");
    near["content"]["decision"] = json!("invalidate the cache by hash");
    let near = tacit_records::new_record(category, None, near, now()).unwrap();
    let records = [far, near.clone()];
    let selection =
        ask(category, "cache invalidation by hash", None, &records, &RecordSettings::default());
    assert_eq!(selection.candidate.map(|(record, _)| record.id), Some(near.id));
}
