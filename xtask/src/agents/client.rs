//! The table of agent clients that play stories.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::Value;
use tacit_testkit::agent_model::ModelToolCall;

use super::claude_code::ClaudeCode;
use super::story::StoryCall;

/// The clients; each is pinned in a folder of its name beside the stories.
pub(crate) const CLIENTS: &[&dyn AgentClient] = &[&ClaudeCode];

/// An agent client that works without a person: prompts go in and events come out, line by line.
pub(crate) trait AgentClient: std::fmt::Debug + Sync {
    /// Returns the name of the client in commands and of its folder.
    fn name(&self) -> &'static str;

    /// Creates the settings of a person who uses the client, before `tacit init` looks for them.
    fn settle(&self, home: &Path) -> Result<()>;

    /// Creates the command that starts a session in a clean environment. The caller sets the
    /// folder, the home and the path.
    fn command(&self, installed: &Path, home: &Path, model: &str) -> Result<Command>;

    /// Returns the line that sends a prompt.
    fn prompt(&self, text: &str) -> String;

    /// Returns true if this line of output ends the turn.
    fn ends_turn(&self, line: &str) -> bool;

    /// Translates a call into the client's tool.
    fn call(&self, call: &StoryCall, project: &Path) -> ModelToolCall;

    /// Counts the replies of hooks in a text of a request, except those to the start of the session.
    fn hook_replies(&self, text: &str) -> usize;

    /// Returns everything that hooks have shown to the model in all sessions so far, as the client
    /// logged it.
    fn shown(&self, home: &Path) -> Result<Vec<Value>>;
}
