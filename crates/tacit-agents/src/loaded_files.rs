//! The instruction files of a project that a client loads by itself. Their text is in the context of
//! its model already, so hooks do not show it again.

/// The instruction files that a client loads by itself.
#[derive(Debug)]
pub(crate) struct LoadedFiles {
    /// Paths of files, at the root and in any folder.
    pub(crate) names: &'static [&'static str],
    /// Folders of which all files are loaded, at the root and in any folder.
    pub(crate) folders: &'static [&'static str],
    /// Files that are loaded only if a project lacks others.
    pub(crate) fallback: Option<FallbackFiles>,
    /// True if files below the working directory are not loaded, even if the agent works there.
    pub(crate) only_above: bool,
}

/// Files that a client loads only if a project has none of some others.
#[derive(Debug)]
pub(crate) struct FallbackFiles {
    /// The files that are loaded.
    pub(crate) names: &'static [&'static str],
    /// The files at the root that are loaded instead.
    pub(crate) unless: &'static [&'static str],
}

impl LoadedFiles {
    /// Creates the files that a client loads in any folder.
    pub(crate) const fn new(
        names: &'static [&'static str],
        folders: &'static [&'static str],
    ) -> LoadedFiles {
        LoadedFiles { names, folders, fallback: None, only_above: false }
    }

    /// Adds files that are loaded only if the project has none of the others.
    pub(crate) const fn or(
        self,
        names: &'static [&'static str],
        unless: &'static [&'static str],
    ) -> LoadedFiles {
        LoadedFiles {
            names: self.names,
            folders: self.folders,
            fallback: Some(FallbackFiles { names, unless }),
            only_above: self.only_above,
        }
    }

    /// Restricts the files to the working directory and the folders above it.
    pub(crate) const fn only_above(self) -> LoadedFiles {
        LoadedFiles {
            names: self.names,
            folders: self.folders,
            fallback: self.fallback,
            only_above: true,
        }
    }

    /// Returns true if a file is loaded in a session. Paths are relative to the root of the worktree;
    /// those of the user's own files begin with `~`. `directory` is the working directory, empty for
    /// the root; `exists` says whether the project has a file.
    pub(crate) fn contain(
        &self,
        path: &str,
        directory: &str,
        exists: impl Fn(&str) -> bool,
    ) -> bool {
        let found = self.names.iter().find_map(|name| folder_of(path, name));
        let found = found.or_else(|| self.folders.iter().find_map(|name| inside(path, name)));
        let found = found.or_else(|| {
            let fallback = self.fallback.as_ref()?;
            let folder = fallback.names.iter().find_map(|name| folder_of(path, name))?;
            (!fallback.unless.iter().any(|other| exists(other))).then_some(folder)
        });
        let Some(folder) = found else { return false };
        let is_above = folder.is_empty()
            || folder.starts_with('~')
            || directory.strip_prefix(folder).is_some_and(is_end_or_slash);
        is_above || !self.only_above
    }
}

fn is_end_or_slash(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

/// Returns the folder in which a path has this name; `None` if it has another.
fn folder_of<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let folder = path.strip_suffix(name)?;
    if folder.is_empty() { Some(folder) } else { folder.strip_suffix('/') }
}

/// Returns the folder that has this folder, if a path is below it.
fn inside<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.match_indices(name).find_map(|(at, _)| {
        let folder = &path[..at];
        let starts = folder.is_empty() || folder.ends_with('/');
        let is_below = path[at + name.len()..].starts_with('/');
        (starts && is_below).then(|| folder.trim_end_matches('/'))
    })
}

#[cfg(test)]
mod tests {
    use tacit_core::ClientName::{
        self, Claude, Codex, Copilot, Cursor, Gemini, Kilo, OpenCode, Qwen,
    };

    use crate::Client;

    /// The rules of each client, by its documentation; the last column is the answer.
    const ROWS: &[(ClientName, &[&str], &str, &str, bool)] = &[
        (Claude, &["CLAUDE.md"], "", "CLAUDE.md", true),
        (Claude, &["CLAUDE.md"], "", "web/CLAUDE.md", true),
        (Claude, &["CLAUDE.md"], "", ".claude/CLAUDE.md", true),
        (Claude, &["CLAUDE.md"], "", ".claude/rules/api/style.md", true),
        (Claude, &[], "", "~/.claude/rules/mine.md", true),
        (Claude, &["CLAUDE.md"], "", "AGENTS.md", false),
        (Claude, &["CLAUDE.md"], "", "web/AGENTS.md", false),
        (Claude, &[".claude/CLAUDE.md"], "", "AGENTS.md", false),
        (Claude, &["AGENTS.md"], "", "AGENTS.md", true),
        (Claude, &[], "", "NOTCLAUDE.md", false),
        (Claude, &[], "", "x.claude/rules/a.md", false),
        (Claude, &[], "", ".claude/rulesets/a.md", false),
        (Claude, &[], "", ".github/copilot-instructions.md", false),
        (Codex, &[], "", "AGENTS.md", true),
        (Codex, &[], "", "AGENTS.override.md", true),
        (Codex, &[], "web/app", "web/AGENTS.md", true),
        (Codex, &[], "", "web/AGENTS.md", false),
        (Codex, &[], "website", "web/AGENTS.md", false),
        (Codex, &[], "", "~/.codex/AGENTS.md", true),
        (Codex, &[], "", "CLAUDE.md", false),
        (Gemini, &[], "", "GEMINI.md", true),
        (Gemini, &[], "", "AGENTS.md", false),
        (Cursor, &[], "", ".cursor/rules/a.mdc", true),
        (Cursor, &[], "", ".cursorrules", true),
        (Cursor, &[], "", "AGENTS.md", true),
        (Cursor, &[], "", "CLAUDE.md", true),
        (Copilot, &[], "", ".github/copilot-instructions.md", true),
        (Copilot, &[], "", ".github/instructions/a.instructions.md", true),
        (Copilot, &[], "", "AGENTS.md", true),
        (Copilot, &[], "", "CLAUDE.md", true),
        (Copilot, &[], "", ".cursorrules", false),
        (OpenCode, &["AGENTS.md"], "", "AGENTS.md", true),
        (OpenCode, &["AGENTS.md"], "", "CLAUDE.md", false),
        (OpenCode, &["CLAUDE.md"], "", "CLAUDE.md", true),
        (Kilo, &["AGENTS.md"], "", ".kilocode/rules/a.md", true),
        (Kilo, &["AGENTS.md"], "", "CLAUDE.md", false),
        (Qwen, &[], "", "QWEN.md", true),
        (Qwen, &[], "", "AGENTS.md", true),
        (Qwen, &[], "", "CLAUDE.md", false),
        (Qwen, &[], "", "CONTRIBUTING.md", false),
    ];

    #[test]
    fn each_client_loads_its_own_files() {
        for (name, there, directory, path, expected) in ROWS {
            let loaded = Client::named(*name).loads(path, directory, |file| there.contains(&file));
            assert_eq!(loaded, *expected, "{name:?} {path} from `{directory}` with {there:?}");
        }
    }

    #[test]
    fn every_client_loads_the_file_that_init_writes_to() {
        for client in &crate::CLIENTS {
            assert!(client.loads(client.instructions, "", |_| false), "{}", client.title);
            assert!(!client.loads("docs/rules.md", "", |_| false), "{}", client.title);
        }
    }
}
