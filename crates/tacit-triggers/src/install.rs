//! The files that let an agent use triggers: two skills, and the head of the index.

/// The head of an index: how it is used, for whoever reads it.
pub const CONSUMPTION_HEADER: &str = include_str!("../assets/header.md");
/// The skill behind `/when`.
pub const WHEN_SKILL: &str = include_str!("../assets/skills/when/SKILL.md");
/// The skill behind `/how`.
pub const HOW_SKILL: &str = include_str!("../assets/skills/how/SKILL.md");

/// The directory that the head of an index names unless told otherwise.
pub const DEFAULT_DECISIONS: &str = "agents/decisions";

/// A file that an installer writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallFile {
    /// Its path from the root of the project.
    pub path: String,
    /// What it says.
    pub contents: String,
    /// What to do if there is one already.
    pub existing: ExistingFile,
}

/// What to do with a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// It is ours: write it anew.
    Replace,
    /// It is the user's: leave it.
    Keep,
}

/// The head of an index for decisions in some directory.
pub fn consumption_header(decisions: &str) -> String {
    CONSUMPTION_HEADER.replace(DEFAULT_DECISIONS, decisions.trim_end_matches('/'))
}

/// Everything an installer writes for a project with its index and its decisions there.
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
    fn a_new_index_has_a_head_and_nothing_wrong() {
        assert_eq!(parse_index(CONSUMPTION_HEADER.as_bytes()), TriggerIndex::default());
    }

    #[test]
    fn the_head_names_the_directory_in_use() {
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
