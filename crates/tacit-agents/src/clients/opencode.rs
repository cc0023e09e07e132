//! OpenCode, which runs a plugin of ours in its own process. The plugin calls us with payloads in
//! our own form and puts what we answer into the system prompt or behind a tool's output.

use serde::Serialize;
use tacit_core::{ClientName, Moment as M};

use crate::client::{Client, Hook, Marks, Settings};
use crate::reply::{Reply, json, limit_context};

/// The plugin. `@TACIT@` stands for the program, as a JavaScript string.
const PLUGIN: &str = include_str!("../../assets/opencode.js");

pub(crate) const CLIENT: Client = Client {
    name: ClientName::OpenCode,
    title: "OpenCode",
    hooks: &[
        Hook::new("session.created", 10),
        Hook::new("chat.message", 10),
        Hook::new("tool.execute.before", 5),
        Hook::new("tool.execute.after", 5),
        Hook::new("session.idle", 30),
        Hook::new("session.compacted", 10),
        Hook::new("session.deleted", 10),
    ],
    instructions: "AGENTS.md",
    advice: Some("OpenCode loads the plugin when it is started the next time"),
    events: &[
        ("session.created", M::SessionStarted),
        ("chat.message", M::PromptSubmitted),
        ("tool.execute.before", M::ToolStarting),
        ("tool.execute.after", M::ToolFinished),
        ("tool.execute.after", M::ToolFailed),
        ("session.idle", M::TurnStopped),
        ("session.compacted", M::Compacted),
        ("session.deleted", M::SessionEnded),
    ],
    marks: Marks { home: &[".config/opencode"], project: &[".opencode", "opencode.json"] },
    settings: Settings {
        project: ".opencode/plugins/tacit.js",
        shared: ".opencode/plugins/tacit.js",
        user: ".config/opencode/plugins/tacit.js",
    },
    render,
};

#[derive(Serialize)]
struct Answer {
    context: String,
}

fn render(_event: &str, moment: M, reply: &Reply) -> Vec<u8> {
    let takes =
        matches!(moment, M::SessionStarted | M::PromptSubmitted | M::ToolFinished | M::ToolFailed);
    match reply.context.as_deref() {
        Some(context) if takes => json(&Answer { context: limit_context(context) }),
        _ => Vec::new(),
    }
}

/// The first line of the plugin, by which it is known.
const FIRST_LINE: &str = "// Tacit for OpenCode";

/// The plugin, calling that program.
pub(crate) fn plugin(program: &str) -> String {
    PLUGIN.replace("@TACIT@", &serde_json::Value::from(program).to_string())
}

/// Whether a text is the plugin, in this or an earlier version.
pub(crate) fn is_plugin(text: &str) -> bool {
    text.trim_start().starts_with(FIRST_LINE)
}

/// The program that a plugin calls; none if the text is not one.
pub(crate) fn program(text: &str) -> Option<String> {
    let (before, _) = PLUGIN.split_once("@TACIT@").filter(|_| is_plugin(text))?;
    let start = before.rsplit('\n').next()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(start))?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_plugin_is_read_back() {
        for name in ["tacit", "/a \"b\"/tacit"] {
            assert_eq!(program(&plugin(name)).as_deref(), Some(name));
        }
        assert_eq!(program("export default {}"), None);
    }
}
