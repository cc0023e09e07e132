//! Memories from the page's point of view.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use super::Panel;

/// Teaches a memory. Returns its id.
fn teach(panel: &Panel, content: &str) -> String {
    let answer = panel.write("POST", "/memories", &json!({"content": content, "type": "gotcha"}));
    assert_eq!(answer.status, 200, "{answer:?}");
    let value = answer.json();
    assert_eq!(value["outcome"], "stored");
    value["items"][0]["memory"]["id"].as_str().expect("an id").to_owned()
}

fn one(panel: &Panel, id: &str) -> Value {
    panel.get(&format!("/memories/{id}")).json()["item"]["memory"].take()
}

#[test]
fn a_taught_memory_is_listed_found_and_shown() {
    let panel = Panel::start();
    let id = teach(&panel, "Close the pool before every fork");
    teach(&panel, "Ports below 1024 need rights");
    let list = panel.get("/memories?type=gotcha&limit=1").json();
    assert_eq!(list["total"], 2);
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    let next = list["next"].as_str().expect("a cursor").to_owned();
    let rest = panel.get(&format!("/memories?limit=1&cursor={next}")).json();
    assert_eq!((&rest["items"][0]["memory"]["id"], &rest["next"]), (&json!(id), &Value::Null));
    let found = panel.get("/search?q=forking+a+pool").json();
    assert_eq!(found["items"][0]["memory"]["id"], json!(id), "{found}");
    assert_eq!(found["by_meaning"], false, "no model is configured");
    let whole = panel.get(&format!("/memories/{}", &id[id.len() - 8..])).json();
    assert_eq!(whole["item"]["memory"]["review"], "verified");
    assert_eq!(whole["history"].as_array().map(Vec::len), Some(1));
    assert_eq!(panel.get("/memories?type=nothing").status, 400);
    assert_eq!(panel.get("/memories?unknown=1").status, 400);
    assert_eq!(panel.get("/memories/01a1dec1").status, 404);
}

#[test]
fn each_change_can_be_taken_back() {
    let panel = Panel::start();
    let id = teach(&panel, "Close the pool before every fork");
    let path = format!("/memories/{id}");
    let before = one(&panel, &id);
    for (method, suffix, body, field, expected) in [
        ("PATCH", "", json!({"fields": {"title": "Pools"}}), "title", json!("Pools")),
        ("POST", "/flag", json!({"verdict": "wrong"}), "review", json!("needed")),
        ("POST", "/correct", json!({"choice": "outdated"}), "stale_kind", json!("reported")),
        (
            "POST",
            "/correct",
            json!({"choice": "inaccurate", "content": "Close it after"}),
            "content",
            json!("Close it after"),
        ),
        ("DELETE", "", json!({}), "status", Value::Null),
    ] {
        let answer = panel.write(method, &format!("{path}{suffix}"), &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let changed = answer.json();
        let memory = &changed["items"][0]["memory"];
        match expected {
            Value::Null => assert_eq!(memory[field]["state"], "retired"),
            expected => assert_eq!(memory[field], expected, "{memory}"),
        }
        let undone = panel.write("POST", "/undo", &json!({"undo": changed["undo"]}));
        assert_eq!(undone.status, 200, "{undone:?}");
        let now = one(&panel, &id);
        for field in ["title", "content", "review", "stale_kind", "status", "confidence"] {
            assert_eq!(now[field], before[field], "{method} {suffix}: {field}");
        }
    }
}

#[test]
fn a_private_memory_is_given_to_the_team() {
    let panel = Panel::start();
    assert_eq!(panel.get("/about").json()["team"], false);
    let id = teach(&panel, "the key of the lantern room hangs in the pantry");
    let path = format!("/memories/{id}");
    for (visibility, stored) in [("private", json!("private")), ("team", Value::Null)] {
        let fields = json!({"fields": {"visibility": visibility}});
        assert_eq!(panel.write("PATCH", &path, &fields).status, 200);
        assert_eq!(one(&panel, &id)["visibility"], stored);
    }
}

#[test]
fn an_edit_of_what_changed_meanwhile_is_refused() {
    let panel = Panel::start();
    let id = teach(&panel, "Close the pool before every fork");
    let seen = one(&panel, &id)["updated_at"].clone();
    let edit = |title: &str| {
        let body = json!({"fields": {"title": title}, "updated_at": seen});
        panel.write("PATCH", &format!("/memories/{id}"), &body)
    };
    assert_eq!(edit("One").status, 200);
    assert_eq!(edit("Two").error(), (409, "refused".to_owned()));
    assert_eq!(one(&panel, &id)["title"], "One");
}

#[test]
fn a_duplicate_is_retired_and_superseded() {
    let panel = Panel::start();
    let original = teach(&panel, "Close the pool before every fork");
    let id = teach(&panel, "Sockets leak into workers unless pools are shut");
    let similar = panel.get(&format!("/memories/{id}/duplicates?q=pool")).json();
    assert_eq!(similar["items"][0]["memory"]["id"], json!(original), "{similar}");
    let body = json!({"choice": "duplicate", "of": original});
    let answer = panel.write("POST", &format!("/memories/{id}/correct"), &body);
    assert_eq!(answer.json()["items"][0]["memory"]["status"]["state"], "retired", "{answer:?}");
    assert_eq!(one(&panel, &original)["relations"][0]["kind"], "supersedes");
}

#[test]
fn bulk_changes_are_undone_together_and_count_first() {
    let panel = Panel::start();
    let ids: Vec<String> =
        ["one fact", "another truth", "third thing"].map(|text| teach(&panel, text)).into();
    let refused = json!({"action": "delete", "filter": {"type": ["gotcha"]}, "expect": 2});
    assert_eq!(
        panel.write("POST", "/memories/bulk", &refused).error(),
        (409, "refused".to_owned())
    );
    let all = json!({"action": "delete", "filter": {"type": ["gotcha"]}, "expect": 3});
    let done = panel.write("POST", "/memories/bulk", &all).json();
    assert_eq!((&done["changed"], &done["failed"]), (&json!(3), &json!([])));
    assert_eq!(panel.get("/memories").json()["total"], 0);
    let undone = panel.write("POST", "/undo", &json!({"undo": done["undo"]})).json();
    assert_eq!(undone["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(panel.get("/memories").json()["total"], 3);
    let tagged = json!({"action": "tag", "ids": ids, "tags": ["db"]});
    assert_eq!(panel.write("POST", "/memories/bulk", &tagged).json()["changed"], 3);
    assert_eq!(panel.get("/memories?tag=db").json()["total"], 3);
}

#[test]
fn the_review_queue_has_what_was_flagged_until_it_is_decided() {
    let panel = Panel::start();
    let id = teach(&panel, "Close the pool before every fork");
    panel.write(
        "POST",
        &format!("/memories/{id}/flag"),
        &json!({"verdict": "outdated", "note": "it closes itself"}),
    );
    let queue = panel.get("/review").json();
    assert_eq!((&queue["total"], &queue["cards"][0]["reason"]), (&json!(1), &json!("flagged")));
    assert!(
        queue["cards"][0]["why"]["text"].as_str().is_some_and(|why| why.contains("closes itself"))
    );
    let decided = panel.write("POST", &format!("/review/{id}"), &json!({"decision": "confirm"}));
    assert_eq!(decided.json()["items"][0]["memory"]["review"], "verified");
    assert_eq!(panel.get("/review").json()["total"], 0);
    panel.write("POST", "/undo", &json!({"undo": decided.json()["undo"]}));
    assert_eq!(panel.get("/review").json()["total"], 1);
    assert_eq!(panel.write("POST", "/review/finish", &json!({})).status, 200);
    let missing = panel.write("POST", &format!("/review/{id}"), &json!({"decision": "duplicate"}));
    assert_eq!(missing.status, 400);
}

#[test]
fn a_purge_must_be_confirmed_and_leaves_nothing() {
    let panel = Panel::start();
    let id = teach(&panel, "the singular word quagmire");
    let refused = panel.write("POST", "/purge", &json!({"ids": [id]}));
    assert_eq!(refused.error(), (409, "confirm".to_owned()));
    let done = panel.write("POST", "/purge", &json!({"ids": [id], "confirm": "purge"})).json();
    assert_eq!((&done["purged"], &done["left"]), (&json!([id]), &json!([])));
    assert_eq!(panel.get(&format!("/memories/{id}")).status, 404);
}

#[test]
fn a_page_hears_of_changes() {
    let panel = Panel::start();
    let mut stream = panel.connect();
    let request = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
        panel.port, panel.token
    );
    stream.write_all(request.as_bytes()).expect("a write");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    assert!(lines.any(|line| line == "event: hello"), "it begins with a greeting");
    let id = teach(&panel, "Close the pool before every fork");
    assert!(lines.any(|line| line == "event: memories"));
    let data = lines.next().expect("data");
    assert!(data.starts_with("data: ") && data.contains(&id), "{data}");
}

#[test]
fn settings_are_listed_changed_and_checked() {
    let panel = Panel::start();
    let set = |value: Value| {
        panel.write("PUT", "/settings/recall.limit", &json!({"value": value, "layer": "user"}))
    };
    assert_eq!(set(json!(7)).json()["value"], 7);
    assert_eq!(set(json!("many")).status, 400);
    assert_eq!(set(json!([1])).status, 400);
    let keys = panel.get("/settings").json();
    let limit =
        keys["keys"].as_array().expect("keys").iter().find(|key| key["key"] == "recall.limit");
    assert_eq!(limit.expect("the key")["origin"]["layer"], "user");
    let shared = json!({"value": "http://evil.example", "layer": "shared"});
    let refused = panel.write("PUT", "/settings/embedding.ollama.url", &shared);
    assert_eq!(refused.status, 400, "{refused:?}");
    let unset = panel.write("DELETE", "/settings/recall.limit", &json!({"layer": "user"}));
    assert_eq!(unset.json()["origin"]["kind"], "default");
}

#[test]
fn every_view_answers_for_an_empty_project() {
    let panel = Panel::start();
    for path in [
        "/about",
        "/vocabulary",
        "/health",
        "/modules",
        "/memories",
        "/review",
        "/review/sessions/last",
        "/sessions",
        "/settings",
        "/methodologies",
        "/jobs",
        "/openapi.json",
    ] {
        let answer = panel.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json();
    }
    let health = panel.get("/health").json();
    assert!(health["score"].as_u64().is_some_and(|score| score >= 80), "{health}");
}

#[test]
fn work_runs_until_it_is_done() {
    let panel = Panel::start();
    let started = panel.write("POST", "/jobs", &json!({"job": "maintain"}));
    assert_eq!(started.status, 202, "{started:?}");
    let id = started.json()["id"].as_str().expect("an id").to_owned();
    let ended = loop {
        let job = panel.get(&format!("/jobs/{id}")).json();
        if job["state"] != "running" {
            break job;
        }
    };
    assert_eq!(ended["state"], "done", "{ended}");
    assert_eq!(panel.write("POST", "/jobs", &json!({"job": "dance"})).status, 400);
    assert_eq!(panel.get("/jobs/none").status, 404);
}
