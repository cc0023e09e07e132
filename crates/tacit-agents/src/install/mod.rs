//! Setting up clients: hooks in their settings, a section in their instructions.
//!
//! Everything is planned first, from the bytes of a file to a [`FileChange`] that can be shown, and done
//! afterwards by [`apply`]. Settings belong to the user: they are changed in places, every other byte
//! stays, and taking our hooks out again gives back the file as it was.

mod apply;
mod entries;
mod hooks;
mod inline;
mod instructions;
mod json;
mod opencode;
mod server;

use thiserror::Error;

pub use apply::{ApplyError, Owner, apply, check, read};
pub use inline::{InlineFile, find_inline};
pub use instructions::{plan_instructions, plan_instructions_removal};

use crate::client::Client;
use tacit_core::ClientName;

/// The reason why a file cannot be changed and is left as it is.
#[derive(Debug, Error)]
pub enum InstallError {
    /// The file is not text.
    #[error("the file is not UTF-8")]
    NotText,
    /// The file is not JSON.
    #[error("the file is not valid JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// Something in it is not what the client expects there.
    #[error("`{key}` is not {expected}")]
    Shape {
        /// The key that leads there.
        key: String,
        /// The expected kind of value.
        expected: &'static str,
    },
    /// There is a file of that name that is not ours.
    #[error("the file is not one that `tacit` wrote")]
    NotOurs,
    /// The lines that begin and end our section do not belong together.
    #[error("line {line}: `{marker}` has no counterpart")]
    Unbalanced {
        /// The line, counted from one.
        line: usize,
        /// The marker on it.
        marker: String,
    },
}

/// A file before and after; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The content now.
    pub before: Option<Vec<u8>>,
    /// The content after the change.
    pub after: Option<Vec<u8>>,
}

impl FileChange {
    /// Returns the change that `edit` makes to a file; both of its sides are `None` for no file.
    fn of(
        current: Option<&[u8]>,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, InstallError>,
    ) -> Result<FileChange, InstallError> {
        let after = edit(current.map(utf8).transpose()?)?;
        Ok(FileChange { before: current.map(<[u8]>::to_vec), after: after.map(String::into_bytes) })
    }

    /// Returns true if there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Returns the difference, for people, with the name of the file on top; empty if there is
    /// none.
    pub fn diff(&self, name: &str) -> String {
        let text = |side: &Option<Vec<u8>>| {
            String::from_utf8_lossy(side.as_deref().unwrap_or_default()).into_owned()
        };
        let file = |side: &Option<Vec<u8>>| match side {
            Some(_) => name.to_owned(),
            None => "/dev/null".to_owned(),
        };
        if self.is_empty() {
            return String::new();
        }
        similar::TextDiff::from_lines(&text(&self.before), &text(&self.after))
            .unified_diff()
            .header(&file(&self.before), &file(&self.after))
            .to_string()
    }
}

/// Plans hooks of a client that run `program`, a path or a name to be looked up. Hooks of ours in
/// any earlier form are replaced; if they are as they should be, nothing changes.
pub fn plan_hooks(
    client: &Client,
    current: Option<&[u8]>,
    program: &str,
) -> Result<FileChange, InstallError> {
    FileChange::of(current, |text| {
        if client.name != ClientName::OpenCode {
            return hooks::install(client, text, program).map(Some);
        }
        match text {
            Some(text) if !text.trim().is_empty() && !opencode::is_plugin(text) => {
                Err(InstallError::NotOurs)
            }
            _ => Ok(Some(opencode::plugin(program))),
        }
    })
}

/// Plans to take the hooks of a client out again. A file in which nothing else was goes with them.
pub fn plan_hooks_removal(
    client: &Client,
    current: Option<&[u8]>,
) -> Result<FileChange, InstallError> {
    FileChange::of(current, |text| match text {
        Some(text) if client.name != ClientName::OpenCode => hooks::uninstall(client, text),
        text => Ok(text.filter(|text| !opencode::is_plugin(text)).map(str::to_owned)),
    })
}

/// Counts our hooks in a file.
pub fn count_hooks(client: &Client, current: &[u8]) -> Result<usize, InstallError> {
    let text = utf8(current)?;
    if client.name == ClientName::OpenCode {
        return Ok(if opencode::is_plugin(text) { client.hooks.len() } else { 0 });
    }
    hooks::count(text)
}

/// Returns the programs that our hooks in a file run, each once, as they are written there.
pub fn hook_programs(client: &Client, current: &[u8]) -> Result<Vec<String>, InstallError> {
    let text = utf8(current)?;
    if client.name == ClientName::OpenCode {
        return Ok(opencode::program(text).into_iter().collect());
    }
    hooks::programs(text)
}

/// The file in which Claude Code looks for the MCP servers of a project.
pub const SERVERS_FILE: &str = ".mcp.json";

/// Plans our MCP server in a file that names servers.
pub fn plan_server(current: Option<&[u8]>) -> Result<FileChange, InstallError> {
    FileChange::of(current, |text| server::install(text).map(Some))
}

/// Plans to take our MCP server out again. A file in which nothing else was goes with it.
pub fn plan_server_removal(current: Option<&[u8]>) -> Result<FileChange, InstallError> {
    FileChange::of(current, |text| text.map_or(Ok(None), server::uninstall))
}

/// Returns the file with the hooks of a plugin for Claude Code.
pub fn plugin_hooks() -> String {
    hooks::hooks_file(Client::named(ClientName::Claude), "tacit")
}

fn utf8(bytes: &[u8]) -> Result<&str, InstallError> {
    str::from_utf8(bytes).map_err(|_| InstallError::NotText)
}
