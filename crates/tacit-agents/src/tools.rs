//! Parses tool calls: the kind of a tool, from its name and input.
//!
//! Clients use different names for tools and fields; one table and one struct cover them all. Input
//! that does not match its tool is kept unparsed.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tacit_core::{ToolKind, ToolUse};

use crate::payload::WireEdit;

/// Parses the input of a tool; `None` if it does not match.
type Read = fn(Input) -> Option<ToolKind>;

/// The names of tools, in lower case, with their parsers.
const TOOLS: &[(&[&str], Read)] = &[
    (
        &["bash", "exec_command", "local_shell", "powershell", "run_shell_command", "shell"],
        |input| {
            let background = input.run_in_background.unwrap_or(false);
            Some(ToolKind::Shell { command: input.command?.line(), background })
        },
    ),
    (&["read", "read_file", "view"], |input| {
        Some(ToolKind::Read { file: input.file_path.or(input.path)? })
    }),
    (&["edit", "multiedit", "notebookedit", "replace", "str_replace"], |input| {
        let file = input.file_path.or(input.path)?;
        let (old, new) = match input.edits {
            Some(edits) => join_edits(&edits),
            None => (input.old_string.unwrap_or_default(), input.new_string?),
        };
        Some(ToolKind::Edit { file, old, new })
    }),
    (&["write", "create", "write_file"], |input| {
        Some(ToolKind::Write { file: input.file_path.or(input.path)?, content: input.content? })
    }),
    (&["apply_patch", "patch"], |input| {
        let patch = input.patch.or_else(|| input.command.map(Command::line))?;
        Some(ToolKind::Patch { files: patched_files(&patch), patch })
    }),
    (&["grep", "glob", "grep_search", "search_file_content"], |input| {
        Some(ToolKind::Search { pattern: input.pattern?, path: input.path.or(input.directory) })
    }),
    (&["agent", "task", "spawn_agent"], |input| {
        Some(ToolKind::Agent { kind: input.subagent_type, prompt: input.prompt.or(input.message)? })
    }),
    (&["skill"], |input| Some(ToolKind::Skill { name: input.skill?, args: input.args })),
];

/// The input fields of all tools.
#[derive(Deserialize)]
struct Input {
    command: Option<Command>,
    #[serde(alias = "is_background")]
    run_in_background: Option<bool>,
    #[serde(alias = "filePath", alias = "absolute_path", alias = "notebook_path")]
    file_path: Option<String>,
    path: Option<String>,
    #[serde(alias = "dir_path")]
    directory: Option<String>,
    #[serde(alias = "oldString", alias = "old_str")]
    old_string: Option<String>,
    #[serde(alias = "newString", alias = "new_str", alias = "new_source")]
    new_string: Option<String>,
    edits: Option<Vec<WireEdit>>,
    #[serde(alias = "file_text")]
    content: Option<String>,
    #[serde(alias = "query")]
    pattern: Option<String>,
    #[serde(alias = "patchText", alias = "input")]
    patch: Option<String>,
    #[serde(alias = "agent_type")]
    subagent_type: Option<String>,
    prompt: Option<String>,
    message: Option<String>,
    #[serde(alias = "name")]
    skill: Option<String>,
    args: Option<String>,
}

/// A command line, or its words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Command {
    Line(String),
    Words(Vec<String>),
}

impl Command {
    fn line(self) -> String {
        match self {
            Command::Line(line) => line,
            Command::Words(mut words) => match words.as_slice() {
                [_, flag, _] if flag.starts_with('-') && flag.ends_with('c') => {
                    words.swap_remove(2)
                }
                _ => words.join(" "),
            },
        }
    }
}

/// Parses a tool call. `server` is the MCP server, if the client reports it.
pub(crate) fn tool_use(
    name: String,
    id: Option<String>,
    input: Option<&RawValue>,
    server: Option<String>,
) -> ToolUse {
    let json = input.map_or("null", RawValue::get);
    // Copilot encodes the input as a JSON string.
    let inner = json.starts_with('"').then(|| serde_json::from_str::<String>(json).ok()).flatten();
    let json = inner.as_deref().filter(|text| text.starts_with('{')).unwrap_or(json);
    let kind = match mcp_name(&name, server) {
        Some((server, tool)) => ToolKind::Mcp { server, tool, input: value(json) },
        None => TOOLS
            .iter()
            .find(|(names, _)| names.iter().any(|known| known.eq_ignore_ascii_case(&name)))
            .filter(|_| json.starts_with('{'))
            .and_then(|(_, read)| read(serde_json::from_str(json).ok()?))
            .unwrap_or_else(|| ToolKind::Other { input: value(json) }),
    };
    ToolUse { id, name, kind }
}

/// The name of our server, and what comes before the name of its tools in clients that separate the
/// two so that other servers cannot be told from tools.
const OURS: &str = "tacit";
const OWN_PREFIXES: [&str; 3] = ["mcp_tacit_", "tacit-", "tacit_"];

/// Splits the name of an MCP tool into server and tool; `None` for other tools.
fn mcp_name(name: &str, server: Option<String>) -> Option<(String, String)> {
    let Some(rest) = name.strip_prefix("mcp__") else {
        let own = OWN_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
        if let (Some(tool), None) = (own, &server) {
            return Some((OURS.to_owned(), tool.to_owned()));
        }
        let tool = name.strip_prefix("MCP:").or(server.is_some().then_some(name))?;
        return Some((server.unwrap_or_default(), tool.to_owned()));
    };
    if let Some(server) = server
        && let Some(tool) = rest.strip_prefix(&*server).and_then(|rest| rest.strip_prefix("__"))
    {
        let tool = tool.to_owned();
        return Some((server, tool));
    }
    let (server, tool) = rest.split_once("__")?;
    Some((server.to_owned(), tool.to_owned()))
}

/// Parses the input as JSON; if it is nested too deeply, keeps the text.
fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.to_owned()))
}

/// Joins several replacements into one: the old text and the new text.
pub(crate) fn join_edits(edits: &[WireEdit]) -> (String, String) {
    let join = |part: fn(&WireEdit) -> &str| edits.iter().map(part).collect::<Vec<_>>().join("\n");
    (join(|edit| &edit.old_string), join(|edit| &edit.new_string))
}

/// Returns the files in a patch: `*** Update File: NAME`, and `Add` and `Delete` likewise.
fn patched_files(patch: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let Some(rest) = line.strip_prefix("*** ") else { continue };
        let named = ["Update File: ", "Add File: ", "Delete File: ", "Move to: "]
            .iter()
            .find_map(|mark| rest.strip_prefix(mark));
        if let Some(file) = named.map(str::trim)
            && !files.iter().any(|known| known == file)
        {
            files.push(file.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(name: &str, server: Option<&str>, input: &Value) -> ToolKind {
        let raw = RawValue::from_string(input.to_string()).expect("JSON");
        tool_use(name.to_owned(), None, Some(&raw), server.map(str::to_owned)).kind
    }

    #[test]
    fn tools_of_all_clients_are_parsed() {
        let shell = |command: &str| ToolKind::Shell { command: command.into(), background: false };
        let read = || ToolKind::Read { file: "a.rs".into() };
        let edit = || ToolKind::Edit { file: "a.rs".into(), old: "x".into(), new: "y".into() };
        let write = || ToolKind::Write { file: "a.rs".into(), content: "x".into() };
        let cases = [
            ("Bash", json!({"command": "ls", "description": "List"}), shell("ls")),
            ("run_shell_command", json!({"command": "ls"}), shell("ls")),
            ("shell", json!({"command": ["bash", "-lc", "ls | wc"]}), shell("ls | wc")),
            ("local_shell", json!({"command": ["git", "log"]}), shell("git log")),
            ("bash", json!("{\"command\":\"ls\"}"), shell("ls")),
            (
                "Bash",
                json!({"command": "x", "run_in_background": true}),
                ToolKind::Shell { command: "x".into(), background: true },
            ),
            ("Read", json!({"file_path": "a.rs", "limit": 5}), read()),
            ("read", json!({"filePath": "a.rs"}), read()),
            ("view", json!({"path": "a.rs"}), read()),
            ("read_file", json!({"absolute_path": "a.rs"}), read()),
            ("Edit", json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"}), edit()),
            ("edit", json!({"filePath": "a.rs", "oldString": "x", "newString": "y"}), edit()),
            ("replace", json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"}), edit()),
            ("edit", json!({"path": "a.rs", "old_str": "x", "new_str": "y"}), edit()),
            (
                "MultiEdit",
                json!({"file_path": "a.rs", "edits": [{"old_string": "x", "new_string": "y"}]}),
                edit(),
            ),
            (
                "NotebookEdit",
                json!({"notebook_path": "a.ipynb", "new_source": "y", "cell_id": "1"}),
                ToolKind::Edit { file: "a.ipynb".into(), old: String::new(), new: "y".into() },
            ),
            ("Write", json!({"file_path": "a.rs", "content": "x"}), write()),
            ("create", json!({"path": "a.rs", "file_text": "x"}), write()),
            (
                "apply_patch",
                json!({"command": "*** Begin Patch\n*** Update File: a.rs\n-x\n*** Add File: b\n"}),
                ToolKind::Patch {
                    files: vec!["a.rs".into(), "b".into()],
                    patch: "*** Begin Patch\n*** Update File: a.rs\n-x\n*** Add File: b\n".into(),
                },
            ),
            (
                "Grep",
                json!({"pattern": "x", "path": "src"}),
                ToolKind::Search { pattern: "x".into(), path: Some("src".into()) },
            ),
            (
                "Task",
                json!({"subagent_type": "explore", "prompt": "p"}),
                ToolKind::Agent { kind: Some("explore".into()), prompt: "p".into() },
            ),
            (
                "spawn_agent",
                json!({"message": "p"}),
                ToolKind::Agent { kind: None, prompt: "p".into() },
            ),
            (
                "Skill",
                json!({"skill": "s", "args": "a"}),
                ToolKind::Skill { name: "s".into(), args: Some("a".into()) },
            ),
            ("Read", json!({"file_path": 5}), ToolKind::Other { input: json!({"file_path": 5}) }),
            ("Read", json!({}), ToolKind::Other { input: json!({}) }),
            ("Nope", json!({"a": 1}), ToolKind::Other { input: json!({"a": 1}) }),
            ("Bash", json!(null), ToolKind::Other { input: json!(null) }),
        ];
        for (name, input, expected) in cases {
            assert_eq!(parse(name, None, &input), expected, "{name} {input}");
        }
    }

    #[test]
    fn mcp_tools_are_split_into_server_and_tool() {
        let cases = [
            ("mcp__echo__say", None, ("echo", "say")),
            ("mcp__echo__say_it__now", None, ("echo", "say_it__now")),
            ("mcp__a__b__say", Some("a__b"), ("a__b", "say")),
            ("mcp__plugin_p_s__say", Some("plugin:p:s"), ("plugin_p_s", "say")),
            ("MCP:say", None, ("", "say")),
            ("say", Some("echo"), ("echo", "say")),
            ("mcp_tacit_memory_search", None, ("tacit", "memory_search")),
            ("tacit-memory_search", None, ("tacit", "memory_search")),
            ("tacit_memory_search", None, ("tacit", "memory_search")),
        ];
        for (name, reported, (server, tool)) in cases {
            let expected =
                ToolKind::Mcp { server: server.into(), tool: tool.into(), input: json!({"a": 1}) };
            assert_eq!(parse(name, reported, &json!({"a": 1})), expected, "{name}");
        }
    }

    #[test]
    fn deeply_nested_input_stays_text() {
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        let raw = RawValue::from_string(deep.clone()).expect("JSON");
        let tool = tool_use("Nope".into(), None, Some(&raw), None);
        assert_eq!(tool.kind, ToolKind::Other { input: Value::String(deep) });
    }
}
