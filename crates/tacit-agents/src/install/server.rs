//! Adds and removes our MCP server in a JSON file of a client's servers.

use serde_json::{Value, json};

use super::InstallError;
use super::entries::is_tacit;
use super::json::{JsonNode, Style, add, created, remove_at};
use crate::client::ServerForm;

/// The name of our server.
const OURS: &str = "tacit";

/// The list of servers in `.mcp.json` that the user of Claude Code has approved. Claude Code asks
/// about others when the next session starts.
const APPROVED: &str = "enabledMcpjsonServers";

/// Returns the key of the servers and the entry of ours.
fn entry(form: ServerForm, program: &str) -> (&'static str, Value) {
    let plain = json!({"command": program, "args": ["mcp"]});
    let with = |key: &str, value: Value| {
        let mut entry = plain.clone();
        entry[key] = value;
        entry
    };
    match form {
        // The tools are always loaded instead of searched for on demand.
        ServerForm::Claude => ("mcpServers", with("alwaysLoad", json!(true))),
        ServerForm::Copilot => {
            let mut entry = with("tools", json!(["*"]));
            entry["type"] = json!("local");
            ("mcpServers", entry)
        }
        ServerForm::OpenCode => {
            ("mcp", json!({"type": "local", "command": [program, "mcp"], "enabled": true}))
        }
        ServerForm::Plain | ServerForm::Codex => ("mcpServers", plain),
    }
}

/// Adds our server. An existing server with our name is kept, unless it runs a Tacit that has
/// moved.
pub(super) fn install(
    form: ServerForm,
    current: Option<&str>,
    program: &str,
) -> Result<String, InstallError> {
    let (servers, ours) = entry(form, program);
    let Some(text) = current.filter(|text| !text.trim().is_empty()) else {
        return Ok(created(&json!({ servers: { OURS: ours } }), current));
    };
    let root = JsonNode::object(text)?;
    let clean = match root.get(servers).and_then(|it| it.get(OURS)).map(|it| it.value()) {
        Some(old) if has_moved(&old, &ours) => uninstall(form, text)?,
        Some(_) => return Ok(text.to_owned()),
        None => Some(text.to_owned()),
    };
    match clean {
        Some(text) if !text.trim().is_empty() => {
            let root = JsonNode::object(&text)?;
            add(&text, &Style::detect(&root), &[servers], Some(OURS), ours)
        }
        blank => Ok(created(&json!({ servers: { OURS: ours } }), blank.as_deref())),
    }
}

/// Removes our server; `None` if nothing else is left in a file that we created. A server with our
/// name that runs another program is kept.
pub(super) fn uninstall(form: ServerForm, text: &str) -> Result<Option<String>, InstallError> {
    remove(text, entry(form, OURS).0, |servers| {
        servers.members().iter().position(|it| it.key == OURS && runs_tacit(&it.value.value()))
    })
}

/// Returns true if a server with our name runs Tacit.
pub(super) fn is_installed(form: ServerForm, text: &str) -> bool {
    let servers = JsonNode::object(text).ok().and_then(|root| root.get(entry(form, OURS).0));
    servers.and_then(|it| it.get(OURS)).is_some_and(|it| runs_tacit(&it.value()))
}

/// Returns true if the server with our name is exactly as we write it, for this program or for the
/// one on the path. Any other may run what somebody else chose, also by its environment.
pub(super) fn is_as_written(form: ServerForm, text: &str, program: &str) -> bool {
    let servers = JsonNode::object(text).ok().and_then(|root| root.get(entry(form, OURS).0));
    let server = servers.and_then(|servers| servers.get(OURS)).map(|server| server.value());
    server.is_some_and(|server| [program, OURS].iter().any(|it| server == entry(form, it).1))
}

/// Approves our server in the user's settings of Claude Code.
pub(super) fn approve(current: Option<&str>) -> Result<String, InstallError> {
    let Some(text) = current.filter(|text| !text.trim().is_empty()) else {
        return Ok(created(&json!({ APPROVED: [OURS] }), current));
    };
    let root = JsonNode::object(text)?;
    match root.get(APPROVED).and_then(|list| approval_in(&list)) {
        Some(_) => Ok(text.to_owned()),
        None => add(text, &Style::detect(&root), &[APPROVED], None, json!(OURS)),
    }
}

/// Removes the approval of our server.
pub(super) fn disapprove(text: &str) -> Result<Option<String>, InstallError> {
    remove(text, APPROVED, approval_in)
}

fn approval_in(list: &JsonNode<'_>) -> Option<usize> {
    list.items().iter().position(|item| item.value.value() == json!(OURS))
}

/// Removes the value that `find` chooses from the container at `key`; `None` if nothing else is left
/// in a file that we created.
fn remove(
    text: &str,
    key: &str,
    find: impl FnOnce(&JsonNode<'_>) -> Option<usize>,
) -> Result<Option<String>, InstallError> {
    if text.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let root = JsonNode::object(text)?;
    let path = root.members().iter().position(|member| member.key == key).and_then(|in_root| {
        let container = root.members().swap_remove(in_root).value;
        let at = find(&container)?;
        Some([(root, in_root), (container, at)])
    });
    Ok(match path {
        Some(path) => remove_at(&path).or_else(|| root.previous_blank()),
        None => Some(text.to_owned()),
    })
}

/// Returns the program of a server that runs `tacit mcp`, at any path.
fn program(server: &Value) -> Option<&str> {
    let is_ours =
        |words: &Value| words.as_array().and_then(|words| words.last()) == Some(&json!("mcp"));
    let command = match &server["command"] {
        Value::Array(line) if is_ours(&server["command"]) => line.first()?.as_str(),
        command if is_ours(&server["args"]) => command.as_str(),
        _ => None,
    };
    command.filter(|command| is_tacit(command))
}

fn runs_tacit(server: &Value) -> bool {
    program(server).is_some()
}

/// Returns true if a server of ours, and otherwise as we write it, runs a program at another path.
/// Servers with options of the user, and those that look the program up by its name, stay.
fn has_moved(old: &Value, new: &Value) -> bool {
    let (Some(from), Some(to)) = (program(old), program(new)) else { return false };
    let (old, new) = (old.to_string(), new.to_string());
    from != to && from.contains(['/', '\\']) && old.replace(from, to) == new
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [ServerForm; 4] =
        [ServerForm::Claude, ServerForm::Plain, ServerForm::Copilot, ServerForm::OpenCode];

    fn round_trip(form: ServerForm, before: Option<&str>) -> String {
        let with = install(form, before, "tacit").expect("a file");
        let again = install(form, Some(&with), "tacit").expect("a file");
        assert_eq!(again, with, "a second time changes nothing");
        assert!(is_installed(form, &with));
        assert_eq!(uninstall(form, &with).expect("a file").as_deref(), before);
        with
    }

    #[test]
    fn removing_the_server_restores_the_file() {
        for form in FORMS {
            let (key, ours) = entry(form, "tacit");
            for before in [
                "",
                "\n",
                "{}",
                "{\n}\n",
                "{\"KEY\":{}}",
                "{\n  \"KEY\": {}\n}\n",
                "{\n    \"KEY\": {\n        \"other\": {\"command\": \"x\"}\n    }\n}",
                "{\"KEY\":{\"other\":{\"command\":\"x\"}},\"rest\":[1, 2]}\r\n",
                "{\n\t\"rest\": null\n}\n",
            ] {
                let with = round_trip(form, Some(&before.replace("KEY", key)));
                let value: Value = serde_json::from_str(&with).expect("JSON");
                assert_eq!(value[key]["tacit"], ours, "{with}");
            }
        }
        assert_eq!(
            round_trip(ServerForm::Claude, None),
            "{\n  \"mcpServers\": {\n    \"tacit\": {\n      \"command\": \"tacit\",\n      \"args\": [\n        \
             \"mcp\"\n      ],\n      \"alwaysLoad\": true\n    }\n  }\n}\n"
        );
    }

    #[test]
    fn removing_the_approval_restores_the_file() {
        for before in [
            None,
            Some(""),
            Some("{}"),
            Some("{\"enabledMcpjsonServers\": []}"),
            Some("{\n  \"enabledMcpjsonServers\": [\"other\"],\n  \"model\": \"x\"\n}\n"),
            Some("{\"model\":\"x\"}"),
        ] {
            let with = approve(before).expect("a file");
            assert_eq!(approve(Some(&with)).expect("a file"), with);
            let value: Value = serde_json::from_str(&with).expect("JSON");
            let approved = value[APPROVED].as_array().expect("a list");
            assert_eq!(approved.last(), Some(&json!("tacit")));
            assert_eq!(disapprove(&with).expect("a file").as_deref(), before);
        }
        assert!(approve(Some("{\"enabledMcpjsonServers\": true}")).is_err());
    }

    #[test]
    fn servers_of_others_are_kept() {
        let form = ServerForm::Claude;
        let own = "{\"mcpServers\": {\"tacit\": {\"command\": \"/opt/tacit\", \"args\": [\"-C\", \"x\", \"mcp\"]}}}";
        assert_eq!(install(form, Some(own), "tacit").expect("a file"), own);
        let other = "{\"mcpServers\": {\"tacit\": {\"command\": \"npx\", \"args\": [\"mcp\"]}}}";
        assert_eq!(uninstall(form, other).expect("a file").as_deref(), Some(other));
        assert!(!is_installed(form, other));
        for wrong in ["{\"mcpServers\": []}", "[]", "{"] {
            assert!(install(form, Some(wrong), "tacit").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_program_that_has_moved_is_replaced() {
        for form in FORMS {
            let before = format!("{{\"{}\": {{\"other\": {{}}}}}}\n", entry(form, "").0);
            let old = install(form, Some(&before), "/old/tacit").expect("a file");
            let new = install(form, Some(&old), "/new/tacit").expect("a file");
            assert_eq!(new, old.replace("/old/", "/new/"));
            assert_eq!(uninstall(form, &new).expect("a file").as_deref(), Some(&*before));
            // A file that a team shares has the bare name.
            let shared = install(form, None, "tacit").expect("a file");
            assert_eq!(install(form, Some(&shared), "/new/tacit").expect("a file"), shared);
        }
    }
}
