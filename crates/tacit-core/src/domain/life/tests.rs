//! Every rule at its boundary.

use serde_json::{Value, json};

use super::*;
use crate::domain::values::Reasoning;

fn start() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Creates a memory that was stored, changed and used at the start. `fields` are set on top of an
/// agent's gotcha.
fn memory(fields: Value) -> Memory {
    let mut value = json!({
        "id": "01a1dec1-b840-7000-aa3d-ad3e49fb13d4", "type": "gotcha", "content": "a rule",
        "confidence": 0.9, "scope": "global", "source": "agent_explicit", "review": "none",
        "status": {"state": "active"}, "observations": 1, "created_at": start(),
        "updated_at": start(), "access_count": 0, "last_accessed_at": start(),
    });
    let Value::Object(fields) = fields else { unreachable!("an object") };
    value.as_object_mut().unwrap().extend(fields);
    Memory::from_json(value).unwrap()
}

fn unit() -> Value {
    json!({"methodology": "native", "hierarchy": ["spec_1"], "label": "spec 1"})
}

fn step_at(memory: &Memory, facts: &LifeFacts, days: f64) -> Option<&'static str> {
    life_step(memory, facts, start().plus_days(days)).map(|step| step.as_str())
}

#[test]
fn time_alone_retires_by_scope_and_type() {
    let recipe = json!({
        "type": "workflow_recipe", "details": {
            "task_pattern": "add a handler", "success_count": 3, "last_validated_at": start(),
            "steps": [{"order": 1, "description": "write it"}],
        },
    });
    let state = json!({
        "type": "work_state", "scope": "work_unit", "work_unit": unit(),
        "details": {"methodology_state": {}},
    });
    let session = json!({"scope": "session", "session": "s"});
    // The last day on which nothing happens, and the first on which the memory is retired.
    for (what, fields, before, after) in [
        ("a session", session, 6.9, 7.0),
        ("a state of work", state, 15.1, 15.3),
        ("a recipe", recipe, 59.9, 60.0),
        ("a weak memory", json!({"confidence": 0.19}), 59.9, 60.0),
        ("a weak memory of a module", json!({"confidence": 0.19, "scope": "module"}), 59.9, 60.0),
        ("a memory with doubtful relations", json!({"derived_confidence": 0.1}), 59.9, 60.0),
        ("a dead end", json!({"type": "dead_end", "details": dead_end()}), 195.0, 196.0),
        ("a half-life of its own", json!({"decay_half_life_days": 10.0}), 59.9, 60.0),
    ] {
        let found = memory(fields);
        let facts = LifeFacts::default();
        assert_eq!(step_at(&found, &facts, before), None, "{what}");
        assert_eq!(step_at(&found, &facts, after), Some("retire"), "{what}");
        let kept = LifeFacts { kept_by_person: true, ..LifeFacts::default() };
        assert_eq!(step_at(&found, &kept, after), None, "{what}, restored by a person");
        for review in ["verified", "committed"] {
            let mut safe = found.clone();
            safe.body.trust.review = review.parse().unwrap();
            assert_eq!(step_at(&safe, &facts, 10_000.0), None, "{what}, {review}");
        }
    }
}

fn dead_end() -> Value {
    json!({
        "approach_tried": "a cache", "why_it_failed": "too slow", "alternative_used": "none",
        "task_context": "speed",
    })
}

#[test]
fn memories_that_no_rule_names_stay() {
    let used = json!({"confidence": 0.1, "last_accessed_at": start().plus_days(9_950.0)});
    for (what, fields) in [
        ("a plain memory", json!({})),
        ("the least confidence", json!({"confidence": 0.2})),
        ("a weak memory in use", used),
        (
            "a weak memory of a unit",
            json!({"confidence": 0.1, "scope": "work_unit", "work_unit": unit()}),
        ),
    ] {
        assert_eq!(step_at(&memory(fields), &LifeFacts::default(), 10_000.0), None, "{what}");
    }
}

#[test]
fn facts_about_the_project_decide() {
    let insight = json!({
        "type": "module_insight", "source": "commit_auto", "related_files": ["a.rs"],
    });
    let session = json!({"scope": "session", "session": "s"});
    let in_unit = json!({"scope": "work_unit", "work_unit": unit()});
    let outcome = json!({
        "type": "work_unit_outcome", "work_unit": unit(), "details": {
            "succeeded": true, "files_modified": [], "key_decisions": [], "steps_taken": 1,
            "retry_count": 0,
        },
    });
    let none = LifeFacts::default();
    let ended = LifeFacts { session_ended: true, ..none.clone() };
    let over = LifeFacts { unit_over: true, ..none.clone() };
    let surplus = LifeFacts { is_surplus: true, ..none.clone() };
    let missing = Some("`a.rs` was deleted".to_owned());
    let gone = LifeFacts { missing_file: missing.clone(), all_files_missing: true, ..none.clone() };
    let some_gone = LifeFacts { missing_file: missing, ..none.clone() };
    for (what, fields, facts, expected) in [
        ("its session ended", session, &ended, Some("retire")),
        ("another session ended", json!({}), &ended, None),
        ("its unit is over", in_unit.clone(), &over, Some("archive")),
        ("its unit goes on", in_unit, &none, None),
        ("the outcome of a unit that is over", outcome, &over, Some("archive")),
        ("learnt in a unit that is over", json!({"work_unit": unit()}), &over, None),
        ("too many of a kind", json!({}), &surplus, Some("retire")),
        ("an insight without files left", insight.clone(), &gone, Some("retire")),
        ("an insight with a file left", insight.clone(), &some_gone, Some("mark_stale")),
        ("an insight with its files", insight, &none, None),
        (
            "a gotcha without files left",
            json!({"related_files": ["a.rs"]}),
            &gone,
            Some("mark_stale"),
        ),
    ] {
        let found = memory(fields);
        assert_eq!(step_at(&found, facts, 0.0), expected, "{what}");
        let mut safe = found.clone();
        safe.body.trust.review = "verified".parse().unwrap();
        let only_stale = expected.filter(|step| *step == "mark_stale");
        let only_stale = only_stale.or(facts.missing_file.as_ref().map(|_| "mark_stale"));
        assert_eq!(step_at(&safe, facts, 0.0), only_stale, "{what}, verified");
    }
}

#[test]
fn staleness_follows_the_files() {
    let missing = LifeFacts { missing_file: Some("`a.rs`".into()), ..LifeFacts::default() };
    let (present, now) = (LifeFacts::default(), start());
    let changed = LifeFacts { recipe_change: Some("`a.rs` changed".into()), ..present.clone() };
    for (kind, facts, expected) in [
        (None, &missing, Some("mark_stale")),
        (None, &present, None),
        (None, &changed, Some("mark_stale")),
        (Some(StaleKind::FileMissing), &missing, None),
        (Some(StaleKind::FileMissing), &present, Some("refresh")),
        (Some(StaleKind::CodeChanged), &missing, Some("mark_stale")),
        (Some(StaleKind::CodeChanged), &present, None),
        (Some(StaleKind::RecipeDoubtful), &changed, None),
        (Some(StaleKind::Reported), &missing, None),
        (Some(StaleKind::Reported), &present, None),
    ] {
        let mut found = memory(json!({"related_files": ["a.rs"]}));
        if let Some(kind) = kind {
            found.body.trust.mark_stale(now, kind, None);
        }
        assert_eq!(step_at(&found, facts, 0.0), expected, "{kind:?} {facts:?}");
    }
}

#[test]
fn pruned_memories_are_archived_and_then_purged() {
    let reason = Reasoning::new("unused").unwrap();
    let retired = Status::Retired { at: start(), reason: reason.clone() };
    let archived = Status::Archived { at: start(), reason };
    let pruned = LifeFacts { pruned: true, ..LifeFacts::default() };
    let by_person = LifeFacts::default();
    for (status, facts, days, expected) in [
        (&retired, &pruned, 29.9, None),
        (&retired, &pruned, 30.0, Some(LifeStep::Archive("retired for 30 days: unused".into()))),
        (&archived, &pruned, 89.9, None),
        (&archived, &pruned, 90.0, Some(LifeStep::Purge("archived for 90 days: unused".into()))),
        (&retired, &by_person, 10_000.0, None),
        (&archived, &by_person, 10_000.0, None),
    ] {
        let mut found = memory(json!({}));
        found.status = status.clone();
        let step = life_step(&found, facts, start().plus_days(days));
        assert_eq!(step, expected, "{status:?} {days}");
        found.body.trust.review = "verified".parse().unwrap();
        assert_eq!(life_step(&found, facts, start().plus_days(days)), None, "verified");
    }
}

#[test]
fn the_least_valuable_are_surplus() {
    let id = |number: u64| format!("01a1dec1-b840-7000-aa3d-{number:012x}");
    let learnt = |number: u64, confidence: f64, module: &str| {
        memory(json!({
            "id": id(number), "source": "observer_inferred", "confidence": confidence,
            "related_modules": [module],
        }))
    };
    let mut all: Vec<Memory> = (0..MOST_LEARNT as u64).map(|at| learnt(at, 0.8, "a")).collect();
    let beyond = |all: &[Memory]| {
        let learnt = all.iter().filter_map(|memory| LearntMemory::of(memory, start()));
        surplus(learnt.collect()).into_iter().map(|id| id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(beyond(&all), Vec::<String>::new());
    all.push(learnt(1_000, 0.5, "a"));
    all.push(learnt(1_001, 0.5, "b"));
    assert_eq!(beyond(&all), [id(1_000)]);
    for change in [json!({"review": "verified"}), json!({"source": "agent_explicit"})] {
        let mut fields = json!({
            "id": id(1_000), "source": "observer_inferred", "confidence": 0.5,
            "related_modules": ["a"],
        });
        for (name, field) in change.as_object().unwrap() {
            fields[name] = field.clone();
        }
        all[MOST_LEARNT] = memory(fields);
        assert_eq!(beyond(&all), Vec::<String>::new(), "{change}");
    }
}

#[test]
fn notes_of_commits_displace_only_each_other() {
    let insight = |number: u64, source: &str, confidence: f64| {
        memory(json!({
            "id": format!("01a1dec1-b840-7000-aa3d-{number:012x}"), "type": "module_insight",
            "source": source, "confidence": confidence, "related_modules": ["a"],
        }))
    };
    let notes = (0..MOST_LEARNT as u64).map(|number| insight(number, "commit_auto", 0.9));
    let all = notes.chain([insight(1_000, "observer_inferred", 0.5)]);
    let learnt: Vec<LearntMemory> =
        all.filter_map(|memory| LearntMemory::of(&memory, start())).collect();
    assert!(surplus(learnt.clone()).is_empty());
    let newest = LearntMemory::of(&insight(1_001, "commit_auto", 0.9), start());
    assert_eq!(surplus(learnt.into_iter().chain(newest).collect()).len(), 1);
}

#[test]
fn records_of_past_work_outlive_its_files() {
    let dead_end = |source: &str| {
        memory(json!({
            "type": "dead_end", "details": dead_end(), "source": source, "related_files": ["a.rs"],
        }))
    };
    assert!(depends_on_files(&memory(json!({"related_files": ["a.rs"]}))));
    assert!(!depends_on_files(&memory(json!({}))));
    assert!(depends_on_files(&dead_end("agent_explicit")));
    assert!(!depends_on_files(&dead_end("observer_inferred")));
}
