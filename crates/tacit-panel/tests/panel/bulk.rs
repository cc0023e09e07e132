//! Changes of many memories.

use serde_json::{Value, json};

use super::Panel;

fn imported(number: u64, kind: &str, source: &str) -> Value {
    let mut memory = json!({
        "type": kind, "content": format!("fact number {number} of many"), "confidence": 0.8,
        "scope": "global", "source": source, "review": "none", "status": {"state": "active"}, "observations": 1,
        "created_at": "2026-11-01T10:30:00.000Z", "updated_at": "2026-11-01T10:30:00.000Z",
        "access_count": 0, "last_accessed_at": "2026-11-01T10:30:00.000Z",
        "id": format!("01a1dec1-b840-7000-8000-{number:012x}"),
    });
    if kind == "context_cost" {
        memory["scope"] = json!("module");
        memory["details"] = json!({
            "module": "a", "average_tokens_per_session": 1, "p90_tokens_per_session": 1,
            "sample_count": 1,
        });
    }
    memory
}

fn bulk(panel: &Panel, body: &Value) -> Value {
    let answer = panel.write("POST", "/memories/bulk", body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn count(value: &Value) -> Option<usize> {
    value.as_array().map(Vec::len)
}

#[test]
fn all_that_a_list_counts_can_be_changed_where_tacit_keeps_statistics() {
    let panel = Panel::start();
    panel.import([
        imported(1, "gotcha", "user_taught"),
        imported(2, "gotcha", "user_taught"),
        imported(3, "context_cost", "observer_inferred"),
    ]);
    let total = panel.get("/memories").json()["total"].clone();
    assert_eq!(total, 2);
    let all = json!({"action": "tag", "filter": {}, "expect": total, "tags": ["db"]});
    assert_eq!(bulk(&panel, &all)["changed"], 2);
    let costs = json!({"action": "tag", "filter": {"type": ["context_cost"]}, "tags": ["db"]});
    assert_eq!(bulk(&panel, &costs)["changed"], 1);
}

#[test]
fn a_change_of_many_memories_is_one_change_of_the_history() {
    let panel = Panel::start();
    let ids = panel.import((0..6).map(|number| imported(number, "gotcha", "user_taught")));
    for (action, more) in [
        ("tag", json!({"tags": ["db"]})),
        ("untag", json!({"tags": ["db"]})),
        ("confirm", json!({})),
        ("flag_wrong", json!({"reason": "it was never so"})),
        ("confirm", json!({})),
        ("flag_outdated", json!({})),
        ("archive", json!({})),
        ("restore", json!({})),
        ("delete", json!({})),
    ] {
        let mut body = json!({"action": action, "ids": ids});
        body.as_object_mut().expect("a body").extend(more.as_object().expect("fields").clone());
        let done = bulk(&panel, &body);
        assert_eq!((&done["changed"], count(&done["undo"])), (&json!(6), Some(1)), "{action}");
    }
}

#[test]
fn a_memory_for_which_it_fails_stops_no_other() {
    let panel = Panel::start();
    let ids = panel.import((0..6).map(|number| imported(number, "gotcha", "user_taught")));
    assert_eq!(panel.write("DELETE", &format!("/memories/{}", ids[2]), &json!({})).status, 200);
    let done = bulk(&panel, &json!({"action": "delete", "ids": ids}));
    assert_eq!((&done["changed"], count(&done["undo"])), (&json!(5), Some(1)), "{done}");
    assert_eq!((&done["failed"][0]["id"], count(&done["failed"])), (&json!(ids[2]), Some(1)));
    let undone = panel.write("POST", "/undo", &json!({"undo": done["undo"]}));
    assert_eq!(undone.status, 200, "{undone:?}");
    assert_eq!(panel.get("/memories").json()["total"], 5);
}

#[test]
fn thousands_are_a_job_of_few_changes_that_can_be_taken_back() {
    let panel = Panel::start();
    let many = 2_100;
    panel.import((0..many).map(|number| imported(number, "gotcha", "user_taught")));
    let all = json!({"action": "flag_wrong", "filter": {}, "expect": many});
    let done = bulk(&panel, &all);
    assert_eq!((&done["changed"], &done["cancelled"]), (&json!(many), &json!(false)));
    assert_eq!(count(&done["undo"]), Some(2), "a transaction has at most 2,000");
    let job = panel.get("/jobs").json()["jobs"][0].take();
    assert_eq!(
        (&job["job"], &job["state"], &job["total"]),
        (&json!("change"), &json!("done"), &json!(many))
    );
    let undone = panel.write("POST", "/undo", &json!({"undo": done["undo"]}));
    assert_eq!(undone.status, 200, "{}", undone.head);
    assert_eq!(count(&undone.json()["items"]), Some(1_000), "an answer has a bound");
    assert_eq!(panel.get("/memories?review=needed").json()["total"], 0);
}

#[test]
fn finished_work_of_another_methodology_is_not_pruned() {
    let panel = Panel::start();
    panel.import(["native", "bmad"].into_iter().zip(1..).map(|(methodology, number)| {
        let mut memory = imported(number, "gotcha", "user_taught");
        memory["scope"] = json!("work_unit");
        memory["work_unit"] =
            json!({"methodology": methodology, "hierarchy": ["spec_1"], "label": "Spec 1"});
        memory
    }));
    let units = panel.get("/work-units").json();
    let paths: Vec<&str> = units["units"]
        .as_array()
        .expect("units")
        .iter()
        .filter_map(|unit| unit["path"].as_str())
        .collect();
    assert_eq!(paths, ["bmad:spec_1", "native:spec_1"]);
    let preview = |unit: &str| {
        let rule = json!({"rule": "finished_work", "units": [unit]});
        panel.write("POST", "/prune/preview", &rule)
    };
    assert_eq!(preview("spec_1").error().0, 400, "it says which of them are meant");
    assert_eq!(preview("native:spec_1").json()["count"], 1);
    let rule = json!({"rule": "finished_work", "units": ["native:spec_1"], "expect": 1});
    assert_eq!(panel.write("POST", "/prune", &rule).json()["changed"], 1);
    assert_eq!(preview("spec_1").json()["count"], 1, "there is only one left");
}
