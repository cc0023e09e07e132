//! Derives the module and the role of a file from its path.

use tacit_core::{FileRole, RepoPath};

/// Number of leading directories that name a module.
const MODULE_DEPTH: usize = 2;

/// Returns true if a check can say anything about a file: documentation is never checked.
pub(crate) fn is_checked(path: &RepoPath) -> bool {
    role(path) != FileRole::Docs
}

/// Returns the role of a file.
pub(crate) fn role(path: &RepoPath) -> FileRole {
    let written = path.as_str();
    let path = written.to_ascii_lowercase();
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let inside = |names: &[&str]| directory.split('/').any(|part| names.contains(&part));
    if matches!(name, "cargo.lock" | "package-lock.json" | "yarn.lock" | "pnpm-lock.yaml")
        || matches!(name, "poetry.lock" | "uv.lock" | "go.sum" | "gemfile.lock" | "composer.lock")
        || matches!(name, "bun.lock" | "bun.lockb")
    {
        return FileRole::Lock;
    }
    if inside(&["migrations", "migrate", "migration"]) {
        return FileRole::Migration;
    }
    if inside(&["test", "tests", "__tests__", "spec", "specs", "e2e", "testdata", "fixtures"])
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.ends_with(".test")
        || stem.ends_with(".spec")
        || stem == "conftest"
        || is_test_class(written, extension)
    {
        return FileRole::Test;
    }
    if matches!(name, "cmakelists.txt" | "go.mod" | "pom.xml")
        || (extension == "txt" && (stem.contains("requirements") || stem == "constraints"))
        || name.ends_with(".gradle.kts")
        || stem.ends_with(".config")
        || matches!(extension, "cmake" | "csproj" | "fsproj" | "props" | "sln" | "gemspec" | "neon")
    {
        return FileRole::Config;
    }
    match extension {
        "md" | "mdx" | "rst" | "adoc" | "txt" => return FileRole::Docs,
        "css" | "scss" | "sass" | "less" => return FileRole::Style,
        "po" | "pot" | "xliff" | "ftl" => return FileRole::Translation,
        _ => {}
    }
    if inside(&["locales", "locale", "i18n", "translations", "lang"]) {
        return FileRole::Translation;
    }
    if inside(&["docs", "doc"]) {
        return FileRole::Docs;
    }
    match extension {
        "toml" | "yaml" | "yml" | "ini" | "cfg" | "conf" | "json" | "jsonc" | "env" | "gradle"
        | "properties" | "lock" => FileRole::Config,
        "rs" | "py" | "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "go" | "java" | "kt" | "cs"
        | "rb" | "php" | "c" | "h" | "cc" | "cpp" | "hpp" | "swift" | "scala" | "ex" | "exs"
        | "clj" | "zig" | "dart" | "vue" | "svelte" | "sql" | "sh" | "lua" | "hs" | "ml"
        | "html" => FileRole::Source,
        _ if matches!(name, "makefile" | "dockerfile" | "justfile" | "rakefile" | "gemfile") => {
            FileRole::Config
        }
        _ => FileRole::Other,
    }
}

/// Returns the language of a source file, one name for languages that import each other.
pub(crate) fn source_language(path: &RepoPath) -> Option<String> {
    let extension = path.as_str().rsplit_once('.')?.1.to_ascii_lowercase();
    let language = match extension.as_str() {
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "vue" | "svelte" => "js",
        "c" | "h" | "cc" | "cpp" | "hpp" => "c",
        "java" | "kt" | "scala" => "java",
        "ex" | "exs" => "ex",
        other => other,
    };
    (role(path) == FileRole::Source).then(|| language.to_owned())
}

/// Returns true for a class of tests by its name, such as `OrderTest.java`.
fn is_test_class(path: &str, extension: &str) -> bool {
    let is_named =
        |stem: &str| ["Test", "Tests", "IT", "Spec"].iter().any(|end| stem.ends_with(end));
    matches!(extension, "java" | "kt" | "scala" | "groovy" | "cs" | "php" | "swift")
        && path.rsplit_once('.').is_some_and(|(stem, _)| is_named(stem))
}

/// Returns the module of a file: its leading directories, or `.` at the root.
pub fn module(path: &RepoPath) -> String {
    match path.as_str().rsplit_once('/') {
        None => ".".to_owned(),
        Some((directory, _)) => {
            directory.split('/').take(MODULE_DEPTH).collect::<Vec<_>>().join("/")
        }
    }
}

/// Returns the directory of a file, or `.` at the root.
pub(crate) fn directory(path: &RepoPath) -> &str {
    path.as_str().rsplit_once('/').map_or(".", |(directory, _)| directory)
}

/// Returns the module that holds more than half of the files.
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
    fn paths_determine_role_and_module() {
        for (file, role_, module_) in [
            ("src/auth/token.rs", FileRole::Source, "src/auth"),
            ("main.go", FileRole::Source, "."),
            ("src/auth/token_test.go", FileRole::Test, "src/auth"),
            ("web/src/App.test.tsx", FileRole::Test, "web/src"),
            ("crates/a/tests/cmd/x.md", FileRole::Test, "crates/a"),
            ("db/migrations/0001_a.sql", FileRole::Migration, "db/migrations"),
            ("Cargo.lock", FileRole::Lock, "."),
            ("Cargo.toml", FileRole::Config, "."),
            ("docs/guide/start.md", FileRole::Docs, "docs/guide"),
            ("web/style/main.scss", FileRole::Style, "web/style"),
            ("locales/de.json", FileRole::Translation, "locales"),
            ("Makefile", FileRole::Config, "."),
            ("lib/CMakeLists.txt", FileRole::Config, "lib"),
            ("requirements-dev.txt", FileRole::Config, "."),
            ("notes.txt", FileRole::Docs, "."),
            ("app/build.gradle.kts", FileRole::Config, "app"),
            ("core/src/InvoiceTest.java", FileRole::Test, "core/src"),
            ("core/src/Latest.java", FileRole::Source, "core/src"),
            ("logo.png", FileRole::Other, "."),
        ] {
            assert_eq!(
                (role(&path(file)), module(&path(file)).as_str()),
                (role_, module_),
                "{file}"
            );
        }
    }

    #[test]
    fn the_main_module_holds_more_than_half_of_the_files() {
        let files = ["src/a/x.rs", "src/a/y.rs", "src/b/z.rs"].map(path);
        assert_eq!(main_module(&files).as_deref(), Some("src/a"));
        assert_eq!(main_module(&files[1..]), None);
        assert_eq!(main_module([]), None);
    }
}
