//! The files in which people write rules and decisions.

/// The kind of a file with rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenKind {
    /// Instructions for agents.
    Instructions,
    /// A guide for contributors.
    Contributing,
    /// The record of an architecture decision.
    Decision,
}

/// Files at the root of a project.
pub const ROOT_FILES: [&str; 15] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENT.md",
    "GEMINI.md",
    "QWEN.md",
    ".cursorrules",
    ".windsurfrules",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
    "CONTRIBUTING.markdown",
];

/// Folders at the root whose files are instructions.
pub const RULE_FOLDERS: [&str; 6] = [
    ".claude/rules",
    ".cursor/rules",
    ".github/instructions",
    ".windsurf/rules",
    ".kilo/rules",
    ".kilocode/rules",
];

/// Folders at the root whose files are decision records.
pub const DECISION_FOLDERS: [&str; 14] = [
    "adr",
    "adrs",
    "decisions",
    "doc/adr",
    "doc/adrs",
    "doc/architecture/decisions",
    "docs/adr",
    "docs/adrs",
    "docs/ADR",
    "docs/architecture/adr",
    "docs/architecture/decisions",
    "docs/architecture-decisions",
    "docs/decisions",
    "docs/design/decisions",
];

/// Instructions that also apply to a folder below the root.
const NESTED: [&str; 4] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"];
/// Folders with code or examples of others.
const FOREIGN: [&str; 9] = [
    "node_modules",
    "vendor",
    "third_party",
    "third-party",
    "fixtures",
    "testdata",
    "templates",
    "examples",
    ".claude",
];
/// Files whose readers follow `@path`.
const INCLUDING: [&str; 4] = ["CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md"];

/// Returns the kind of a file by its path from the root of the worktree; `None` if no rules are
/// expected there.
pub fn kind_of(path: &str) -> Option<WrittenKind> {
    if ROOT_FILES.contains(&path) {
        let is_guide = name_of(path).starts_with("CONTRIBUTING");
        let kind = if is_guide { WrittenKind::Contributing } else { WrittenKind::Instructions };
        return Some(kind);
    }
    let below =
        |folder: &&&str| path.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
    if RULE_FOLDERS.iter().any(|folder| below(&folder)) && is_rule_file(path) {
        return Some(WrittenKind::Instructions);
    }
    if DECISION_FOLDERS.iter().any(|folder| below(&folder)) && is_decision_file(path) {
        return Some(WrittenKind::Decision);
    }
    nested_name(path).then_some(WrittenKind::Instructions)
}

/// Returns true for a file of instructions in a folder of the project's own code.
pub fn nested_name(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let is_foreign = |part: &str| {
        part.starts_with('.') || FOREIGN.iter().any(|other| part.eq_ignore_ascii_case(other))
    };
    NESTED.contains(&name) && !folder.split('/').any(is_foreign)
}

/// Returns true if a file of a folder of rules is one.
pub fn is_rule_file(path: &str) -> bool {
    let name = name_of(path);
    !name.starts_with('.') && (name.ends_with(".md") || name.ends_with(".mdc"))
}

/// Returns true if a file of a folder of decisions is one: not an index, and not a template.
pub fn is_decision_file(path: &str) -> bool {
    let name = name_of(path).to_ascii_lowercase();
    let Some(stem) = name.strip_suffix(".md") else { return false };
    let is_other = matches!(stem, "readme" | "index" | "_index" | "summary" | "changelog");
    !stem.starts_with('.') && !is_other && !stem.contains("template")
}

/// Returns true if the readers of a file follow `@path` in it.
pub(super) fn includes_files(path: &str) -> bool {
    INCLUDING.contains(&name_of(path))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the path that a file in `folder` includes, from the root of the worktree; `None` for a
/// path outside it, and for a word that is no path of a file.
pub(super) fn resolve(folder: &str, name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if !name.chars().all(is_plain) || name.starts_with('/') || !name_of(name).contains('.') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_place() {
        use WrittenKind::{Contributing, Decision, Instructions};
        for (path, expected) in [
            ("CLAUDE.md", Some(Instructions)),
            (".github/copilot-instructions.md", Some(Instructions)),
            (".cursor/rules/web/style.mdc", Some(Instructions)),
            (".claude/rules/style.txt", None),
            ("crates/api/AGENTS.md", Some(Instructions)),
            ("node_modules/x/AGENTS.md", None),
            ("tests/Fixtures/one/CLAUDE.md", None),
            (".hidden/CLAUDE.md", None),
            ("CONTRIBUTING.md", Some(Contributing)),
            ("sub/CONTRIBUTING.md", None),
            ("docs/adr/0001-use-postgres.md", Some(Decision)),
            ("docs/adr/0000-adr-template.md", None),
            ("docs/adr/README.md", None),
            ("docs/adrift/0001-a.md", None),
            ("README.md", None),
        ] {
            assert_eq!(kind_of(path), expected, "{path}");
        }
    }

    #[test]
    fn includes_stay_inside_the_project() {
        for (folder, name, expected) in [
            ("", "AGENTS.md", Some("AGENTS.md")),
            ("", "./docs/style.md", Some("docs/style.md")),
            (".claude", "../AGENTS.md", Some("AGENTS.md")),
            ("", "../secrets.md", None),
            ("", "/etc/passwd.md", None),
            ("", "~/.claude/mine.md", None),
            ("", "types/node", None),
            ("", "someone", None),
        ] {
            assert_eq!(resolve(folder, name).as_deref(), expected, "{folder} {name}");
        }
    }
}
