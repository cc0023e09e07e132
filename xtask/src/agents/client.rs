//! The table of agent clients that play stories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use tacit_testkit::agent_model::ModelToolCall;

use super::claude_code::ClaudeCode;
use super::codex::Codex;
use super::copilot::Copilot;
use super::gemini::{Gemini, Qwen};
use super::opencode::{KILO, OPENCODE};
use super::story::StoryCall;
use super::terminal::TerminalQuestion;

/// The clients; each is pinned in a folder of its name beside the stories.
pub(crate) const CLIENTS: &[&dyn AgentClient] =
    &[&ClaudeCode, &Codex, &Gemini, &Copilot, &OPENCODE, &KILO, &Qwen];

/// A key for the fake model, which asks for none.
pub(crate) const FAKE_KEY: &str = "no-key-is-needed-for-a-fake-model";

/// The folders of a story.
#[derive(Clone, Debug)]
pub(crate) struct StoryFolders {
    /// The client and its packages.
    pub(crate) installed: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
}

/// The way in which prompts reach a client that works without a person.
#[derive(Clone, Copy)]
pub(crate) enum PromptInput {
    /// One process for a session reads prompts and writes events, line by line.
    Lines {
        /// Returns the line that sends a prompt.
        line: fn(&str) -> String,
        /// Returns true if this line of output ends the turn.
        ends_turn: fn(&str) -> bool,
    },
    /// A process for each prompt gets it in its arguments. The function returns them for a prompt,
    /// and for true if the prompt continues the session.
    Arguments(fn(&str, bool) -> Vec<String>),
}

/// An agent client that works without a person.
pub(crate) trait AgentClient: std::fmt::Debug + Sync {
    /// Returns the name of the client in commands and of its folder.
    fn name(&self) -> &'static str;

    /// Creates the home of a person who uses the client and trusts the project, before `tacit init`
    /// looks for it.
    fn settle(&self, folders: &StoryFolders) -> Result<()>;

    /// Returns files that a person has committed to the project, with their content: those in which
    /// `tacit init` registers itself, in the formatting of nobody's tool.
    fn settings(&self) -> &'static [(&'static str, &'static str)];

    /// Creates the command that runs the client in a clean environment, with the address of its
    /// model. The caller sets the folder, the home and the path.
    fn command(&self, folders: &StoryFolders, model: &str) -> Result<Command>;

    fn prompts(&self) -> PromptInput;

    /// Returns the question that the client asks a person before it runs the hooks of a project.
    fn question(&self, _folders: &StoryFolders) -> Result<Option<TerminalQuestion>> {
        Ok(None)
    }

    /// Returns true if the client has noted that its question was answered.
    fn is_answered(&self, _folders: &StoryFolders) -> bool {
        true
    }

    /// Translates a call into the client's tool.
    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall;

    /// Returns true if the client puts the words of hooks into the results of tools.
    fn extends_results(&self) -> bool;

    /// Counts the replies of hooks in a text of a request. Replies to the start of the session are
    /// not counted if they can be told apart.
    fn hook_replies(&self, text: &str) -> usize {
        // Some clients escape the brackets around it.
        text.matches("/tacit-notes").count()
    }

    /// Returns everything that hooks have shown to the model in all sessions so far, if the client
    /// logs it.
    fn shown(&self, _home: &Path) -> Result<Option<Vec<Value>>> {
        Ok(None)
    }
}

/// Finds a file or folder in any folder below this one, because the names of packages contain the
/// platform.
pub(crate) fn find_below(folder: &Path, name: &str) -> Result<PathBuf> {
    let folders = fs::read_dir(folder)
        .with_context(|| format!("cannot list `{}`", folder.display()))?
        .filter_map(Result::ok);
    let mut found = folders.map(|folder| folder.path().join(name)).filter(|path| path.exists());
    found.next().with_context(|| format!("no `{name}` below `{}`", folder.display()))
}

/// Writes a file of a person, with the folders above it.
pub(crate) fn write(path: &Path, content: &str) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, content).with_context(|| format!("cannot write `{}`", path.display()))
}
