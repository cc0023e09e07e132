//! The hook entries in the settings of a client, and how to recognise them.

use serde_json::{Value, json};
use tacit_observer::simple_commands;

use crate::client::{Client, Hook, HookForm};

/// The key of the hooks in the settings of every client.
pub(super) const HOOKS: &str = "hooks";

/// An entry in the list of an event: a hook, or a group of hooks for some tools.
pub(super) struct HookEntry {
    /// The client's name of the event.
    pub(super) event: &'static str,
    /// The JSON of the entry.
    pub(super) value: Value,
}

/// Returns the entries to install for a client.
pub(super) fn entries(client: &Client, program: &str) -> Vec<HookEntry> {
    let name = client.name.as_str();
    let entry = |hook: &Hook| {
        let line = format!("{} hook {name}", quoted(program));
        let timeout = hook.timeout();
        let group = |handler: Value| {
            let mut group = serde_json::Map::new();
            if let Some(matcher) = hook.matcher {
                group.insert("matcher".to_owned(), json!(matcher));
            }
            group.insert(HOOKS.to_owned(), json!([handler]));
            Value::Object(group)
        };
        let value = match client.hook_form {
            // With separate arguments, Claude Code starts programs without a shell, which takes a
            // third of the time.
            HookForm::Claude => group(json!({
                "type": "command", "command": program, "args": ["hook", name], "timeout": timeout,
            })),
            HookForm::Codex => {
                group(json!({"type": "command", "command": line, "timeout": timeout}))
            }
            HookForm::Gemini => group(json!({
                "name": "tacit", "type": "command", "command": line,
                "timeout": u32::from(timeout) * 1_000,
            })),
            HookForm::Copilot => json!({
                "type": "command",
                "bash": format!("{line} {}", hook.event),
                "powershell": format!("& {line} {}", hook.event),
                "timeoutSec": timeout,
            }),
            HookForm::Cursor | HookForm::Plugin => json!({"command": line, "timeout": timeout}),
        };
        HookEntry { event: hook.event, value }
    };
    client.hooks.iter().map(entry).collect()
}

/// Returns true if the client requires a version field in its file.
pub(super) fn needs_version(client: &Client) -> bool {
    matches!(client.hook_form, HookForm::Cursor | HookForm::Copilot)
}

/// Quotes a program for a shell.
fn quoted(program: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if program.chars().all(plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', "'\\''"))
    }
}

/// Returns the program of a hook that runs `tacit hook …`, as a program with arguments or as a
/// command line; `None` for other hooks.
pub(super) fn program(handler: &Value) -> Option<String> {
    let text = |key: &str| handler.get(key).and_then(Value::as_str);
    if let (Some(program), Some(args)) = (text("command"), handler.get("args")) {
        let runs_tacit = is_tacit(program) && args.get(0).and_then(Value::as_str) == Some("hook");
        return runs_tacit.then(|| program.to_owned());
    }
    ["command", "bash", "powershell"].into_iter().filter_map(text).find_map(|line| {
        let commands = simple_commands(line.trim_start_matches("& "));
        let mut words =
            commands.first().into_iter().flatten().skip_while(|word| word.contains('='));
        let program = words.next().filter(|program| is_tacit(program))?;
        words.next().filter(|word| *word == "hook")?;
        Some(program.to_string())
    })
}

/// The parts of a hook's command by which other memory tools are known, and their names.
const FOREIGN_TOOLS: [(&str, &str); 2] =
    [("wt-hook-memory-", "wt-memory"), ("claude-mem", "claude-mem")];

/// Returns true if a word has the name of a tool, and not a longer name. A part that ends with a
/// hyphen is the beginning of names.
fn names_tool(word: &str, part: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    word.match_indices(part)
        .any(|(at, _)| part.ends_with('-') || !word[at + part.len()..].starts_with(continues))
}

/// Returns the other memory tool that a hook runs, if it is known.
pub(super) fn foreign_tool(handler: &Value) -> Option<&'static str> {
    let words = ["command", "bash", "powershell"].into_iter().filter_map(|key| handler.get(key));
    let words = words.chain(handler.get("args").and_then(Value::as_array).into_iter().flatten());
    let mut words = words.filter_map(Value::as_str);
    words.find_map(|word| {
        let found = FOREIGN_TOOLS.iter().find(|(part, _)| names_tool(word, part));
        found.map(|(_, name)| *name)
    })
}

/// Returns true if a program, a path or a name, is Tacit.
pub(super) fn is_tacit(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(name, "tacit" | "tacit.exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_memory_tools_are_known_by_their_whole_name() {
        for (command, expected) in [
            ("npx claude-mem hook", Some("claude-mem")),
            ("/opt/claude-mem/bin/run.sh", Some("claude-mem")),
            ("wt-hook-memory-save", Some("wt-memory")),
            ("/home/me/src/claude-memory-bank/lint.sh", None),
            ("claude-mem-lint", None),
            ("make lint", None),
        ] {
            assert_eq!(foreign_tool(&json!({"command": command})), expected, "{command}");
        }
    }

    #[test]
    fn only_hooks_that_run_tacit_are_ours() {
        let cases = [
            (json!({"command": "tacit", "args": ["hook", "claude"]}), true),
            (json!({"command": "/opt/my tools/tacit", "args": ["hook"]}), true),
            (json!({"command": "C:\\bin\\tacit.exe", "args": ["hook", "claude"]}), true),
            (json!({"command": "tacit hook claude"}), true),
            (json!({"command": "'/a b/tacit' hook --agent claude || true"}), true),
            (json!({"command": "TACIT_X=1 tacit hook"}), true),
            (json!({"bash": "tacit hook copilot stop"}), true),
            (json!({"command": "tacit", "args": ["recall"]}), false),
            (json!({"command": "tacit recall hook"}), false),
            (json!({"command": "lint && tacit hook claude"}), false),
            (json!({"command": "echo tacit hook"}), false),
            (json!({"command": "tacit-other hook"}), false),
            (json!("tacit hook"), false),
        ];
        for (handler, expected) in cases {
            assert_eq!(program(&handler).is_some(), expected, "{handler}");
        }
    }

    #[test]
    fn hooks_of_other_memory_tools_are_recognised() {
        let cases = [
            (json!({"command": "wt-hook-memory-recall"}), Some("wt-memory")),
            (json!({"command": "/opt/bin/wt-hook-memory-save --x || true"}), Some("wt-memory")),
            (json!({"command": "node", "args": ["/h/claude-mem/hook.js"]}), Some("claude-mem")),
            (json!({"bash": "bun ~/.claude-mem/worker.js"}), Some("claude-mem")),
            (json!({"command": "tacit", "args": ["hook", "claude"]}), None),
            (json!({"command": "wt-hook-lint"}), None),
            (json!("claude-mem"), None),
        ];
        for (handler, expected) in cases {
            assert_eq!(foreign_tool(&handler), expected, "{handler}");
        }
    }

    #[test]
    fn installed_hooks_are_recognised() {
        for client in &crate::CLIENTS {
            for path in ["tacit", "/a b/it's/tacit"] {
                for entry in entries(client, path) {
                    let handler = entry.value.get(HOOKS).map_or(&entry.value, |group| &group[0]);
                    assert_eq!(program(handler).as_deref(), Some(path), "{handler}");
                }
            }
        }
    }
}
