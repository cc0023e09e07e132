//! The lists that a client gets before any call.

use std::path::Path;

use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::{World, with_client};

/// The token budget of all tools.
const BUDGET: usize = 3_000;

#[test]
fn the_server_lists_its_capabilities() {
    with_client(&World::new(), async |client| {
        let server = client.peer_info().expect("the server");
        assert_eq!(server.server_info.as_ref().map(|info| info.name.as_str()), Some("tacit"));
        assert_eq!(server.instructions.as_deref(), Some(tacit_mcp::INSTRUCTIONS));
        let capabilities = &server.capabilities;
        assert!(capabilities.tools.is_some() && capabilities.resources.is_some());
        assert!(capabilities.prompts.is_some());
        assert_eq!(client.list_all_tools().await.expect("tools"), tacit_mcp::tools());
        assert_eq!(client.list_all_prompts().await.expect("prompts"), tacit_mcp::prompts());
        assert_eq!(client.list_all_resources().await.expect("resources"), tacit_mcp::resources());
        let templates = client.list_all_resource_templates().await.expect("templates");
        assert_eq!(templates, tacit_mcp::resource_templates());
    });
}

#[test]
fn tool_definitions_fit_the_token_budget() {
    let tools = serde_json::to_value(tacit_mcp::tools()).expect("JSON");
    // What a client puts before its model, at three bytes a token: fewer than tokenisers need.
    let read: Vec<Value> = tools.as_array().expect("tools").iter().map(|tool| {
        json!({"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]})
    }).collect();
    let tokens = Value::Array(read).to_string().len().div_ceil(3);
    assert!(tokens <= BUDGET, "what models read of all tools takes {tokens} tokens");
    // All that is sent, should a client show that, at four.
    let tokens = tools.to_string().len().div_ceil(4);
    assert!(tokens <= BUDGET, "all tools take {tokens} tokens");
    let tokens = tacit_mcp::INSTRUCTIONS.len().div_ceil(3);
    assert!(tokens <= 400, "the instructions take {tokens} tokens");
}

/// Clients decide by these hints what to run without asking.
#[test]
fn tool_annotations_match_their_effects() {
    let hints = |tool: &Tool| {
        let hints = tool.annotations.as_ref().expect("annotations");
        assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
        assert!(hints.title.as_ref().is_some_and(|title| !title.is_empty()));
        let flags = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint];
        flags.map(|flag| flag.expect("a hint"))
    };
    let reads = [true, false, true];
    let adds = [false, false, false];
    for (name, expected) in [
        ("memory_search", reads),
        ("memory_get", reads),
        ("memory_timeline", reads),
        ("when", reads),
        ("how", reads),
        ("get_workflow_recipe", reads),
        ("analyze_impact", reads),
        ("get_dependencies", reads),
        ("trace_data_flow", reads),
        ("locate", reads),
        ("store_memory", adds),
        ("remember_this", adds),
        ("report_validation", adds),
        ("report_work_unit", adds),
        ("memory_feedback", [false, false, true]),
        ("forget", [false, true, true]),
    ] {
        let tools = tacit_mcp::tools();
        let tool = tools.iter().find(|tool| tool.name == name).expect(name);
        assert_eq!(hints(tool), expected, "{name}");
    }
}

#[test]
fn schemas_are_objects_with_declared_properties() {
    for tool in tacit_mcp::tools() {
        let output = tool.output_schema.clone().expect("an output schema");
        for schema in [tool.input_schema.clone(), output] {
            assert_eq!(schema["type"], json!("object"), "{}", tool.name);
            let properties = schema["properties"].as_object().expect("properties");
            for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
                let name = name.as_str().expect("a name");
                assert!(properties.contains_key(name), "{}: {name}", tool.name);
            }
        }
    }
}

/// `docs/mcp.md` describes every tool, parameter, resource and prompt.
#[test]
fn the_documentation_matches_the_tools() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp.md");
    let page = std::fs::read_to_string(path).expect("docs/mcp.md");
    let tools = tacit_mcp::tools();
    let sections: Vec<&str> = page.split("\n### ").skip(1).collect();
    let headed: Vec<&str> = sections.iter().filter_map(|text| text.lines().next()).collect();
    let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    assert_eq!(headed, names, "the tools on the page, in their order");
    for (tool, section) in tools.iter().zip(sections) {
        let section = section.split("\n## ").next().unwrap_or_default();
        let flat = section.split_whitespace().collect::<Vec<_>>().join(" ");
        let description = tool.description.as_deref().expect("a description");
        assert!(flat.contains(description), "docs/mcp.md does not say:\n{description}");
        let required = tool.input_schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> =
            required.into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = tool.input_schema["properties"].as_object().expect("properties");
        for name in properties.keys() {
            let mark = if required.contains(&name.as_str()) { "yes" } else { "no" };
            let row = format!("| `{name}` | {mark} |");
            assert!(section.contains(&row), "{}: no row {row}", tool.name);
        }
        let rows = section.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(rows, properties.len(), "{}: rows that are no parameters", tool.name);
    }
    let addresses = tacit_mcp::resources().into_iter().map(|resource| resource.uri);
    let templates = tacit_mcp::resource_templates().into_iter().map(|one| one.uri_template);
    for name in
        addresses.chain(templates).chain(tacit_mcp::prompts().into_iter().map(|prompt| prompt.name))
    {
        assert!(page.contains(&format!("| `{name}` |")), "docs/mcp.md does not name `{name}`");
    }
}
