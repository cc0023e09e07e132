//! Tool calls and their results.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_false;

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The client's identifier of the call, the same when the tool starts and when it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The client's name of the tool.
    pub name: String,
    /// The input of the call.
    pub kind: ToolKind,
}

impl ToolUse {
    /// Keeps only the identifier and the name of the tool.
    pub(super) fn drop_input(&mut self) {
        self.kind = ToolKind::Other { input: Value::Null };
    }
}

/// The input of a tool call. Paths are as the agent wrote them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Run a command in a shell.
    Shell {
        /// The command line.
        command: String,
        /// True if the agent does not wait for the command.
        #[serde(default, skip_serializing_if = "is_false")]
        background: bool,
    },
    /// Read a file.
    Read {
        /// The path of the file.
        file: String,
    },
    /// Replace text in a file.
    Edit {
        /// The path of the file.
        file: String,
        /// The text to replace.
        old: String,
        /// The replacement.
        new: String,
    },
    /// Write a whole file.
    Write {
        /// The path of the file.
        file: String,
        /// The new contents.
        content: String,
    },
    /// Apply a patch, which may change several files.
    Patch {
        /// The paths of the files.
        files: Vec<String>,
        /// The patch, in the client's format.
        patch: String,
    },
    /// Search for text or files.
    Search {
        /// The search pattern.
        pattern: String,
        /// The directory to search; the whole project if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// Call a tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool, without the server's prefix.
        tool: String,
        /// The input of the tool.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        input: Value,
    },
    /// Start a subagent.
    Agent {
        /// The type of subagent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// The task.
        prompt: String,
    },
    /// Use a skill.
    Skill {
        /// The name of the skill.
        name: String,
        /// The arguments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        args: Option<String>,
    },
    /// Any other tool, or input that does not match the tool.
    Other {
        /// The input of the tool.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        input: Value,
    },
}

impl ToolKind {
    /// Returns the command line of a shell call.
    pub fn command(&self) -> Option<&str> {
        match self {
            ToolKind::Shell { command, .. } => Some(command),
            _ => None,
        }
    }

    /// Returns the files that the call names.
    pub fn files(&self) -> &[String] {
        match self {
            ToolKind::Read { file }
            | ToolKind::Edit { file, .. }
            | ToolKind::Write { file, .. } => std::slice::from_ref(file),
            ToolKind::Patch { files, .. } => files,
            _ => &[],
        }
    }

    /// Returns true if the call changes the files it names.
    pub fn changes_files(&self) -> bool {
        matches!(self, ToolKind::Edit { .. } | ToolKind::Write { .. } | ToolKind::Patch { .. })
    }
}

/// The result of a tool that succeeded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The output as text: what a command printed, the contents of a file, the answer of a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The exit code of a command, if the client reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// True if the call was interrupted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub interrupted: bool,
}

impl ToolOutcome {
    /// Returns true if the result is unknown.
    pub fn is_empty(&self) -> bool {
        *self == ToolOutcome::default()
    }
}

/// The failure of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// The message that the model saw.
    pub error: String,
    /// The exit code of a command, if the client reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// True if the call was interrupted, so the call itself was not wrong.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_interrupt: bool,
    /// The cause of the failure.
    pub cause: FailureCause,
}

impl ToolFailure {
    /// Returns true for a failure that clients report only with the batch: the tool did not run.
    pub fn is_only_in_batch(&self) -> bool {
        !self.is_interrupt && !matches!(self.cause, FailureCause::Ran | FailureCause::Interrupted)
    }
}

/// The cause of a tool's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// The tool ran and failed.
    Ran,
    /// The tool rejected the input, such as an edit whose old text is not in the file.
    Rejected,
    /// The tool does not exist.
    UnknownTool,
    /// The input does not match the tool's schema.
    BadInput,
    /// The user, a permission rule or a hook denied the call.
    Denied,
    /// The call was interrupted.
    Interrupted,
}

/// One of several tool calls that the model made together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchCall {
    /// The tool call.
    pub tool: ToolUse,
    /// The result that the model saw, unless the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The failure, if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ToolFailure>,
}

impl BatchCall {
    /// Drops what the client also reports with the call itself.
    pub(super) fn drop_repeated(&mut self) {
        if !self.failure.as_ref().is_some_and(ToolFailure::is_only_in_batch) {
            self.tool.drop_input();
            self.result = None;
            self.failure = None;
        }
    }
}
