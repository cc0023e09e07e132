//! The plugin for OpenCode and Kilo, run by Node.js with hooks as these clients call them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tacit_agents::Client;
use tacit_agents::install::plan_hooks;
use tacit_core::ClientName;

/// A program in the place of `tacit`, which keeps what it gets and answers with the name of the event.
const PROGRAM: &str = r#"#!/bin/sh
input=$(cat)
printf '%s %s\n' "$3" "$input" >> "$0.log"
case "$3 $input" in
  tool.execute.before*wipe*) echo '{"deny":"NO"}' ;;
  tool.execute.before* | session.idle*) ;;
  *) echo "{\"context\":\"NOTE $3\"}" ;;
esac
"#;

#[test]
fn hooks_of_the_plugin_report_and_reply() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("tacit");
    fs::write(&program, PROGRAM).expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    let client = Client::named(ClientName::OpenCode);
    let change = plan_hooks(client, None, program.to_str().expect("UTF-8")).expect("a plan");
    let plugin = folder.path().join("tacit.mjs");
    fs::write(&plugin, change.after.expect("a plugin")).expect("a file");
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin_driver.mjs");
    #[expect(clippy::disallowed_methods, reason = "the client runs the plugin in Node.js")]
    let mut node = Command::new("node");
    let output =
        node.arg(driver).arg(plugin).output().expect("Node.js 20, which CONTRIBUTING.md asks for");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let results: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let usual = ["NOTE session.created", "NOTE chat.message"];
    assert_eq!(results["title"], json!([]), "the title is not about notes");
    assert_eq!(results["main"], json!(usual));
    assert_eq!(results["command"]["output"], "out\n\nNOTE tool.execute.after");
    assert_eq!(results["server"]["content"][1]["text"], "NOTE tool.execute.after");
    assert_eq!(results["server"]["output"], Value::Null);
    assert_eq!(results["denied"], "NO");
    assert_eq!(results["thrown"], json!([usual[0], usual[1], "NOTE tool.execute.error"]));
    assert_eq!(results["later"], json!(usual), "an error is told of until the next prompt");

    let log = fs::read_to_string(folder.path().join("tacit.log")).expect("a log");
    let events: Vec<(&str, Value)> = log
        .lines()
        .map(|line| {
            let (event, payload) = line.split_once(' ').expect("a line");
            (event, serde_json::from_str(payload).expect("JSON"))
        })
        .collect();
    for (event, payload) in &events {
        assert_eq!(payload["session_id"], "main", "{event}");
    }
    let of = |name: &str| -> Vec<&Value> {
        let named = events.iter().filter(|(event, _)| *event == name);
        named.map(|(_, payload)| payload).collect()
    };
    let agents = |name: &str| -> Vec<&Value> {
        of(name).into_iter().map(|payload| &payload["agent_id"]).collect()
    };
    assert_eq!(agents("session.created"), [&Value::Null]);
    assert_eq!(agents("subagent.created"), ["helper", "resumed-helper"]);
    assert_eq!(
        agents("chat.message"),
        [&Value::Null, &json!("helper"), &json!("resumed-helper"), &Value::Null]
    );
    assert_eq!(of("chat.message")[0]["prompt"], "hello");
    assert_eq!(agents("session.idle"), ["helper"]);
    let [error] = of("tool.execute.error")[..] else { panic!("once, and not for what we denied") };
    assert_eq!(
        (&error["error"], &error["tool_name"]),
        (&json!("File not found: a"), &json!("read"))
    );
}
