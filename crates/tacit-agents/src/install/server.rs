//! Our MCP server in the file that names the servers of a project: putting it in and taking it out.

use serde_json::{Value, json};

use super::InstallError;
use super::entries::is_tacit;
use super::json::{JsonNode, Style, add, created, take_out};

/// The key of all servers, and that of ours.
const SERVERS: &str = "mcpServers";
const OURS: &str = "tacit";

/// Returns the server as it is written: the file is for everybody who works on the project, so that
/// the program is one to be looked up. Its tools are to be at hand, and not looked for when needed.
fn entry() -> Value {
    json!({"command": "tacit", "args": ["mcp"], "alwaysLoad": true})
}

/// Returns the file with our server in it. A server that somebody named as ours is stays as it is.
pub(super) fn install(current: Option<&str>) -> Result<String, InstallError> {
    let Some(text) = current.filter(|text| !text.trim().is_empty()) else {
        return Ok(created(&json!({ SERVERS: { OURS: entry() } }), current));
    };
    let root = JsonNode::object(text)?;
    match root.get(SERVERS).and_then(|servers| servers.get(OURS)) {
        Some(_) => Ok(text.to_owned()),
        None => add(text, &Style::of(&root), &[SERVERS], Some(OURS), entry()),
    }
}

/// Returns the file without our server; `None` if nothing is left of a file that was ours. A server
/// of our name that runs something else is not ours.
pub(super) fn uninstall(text: &str) -> Result<Option<String>, InstallError> {
    if text.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let root = JsonNode::object(text)?;
    let way = root.members().iter().position(|member| member.key == SERVERS).and_then(|in_root| {
        let servers = root.members().swap_remove(in_root).value;
        let mut members = servers.members().into_iter();
        let at = members.position(|it| it.key == OURS && runs_us(&it.value.value()))?;
        Some([(root, in_root), (servers, at)])
    });
    Ok(match way {
        Some(way) => take_out(&way).or_else(|| root.blank_behind()),
        None => Some(text.to_owned()),
    })
}

/// Returns true if a server is `tacit mcp`, wherever the program is.
fn runs_us(server: &Value) -> bool {
    let arguments = server["args"].as_array().and_then(|arguments| arguments.last());
    server["command"].as_str().is_some_and(is_tacit) && arguments == Some(&json!("mcp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(before: Option<&str>) -> String {
        let with = install(before).expect("a file");
        assert_eq!(install(Some(&with)).expect("a file"), with, "a second time changes nothing");
        assert_eq!(uninstall(&with).expect("a file").as_deref(), before);
        with
    }

    #[test]
    fn what_was_there_is_there_again() {
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
            let with = there_and_back(Some(before));
            let value: Value = serde_json::from_str(&with).expect("JSON");
            assert_eq!(value["mcpServers"]["tacit"], entry(), "{with}");
        }
        assert_eq!(
            there_and_back(None),
            "{\n  \"mcpServers\": {\n    \"tacit\": {\n      \"command\": \"tacit\",\n      \"args\": [\n        \
             \"mcp\"\n      ],\n      \"alwaysLoad\": true\n    }\n  }\n}\n"
        );
    }

    #[test]
    fn what_others_wrote_stays() {
        let own = "{\"mcpServers\": {\"tacit\": {\"command\": \"/opt/tacit\", \"args\": [\"-C\", \"x\", \"mcp\"]}}}";
        assert_eq!(install(Some(own)).expect("a file"), own);
        let other = "{\"mcpServers\": {\"tacit\": {\"command\": \"npx\", \"args\": [\"mcp\"]}}}";
        assert_eq!(uninstall(other).expect("a file").as_deref(), Some(other));
        assert!(install(Some("{\"mcpServers\": []}")).is_err());
        assert!(install(Some("[]")).is_err() && install(Some("{")).is_err());
    }
}
