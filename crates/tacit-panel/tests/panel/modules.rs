//! Modules: what is counted for one, and what its link lists.

use serde_json::{Value, json};

use super::Panel;

#[test]
fn the_link_of_a_module_lists_what_was_counted_for_it() {
    let panel = Panel::start();
    for path in ["main.py", "api/a.py", "api/b.py", "web/c.py"] {
        panel.file(path, "def one():\n    return 1\n");
    }
    assert_eq!(panel.work("index")["state"], "done");
    for (content, fields) in [
        ("Only a file of the module says so", json!({"files": ["api/a.py"]})),
        ("Two files of one module count once", json!({"files": ["api/a.py", "api/b.py"]})),
        ("Only a label says so", json!({"modules": ["api"]})),
        (
            "Both say so, and another module too",
            json!({"files": ["api/a.py", "web/c.py"], "modules": ["api"]}),
        ),
        ("A file at the top", json!({"files": ["main.py"]})),
        ("The label of the top", json!({"modules": ["."]})),
        ("Neither of them", json!({})),
    ] {
        let mut body = json!({"content": content, "type": "gotcha"});
        let fields = fields.as_object().expect("fields").clone();
        body.as_object_mut().expect("a body").extend(fields);
        assert_eq!(panel.write("POST", "/memories", &body).status, 200, "{content}");
    }
    let map = panel.get("/modules").json();
    let counted: Vec<(String, u64)> = map["modules"]
        .as_array()
        .expect("modules")
        .iter()
        .map(|module| {
            let path = module["path"].as_str().expect("a path").to_owned();
            (path, module["memories"].as_u64().expect("a number"))
        })
        .collect();
    assert_eq!(
        counted,
        [("api", 4), ("", 2), ("web", 1)].map(|(path, count)| (path.into(), count))
    );
    let health = panel.get("/health").json();
    for (path, count) in counted {
        let listed = panel.get(&format!("/memories?module={}", path.replace('/', "%2F"))).json();
        assert_eq!(listed["total"], count, "{path}: {listed}");
        let modules = health["modules"].as_array().expect("modules");
        let covered = modules.iter().find(|module| module["path"] == path.as_str());
        assert_eq!(covered.expect("the module")["memories"], count, "{path}");
        let chosen = json!({
            "action": "tag", "filter": {"module": [path]}, "expect": count, "tags": ["seen"],
        });
        assert_eq!(panel.write("POST", "/memories/bulk", &chosen).json()["changed"], count);
    }
    let found: Value = panel.get("/search?q=module+says+so&module=api").json();
    assert_eq!(found["items"].as_array().map(Vec::len), Some(4), "{found}");
}
