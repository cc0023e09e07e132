//! `tacit mcp` as clients start it: what it prints, whom it bears, and when it ends.

mod crowd;
mod story;

use serde_json::json;
use tacit_testkit::mcp_client::{McpClient, lesson};

use crate::{bare, initialised};

#[test]
fn clients_find_memories_of_other_clients() {
    let env = initialised();
    let (mut one, mut other) = (McpClient::start(&env), McpClient::start(&env));
    let said = one.call("store_memory", &lesson("Close the pool before the fork"));
    assert!(said.starts_with("Stored: A lesson (id: "), "{said}");
    let said = other.call("memory_search", &json!({"query": "when must pools be closed"}));
    assert!(said.contains("A lesson: Close the pool before the fork"), "{said}");
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed[0]["generator"], "test client 1");
    one.end();
    other.end();
}

#[test]
fn ten_megabytes_and_garbage_are_borne() {
    let env = initialised();
    let mut client = McpClient::start(&env);
    for line in ["what?", "", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}", &"[".repeat(200_000)] {
        client.send(line);
    }
    client.send(b"\xff\xfe\x00");
    let said = client.call("store_memory", &lesson(&"x".repeat(10 << 20)));
    assert_eq!(said, "Error: description: is 10485760 bytes long; the limit is 8192");
    // More than a message can have: it is dropped, and the next one is served.
    client.send(json!({"jsonrpc": "2.0", "id": 99, "method": "x".repeat(17 << 20)}).to_string());
    let said = client.call("store_memory", &lesson("and yet there is somebody who answers"));
    assert!(said.starts_with("Stored: "), "{said}");
    client.end();
}

#[test]
fn a_client_that_vanishes_loses_nothing_that_was_acknowledged() {
    let env = initialised();
    let mut client = McpClient::start(&env);
    let said = client.call("store_memory", &lesson("this was acknowledged before the end"));
    assert!(said.starts_with("Stored: "), "{said}");
    // Asks and does not wait for the answer.
    let search = json!({"name": "memory_search", "arguments": {"query": "the end"}});
    client.send(
        json!({"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": search}).to_string(),
    );
    client.end();
    assert_eq!(env.run(["list", "--json"]).succeeded().json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_server_that_is_killed_leaves_a_store_that_works() {
    let env = initialised();
    let mut client = McpClient::start(&env);
    client.call("store_memory", &lesson("this one was stored before the kill"));
    client.kill();
    env.run(["doctor"]).succeeded();
    assert_eq!(env.run(["list", "--json"]).succeeded().json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_place_without_a_memory_gets_a_server_all_the_same() {
    let env = bare();
    let mut client = McpClient::start(&env);
    let said = client.call("memory_search", &json!({"query": "anything"}));
    assert!(
        said.ends_with("has no memory yet. The user can create one with `tacit init`"),
        "{said}"
    );
    env.run(["init"]).succeeded();
    let said = client.call("memory_search", &json!({"query": "anything"}));
    assert_eq!(said, "No memory answers that.");
    client.end();
}

#[test]
fn a_broken_configuration_is_told_to_whoever_calls() {
    let env = initialised();
    let mut client = McpClient::start(&env);
    std::fs::write(env.store().join("config.toml"), "[recall]\nlimit = \"many\"\n")
        .expect("a file");
    let said = client.call("memory_search", &json!({"query": "anything"}));
    assert!(said.starts_with("Error: ") && said.contains("recall.limit"), "{said}");
    client.end();
    // A server can begin with it, too.
    let mut client = McpClient::start(&env);
    std::fs::write(env.store().join("config.toml"), "").expect("a file");
    assert_eq!(client.call("memory_search", &json!({})), "No memory answers that.");
    client.end();
}

#[test]
fn paths_and_moments_are_read_as_commands_read_them() {
    let env = initialised();
    let mut client = McpClient::start(&env);
    let inside = env.project().join("src/pool.rs");
    let mut arguments = lesson("the file may be named by its whole path");
    arguments["files"] = json!([inside]);
    assert!(client.call("store_memory", &arguments).starts_with("Stored: "));
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed[0]["related_files"], json!(["src/pool.rs"]));
    arguments["files"] = json!(["../elsewhere"]);
    let said = client.call("store_memory", &arguments);
    assert!(said.starts_with("Error: `../elsewhere` is outside the project"), "{said}");
    let said = client.call("memory_search", &json!({"time_window": {"since": "1d"}}));
    assert!(said.contains("the file may be named"), "{said}");
    let said = client.call("memory_search", &json!({"time_window": {"since": "soon"}}));
    assert!(said.starts_with("Error: `soon` is not a time; write `today`"), "{said}");
    client.end();
}
