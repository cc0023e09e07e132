//! The files of the last commit that tell how a project is built, and what its documents state.
//!
//! The files are read from git, not from the worktree: what is not committed is not the word of the team.

use std::path::Path;

use tacit_codebase::CodebaseError;
use tacit_codebase::history::History;
use tacit_git::contents_at;
use tacit_history::StatedTexts;
use tacit_history::build::is_build_file;

use crate::error::AppResult;

/// The most files of each kind that are read, and the most bytes of each.
const MAX_FILES: usize = 60;
const MAX_BYTES: usize = 512 * 1024;

/// Documents that a project addresses to its contributors and agents, in lower case. A name that ends
/// in a dot has any extension.
const DOCUMENTS: [&str; 22] = [
    "agents.md",
    "claude.md",
    "gemini.md",
    ".cursorrules",
    ".windsurfrules",
    ".github/copilot-instructions.md",
    ".github/contributing.md",
    ".github/pull_request_template.md",
    "readme",
    "readme.",
    "contributing",
    "contributing.",
    "hacking",
    "hacking.",
    "development.",
    "developers.",
    "docs/contributing.",
    "docs/development.",
    "doc/contributing.",
    "doc/development.",
    "documentation/contributing.",
    ".claude/claude.md",
];

/// The committed files of a project.
pub(super) struct CommittedFiles {
    /// The files that tell how it is built, with their texts.
    pub(super) build: Vec<(String, String)>,
    /// The names of the files in the root.
    pub(super) root: Vec<String>,
    /// The texts of its documents.
    pub(super) stated: StatedTexts,
}

/// Reads the files of a commit.
pub(super) fn read(root: &Path, commit: &str, history: &History) -> AppResult<CommittedFiles> {
    let mut paths: Vec<&str> = history.names.existing().map(|(_, path)| path).collect();
    paths.sort_unstable();
    let text_of = |path: &str| -> AppResult<Option<String>> {
        let bytes = contents_at(root, commit, path).map_err(CodebaseError::from)?;
        let bytes = bytes.filter(|bytes| bytes.len() <= MAX_BYTES);
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    };
    let mut build = Vec::new();
    for path in paths.iter().filter(|path| is_build_file(path)).take(MAX_FILES) {
        if let Some(text) = text_of(path)? {
            build.push(((*path).to_owned(), tacit_redact::redact(&text).text.into_owned()));
        }
    }
    let mut documents = Vec::new();
    for path in paths.iter().filter(|path| is_document(path)).take(MAX_FILES) {
        documents.extend(text_of(path)?);
    }
    let in_root = paths.iter().filter(|path| !path.contains('/'));
    Ok(CommittedFiles {
        build,
        root: in_root.map(|path| (*path).to_owned()).collect(),
        stated: StatedTexts::new(documents.iter().map(String::as_str)),
    })
}

fn is_document(path: &str) -> bool {
    let path = path.to_lowercase();
    DOCUMENTS.iter().any(|known| match known.strip_suffix('.') {
        Some(start) => path.strip_prefix(start).is_some_and(|rest| {
            rest.strip_prefix('.').is_some_and(|end| !end.contains(['/', '.']))
        }),
        None => path == *known,
    })
}

#[cfg(test)]
mod tests {
    use super::is_document;

    #[test]
    fn documents_are_known_by_their_name() {
        for (path, expected) in [
            ("README.md", true),
            ("readme", true),
            ("README.zh.md", false),
            ("CLAUDE.md", true),
            ("docs/contributing.rst", true),
            ("src/README.md", false),
        ] {
            assert_eq!(is_document(path), expected, "{path}");
        }
    }
}
