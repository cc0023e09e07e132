//! Agent clients: their properties, parsing of payloads and rendering of replies.

use std::path::{Path, PathBuf};

use tacit_core::{AgentEvent, ClientName, EventName};

use crate::clients::CLIENTS;
use crate::event::event;
use crate::install::{Page, PageFolders};
use crate::loaded_files::LoadedFiles;
use crate::payload::{Payload, PayloadError, parse_repaired};
use crate::reply::{Reply, ReplyPart, ReplySupport};
use crate::transcript::ExitCodeSearch;

/// The properties of an agent client.
#[derive(Debug)]
pub struct Client {
    /// The name on the command line.
    pub name: ClientName,
    /// The display name.
    pub title: &'static str,
    /// The hooks to install.
    pub hooks: &'static [Hook],
    /// Other client events that are understood.
    pub(crate) other_events: &'static [(&'static str, EventName)],
    /// The instructions file that the client reads, relative to the project.
    pub instructions: &'static str,
    /// The files with instructions that the client loads by itself.
    pub(crate) loads: LoadedFiles,
    /// A remark to show at installation.
    pub advice: Option<&'static str>,
    /// Paths that exist if the client is in use.
    pub(crate) markers: PresenceMarkers,
    /// The files where hooks are installed.
    pub(crate) settings: SettingsFiles,
    /// The form of the hooks in these files.
    pub(crate) hook_form: HookForm,
    /// The files where the MCP server is registered.
    pub(crate) servers: ServerFiles,
    /// The folders of commands and skills, if the client has any that a project can bring.
    pub(crate) pages: Option<PageFolders>,
    /// Finds the exit code of a command in the transcript, if the payload does not have it.
    pub(crate) exit_code_search: Option<ExitCodeSearch>,
    /// The parts of a reply that the client supports, by event.
    pub(crate) supports: ReplySupport,
    /// Serialises the supported parts of a reply.
    pub(crate) write: fn(event: &str, event_name: EventName, reply: &Reply) -> Vec<u8>,
}

/// Paths that exist if a client is in use, relative to the home directory and to the project.
#[derive(Debug)]
pub(crate) struct PresenceMarkers {
    pub(crate) home: &'static [&'static str],
    pub(crate) project: &'static [&'static str],
}

/// The files where hooks are installed, by scope.
#[derive(Debug)]
pub(crate) struct SettingsFiles {
    /// The file for this user in the project, or the shared one if the client has no such file;
    /// relative to the project.
    pub(crate) project: &'static str,
    /// The file for everybody who works on the project, relative to the project.
    pub(crate) shared: &'static str,
    /// The file for the user, relative to the home directory.
    pub(crate) user: &'static str,
}

impl SettingsFiles {
    /// Creates the files of a client with one file per project, which may be committed.
    pub(crate) const fn new(project: &'static str, user: &'static str) -> SettingsFiles {
        SettingsFiles { project, shared: project, user }
    }
}

/// The form in which a client registers hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookForm {
    /// Groups by tool; a program with its arguments.
    Claude,
    /// Groups by tool; a command line.
    Codex,
    /// Groups by tool; a named command line with a limit in milliseconds.
    Gemini,
    /// A versioned list; a command line per shell, which also names the event.
    Copilot,
    /// A versioned list; a command line.
    Cursor,
    /// A JavaScript file, our plugin, that calls `tacit hook` with payloads in our own format.
    Plugin,
}

/// The files where the MCP server is registered, by scope.
#[derive(Debug)]
pub(crate) struct ServerFiles {
    /// The file in the project, if the client reads one.
    pub(crate) project: Option<&'static str>,
    /// The file for the user, relative to the home directory.
    pub(crate) user: &'static str,
    pub(crate) form: ServerForm,
}

/// The form in which a client registers MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerForm {
    /// JSON with `mcpServers`; our server is always loaded.
    Claude,
    /// JSON with `mcpServers`.
    Plain,
    /// JSON with `mcpServers`, their type and the tools that may be used.
    Copilot,
    /// JSON with `mcp`.
    OpenCode,
    /// TOML with `mcp_servers`.
    Codex,
}

/// The folders that the files of clients are in.
#[derive(Debug, Clone, Copy)]
pub struct ClientFolders<'a> {
    /// The user's home directory.
    pub home: &'a Path,
    /// The folder of Claude Code's files, if it is not the usual one.
    pub claude_home: Option<&'a Path>,
    /// The root of the worktree.
    pub project: &'a Path,
}

/// A hook to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// The client's name for the event.
    pub event: &'static str,
    /// The event that triggers the hook.
    pub(crate) event_name: EventName,
    /// A pattern of tool names; `None` for all tools.
    pub(crate) matcher: Option<&'static str>,
    /// The most seconds that the client allows, if it allows less than we would ask for.
    limit: Option<u16>,
}

impl Hook {
    pub(crate) const fn new(event: &'static str, event_name: EventName) -> Hook {
        Hook { event, event_name, matcher: None, limit: None }
    }

    /// Restricts the hook to these tools.
    pub(crate) const fn for_tools(self, tools: &'static str) -> Hook {
        Hook { matcher: Some(tools), ..self }
    }

    /// Limits the time to the seconds that the client allows.
    pub(crate) const fn within(self, seconds: u16) -> Hook {
        Hook { limit: Some(seconds), ..self }
    }

    /// Returns how many seconds the client waits for the hook. An answer takes milliseconds: the
    /// limit is for stalled machines, and short enough that the agent does not seem to hang.
    /// Without a limit, Claude Code would give the end of a session only a second and a half.
    pub(crate) fn timeout(&self) -> u16 {
        let seconds = match self.event_name {
            EventName::ToolStarting
            | EventName::ToolFinished
            | EventName::ToolFailed
            | EventName::BatchFinished
            | EventName::SubagentStarted => 5,
            EventName::TurnStopped => 30,
            _ => 10,
        };
        self.limit.map_or(seconds, |limit| limit.min(seconds))
    }
}

/// The scope of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// The user in this project. The command names a binary on this machine, so this scope is
    /// preferred if the client has a file that is not committed.
    Project,
    /// A committed file, for all who work on this project.
    Shared,
    /// The user in every project.
    User,
}

impl Client {
    /// Returns the client with a name.
    pub fn named(name: ClientName) -> &'static Client {
        match name {
            ClientName::Claude => &CLIENTS[0],
            ClientName::Codex => &CLIENTS[1],
            ClientName::Gemini => &CLIENTS[2],
            ClientName::Cursor => &CLIENTS[3],
            ClientName::Copilot => &CLIENTS[4],
            ClientName::OpenCode => &CLIENTS[5],
            ClientName::Kilo => &CLIENTS[6],
            ClientName::Qwen => &CLIENTS[7],
        }
    }

    /// Returns true if this user or this project seems to use the client.
    pub fn is_present(&self, home: &Path, project: &Path) -> bool {
        let any =
            |base: &Path, markers: &[&str]| markers.iter().any(|marker| base.join(marker).exists());
        any(home, self.markers.home) || any(project, self.markers.project)
    }

    /// Returns true if the client runs our plugin instead of hooks in its settings.
    pub(crate) fn has_plugin(&self) -> bool {
        self.hook_form == HookForm::Plugin
    }

    /// Returns true if the client can show the user a line that the model does not get.
    pub fn shows_notices(&self) -> bool {
        self.supports.notice
    }

    /// Returns true if the client loads a file with instructions by itself. Paths are relative to the
    /// root of the worktree, or begin with `~`; `directory` is the working directory, empty for the
    /// root. `exists` says whether the project has a file.
    pub fn loads(&self, path: &str, directory: &str, exists: impl Fn(&str) -> bool) -> bool {
        self.loads.contain(path, directory, exists)
    }

    /// Returns the file where hooks are installed.
    pub fn settings_file(&self, scope: InstallScope, folders: ClientFolders<'_>) -> PathBuf {
        match scope {
            InstallScope::Project => folders.project.join(self.settings.project),
            InstallScope::Shared => folders.project.join(self.settings.shared),
            InstallScope::User => self.user_path(folders, self.settings.user),
        }
    }

    /// Returns the file in which the client keeps the hooks that its user has reviewed; `None` if it
    /// runs hooks without a review.
    pub fn review_file(&self, folders: ClientFolders<'_>) -> Option<PathBuf> {
        let reviews = self.hook_form == HookForm::Codex;
        reviews.then(|| self.user_path(folders, self.servers.user))
    }

    /// Returns the file where the MCP server is registered; `None` if the client reads none in a
    /// project.
    pub fn server_file(&self, scope: InstallScope, folders: ClientFolders<'_>) -> Option<PathBuf> {
        match scope {
            InstallScope::User => Some(self.user_path(folders, self.servers.user)),
            _ => self.servers.project.map(|file| folders.project.join(file)),
        }
    }

    /// Returns the folder of commands and skills; `None` if the client has none.
    pub fn page_folder(&self, scope: InstallScope, folders: ClientFolders<'_>) -> Option<PathBuf> {
        let pages = self.pages.as_ref()?;
        Some(match scope {
            InstallScope::User => self.user_path(folders, pages.user),
            _ => folders.project.join(pages.project),
        })
    }

    /// Returns the file of a command or skill; `None` if the client does not get it.
    pub(crate) fn page_file(
        &self,
        name: &str,
        scope: InstallScope,
        folders: ClientFolders<'_>,
    ) -> Option<PathBuf> {
        let pages = self.pages.as_ref().filter(|pages| pages.pages.contains(&name))?;
        Some(self.page_folder(scope, folders)?.join(pages.form.path(name)))
    }

    /// Returns the commands and skills to install, with their files.
    pub fn pages(&self, scope: InstallScope, folders: ClientFolders<'_>) -> Vec<(PathBuf, Page)> {
        let Some(folder) = self.page_folder(scope, folders) else { return Vec::new() };
        let pages = self.pages.iter().flat_map(PageFolders::pages);
        pages.map(|page| (folder.join(&page.path), page)).collect()
    }

    fn user_path(&self, folders: ClientFolders<'_>, file: &str) -> PathBuf {
        match folders.claude_home.filter(|_| self.name == ClientName::Claude) {
            Some(folder) => folder.join(file.strip_prefix(".claude/").unwrap_or(file)),
            None => folders.home.join(file),
        }
    }

    /// Parses a payload. `hint` is the event from the command line, for clients whose payloads do
    /// not name it. Returns `None` for events that Tacit ignores.
    pub fn parse(
        &self,
        hint: Option<&str>,
        bytes: &[u8],
    ) -> Result<Option<AgentEvent>, PayloadError> {
        parse_repaired(bytes, |json| {
            if !json.trim_start().starts_with('{') {
                return Err(PayloadError::NotAnObject);
            }
            let payload: Payload<'_> = serde_json::from_str(json)?;
            let name = payload.hook_event_name.0.as_deref().or(hint);
            let name = name.ok_or(PayloadError::Missing("hook_event_name"))?;
            let event_name = self.event_name(name);
            match event_name {
                Some(event_name) => event(self.name, event_name, payload),
                None => Ok(None),
            }
        })
    }

    /// Renders a reply for standard output; empty if there is nothing that the client supports.
    pub fn render(&self, event_name: EventName, reply: &Reply) -> Vec<u8> {
        let supported = self.supports.filter(reply, event_name);
        match self.events().find(|(_, known)| *known == event_name) {
            Some((event, _)) if !supported.is_empty() => {
                (self.write)(event, event_name, &supported)
            }
            _ => Vec::new(),
        }
    }

    /// Returns true if the client passes on this part of a reply to an event. What it does not pass on
    /// must not count as shown.
    pub fn takes(&self, part: ReplyPart, event_name: EventName) -> bool {
        self.supports.events(part).contains(&event_name)
    }

    /// Lists the client's names for events. Replies use the first name of an event.
    fn events(&self) -> impl Iterator<Item = (&'static str, EventName)> {
        let hooks = self.hooks.iter().map(|hook| (hook.event, hook.event_name));
        hooks.chain(self.other_events.iter().copied())
    }

    /// Returns true if a hook of ours is called for an event, and for this tool.
    pub(crate) fn has_hook_for(&self, event: &str, tool: Option<&str>) -> bool {
        let takes = |pattern: &str| {
            pattern.split('|').any(|one| match one.strip_suffix(".*") {
                Some(start) => tool.is_some_and(|tool| tool.starts_with(start)),
                None => tool == Some(one),
            })
        };
        let mut hooks = self.hooks.iter().filter(|hook| hook.event == event);
        hooks.any(|hook| hook.matcher.is_none_or(takes))
    }

    fn event_name(&self, name: &str) -> Option<EventName> {
        self.events().find(|(known, _)| *known == name).map(|(_, event_name)| event_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_name_has_a_client() {
        for name in ClientName::ALL {
            assert_eq!(Client::named(*name).name, *name);
        }
        assert_eq!(CLIENTS.len(), ClientName::ALL.len());
    }

    #[test]
    fn every_hook_event_is_parsed() {
        for client in &CLIENTS {
            for hook in client.hooks {
                let event_name = client.event_name(hook.event);
                assert_eq!(event_name, Some(hook.event_name), "{} {}", client.title, hook.event);
            }
        }
    }

    #[test]
    fn clients_are_detected_by_their_folders() {
        let home = tempfile::tempdir().expect("a directory");
        let project = tempfile::tempdir().expect("a directory");
        for client in &CLIENTS {
            assert!(!client.is_present(home.path(), project.path()), "{}", client.title);
        }
        std::fs::create_dir(home.path().join(".codex")).expect("a directory");
        std::fs::create_dir(project.path().join(".cursor")).expect("a directory");
        let present: Vec<_> = CLIENTS
            .iter()
            .filter(|client| client.is_present(home.path(), project.path()))
            .map(|client| client.name)
            .collect();
        assert_eq!(present, [ClientName::Codex, ClientName::Cursor]);
    }

    fn folders() -> ClientFolders<'static> {
        ClientFolders { home: Path::new("/h"), claude_home: None, project: Path::new("/p") }
    }

    #[test]
    fn servers_and_pages_depend_on_the_scope() {
        let all = |name, scope, folders| {
            let client = Client::named(name);
            let mut paths: Vec<_> = client.server_file(scope, folders).into_iter().collect();
            paths.extend(client.pages(scope, folders).into_iter().map(|(path, _)| path));
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let claude = all(ClientName::Claude, InstallScope::Project, folders());
        assert_eq!(claude[..2], ["/p/.mcp.json", "/p/.claude/skills/remember/SKILL.md"]);
        let moved = ClientFolders { claude_home: Some(Path::new("/c")), ..folders() };
        let claude = all(ClientName::Claude, InstallScope::User, moved);
        assert_eq!(claude[..2], ["/c/.claude.json", "/c/skills/remember/SKILL.md"]);
        let gemini = all(ClientName::Gemini, InstallScope::Shared, folders());
        assert_eq!(gemini[..2], ["/p/.gemini/settings.json", "/p/.gemini/commands/remember.toml"]);
        assert!(!gemini.iter().any(|path| path.contains("memory")), "{gemini:?}");
        let copilot = all(ClientName::Copilot, InstallScope::Project, folders());
        assert_eq!(copilot, ["/p/.github/mcp.json"]);
        let codex = all(ClientName::Codex, InstallScope::User, moved);
        assert_eq!(codex, ["/h/.codex/config.toml"]);
    }

    #[test]
    fn settings_files_depend_on_the_scope() {
        let file =
            |name, scope| Client::named(name).settings_file(scope, folders()).display().to_string();
        let cases = [
            (ClientName::Claude, InstallScope::Project, "/p/.claude/settings.local.json"),
            (ClientName::Claude, InstallScope::Shared, "/p/.claude/settings.json"),
            (ClientName::Claude, InstallScope::User, "/h/.claude/settings.json"),
            (ClientName::Codex, InstallScope::Project, "/p/.codex/hooks.json"),
            (ClientName::Codex, InstallScope::User, "/h/.codex/hooks.json"),
            (ClientName::Gemini, InstallScope::Project, "/p/.gemini/settings.json"),
            (ClientName::Cursor, InstallScope::User, "/h/.cursor/hooks.json"),
            (ClientName::Copilot, InstallScope::Project, "/p/.github/hooks/tacit.json"),
            (ClientName::Copilot, InstallScope::User, "/h/.copilot/hooks/tacit.json"),
            (ClientName::OpenCode, InstallScope::Project, "/p/.opencode/plugins/tacit.js"),
            (ClientName::OpenCode, InstallScope::User, "/h/.config/opencode/plugins/tacit.js"),
            (ClientName::Kilo, InstallScope::Project, "/p/.kilo/plugins/tacit.js"),
            (ClientName::Kilo, InstallScope::User, "/h/.config/kilo/plugins/tacit.js"),
            (ClientName::Qwen, InstallScope::Shared, "/p/.qwen/settings.json"),
            (ClientName::Qwen, InstallScope::User, "/h/.qwen/settings.json"),
        ];
        for (name, scope, expected) in cases {
            assert_eq!(file(name, scope), expected);
        }
    }
}
