//! A tool call, and what came of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_false;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The client's name for this call; the same when the tool starts and when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool, as the client calls it.
    pub name: String,
    /// What it was asked to do.
    pub kind: ToolKind,
}

/// What a tool is asked to do. Files are named as the agent named them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Run a command in a shell.
    Shell {
        /// The command line.
        command: String,
        /// Whether the agent goes on without waiting for it.
        #[serde(default, skip_serializing_if = "is_false")]
        background: bool,
    },
    /// Read a file.
    Read {
        /// Which.
        file: String,
    },
    /// Replace a part of a file.
    Edit {
        /// Which.
        file: String,
        /// What is replaced.
        old: String,
        /// What takes its place.
        new: String,
    },
    /// Write a whole file.
    Write {
        /// Which.
        file: String,
        /// What it is to hold.
        content: String,
    },
    /// Apply a patch, which may change several files.
    Patch {
        /// Which.
        files: Vec<String>,
        /// The patch, in the client's form.
        patch: String,
    },
    /// Look for text or files.
    Search {
        /// What is looked for.
        pattern: String,
        /// Where; everywhere if not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// Call a tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool, without the server's name.
        tool: String,
        /// What it is given.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        input: Value,
    },
    /// Start a subagent.
    Agent {
        /// What sort of helper.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// What it is to do.
        prompt: String,
    },
    /// Use a skill.
    Skill {
        /// Which.
        name: String,
        /// What it is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        args: Option<String>,
    },
    /// Anything else, or input that does not fit the tool.
    Other {
        /// What it is given.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        input: Value,
    },
}

impl ToolKind {
    /// The command line, if it is a command.
    pub fn command(&self) -> Option<&str> {
        match self {
            ToolKind::Shell { command, .. } => Some(command),
            _ => None,
        }
    }

    /// The files it reads or changes, as far as it names them.
    pub fn files(&self) -> &[String] {
        match self {
            ToolKind::Read { file }
            | ToolKind::Edit { file, .. }
            | ToolKind::Write { file, .. } => std::slice::from_ref(file),
            ToolKind::Patch { files, .. } => files,
            _ => &[],
        }
    }

    /// Whether it changes the files it names.
    pub fn changes_files(&self) -> bool {
        matches!(self, ToolKind::Edit { .. } | ToolKind::Write { .. } | ToolKind::Patch { .. })
    }
}

/// What came of a tool that did what it was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The result as text: what a command printed, what a file holds, what a server answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The exit code of a command, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Whether somebody cut it short.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interrupted: bool,
}

impl ToolOutcome {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == ToolOutcome::default()
    }
}

/// What went wrong with a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// What the model was told.
    pub error: String,
    /// The exit code of a command, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Whether somebody cut it short, so that nothing was wrong with the call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_interrupt: bool,
    /// What sort of failure it is.
    pub cause: FailureCause,
}

/// What sort of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// The tool ran and failed.
    Ran,
    /// The tool refused what it was given, such as an edit of a text that is not in the file.
    Rejected,
    /// There is no such tool.
    UnknownTool,
    /// The input does not fit the tool.
    BadInput,
    /// The user, a rule or a hook did not let it run.
    Denied,
    /// Somebody cut it short.
    Interrupted,
}

/// One call of several that were made together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchCall {
    /// The call.
    pub tool: ToolUse,
    /// The result as the model sees it, unless it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What went wrong, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ToolFailure>,
}
