//! Adds and removes our MCP server in the file of a project's servers.

use serde_json::{Value, json};

use super::InstallError;
use super::entries::is_tacit;
use super::json::{JsonNode, Style, add, created, remove_at};

/// The key of the servers, and the name of ours.
const SERVERS: &str = "mcpServers";
const OURS: &str = "tacit";

/// Returns the entry of our server. The file is shared, so the program is looked up by name. The
/// tools are always loaded instead of searched for on demand.
fn entry() -> Value {
    json!({"command": "tacit", "args": ["mcp"], "alwaysLoad": true})
}

/// Adds our server; an existing server with our name is kept.
pub(super) fn install(current: Option<&str>) -> Result<String, InstallError> {
    let Some(text) = current.filter(|text| !text.trim().is_empty()) else {
        return Ok(created(&json!({ SERVERS: { OURS: entry() } }), current));
    };
    let root = JsonNode::object(text)?;
    match root.get(SERVERS).and_then(|servers| servers.get(OURS)) {
        Some(_) => Ok(text.to_owned()),
        None => add(text, &Style::detect(&root), &[SERVERS], Some(OURS), entry()),
    }
}

/// Removes our server; `None` if nothing else is left in a file that we created. A server with our
/// name that runs another program is kept.
pub(super) fn uninstall(text: &str) -> Result<Option<String>, InstallError> {
    if text.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let root = JsonNode::object(text)?;
    let path = root.members().iter().position(|member| member.key == SERVERS).and_then(|in_root| {
        let servers = root.members().swap_remove(in_root).value;
        let mut members = servers.members().into_iter();
        let at = members.position(|it| it.key == OURS && runs_tacit(&it.value.value()))?;
        Some([(root, in_root), (servers, at)])
    });
    Ok(match path {
        Some(path) => remove_at(&path).or_else(|| root.previous_blank()),
        None => Some(text.to_owned()),
    })
}

/// Returns true if a server runs `tacit mcp`, at any path.
fn runs_tacit(server: &Value) -> bool {
    let arguments = server["args"].as_array().and_then(|arguments| arguments.last());
    server["command"].as_str().is_some_and(is_tacit) && arguments == Some(&json!("mcp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(before: Option<&str>) -> String {
        let with = install(before).expect("a file");
        assert_eq!(install(Some(&with)).expect("a file"), with, "a second time changes nothing");
        assert_eq!(uninstall(&with).expect("a file").as_deref(), before);
        with
    }

    #[test]
    fn removing_the_server_restores_the_file() {
        for before in [
            "",
            "\n",
            "{}",
            "{\n}\n",
            "{\"mcpServers\":{}}",
            "{\n  \"mcpServers\": {}\n}\n",
            "{\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\"}\n    }\n}",
            "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"rest\":[1, 2]}\r\n",
            "{\n\t\"rest\": null\n}\n",
        ] {
            let with = round_trip(Some(before));
            let value: Value = serde_json::from_str(&with).expect("JSON");
            assert_eq!(value["mcpServers"]["tacit"], entry(), "{with}");
        }
        assert_eq!(
            round_trip(None),
            "{\n  \"mcpServers\": {\n    \"tacit\": {\n      \"command\": \"tacit\",\n      \"args\": [\n        \
             \"mcp\"\n      ],\n      \"alwaysLoad\": true\n    }\n  }\n}\n"
        );
    }

    #[test]
    fn servers_of_others_are_kept() {
        let own = "{\"mcpServers\": {\"tacit\": {\"command\": \"/opt/tacit\", \"args\": [\"-C\", \"x\", \"mcp\"]}}}";
        assert_eq!(install(Some(own)).expect("a file"), own);
        let other = "{\"mcpServers\": {\"tacit\": {\"command\": \"npx\", \"args\": [\"mcp\"]}}}";
        assert_eq!(uninstall(other).expect("a file").as_deref(), Some(other));
        assert!(install(Some("{\"mcpServers\": []}")).is_err());
        assert!(install(Some("[]")).is_err() && install(Some("{")).is_err());
    }
}
