//! Which formatters and linters hold for a module, by the settings that are there.

use std::collections::BTreeSet;
use std::path::Path;

/// Files that are nothing but settings; those that end in a dot have several endings.
const FILES: [&str; 24] = [
    ".clang-format",
    ".clang-tidy",
    ".editorconfig",
    ".eslintrc",
    ".eslintrc.",
    ".flake8",
    ".golangci.yaml",
    ".golangci.yml",
    ".prettierrc",
    ".prettierrc.",
    ".pylintrc",
    ".rubocop.yml",
    ".rustfmt.toml",
    ".scalafmt.conf",
    ".swiftlint.yml",
    "biome.json",
    "biome.jsonc",
    "checkstyle.xml",
    "clippy.toml",
    "eslint.config.",
    "phpcs.xml",
    "prettier.config.",
    "ruff.toml",
    "rustfmt.toml",
];
/// Files with settings of many tools, and what stands before the name of one.
const SHARED: [(&str, &str); 3] =
    [("pyproject.toml", "[tool."), ("setup.cfg", "["), ("tox.ini", "[")];
/// Larger files of settings are not read.
const LARGEST: u64 = 1 << 20;
/// Tools that have a section there.
const SECTIONS: [&str; 8] =
    ["black", "flake8", "isort", "mypy", "pycodestyle", "pylint", "pyright", "ruff"];

/// Settings of tools that hold for a module: its own, and those above it.
pub(super) fn tools(root: &Path, module: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    for folder in root.join(module).ancestors().take_while(|folder| folder.starts_with(root)) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for name in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
            let is = |tool: &str| tool == name || tool.ends_with('.') && name.starts_with(tool);
            if FILES.iter().any(|tool| is(tool)) {
                found.insert(name);
            } else if let Some((_, before)) = SHARED.iter().find(|(file, _)| *file == name) {
                let text =
                    tacit_fs::read_text_following(&folder.join(&name), LARGEST).unwrap_or_default();
                let sections = sections(&text, before);
                if !sections.is_empty() {
                    found.insert(format!("{name} ({})", Vec::from_iter(sections).join(", ")));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// The tools that have a section in a text.
fn sections(text: &str, before: &str) -> BTreeSet<&'static str> {
    let headings = text.lines().filter_map(|line| line.trim().strip_prefix(before));
    let names = headings.filter_map(|rest| rest.split([']', '.', '-', ':']).next());
    names.filter_map(|name| SECTIONS.into_iter().find(|tool| *tool == name.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn tools_have_sections() {
        for (text, before, expected) in [
            ("[tool.ruff.lint]\n[tool.black]\n[project]\n", "[tool.", &["black", "ruff"][..]),
            ("[flake8]\nmax = 1\n[mypy-six]\n[tool:pytest]\n", "[", &["flake8", "mypy"]),
            ("[isort]\n[testenv:ruff]\n", "[", &["isort"]),
            ("# [tool.ruff]\n", "[tool.", &[]),
        ] {
            assert_eq!(Vec::from_iter(sections(text, before)), expected, "{text}");
        }
    }
}
