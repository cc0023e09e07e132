//! OpenCode and its fork Kilo, without a terminal.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::json;
use tacit_testkit::agent_model::ModelToolCall;

use super::client::{AgentClient, FAKE_KEY, PromptInput, StoryFolders, write};
use super::story::StoryCall;

pub(crate) const OPENCODE: OpenCode = OpenCode {
    name: "opencode",
    program: "node_modules/opencode-linux-x64/bin/opencode",
    home: ".config/opencode",
    variables: "OPENCODE",
    settings: &[("opencode.json", "{ \"$schema\":\"https://opencode.ai/config.json\" }")],
};

pub(crate) const KILO: OpenCode = OpenCode {
    name: "kilo",
    program: "node_modules/@kilocode/cli-linux-x64/bin/kilo",
    home: ".config/kilo",
    variables: "KILO",
    settings: &[("kilo.json", "{ \"$schema\":\"https://kilo.ai/config.json\" }")],
};

/// OpenCode or a fork of it.
#[derive(Debug)]
pub(crate) struct OpenCode {
    name: &'static str,
    /// The program below the installed packages.
    program: &'static str,
    /// The folder of the person's settings below their home.
    home: &'static str,
    /// The beginning of the names of its environment variables.
    variables: &'static str,
    settings: &'static [(&'static str, &'static str)],
}

impl AgentClient for OpenCode {
    fn name(&self) -> &'static str {
        self.name
    }

    fn settle(&self, folders: &StoryFolders) -> Result<()> {
        let settings = json!({"autoupdate": false, "share": "disabled"});
        let file = folders.home.join(self.home).join(format!("{}.json", self.name));
        write(&file, &settings.to_string())?;
        // It installs a package beside each plugin, which takes more than a minute to fail without
        // a network unless npm is told that there is none.
        write(&folders.home.join(".npmrc"), "offline=true\nfetch-retries=0\n")
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        self.settings
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let mut command = Command::new(folders.installed.join(self.program));
        command.env_clear().arg("run");
        let limit = json!({"context": 100_000, "output": 4_000});
        let models = json!({"fake-model": {"tool_call": true, "limit": limit}});
        let settings = json!({
            "model": "fake/fake-model",
            "small_model": "fake/fake-model",
            "permission": {"bash": "allow", "edit": "allow"},
            // Copies of the project before every step, which take longer than the steps.
            "snapshot": false,
            "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("{model}/v1"), "apiKey": FAKE_KEY},
                "models": models,
            }},
        });
        let name = |end: &str| format!("{}_{end}", self.variables);
        command.env(name("CONFIG_CONTENT"), settings.to_string());
        for end in [
            "DISABLE_AUTOUPDATE",
            "DISABLE_CODEBASE_INDEXING",
            "DISABLE_DEFAULT_PLUGINS",
            "DISABLE_LSP_DOWNLOAD",
            "DISABLE_MODELS_FETCH",
            "DISABLE_SESSION_INGEST",
        ] {
            command.env(name(end), "1");
        }
        command.env(name("TELEMETRY_LEVEL"), "off");
        Ok(command)
    }

    fn prompts(&self) -> PromptInput {
        PromptInput::Arguments(|prompt, continues| {
            let options: &[&str] = if continues { &["--continue"] } else { &[] };
            options.iter().chain([&prompt]).map(|&word| word.to_owned()).collect()
        })
    }

    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall {
        let at = |path: &str| project.join(path);
        match call {
            StoryCall::Shell(command) => ModelToolCall::new(
                "bash",
                json!({"command": command, "description": "Runs a command"}),
            ),
            StoryCall::Read(path) => ModelToolCall::new("read", json!({"filePath": at(path)})),
            StoryCall::Write { path, content } => {
                ModelToolCall::new("write", json!({"filePath": at(path), "content": content}))
            }
            StoryCall::Edit { path, old, new } => ModelToolCall::new(
                "edit",
                json!({"filePath": at(path), "oldString": old, "newString": new}),
            ),
            StoryCall::Mcp { tool, arguments } => {
                ModelToolCall::new(format!("tacit_{tool}"), arguments.clone())
            }
        }
    }

    fn extends_results(&self) -> bool {
        true
    }
}
