//! The files that `tacit init` installs for triggers: two skills, and the head of the index.

/// The head of an index, which explains its use.
pub const CONSUMPTION_HEADER: &str = include_str!("../assets/header.md");
/// The skill behind `/when`.
pub const WHEN_SKILL: &str = include_str!("../assets/skills/when/SKILL.md");
/// The skill behind `/how`.
pub const HOW_SKILL: &str = include_str!("../assets/skills/how/SKILL.md");

/// The decisions directory that the head names by default.
pub const DEFAULT_DECISIONS: &str = "agents/decisions";

/// A file that an installer writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallFile {
    /// The path from the root of the project.
    pub path: String,
    /// The contents.
    pub contents: String,
    /// The treatment of an existing file.
    pub existing: ExistingFile,
}

/// The treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// Replace it: Tacit owns the file.
    Replace,
    /// Keep it: the user owns the file.
    Keep,
}

/// Returns the head of an index for a decisions directory.
pub fn consumption_header(decisions: &str) -> String {
    CONSUMPTION_HEADER.replace(DEFAULT_DECISIONS, decisions.trim_end_matches('/'))
}

/// Returns the files to install for a project with this index and decisions directory.
pub fn install_files(index: &str, decisions: &str) -> Vec<InstallFile> {
    let file = |path: &str, contents: &str, existing| InstallFile {
        path: path.to_owned(),
        contents: contents.to_owned(),
        existing,
    };
    vec![
        file(".claude/skills/when/SKILL.md", WHEN_SKILL, ExistingFile::Replace),
        file(".claude/skills/how/SKILL.md", HOW_SKILL, ExistingFile::Replace),
        file(index, &consumption_header(decisions), ExistingFile::Keep),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{TriggerIndex, parse_index};

    #[test]
    fn the_head_of_an_index_is_valid() {
        assert_eq!(parse_index(CONSUMPTION_HEADER.as_bytes()), TriggerIndex::default());
    }

    #[test]
    fn the_head_names_the_configured_directory() {
        let files = install_files("docs/index.md", "docs/decided/");
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let expected =
            [".claude/skills/when/SKILL.md", ".claude/skills/how/SKILL.md", "docs/index.md"];
        assert_eq!(paths, expected);
        assert!(files[2].contents.contains("(relative to docs/decided/)"));
        assert!(!files[2].contents.contains(DEFAULT_DECISIONS));
    }

    #[test]
    fn skills_start_with_their_front_matter() {
        for (skill, name) in [(WHEN_SKILL, "when"), (HOW_SKILL, "how")] {
            assert!(skill.starts_with(&format!("---\nname: {name}\ndescription: Recall ")));
            assert!(skill.contains(&format!("tacit {name} <trigger>")));
        }
    }
}
