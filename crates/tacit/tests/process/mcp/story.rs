//! The story that clients of others play too (`tacit-mcp/tests/clients/story.json`), spoken by hand:
//! every tool with good arguments, and every way in which it refuses, word by word.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::mcp_client::{McpClient, lesson, result_text};

use crate::{bare, initialised};

#[derive(Deserialize)]
struct Story {
    places: Vec<Place>,
}

/// A directory in which a server is started, and the calls to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    name: String,
    /// True if the project has a store.
    init: bool,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    arguments: Value,
    /// The expected text of a call that succeeds.
    says: Option<String>,
    /// The expected text of a call that is refused.
    refused: Option<String>,
    /// The parts of the result that later calls use, by name.
    #[serde(default)]
    keep: BTreeMap<String, String>,
    /// The expected fields of the result.
    #[serde(default)]
    value: Map<String, Value>,
}

fn story() -> Story {
    serde_json::from_str(include_str!("../../../../tacit-mcp/tests/clients/story.json"))
        .expect("a story")
}

impl Place {
    fn prepare(&self) -> TestEnv {
        let env = bare();
        if self.init {
            env.run(["init", "--no-hooks"]).succeeded();
        }
        for (path, text) in &self.files {
            let path = env.project().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            std::fs::write(path, text).expect("a file");
        }
        env
    }

    fn client(&self, env: &TestEnv) -> McpClient {
        let variables: Vec<(&str, &str)> =
            self.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        McpClient::start_with(env, &variables)
    }
}

/// A text with what was kept put in for `$name`.
fn put_in(text: &str, kept: &BTreeMap<String, String>) -> String {
    kept.iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${name}"), value))
}

/// Arguments with what was kept put in, and repetitions written out.
fn filled(value: &Value, kept: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => json!(put_in(text, kept)),
        Value::Array(items) => items.iter().map(|item| filled(item, kept)).collect(),
        Value::Object(fields) => match (&value["repeat"], &value["times"]) {
            (Value::String(text), Value::Number(times)) => {
                json!(text.repeat(times.as_u64().expect("a count") as usize))
            }
            _ => fields.iter().map(|(name, item)| (name.clone(), filled(item, kept))).collect(),
        },
        other => other.clone(),
    }
}

/// Returns true if a text matches a pattern, in which `[..]` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(between) = last.replace(part) {
            let Some(at) = rest.find(between) else { return false };
            rest = &rest[at + between.len()..];
        }
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

#[test]
fn every_tool_says_what_the_story_tells() {
    for place in story().places {
        let env = place.prepare();
        let mut client = place.client(&env);
        let root = env.project().display().to_string();
        let mut kept = BTreeMap::from([("root".to_owned(), root)]);
        for call in &place.calls {
            let result = client.result(&call.tool, &filled(&call.arguments, &kept));
            let about = format!("{}: {} {}", place.name, call.tool, call.arguments);
            for (name, field) in &call.keep {
                let value = result["structuredContent"][field].as_str().expect("a text");
                kept.insert(name.clone(), value.to_owned());
            }
            let (expected, refused) = match (&call.says, &call.refused) {
                (Some(text), None) => (text, false),
                (None, Some(text)) => (text, true),
                _ => panic!("{about}: it says something or refuses"),
            };
            assert_eq!(result["isError"] == json!(true), refused, "{about}: {result}");
            let expected = put_in(expected, &kept);
            assert!(
                matches(&expected, result_text(&result)),
                "{about}:\n{}\n{expected}",
                result_text(&result)
            );
            for (name, value) in &call.value {
                assert_eq!(&result["structuredContent"][name], value, "{about}: {name}");
            }
        }
        client.end();
    }
}

/// Every parameter of every tool: left out, of the wrong type; and one that there is not.
#[test]
fn parameters_that_do_not_fit_are_named() {
    let story = story();
    let place = &story.places[0];
    let env = place.prepare();
    let mut client = place.client(&env);
    let tools = client.ask("tools/list", &json!({}))["result"]["tools"].take();
    let tools = tools.as_array().expect("tools");
    let used: BTreeSet<&str> = place.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(used.len(), tools.len(), "every tool is called in the story");
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let call = place.calls.iter().find(|call| call.tool == name).expect("a call");
        let mut rows = Vec::new();
        for parameter in tool["inputSchema"]["properties"].as_object().expect("some").keys() {
            let mut wrong = call.arguments.clone();
            wrong[parameter] = json!({"not": ["of", "this", "type"]});
            rows.push((wrong, format!("Error: `{parameter}[..]")));
        }
        for parameter in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
            let parameter = parameter.as_str().expect("a name");
            let mut without = call.arguments.clone();
            without.as_object_mut().expect("an object").remove(parameter);
            rows.push((without, format!("Error: missing field `{parameter}`")));
        }
        let mut surplus = call.arguments.clone();
        surplus["surplus"] = json!(1);
        rows.push((surplus, "Error: `surplus`: unknown field `surplus`, expected[..]".to_owned()));
        for (arguments, expected) in rows {
            let result = client.result(name, &arguments);
            assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
            assert!(matches(&expected, result_text(&result)), "{name} {arguments}: {result}");
        }
    }
    client.end();
}

/// While another holds the database, what can wait is put aside, and the rest is refused.
#[test]
fn a_database_that_is_locked() {
    let env = initialised();
    let mut client = McpClient::start_with(&env, &[("TACIT_TIMEOUTS_STORE_MS", "50")]);
    let stored = client.result("store_memory", &lesson("this was there before the lock"));
    let id = &stored["structuredContent"]["id"];
    let holder = rusqlite::Connection::open(env.store().join("memory.db")).expect("a connection");
    holder.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let said = client.call("store_memory", &lesson("this is told while the lock is held"));
    assert_eq!(said, "Stored: A lesson (it waits for the database, which is locked)");
    let locked = "Error: the database is locked by another process. Try again in a moment";
    for (tool, arguments) in [
        ("remember_this", json!({"content": "a note"})),
        ("memory_feedback", json!({"id": id, "verdict": "wrong"})),
        ("forget", json!({"id": id, "reason": "untrue"})),
        ("report_validation", json!({"passed": true})),
        ("report_work_unit", json!({"hierarchy": ["a"], "status": "started"})),
    ] {
        assert_eq!(client.call(tool, &arguments), locked, "{tool}");
    }
    // Readers do not wait.
    let found = client.call("memory_search", &json!({"query": "before the lock"}));
    assert!(found.contains("this was there before the lock"), "{found}");
    holder.execute_batch("ROLLBACK").expect("the end of it");
    let said = client.call("store_memory", &lesson("this is told when the lock is free"));
    assert!(said.starts_with("Stored: "), "{said}");
    assert_eq!(env.run(["list", "--json"]).succeeded().json().as_array().map(Vec::len), Some(3));
    client.end();
}

/// The beginning of an id that several memories share: all of them are named.
#[test]
fn an_id_that_can_mean_several() {
    let env = initialised();
    let mut client = McpClient::start(&env);
    let mut by_digit: BTreeMap<char, usize> = BTreeMap::new();
    // With one more memory than there are digits, two share one.
    for number in 0..17 {
        let told = lesson(&format!("this is one of seventeen lessons, and number {number}"));
        let stored = client.result("store_memory", &told);
        let id = stored["structuredContent"]["id"].as_str().expect("an id");
        *by_digit.entry(id.chars().next().expect("a digit")).or_default() += 1;
    }
    let (digit, count) = by_digit.into_iter().find(|(_, count)| *count > 1).expect("a pair");
    let beginning = format!("Error: `{digit}` is ambiguous: it matches {count} memories: ");
    for (tool, arguments) in [
        ("memory_get", json!({"ids": [digit]})),
        ("memory_timeline", json!({"id": digit})),
        ("memory_feedback", json!({"id": digit, "verdict": "used"})),
        ("forget", json!({"id": digit, "reason": "untrue"})),
        ("memory_search", json!({"around_event": {"event": digit}})),
    ] {
        let said = client.call(tool, &arguments);
        let ids = said.strip_prefix(&beginning).map(|ids| ids.split(", ").count());
        assert_eq!(ids, Some(count.min(8)), "{tool}: {said}");
    }
    client.end();
}
