//! Codex CLI, without a terminal.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};
use tacit_testkit::agent_model::ModelToolCall;

use super::client::{AgentClient, FAKE_KEY, PromptInput, StoryFolders, find_below, write};
use super::story::StoryCall;

#[derive(Debug)]
pub(crate) struct Codex;

impl AgentClient for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn settle(&self, folders: &StoryFolders) -> Result<()> {
        let project = json!(folders.project);
        let settings = format!(
            "approval_policy = \"never\"\n\
             sandbox_mode = \"danger-full-access\"\n\
             check_for_update_on_startup = false\n\n\
             [analytics]\n\
             enabled = false\n\n\
             [projects.{project}]\n\
             trust_level = \"trusted\"\n"
        );
        write(&folders.home.join(".codex/config.toml"), &settings)
    }

    fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (".codex/config.toml", "# Of the team.\nhide_agent_reasoning=true"),
            (".codex/hooks.json", "{ \"hooks\": { } }"),
        ]
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let vendor = find_below(&folders.installed.join("node_modules/@openai"), "vendor")?;
        let program = format!("bin/codex{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(find_below(&vendor, &program)?);
        let provider = format!(
            "model_providers.fake={{name=\"fake\", base_url=\"{model}/v1\", wire_api=\"responses\", \
             env_key=\"FAKE_KEY\", request_max_retries=0, stream_max_retries=0}}"
        );
        command.env_clear().env("FAKE_KEY", FAKE_KEY).args(["-c", &provider]);
        command.args(["-c", "model_provider=\"fake\"", "-c", "model=\"gpt-5.5\"", "exec"]);
        // Only its terminal interface can ask a person whether the hooks may run.
        command.arg("--dangerously-bypass-hook-trust");
        Ok(command)
    }

    fn prompts(&self) -> PromptInput {
        PromptInput::Arguments(|prompt, continues| {
            let words: &[&str] = if continues { &["resume", "--last"] } else { &[] };
            words.iter().chain([&prompt]).map(|&word| word.to_owned()).collect()
        })
    }

    fn call(&self, call: &StoryCall, _project: &Path) -> ModelToolCall {
        match call {
            StoryCall::Shell(command) => shell(command),
            StoryCall::Read(path) => shell(&format!("cat '{path}'")),
            StoryCall::Write { path, content } => {
                patch(&format!("*** Add File: {path}\n{}", marked('+', content)))
            }
            StoryCall::Edit { path, old, new } => {
                let (old, new) = (marked('-', old), marked('+', new));
                patch(&format!("*** Update File: {path}\n@@\n{old}{new}"))
            }
            StoryCall::Mcp { tool, arguments } => ModelToolCall {
                namespace: Some("mcp__tacit".to_owned()),
                ..ModelToolCall::new(tool, arguments.clone())
            },
        }
    }

    fn extends_results(&self) -> bool {
        false
    }
}

/// Calls the shell, which is also the only way to read a file.
fn shell(command: &str) -> ModelToolCall {
    ModelToolCall::new(
        "exec_command",
        json!({"cmd": command, "login": false, "yield_time_ms": 30_000}),
    )
}

fn patch(change: &str) -> ModelToolCall {
    let patch = format!("*** Begin Patch\n{change}*** End Patch");
    ModelToolCall::new("apply_patch", Value::String(patch))
}

/// Puts a mark before every line.
fn marked(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_a_patch() {
        let (old, new) = ("a\nb".to_owned(), "c".to_owned());
        let call = StoryCall::Edit { path: "x.py".to_owned(), old, new };
        assert_eq!(
            Codex.call(&call, Path::new("/p")).input,
            "*** Begin Patch\n*** Update File: x.py\n@@\n-a\n-b\n+c\n*** End Patch"
        );
    }
}
