//! Clients that send garbage, cancel, compete or disconnect.

use std::sync::Arc;

use proptest::prelude::*;
use rmcp::model::{
    CallToolRequestParams, ClientConfig, ClientRequest, ProgressNotificationParam, Request,
};
use rmcp::service::{NotificationContext, PeerRequestOptions};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_mcp::Host;
use tacit_store::{Filter, ListOrder};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::{World, ask, call, connect, keep, learning, refused, runtime, with_client};

#[test]
fn an_unknown_tool_is_an_error() {
    with_client(&World::new(), async |client| {
        let error = call(&client, "sing", json!({})).await.expect_err("an error");
        assert!(error.to_string().contains("there is no tool `sing`"), "{error}");
    });
}

#[test]
fn an_invalid_configuration_is_reported_by_every_call() {
    let world = World::new();
    world.set("recall.limit", "many");
    with_client(&world, async |client| {
        let said = refused(&client, "memory_search", json!({})).await;
        assert!(said.starts_with("Error: ") && said.contains("recall.limit"), "{said}");
        world.set("recall.limit", "5");
        ask(&client, "memory_search", json!({})).await;
    });
}

#[test]
fn oversized_arguments_are_refused() {
    with_client(&World::new(), async |client| {
        let huge = "x".repeat(10 << 20);
        let said = refused(&client, "store_memory", learning(&huge)).await;
        assert_eq!(said, "Error: description: is 10485760 bytes long; the limit is 8192");
        for (tool, arguments) in [
            ("memory_get", json!({"ids": [huge]})),
            ("store_memory", json!({"name": "n", "description": "d", "reason": huge})),
            ("memory_search", json!({"types": [huge]})),
            ("memory_feedback", json!({"id": "a", "verdict": huge})),
        ] {
            let said = refused(&client, tool, arguments).await;
            assert!(said.chars().count() < 1_100, "{tool}: {} characters", said.len());
        }
        ask(&client, "memory_search", json!({"query": huge})).await;
        keep(&client, "and still there is somebody who answers").await;
    });
}

#[test]
fn progress_is_reported_on_request() {
    struct Listener(std::sync::Mutex<Vec<(f64, Option<f64>)>>);
    impl ClientHandler for Listener {
        async fn on_progress(
            &self,
            step: ProgressNotificationParam,
            _: NotificationContext<RoleClient>,
        ) {
            self.0.lock().expect("a list").push((step.progress, step.total));
        }

        fn get_info(&self) -> ClientConfig {
            ClientConfig::default()
        }
    }
    let world = World::new();
    runtime().block_on(async {
        let client = connect(&world).await;
        let ids = [
            keep(&client, "one lesson out of a pair of them").await,
            keep(&client, "the other of both lessons").await,
        ];
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let host: Arc<dyn Host> = world.clone();
        tokio::spawn(tacit_mcp::serve(host, read, write));
        let listener = Listener(std::sync::Mutex::default()).serve(ours).await.expect("a client");
        let params = CallToolRequestParams::new("memory_get")
            .with_arguments(crate::object(json!({"ids": ids})));
        listener.call_tool(params).await.expect("a result");
        // What was sent before the answer was read before it; another turn lets it be heard.
        listener.list_all_tools().await.expect("tools");
        let heard = listener.service().0.lock().expect("a list").clone();
        assert_eq!(heard, [(1.0, Some(2.0)), (2.0, Some(2.0))]);
    });
}

#[test]
#[expect(clippy::await_holding_lock, reason = "the calls are to wait for it, on other threads")]
fn a_cancelled_call_does_nothing() {
    let world = World::new();
    with_client(&world, async |client| {
        let request = |text: &str| {
            let params = CallToolRequestParams::new("store_memory")
                .with_arguments(crate::object(learning(text)));
            ClientRequest::CallToolRequest(Request::new(params))
        };
        let options = PeerRequestOptions::no_options;
        let gate = world.gate.lock().expect("the gate");
        let mut wanted = Vec::new();
        for number in 0..8 {
            let request = request(&format!("this is wanted, and is number {number} of eight"));
            let sent = client.send_cancellable_request(request, options()).await;
            wanted.push(sent.expect("a request"));
        }
        let request = request("this is called off before its turn");
        let sent = client.send_cancellable_request(request, options()).await.expect("a request");
        sent.cancel(Some("not wanted".into())).await.expect("a cancellation");
        // When this is answered, what came before it has been read.
        client.list_all_tools().await.expect("tools");
        drop(gate);
        for sent in wanted {
            sent.await_response().await.expect("an answer");
        }
    });
    let engine = world.engine(StoreAccess::Read(StoreScope::Project));
    let kept = engine.list(None, &Filter::default(), ListOrder::Newest, 20, 0).expect("a list");
    assert_eq!(kept.len(), 8);
    assert!(kept.iter().all(|found| found.memory.body.content.as_str().contains("is wanted")));
}

#[test]
fn concurrent_writes_are_all_stored() {
    const CLIENTS: usize = 8;
    const EACH: usize = 12;
    let world = World::new();
    world.set("timeouts.store_ms", "60000");
    runtime().block_on(async {
        let mut writers = Vec::new();
        for writer in 0..CLIENTS {
            let client = connect(&world).await;
            writers.push(tokio::spawn(async move {
                for number in 0..EACH {
                    keep(&client, &format!("writer {writer} learnt fact number {number} of many"))
                        .await;
                }
            }));
        }
        for writer in writers {
            writer.await.expect("a writer");
        }
    });
    let engine = world.engine(StoreAccess::Read(StoreScope::Project));
    let kept = engine.list(None, &Filter::default(), ListOrder::Newest, 1_000, 0).expect("a list");
    assert_eq!(kept.len(), CLIENTS * EACH);
}

/// Invalid lines get an error, and later requests are served.
#[test]
fn invalid_lines_get_a_parse_error() {
    let world = World::new();
    runtime().block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let host: Arc<dyn Host> = world.clone();
        let server = tokio::spawn(tacit_mcp::serve(host, read, write));
        let (from, mut to) = tokio::io::split(ours);
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }});
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for line in [
            &hello.to_string(),
            r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
            "what?",
            "",
            "{\"jsonrpc\": \"2.0\", \"id\": ",
            &deep,
            "\u{0}\u{1}\u{fffd}",
            r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 5}}"#,
            r#"{"jsonrpc": "2.0", "id": 8, "method": "no/such"}"#,
            &list.to_string(),
        ] {
            to.write_all(line.as_bytes()).await.expect("it is taken");
            to.write_all(b"\n").await.expect("it is taken");
        }
        to.write_all(b"\xff\xfe\n").await.expect("it is taken");
        let mut lines = BufReader::new(from).lines();
        let (mut answer, mut unreadable) = (Value::Null, 0);
        while let Some(line) = lines.next_line().await.expect("a line") {
            let message: Value = serde_json::from_str(&line).expect("nothing but JSON");
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if message["error"]["code"] == -32700 {
                assert_eq!(message["id"], Value::Null);
                unreadable += 1;
            }
            if message["id"] == 2 {
                answer = message;
                to.shutdown().await.expect("it ends");
            }
        }
        assert_eq!(unreadable, 5);
        assert_eq!(
            answer["result"]["tools"].as_array().map(Vec::len),
            Some(tacit_mcp::tools().len())
        );
        drop((lines, to));
        server.await.expect("the server").expect("it ends well");
    });
}

#[test]
fn the_server_ends_with_its_client() {
    let world = World::new();
    runtime().block_on(async {
        for begun in [false, true] {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let (read, write) = tokio::io::split(theirs);
            let host: Arc<dyn Host> = world.clone();
            let server = tokio::spawn(tacit_mcp::serve(host, read, write));
            if begun {
                let client = ().serve(ours).await.expect("a client");
                client.cancel().await.expect("it goes");
            } else {
                drop(ours);
            }
            server.await.expect("the server").expect("it ends well");
        }
    });
}

/// The newest protocol needs no handshake.
#[test]
fn a_request_without_handshake_is_served() {
    let world = World::new();
    runtime().block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let host: Arc<dyn Host> = world.clone();
        tokio::spawn(tacit_mcp::serve(host, read, write));
        let (mut from, mut to) = tokio::io::split(ours);
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "store_memory", "arguments": learning("no introduction is needed any more"),
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        to.write_all(format!("{request}\n").as_bytes()).await.expect("it is taken");
        let mut line = vec![0; 4_096];
        let length = from.read(&mut line).await.expect("an answer");
        let answer: Value = serde_json::from_slice(&line[..length]).expect("JSON");
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(text.starts_with("Stored: A lesson (id: "), "{answer}");
    });
}

fn argument() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Any arguments get a result, and the server continues.
#[test]
fn any_arguments_get_a_result() {
    let world = World::new();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(40));
    let runtime = runtime();
    let client = runtime.block_on(connect(&world));
    let specs = tacit_mcp::tools();
    let names: Vec<(String, Vec<String>)> = specs
        .iter()
        .map(|spec| {
            let properties = spec.input_schema["properties"].as_object().expect("properties");
            (spec.name.to_string(), properties.keys().cloned().collect())
        })
        .collect();
    let values = prop::collection::vec(prop::option::of(argument()), 12);
    runner
        .run(&(0..names.len(), values), |(tool, values)| {
            let (name, keys) = names[tool].clone();
            let arguments = keys
                .into_iter()
                .zip(values)
                .filter_map(|(key, value)| value.map(|value| (key, value)))
                .collect();
            let params = CallToolRequestParams::new(name).with_arguments(arguments);
            let result = runtime.block_on(client.call_tool(params));
            prop_assert!(result.is_ok(), "{result:?}");
            Ok(())
        })
        .expect("every call has a result");
}
