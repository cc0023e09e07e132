//! Finds out how an agent can store a memory in a session.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::pages::{CAPTURE, REMEMBER};
use super::{apply, has_server};
use crate::client::{Client, ClientFolders, InstallScope};

/// The means of storing a memory that are installed for a client in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryTools {
    /// The command that stores a memory, as the user types it.
    pub command: Option<&'static str>,
    /// True if the client starts our MCP server.
    pub server: bool,
    /// True if the client has the skill that captures learnings.
    pub capture_skill: bool,
}

impl MemoryTools {
    /// Returns the means that the plugin for Claude Code brings.
    pub fn of_plugin() -> MemoryTools {
        MemoryTools { command: Some("/tacit:remember"), server: true, capture_skill: true }
    }
}

/// Looks for commands, skills and the MCP server in the files of a client. Files are the truth: they
/// may be edited, pulled or removed at any time.
pub fn memory_tools(client: &Client, folders: ClientFolders<'_>) -> MemoryTools {
    let scopes = [InstallScope::Project, InstallScope::User];
    let has_page = |name: &str| {
        let mut files =
            scopes.into_iter().filter_map(|scope| client.page_file(name, scope, folders));
        files.any(|path| path.is_file())
    };
    let has_server = |path: &Path| {
        let bytes = apply::read(path).ok().flatten();
        bytes.is_some_and(|bytes| names_us(&bytes) && has_server(client, &bytes))
    };
    MemoryTools {
        command: has_page(REMEMBER).then_some("/remember"),
        server: scopes
            .into_iter()
            .filter_map(|scope| client.server_file(scope, folders))
            .any(|path| has_server(&path)),
        capture_skill: has_page(CAPTURE),
    }
}

/// The beginning of our plugin's name in the settings of Claude Code, before its marketplace.
const PLUGIN: &str = "tacit@";

/// Returns the settings file of a client that enables our plugin, if one does. The client then also
/// runs the hooks in its settings.
pub fn plugin_settings(client: &Client, folders: ClientFolders<'_>) -> Option<PathBuf> {
    let scopes = [InstallScope::Project, InstallScope::Shared, InstallScope::User];
    let mut files = scopes.into_iter().map(|scope| client.settings_file(scope, folders));
    files.find(|file| {
        let bytes = apply::read(file).ok().flatten();
        bytes.is_some_and(|bytes| names_us(&bytes) && enables_plugin(&bytes))
    })
}

fn enables_plugin(settings: &[u8]) -> bool {
    let Ok(settings) = serde_json::from_slice::<Value>(settings) else { return false };
    let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
    plugins.is_some_and(|plugins| {
        plugins.iter().any(|(name, on)| name.starts_with(PLUGIN) && *on == Value::Bool(true))
    })
}

/// Returns true if a file can contain our server. The check spares parsing large files of the user.
fn names_us(bytes: &[u8]) -> bool {
    bytes.windows(5).any(|window| window == b"tacit")
}
