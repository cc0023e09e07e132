//! Rendered work states, relays and outcomes.

use serde_json::json;
use tacit_core::{Clock, Confidence, Draft, IdSource, Memory, WorkUnitOutcome};
use tacit_testkit::time::{FixedIds, ManualClock};
use tacit_work::RelayedMemory;

use crate::methodology;

#[test]
fn work_states_are_extracted_per_methodology() {
    for (id, output, expected) in [
        (
            "native",
            "Here is where I am:\n- [x] Parse the file\n- [ ] Write tests\n* **Done:** the schema\n\
             1. Next: write the migration.\nDecided to keep the old table\n- [x] Parse the file",
            json!({
                "completed_subtasks": ["the schema", "Parse the file"],
                "in_progress_subtask": "write the migration",
                "key_decisions": ["keep the old table"],
            }),
        ),
        (
            "bmad",
            "Story 3.1 is done\nWorking on story 3.2 (login)\nAC 1: met\nAC 2: not yet",
            json!({
                "stories_completed": ["3.1"],
                "current_story": "3.2 (login)",
                "acceptance_criteria_status": ["1: met", "2: not yet"],
            }),
        ),
        (
            "tdd",
            "Red cycle 5\ntest result: FAILED. 12 passed; 2 failed; 0 ignored\nRefactor: the parser\n\
             test result: ok. 14 passed; 0 failed",
            json!({
                "cycle_count": 5, "tests_green": 14, "tests_red": 0,
                "refactors_pending": ["the parser"],
            }),
        ),
        ("agile", "Blocked by: the licence\n", json!({"blocked_by": ["the licence"]})),
        ("native", "Nothing of note.", json!({})),
    ] {
        let state = methodology(id).extract_work_state(output);
        assert_eq!(serde_json::Value::Object(state), expected, "{id}");
    }
}

#[test]
fn lists_keep_the_newest() {
    let output: String = (0..30).map(|number| format!("done: {number}\n")).collect();
    let state = methodology("native").extract_work_state(&output);
    let kept = state["completed_subtasks"].as_array().unwrap();
    assert_eq!((kept.len(), kept[0].as_str(), kept[19].as_str()), (20, Some("10"), Some("29")));
}

#[test]
fn work_states_of_other_methodologies_are_formatted() {
    let state = json!({
        "branch": "feature/x", "tests_green": 4, "completed_subtasks": ["a", "b"], "empty": "",
        "files_changed": ["src/a.rs"],
    });
    let state = state.as_object().unwrap();
    assert_eq!(
        methodology("native").format_work_state(state),
        "Done: a; b\nChanged: src/a.rs\nBranch: feature/x\ntests_green: 4"
    );
    assert_eq!(
        methodology("tdd").format_work_state(state),
        "Tests green: 4\nChanged: src/a.rs\nBranch: feature/x\ncompleted_subtasks: a; b"
    );
}

#[test]
fn relays_filter_by_type_confidence_and_tags() {
    let (clock, ids) = (ManualClock::default(), FixedIds::default());
    let memory = |kind: &str, confidence: f64, tags: &[&str]| {
        let draft = Draft {
            content: "something".into(),
            kind: Some(kind.into()),
            confidence: Some(confidence),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Draft::default()
        };
        let said = draft.check(Confidence::HIGH).unwrap();
        Memory::new(ids.next_id(clock.now()), said, clock.now())
    };
    let text = tacit_work::SHIPPED[0].text.replace(
        "types = [\"error_pattern\", \"requirement\"]",
        "types = [\"error_pattern\"]\nmin_confidence = 0.7\ntags = [\"qa_failure\"]",
    );
    let strict = tacit_work::Methodology::parse(&text).unwrap();
    let relay = strict.relays_to("qa_fixer")[0];
    for (kind, confidence, tags, admitted) in [
        ("error_pattern", 0.7, &["qa_failure", "other"] as &[&str], true),
        ("error_pattern", 0.69, &["qa_failure"], false),
        ("error_pattern", 0.71, &[], false),
        ("requirement", 0.9, &["qa_failure"], false),
    ] {
        assert_eq!(relay.admits(&memory(kind, confidence, tags)), admitted, "{kind} {confidence}");
    }
    let open = methodology("native");
    assert!(open.relays_to("coder")[0].admits(&memory("gotcha", 0.1, &[])));
}

#[test]
fn relays_are_formatted_by_template() {
    let native = methodology("native");
    let relay = native.relays_to("coder")[0];
    let memory = RelayedMemory {
        id: "a1b2c3d4".into(),
        kind: "decision".into(),
        text: "one {to}\ntwo".into(),
    };
    assert_eq!(
        native.format_relay(relay, &[memory]).as_deref(),
        Some("Handed over from planner to coder:\n- [decision a1b2c3d4] one {to}\n  two\n")
    );
    assert_eq!(native.format_relay(relay, &[]), None);
}

#[test]
fn outcomes_are_described_with_known_values() {
    let bmad = methodology("bmad");
    let unit = bmad.unit("3/3.2").unwrap();
    let mut outcome = WorkUnitOutcome {
        succeeded: true,
        files_modified: vec!["src/a.rs".parse().unwrap()],
        key_decisions: vec![],
        steps_taken: 9,
        context_tokens_used: None,
        context_tokens_from: None,
        retry_count: 0,
        failure_reason: None,
    };
    let state = json!({"acceptance_criteria_status": ["1: met", "2: met"]});
    let describe = |outcome: &WorkUnitOutcome, state: &serde_json::Value| {
        bmad.describe_outcome(&unit, outcome, state.as_object().unwrap())
    };
    assert_eq!(
        describe(&outcome, &state),
        "Epic 3 / Story 3.2 succeeded after 9 steps, with 1 file changed. Acceptance criteria: 1: met; 2: met."
    );
    outcome.succeeded = false;
    outcome.retry_count = 1;
    outcome.failure_reason = Some("the schema was wrong.".into());
    outcome.key_decisions = vec!["keep the table".into(), "drop the view".into()];
    assert_eq!(
        describe(&outcome, &json!({})),
        "Epic 3 / Story 3.2 failed after 9 steps, with 1 file changed. It took 1 retry. It failed \
         because: the schema was wrong. Decided: keep the table; drop the view."
    );
    assert_eq!(
        bmad.completion().next_phase.as_ref().map(|(name, _)| name.as_str()),
        Some("retrospective")
    );
}
