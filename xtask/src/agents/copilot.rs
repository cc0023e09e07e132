//! Copilot CLI, without a terminal.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::json;
use tacit_testkit::agent_model::ModelToolCall;

use super::client::{AgentClient, FAKE_KEY, PromptInput, StoryFolders, find_below, write};
use super::story::StoryCall;

#[derive(Debug)]
pub(crate) struct Copilot;

impl AgentClient for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn settle(&self, folders: &StoryFolders) -> Result<()> {
        // It loads no hooks of a folder that is not trusted.
        let settings = json!({"trustedFolders": [folders.project]});
        write(&folders.home.join(".copilot/config.json"), &settings.to_string())
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[(".github/hooks/depot.json", "{\"version\":1, \"hooks\": { } }")]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let program = format!("copilot{}", std::env::consts::EXE_SUFFIX);
        let packages = folders.installed.join("node_modules/@github");
        let mut command = Command::new(find_below(&packages, &program)?);
        command.env_clear().args(["--allow-all-tools", "--allow-all-paths", "--no-color"]);
        for (name, value) in [
            ("COPILOT_AUTO_UPDATE", "false"),
            ("COPILOT_MODEL", "fake-model"),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_PROVIDER_API_KEY", FAKE_KEY),
            ("COPILOT_PROVIDER_BASE_URL", &format!("{model}/v1")),
            ("COPILOT_PROVIDER_MAX_OUTPUT_TOKENS", "4000"),
            ("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "100000"),
            ("COPILOT_PROVIDER_TYPE", "openai"),
        ] {
            command.env(name, value);
        }
        Ok(command)
    }

    fn prompts(&self) -> PromptInput {
        PromptInput::Arguments(|prompt, continues| {
            let options: &[&str] = if continues { &["--continue", "-p"] } else { &["-p"] };
            options.iter().chain([&prompt]).map(|&word| word.to_owned()).collect()
        })
    }

    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall {
        let at = |path: &str| project.join(path);
        match call {
            StoryCall::Shell(command) => ModelToolCall::new(
                "bash",
                json!({
                    "command": command, "description": "Runs a command", "mode": "sync",
                    "initial_wait": 30,
                }),
            ),
            StoryCall::Read(path) => ModelToolCall::new("view", json!({"path": at(path)})),
            StoryCall::Write { path, content } => {
                ModelToolCall::new("create", json!({"path": at(path), "file_text": content}))
            }
            StoryCall::Edit { path, old, new } => ModelToolCall::new(
                "edit",
                json!({"path": at(path), "old_str": old, "new_str": new}),
            ),
            StoryCall::Mcp { tool, arguments } => {
                ModelToolCall::new(format!("tacit-{tool}"), arguments.clone())
            }
        }
    }

    fn extends_results(&self) -> bool {
        true
    }
}
