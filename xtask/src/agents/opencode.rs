//! OpenCode and its fork Kilo, without a terminal.

use std::fs;
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
    folders: [".config/opencode", ".opencode"],
    plugin_package: "@opencode-ai/plugin",
    variables: "OPENCODE",
    settings: &[("opencode.json", "{ \"$schema\":\"https://opencode.ai/config.json\" }")],
};

pub(crate) const KILO: OpenCode = OpenCode {
    name: "kilo",
    program: "node_modules/@kilocode/cli-linux-x64/bin/kilo",
    folders: [".config/kilo", ".kilo"],
    plugin_package: "@kilocode/plugin",
    variables: "KILO",
    settings: &[("kilo.json", "{ \"$schema\":\"https://kilo.ai/config.json\" }")],
};

/// OpenCode or a fork of it.
#[derive(Debug)]
pub(crate) struct OpenCode {
    name: &'static str,
    /// The program below the installed packages.
    program: &'static str,
    /// The folders of settings and plugins, in the home and in the project.
    folders: [&'static str; 2],
    /// The package that it installs in these folders.
    plugin_package: &'static str,
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
        let file = folders.home.join(self.folders[0]).join(format!("{}.json", self.name));
        write(&file, &settings.to_string())
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        self.settings
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let [home, project] = self.folders;
        for folder in [folders.home.join(home), folders.project.join(project)] {
            if folder.is_dir() {
                self.pretend_install(&folder)?;
            }
        }
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

impl OpenCode {
    /// Makes the client believe that its package is installed. It would install it at every start,
    /// which fails without a network, after a minute if the start before left a lock behind.
    fn pretend_install(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder.join("node_modules"))?;
        let packages = json!({"": {"dependencies": {self.plugin_package: "*"}}});
        write(&folder.join("package-lock.json"), &json!({"packages": packages}).to_string())
    }
}
