//! Our MCP server in the file that names the servers of a project: putting it in and taking it out.

use serde_json::{Value, json};

use super::InstallError;
use super::hooks::object;
use super::spans::{Kind, Node};
use super::splice::{Removed, Style, append, remove};

/// The key of all servers, and that of ours.
const SERVERS: &str = "mcpServers";
const OURS: &str = "tacit";

/// The server as it is written: the file is for everybody who works on the project, so that the
/// program is one to be looked up. Its tools are to be at hand, and not looked for when needed.
fn entry() -> Value {
    json!({"command": "tacit", "args": ["mcp"], "alwaysLoad": true})
}

/// The file with our server in it. A server that somebody named as ours is stays as it is.
pub(super) fn install(current: Option<&str>) -> Result<String, InstallError> {
    let Some(text) = current else { return Ok(created()) };
    if text.trim().is_empty() {
        // The line in between tells the file from one that was not there before.
        return Ok(format!("{}\n{text}", created()));
    }
    let root = object(text)?;
    let mut text = text.to_owned();
    let style = Style::of(&text, &root);
    match root.get(SERVERS) {
        None => append(&mut text, &root, Some(SERVERS), &json!({ OURS: entry() }), &style),
        Some(servers) if !matches!(servers.kind, Kind::Object(_)) => {
            return Err(InstallError::Shape { key: SERVERS.to_owned(), expected: "an object" });
        }
        Some(servers) if servers.get(OURS).is_none() => {
            append(&mut text, servers, Some(OURS), &entry(), &style);
        }
        Some(_) => {}
    }
    Ok(text)
}

/// The file without our server; `None` if nothing is left of a file that was ours. A server of our
/// name that runs something else is not ours.
pub(super) fn uninstall(text: &str) -> Result<Option<String>, InstallError> {
    if text.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let mut text = text.to_owned();
    let root = object(&text)?;
    let in_root = root.members().iter().position(|member| member.key == SERVERS);
    let found = in_root.and_then(|at| {
        let servers = &root.members()[at].value;
        let ours = |node: &Node| runs_us(&node.value(&text));
        let member = |member: &super::spans::Member| member.key == OURS && ours(&member.value);
        servers.members().iter().position(member).map(|inner| (at, inner))
    });
    let Some((at, inner)) = found else { return Ok(Some(text)) };
    let mut removed = remove(&mut text, &root.members()[at].value, inner);
    if removed == Removed::Sole {
        removed = remove(&mut text, &root, at);
    }
    if removed == Removed::Done {
        return Ok(Some(text));
    }
    let before = text[root.span.end..].strip_prefix("\n\n");
    Ok(before.filter(|before| before.trim().is_empty()).map(str::to_owned))
}

/// Whether a server is `tacit mcp`, wherever the program is.
fn runs_us(server: &Value) -> bool {
    let command = server["command"].as_str().unwrap_or_default();
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let arguments = server["args"].as_array().and_then(|arguments| arguments.last());
    name == OURS && arguments == Some(&json!("mcp"))
}

fn created() -> String {
    let mut text = Style::plain().write(&json!({ SERVERS: { OURS: entry() } }), "");
    text.push('\n');
    text
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
