//! Claude Code, without a terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};
use tacit_testkit::agent_model::ModelToolCall;

use super::client::{AgentClient, PromptInput, StoryFolders, find_below};
use super::story::StoryCall;

/// Precedes what a hook shows.
const HOOK_REPLY: &str = " hook additional context: ";

#[derive(Debug)]
pub(crate) struct ClaudeCode;

impl AgentClient for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn settle(&self, folders: &StoryFolders) -> Result<()> {
        Ok(fs::create_dir_all(folders.home.join(".claude"))?)
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (".claude/settings.local.json", "{ \"env\": {\"DEPOT_HALL\":\"sorting\"} }"),
            (".mcp.json", "{\n\t\"mcpServers\": { }\n}\n\n"),
        ]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let packages = folders.installed.join("node_modules/@anthropic-ai");
        let program = format!("claude{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(find_below(&packages, &program)?);
        // A person has allowed the tools and approved the project's MCP servers.
        let settings = json!({
            "permissions": {"allow": ["Bash", "Read", "Edit", "Write", "Skill", "mcp__tacit"]},
            "enableAllProjectMcpServers": true,
        });
        command.env_clear().args(["-p", "--verbose", "--input-format", "stream-json"]);
        command.args(["--output-format", "stream-json", "--settings", &settings.to_string()]);
        command.env("CLAUDE_CONFIG_DIR", folders.home.join(".claude"));
        command.env("ANTHROPIC_BASE_URL", model);
        command.env("ANTHROPIC_API_KEY", "sk-ant-api03-no-key-is-needed-for-a-fake-model");
        for name in [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL",
            "DISABLE_AUTOUPDATER",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_TELEMETRY",
        ] {
            command.env(name, "1");
        }
        Ok(command)
    }

    fn prompts(&self) -> PromptInput {
        PromptInput::Lines {
            line: |text| {
                json!({"type": "user", "message": {"role": "user", "content": text}}).to_string()
            },
            ends_turn: |line| {
                serde_json::from_str::<Value>(line).is_ok_and(|event| event["type"] == "result")
            },
        }
    }

    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall {
        let at = |path: &str| project.join(path);
        let (tool, input) = match call {
            StoryCall::Shell(command) => ("Bash".to_owned(), json!({"command": command})),
            StoryCall::Read(path) => ("Read".to_owned(), json!({"file_path": at(path)})),
            StoryCall::Write { path, content } => {
                ("Write".to_owned(), json!({"file_path": at(path), "content": content}))
            }
            StoryCall::Edit { path, old, new } => (
                "Edit".to_owned(),
                json!({"file_path": at(path), "old_string": old, "new_string": new}),
            ),
            StoryCall::Mcp { tool, arguments } => {
                (format!("mcp__tacit__{tool}"), arguments.clone())
            }
        };
        ModelToolCall::new(tool, input)
    }

    fn extends_results(&self) -> bool {
        false
    }

    fn hook_replies(&self, text: &str) -> usize {
        let of_start = format!("SessionStart{HOOK_REPLY}");
        text.matches(HOOK_REPLY).count() - text.matches(&of_start).count()
    }

    fn shown(&self, home: &Path) -> Result<Option<Vec<Value>>> {
        let mut shown = Vec::new();
        let Ok(projects) = fs::read_dir(home.join(".claude/projects")) else {
            return Ok(Some(shown));
        };
        for project in projects {
            for log in fs::read_dir(project?.path())? {
                let log = log?.path();
                if log.extension().is_none_or(|ending| ending != "jsonl") {
                    continue;
                }
                let events = fs::read_to_string(&log)?;
                let events = events.lines().filter_map(|line| serde_json::from_str(line).ok());
                shown.extend(events.filter_map(|event: Value| {
                    let attachment = &event["attachment"];
                    let is_shown = attachment["type"] == "hook_additional_context";
                    is_shown.then(|| attachment["content"].clone())
                }));
            }
        }
        Ok(Some(shown))
    }
}
