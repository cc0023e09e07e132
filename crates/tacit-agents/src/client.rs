//! A client: what is known of it, reading its payloads and writing replies.

use std::path::{Path, PathBuf};

use tacit_core::{AgentEvent, ClientName, EventName};

use crate::clients::CLIENTS;
use crate::event::event;
use crate::reply::{Reply, ReplySupport};
use crate::wire::{Payload, PayloadError, with_whole_characters};

/// An agent client.
#[derive(Debug)]
pub struct Client {
    /// Its name, as it is written in a command line.
    pub name: ClientName,
    /// Its name, as people write it.
    pub title: &'static str,
    /// The hooks that are set up.
    pub hooks: &'static [Hook],
    /// Further names for moments that are understood.
    pub(crate) other_events: &'static [(&'static str, EventName)],
    /// The file with instructions that it reads, relative to the project.
    pub instructions: &'static str,
    /// Advice for whoever sets it up.
    pub advice: Option<&'static str>,
    /// Folders that are there if it is in use, relative to the home directory and to the project.
    pub(crate) marks: PresenceMarkers,
    /// The files in which hooks are set up.
    pub(crate) settings: SettingsFiles,
    /// The parts of a reply it takes, and when.
    pub(crate) takes: ReplySupport,
    /// Writes what it takes of a reply to an event.
    pub(crate) write: fn(event: &str, moment: EventName, reply: &Reply) -> Vec<u8>,
}

/// Paths that tell that a client is in use.
#[derive(Debug)]
pub(crate) struct PresenceMarkers {
    pub(crate) home: &'static [&'static str],
    pub(crate) project: &'static [&'static str],
}

/// The files in which hooks are set up.
#[derive(Debug)]
pub(crate) struct SettingsFiles {
    /// Relative to the project, for this user only where the client knows such a file.
    pub(crate) project: &'static str,
    /// Relative to the project, for everybody who works on it.
    pub(crate) shared: &'static str,
    /// Relative to the home directory.
    pub(crate) user: &'static str,
}

impl SettingsFiles {
    /// Returns the files of a client that has one for a project, which may be committed.
    pub(crate) const fn new(project: &'static str, user: &'static str) -> SettingsFiles {
        SettingsFiles { project, shared: project, user }
    }
}

/// A hook that is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// The client's name for the event.
    pub event: &'static str,
    /// The moment at which it runs.
    pub(crate) moment: EventName,
    /// The tools it is for; all if none is named.
    pub(crate) matcher: Option<&'static str>,
}

impl Hook {
    pub(crate) const fn new(event: &'static str, moment: EventName) -> Hook {
        Hook { event, moment, matcher: None }
    }

    /// Returns the hook for these tools only.
    pub(crate) const fn of(self, tools: &'static str) -> Hook {
        Hook { matcher: Some(tools), ..self }
    }

    /// Returns how many seconds the client waits. An answer takes milliseconds: this is for machines
    /// that stand still, and short enough not to be taken for an agent that does. Without a time of
    /// its own the end of a session gets a second and a half from Claude Code.
    pub(crate) fn timeout(&self) -> u16 {
        match self.moment {
            EventName::ToolStarting
            | EventName::ToolFinished
            | EventName::ToolFailed
            | EventName::BatchFinished
            | EventName::SubagentStarted => 5,
            EventName::TurnStopped => 30,
            _ => 10,
        }
    }
}

/// The users for whom hooks are set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// For this user in this project. The command names a binary of this machine, so this is the
    /// place to prefer where a client has a file for it that is not committed.
    Project,
    /// For everybody who works on this project: a file that is committed.
    Shared,
    /// For this user in every project.
    User,
}

impl Client {
    /// Returns the client of that name.
    pub fn named(name: ClientName) -> &'static Client {
        match name {
            ClientName::Claude => &CLIENTS[0],
            ClientName::Codex => &CLIENTS[1],
            ClientName::Gemini => &CLIENTS[2],
            ClientName::Cursor => &CLIENTS[3],
            ClientName::Copilot => &CLIENTS[4],
            ClientName::OpenCode => &CLIENTS[5],
        }
    }

    /// Returns true if it seems to be in use, by this user or in this project.
    pub fn is_present(&self, home: &Path, project: &Path) -> bool {
        let any = |base: &Path, marks: &[&str]| marks.iter().any(|mark| base.join(mark).exists());
        any(home, self.marks.home) || any(project, self.marks.project)
    }

    /// Returns the file in which hooks are set up.
    pub fn settings_file(&self, place: InstallScope, home: &Path, project: &Path) -> PathBuf {
        match place {
            InstallScope::Project => project.join(self.settings.project),
            InstallScope::Shared => project.join(self.settings.shared),
            InstallScope::User => home.join(self.settings.user),
        }
    }

    /// Reads a payload. `hint` is the event the command line names, for clients whose payloads do
    /// not. Events that mean nothing to us are none.
    pub fn parse(
        &self,
        hint: Option<&str>,
        bytes: &[u8],
    ) -> Result<Option<AgentEvent>, PayloadError> {
        with_whole_characters(bytes, |json| {
            if !json.trim_start().starts_with('{') {
                return Err(PayloadError::NotAnObject);
            }
            let wire: Payload<'_> = serde_json::from_str(json)?;
            let name = wire.hook_event_name.0.as_deref().or(hint);
            let name = name.ok_or(PayloadError::Missing("hook_event_name"))?;
            let moment = self.moment(name);
            moment.map(|moment| event(self.name, moment, wire)).transpose()
        })
    }

    /// Writes an answer to an event for standard output; nothing if there is nothing to say or the
    /// client could not take it.
    pub fn render(&self, moment: EventName, reply: &Reply) -> Vec<u8> {
        let taken = self.takes.of(reply, moment);
        match self.events().find(|(_, known)| *known == moment) {
            Some((event, _)) if !taken.is_empty() => (self.write)(event, moment, &taken),
            _ => Vec::new(),
        }
    }

    /// Lists the client's names for moments; the first one for a moment is the one replies are
    /// given to.
    fn events(&self) -> impl Iterator<Item = (&'static str, EventName)> {
        let hooks = self.hooks.iter().map(|hook| (hook.event, hook.moment));
        hooks.chain(self.other_events.iter().copied())
    }

    fn moment(&self, name: &str) -> Option<EventName> {
        self.events().find(|(known, _)| *known == name).map(|(_, moment)| moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_client() {
        for name in ClientName::ALL {
            assert_eq!(Client::named(*name).name, *name);
        }
        assert_eq!(CLIENTS.len(), ClientName::ALL.len());
    }

    #[test]
    fn every_hook_is_understood() {
        for client in &CLIENTS {
            for hook in client.hooks {
                let moment = client.moment(hook.event);
                assert_eq!(moment, Some(hook.moment), "{} {}", client.title, hook.event);
            }
        }
    }

    #[test]
    fn presence() {
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

    #[test]
    fn files() {
        let file = |name, place| {
            let path = Client::named(name).settings_file(place, Path::new("/h"), Path::new("/p"));
            path.display().to_string()
        };
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
        ];
        for (name, place, expected) in cases {
            assert_eq!(file(name, place), expected);
        }
    }
}
