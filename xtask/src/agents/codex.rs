//! Codex CLI, without a terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};
use tacit_testkit::agent_model::ModelToolCall;

use super::client::{AgentClient, FAKE_KEY, PromptInput, StoryFolders, find_below, write};
use super::story::StoryCall;
use super::terminal::TerminalQuestion;

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

    fn question(&self, folders: &StoryFolders) -> Result<Option<TerminalQuestion>> {
        // It asks before it talks to its model.
        let mut command_line = command_line(folders, "http://127.0.0.1:9")?;
        // Otherwise it leaves a server behind.
        command_line.push("--no-daemon".to_owned());
        let answer = "Trust all and continue";
        Ok(Some(TerminalQuestion { command_line, answer, key: "2" }))
    }

    fn is_answered(&self, folders: &StoryFolders) -> bool {
        let settings = fs::read_to_string(folders.home.join(".codex/config.toml"));
        settings.is_ok_and(|settings| settings.contains("trusted_hash"))
    }

    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command> {
        let command_line = command_line(folders, model)?;
        let mut command = Command::new(&command_line[0]);
        command.env_clear().env("FAKE_KEY", FAKE_KEY).args(&command_line[1..]).arg("exec");
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

/// Returns the program with the settings of the fake model.
fn command_line(folders: &StoryFolders, model: &str) -> Result<Vec<String>> {
    let vendor = find_below(&folders.installed.join("node_modules/@openai"), "vendor")?;
    let program = find_below(&vendor, &format!("bin/codex{}", std::env::consts::EXE_SUFFIX))?;
    let provider = format!(
        "model_providers.fake={{name=\"fake\", base_url=\"{model}/v1\", wire_api=\"responses\", \
         env_key=\"FAKE_KEY\", request_max_retries=0, stream_max_retries=0}}"
    );
    let mut words = vec![program.to_string_lossy().into_owned()];
    for setting in [&provider, "model_provider=\"fake\"", "model=\"gpt-5.5\""] {
        words.extend(["-c".to_owned(), setting.to_owned()]);
    }
    Ok(words)
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
