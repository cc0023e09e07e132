//! Resources and prompts.

use rmcp::model::{GetPromptRequestParams, ReadResourceRequestParams};
use serde_json::{Value, json};
use tacit_core::Draft;
use tacit_engine::{RememberRequest, StoreAccess, StoreScope};

use crate::{Client, World, keep, object, with_client};

async fn resource(client: &Client, uri: &str) -> Result<Value, String> {
    let read = client.read_resource(ReadResourceRequestParams::new(uri)).await;
    let read = read.map_err(|error| error.to_string())?;
    Ok(serde_json::to_value(&read.contents[0]).expect("JSON"))
}

async fn prompt(client: &Client, name: &str, arguments: Value) -> Result<String, String> {
    let params = GetPromptRequestParams::new(name).with_arguments(object(arguments));
    let made = client.get_prompt(params).await.map_err(|error| error.to_string())?;
    let text = made.messages[0].content.as_text().expect("a text");
    Ok(text.text.clone())
}

#[test]
fn memories_are_readable_as_resources() {
    with_client(&World::new(), async |client| {
        let index = resource(&client, "tacit://index").await.expect("an index");
        assert_eq!(index["text"], "There are no memories yet.");
        let id = keep(&client, "resources can be read by their address").await;
        let index = resource(&client, "tacit://index").await.expect("an index");
        let line =
            format!("{id}  module_insight  A lesson: resources can be read by their address");
        assert_eq!((&index["text"], &index["mimeType"]), (&json!(line), &json!("text/plain")));
        let memory = resource(&client, &format!("tacit://memory/{id}")).await.expect("a memory");
        assert_eq!(memory["mimeType"], "application/json");
        let memory: Value =
            serde_json::from_str(memory["text"].as_str().expect("a text")).expect("JSON");
        assert_eq!(memory["content"], "resources can be read by their address");
        for (uri, expected) in [
            ("tacit://memory/ffffffff", "no memory has the id `ffffffff`"),
            ("tacit://memory/", "`` is not a memory id"),
            ("tacit://other", "there is no resource `tacit://other`"),
            ("file:///etc/passwd", "there is no resource `file:///etc/passwd`"),
        ] {
            let error = resource(&client, uri).await.expect_err("an error");
            assert!(error.contains(expected), "{error}");
        }
    });
}

#[test]
fn prompts_include_their_arguments() {
    let world = World::new();
    with_client(&world, async |client| {
        let learning = json!({"learning": "always run the linter"});
        let text = prompt(&client, "remember", learning).await.expect("a prompt");
        assert!(text.contains("`store_memory`") && text.contains("\n\nalways run the linter\n\n"));
        let situation = json!({"situation": "writing mock tests"});
        let text = prompt(&client, "when", situation).await.expect("a prompt");
        assert!(text.starts_with("I am about to do this: writing mock tests\n"), "{text}");
        let text = prompt(&client, "review", json!({})).await.expect("a prompt");
        assert_eq!(text, "No memory is waiting for review.");
        let inferred = Draft {
            content: "inferred and not looked at".into(),
            source: Some("observer_inferred".into()),
            ..Draft::default()
        };
        world
            .engine(StoreAccess::Write(StoreScope::Project))
            .remember(StoreScope::Project, RememberRequest { draft: inferred, reason: None })
            .expect("it is accepted");
        let text = prompt(&client, "review", json!({})).await.expect("a prompt");
        assert!(text.contains("needs review · 2026-11-15] inferred and not looked at"), "{text}");
        for (name, arguments, expected) in [
            ("remember", json!({}), "`learning` is missing"),
            ("when", json!({"situation": " "}), "`situation` is missing"),
            ("sing", json!({}), "there is no prompt `sing`"),
        ] {
            let error = prompt(&client, name, arguments).await.expect_err("an error");
            assert!(error.contains(expected), "{error}");
        }
    });
}
