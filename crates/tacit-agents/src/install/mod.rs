//! Installs hooks, the MCP server, commands and skills in the files of clients, and a section in their
//! instructions.
//!
//! Changes are planned first, from the bytes of a file to a [`FileChange`] that can be shown, and
//! then made by [`apply`]. Settings belong to the user: they are edited in place, all other bytes
//! are kept, and removing our hooks restores the original file.

mod apply;
mod entries;
mod hooks;
mod inline;
mod instructions;
mod json;
mod pages;
mod plugin;
mod review;
mod section;
mod server;
mod server_toml;
mod session_tools;

use thiserror::Error;

pub use apply::{ApplyError, Owner, apply, check, read};
pub use inline::{InlineFile, find_inline};
pub use instructions::{plan_instructions, plan_instructions_removal};

pub use pages::{Page, is_own_page};
pub(crate) use pages::{PageFolders, PageForm};
pub use review::{HookReview, hook_review};
pub use session_tools::{MemoryTools, memory_tools};

use crate::client::{Client, ServerForm};
use tacit_core::ClientName;

/// The reason why a file cannot be changed.
#[derive(Debug, Error)]
pub enum InstallError {
    /// The file is not text.
    #[error("the file is not UTF-8")]
    NotText,
    /// The file is not JSON.
    #[error("the file is not valid JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// The file is not TOML.
    #[error("the file is not valid TOML: {0}")]
    Toml(String),
    /// A value has another type than the client expects.
    #[error("`{key}` is not {expected}")]
    Shape {
        /// The path of the value.
        key: String,
        /// The expected kind of value.
        expected: &'static str,
    },
    /// The file exists but was not written by Tacit.
    #[error("the file is not one that `tacit` wrote")]
    NotOurs,
    /// The markers of our section do not match.
    #[error("line {line}: `{marker}` has no matching marker")]
    Unbalanced {
        /// The line, counted from one.
        line: usize,
        /// The marker on it.
        marker: String,
    },
}

/// The content of a file before and after a change; `None` if it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The current content.
    pub before: Option<Vec<u8>>,
    /// The content after the change.
    pub after: Option<Vec<u8>>,
}

impl FileChange {
    /// Plans the change that `edit` makes to a file.
    fn plan(
        current: Option<&[u8]>,
        edit: impl FnOnce(Option<&str>) -> Result<Option<String>, InstallError>,
    ) -> Result<FileChange, InstallError> {
        let after = edit(current.map(utf8).transpose()?)?;
        Ok(FileChange { before: current.map(<[u8]>::to_vec), after: after.map(String::into_bytes) })
    }

    /// Adds a further change, planned from the content after this one.
    pub fn then(
        &mut self,
        plan: impl FnOnce(Option<&[u8]>) -> Result<FileChange, InstallError>,
    ) -> Result<(), InstallError> {
        self.after = plan(self.after.as_deref())?.after;
        Ok(())
    }

    /// Returns true if the content does not change.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Returns a unified diff with the name of the file; empty if nothing changes.
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

/// Plans to install the hooks of a client, which run `program`, a path or a name to look up. Our
/// hooks in any earlier form are replaced; if they are current, nothing changes.
pub fn plan_hooks(
    client: &Client,
    current: Option<&[u8]>,
    program: &str,
) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| {
        if !client.has_plugin() {
            return hooks::install(client, text, program).map(Some);
        }
        match text {
            Some(text) if !text.trim().is_empty() && !plugin::is_ours(text) => {
                Err(InstallError::NotOurs)
            }
            _ => Ok(Some(plugin::source(client, program))),
        }
    })
}

/// Plans to remove the hooks of a client. A file with nothing else is deleted.
pub fn plan_hooks_removal(
    client: &Client,
    current: Option<&[u8]>,
) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| match text {
        Some(text) if !client.has_plugin() => hooks::uninstall(client, text),
        text => Ok(text.filter(|text| !plugin::is_ours(text)).map(str::to_owned)),
    })
}

/// Returns the names of other memory tools that have hooks in a file of settings.
pub fn foreign_tools(client: &Client, current: &[u8]) -> Result<Vec<String>, InstallError> {
    if client.has_plugin() {
        return Ok(Vec::new());
    }
    hooks::foreign_tools(utf8(current)?)
}

/// Plans to remove the hooks of other memory tools from a file of settings.
pub fn plan_foreign_removal(
    client: &Client,
    current: Option<&[u8]>,
) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| match text {
        Some(text) if !client.has_plugin() => hooks::remove_foreign(text).map(Some),
        text => Ok(text.map(str::to_owned)),
    })
}

/// Counts our hooks in a file.
pub fn count_hooks(client: &Client, current: &[u8]) -> Result<usize, InstallError> {
    let text = utf8(current)?;
    if client.has_plugin() {
        return Ok(if plugin::is_ours(text) { client.hooks.len() } else { 0 });
    }
    hooks::count(text)
}

/// Returns the programs that our hooks in a file run, without duplicates.
pub fn hook_programs(client: &Client, current: &[u8]) -> Result<Vec<String>, InstallError> {
    let text = utf8(current)?;
    if client.has_plugin() {
        return Ok(plugin::program(text).into_iter().collect());
    }
    hooks::programs(text)
}

/// Plans to register our MCP server, which runs `program`, in a file of servers.
pub fn plan_server(
    client: &Client,
    current: Option<&[u8]>,
    program: &str,
) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| match client.servers.form {
        ServerForm::Codex => server_toml::install(text, program).map(Some),
        form => server::install(form, text, program).map(Some),
    })
}

/// Plans to remove our MCP server. A file with nothing else is deleted.
pub fn plan_server_removal(
    client: &Client,
    current: Option<&[u8]>,
) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| match (text, client.servers.form) {
        (None, _) => Ok(None),
        (Some(text), ServerForm::Codex) => Ok(server_toml::uninstall(text)),
        (Some(text), form) => server::uninstall(form, text),
    })
}

/// Returns true if our MCP server is in a file.
pub fn has_server(client: &Client, current: &[u8]) -> bool {
    match (utf8(current), client.servers.form) {
        (Err(_), _) => false,
        (Ok(text), ServerForm::Codex) => server_toml::is_installed(text),
        (Ok(text), form) => server::is_installed(form, text),
    }
}

/// Returns true if a server with our name may be approved unseen: it is as we write it. Clients that
/// need no approval run what their own file says.
pub fn may_approve(client: &Client, servers: &[u8], program: &str) -> bool {
    match (utf8(servers), client.servers.form) {
        (Ok(text), ServerForm::Claude) => server::is_as_written(ServerForm::Claude, text, program),
        _ => true,
    }
}

/// Plans to approve the server of a project in the user's own settings, if the client needs that.
pub fn plan_approval(client: &Client, current: Option<&[u8]>) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| match client.servers.form {
        ServerForm::Claude => server::approve(text).map(Some),
        _ => Ok(text.map(str::to_owned)),
    })
}

/// Plans to remove the approval. A file with nothing else is deleted.
pub fn plan_approval_removal(
    client: &Client,
    current: Option<&[u8]>,
) -> Result<FileChange, InstallError> {
    FileChange::plan(current, |text| match (text, client.servers.form) {
        (Some(text), ServerForm::Claude) => server::disapprove(text),
        _ => Ok(text.map(str::to_owned)),
    })
}

/// Returns the hooks file of the plugin for Claude Code.
pub fn plugin_hooks() -> String {
    hooks::hooks_file(Client::named(ClientName::Claude), "tacit")
}

fn utf8(bytes: &[u8]) -> Result<&str, InstallError> {
    str::from_utf8(bytes).map_err(|_| InstallError::NotText)
}
