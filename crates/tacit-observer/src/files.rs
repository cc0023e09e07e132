//! What a path tells: the module a file belongs to, and its role in a project.

use serde::{Deserialize, Serialize};
use tacit_core::RepoPath;

/// How many directories name a module.
const MODULE_DEPTH: usize = 2;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Code of the product.
    Source,
    /// A test, or what tests need.
    Test,
    /// A step from one schema of a database to the next.
    Migration,
    /// Settings, manifests, build files.
    Config,
    /// What a tool wrote down about versions.
    Lock,
    /// Pages for people.
    Docs,
    /// What a page looks like.
    Style,
    /// Words in other languages.
    Translation,
    /// Anything else.
    Other,
}

impl Role {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Test => "test",
            Role::Migration => "migration",
            Role::Config => "config",
            Role::Lock => "lock",
            Role::Docs => "docs",
            Role::Style => "style",
            Role::Translation => "translation",
            Role::Other => "other",
        }
    }

    /// Whether a check can say anything about it.
    pub(crate) fn is_checked(self) -> bool {
        self != Role::Docs
    }
}

/// The role of a file, by its path alone.
pub fn role(path: &RepoPath) -> Role {
    let path = path.as_str().to_ascii_lowercase();
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let inside = |names: &[&str]| directory.split('/').any(|part| names.contains(&part));
    if matches!(name, "cargo.lock" | "package-lock.json" | "yarn.lock" | "pnpm-lock.yaml")
        || matches!(name, "poetry.lock" | "uv.lock" | "go.sum" | "gemfile.lock" | "composer.lock")
        || matches!(name, "bun.lock" | "bun.lockb")
    {
        return Role::Lock;
    }
    if inside(&["migrations", "migrate", "migration"]) {
        return Role::Migration;
    }
    if inside(&["test", "tests", "__tests__", "spec", "specs", "e2e", "testdata", "fixtures"])
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.ends_with(".test")
        || stem.ends_with(".spec")
        || stem == "conftest"
    {
        return Role::Test;
    }
    match extension {
        "md" | "mdx" | "rst" | "adoc" | "txt" => return Role::Docs,
        "css" | "scss" | "sass" | "less" => return Role::Style,
        "po" | "pot" | "xliff" | "ftl" => return Role::Translation,
        _ => {}
    }
    if inside(&["locales", "locale", "i18n", "translations", "lang"]) {
        return Role::Translation;
    }
    if inside(&["docs", "doc"]) {
        return Role::Docs;
    }
    match extension {
        "toml" | "yaml" | "yml" | "ini" | "cfg" | "conf" | "json" | "jsonc" | "env" | "gradle"
        | "properties" | "lock" => Role::Config,
        "rs" | "py" | "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "go" | "java" | "kt" | "cs"
        | "rb" | "php" | "c" | "h" | "cc" | "cpp" | "hpp" | "swift" | "scala" | "ex" | "exs"
        | "clj" | "zig" | "dart" | "vue" | "svelte" | "sql" | "sh" | "lua" | "hs" | "ml"
        | "html" => Role::Source,
        _ if matches!(name, "makefile" | "dockerfile" | "justfile" | "rakefile" | "gemfile") => {
            Role::Config
        }
        _ => Role::Other,
    }
}

/// The module a file belongs to: the first directories of its path, `.` at the root.
pub fn module(path: &RepoPath) -> String {
    match path.as_str().rsplit_once('/') {
        None => ".".to_owned(),
        Some((directory, _)) => {
            directory.split('/').take(MODULE_DEPTH).collect::<Vec<_>>().join("/")
        }
    }
}

/// The directory of a file, `.` at the root.
pub(crate) fn directory(path: &RepoPath) -> &str {
    path.as_str().rsplit_once('/').map_or(".", |(directory, _)| directory)
}

/// The module in which more than half of these files are.
pub(crate) fn main_module<'a>(files: impl IntoIterator<Item = &'a RepoPath>) -> Option<String> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    let mut all = 0;
    for file in files {
        *counts.entry(module(file)).or_default() += 1;
        all += 1;
    }
    counts.into_iter().find(|(_, count)| 2 * count > all).map(|(module, _)| module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn roles_and_modules() {
        for (file, role_, module_) in [
            ("src/auth/token.rs", Role::Source, "src/auth"),
            ("main.go", Role::Source, "."),
            ("src/auth/token_test.go", Role::Test, "src/auth"),
            ("web/src/App.test.tsx", Role::Test, "web/src"),
            ("crates/a/tests/cmd/x.md", Role::Test, "crates/a"),
            ("db/migrations/0001_a.sql", Role::Migration, "db/migrations"),
            ("Cargo.lock", Role::Lock, "."),
            ("Cargo.toml", Role::Config, "."),
            ("docs/guide/start.md", Role::Docs, "docs/guide"),
            ("web/style/main.scss", Role::Style, "web/style"),
            ("locales/de.json", Role::Translation, "locales"),
            ("Makefile", Role::Config, "."),
            ("logo.png", Role::Other, "."),
        ] {
            assert_eq!(
                (role(&path(file)), module(&path(file)).as_str()),
                (role_, module_),
                "{file}"
            );
        }
    }

    #[test]
    fn most_of_the_files() {
        let files = ["src/a/x.rs", "src/a/y.rs", "src/b/z.rs"].map(path);
        assert_eq!(main_module(&files).as_deref(), Some("src/a"));
        assert_eq!(main_module(&files[1..]), None);
        assert_eq!(main_module([]), None);
    }
}
