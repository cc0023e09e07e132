//! Classifies files by path: a question about code rarely means a changelog.

use tacit_graph::{is_listed, is_test_path, skip_by_path};

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// Code of the program.
    Source,
    /// Tests and their fixtures.
    Test,
    /// Documentation and examples.
    Document,
    /// Settings and manifests.
    Settings,
    /// Files that are not edited as code: vendored, generated, lock files, changelogs.
    Peripheral,
    /// Scripts of developers, and migrations.
    Script,
}

impl FileKind {
    /// All kinds; the position is the number in the index.
    pub(crate) const ALL: [FileKind; 6] = [
        FileKind::Source,
        FileKind::Test,
        FileKind::Document,
        FileKind::Settings,
        FileKind::Peripheral,
        FileKind::Script,
    ];

    /// Returns true if names in a description are searched in such files.
    pub(crate) fn is_code(self) -> bool {
        matches!(self, FileKind::Source | FileKind::Script)
    }

    /// Classifies a path.
    #[must_use]
    pub fn from_path(path: &str) -> FileKind {
        let lower = path.to_ascii_lowercase();
        let (directory, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let within = |names: &str| directory.split('/').any(|part| is_listed(names, part));
        let is_log =
            ["changelog", "changes", "history", "news", "authors", "contributors", "credits"];
        let prose = ["md", "rst", "txt", "adoc", "mdx", "markdown", "org", ""];
        if skip_by_path(path).is_some()
            || within("_vendor vendored externals extern locale dist snapshots")
            || ending == "lock"
            || ["package-lock.json", "pnpm-lock.yaml", "go.sum"].contains(&name)
            || (prose.contains(&ending) && is_log.iter().any(|log| stem.starts_with(log)))
            || within("changelog.d newsfragments whatsnew whats_new releasenotes")
        {
            return FileKind::Peripheral;
        }
        // Documents about tests are not tests, but files beside tests belong to them.
        let beside =
            path.rsplit_once('/').is_some_and(|(folder, _)| is_test(&format!("{folder}/x")));
        let is_documentation = prose.contains(&ending) && (within("doc docs") || !beside);
        if (is_test(path) && !is_documentation) || within("fixtures testdata test_data") {
            return FileKind::Test;
        }
        if prose.contains(&ending)
            || ["html", "ipynb", "tex", "po", "pot"].contains(&ending)
            || within("doc docs examples example tutorials benchmarks asv_bench galleries")
        {
            return FileKind::Document;
        }
        let settings =
            ["toml", "yaml", "yml", "json", "cfg", "ini", "xml", "properties", "conf", "in"];
        if settings.contains(&ending) || name == "setup.py" || name.starts_with('.') {
            return FileKind::Settings;
        }
        if is_script(directory, name) {
            return FileKind::Script;
        }
        FileKind::Source
    }

    /// Returns the name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FileKind::Source => "source",
            FileKind::Test => "test",
            FileKind::Document => "document",
            FileKind::Settings => "settings",
            FileKind::Peripheral => "aside",
            FileKind::Script => "script",
        }
    }
}

/// Returns true for a test. Below the root, `testing` is a package that helps its users test.
fn is_test(path: &str) -> bool {
    let (first, rest) = path.split_once('/').unwrap_or(("", path));
    let parts: Vec<&str> = rest.split('/').filter(|part| *part != "testing").collect();
    is_test_path(&format!("{first}/{}", parts.join("/")))
}

/// Top-level directories of developers' scripts.
const SCRIPTS: &str = ".ci .github bench bin build_tools ci dev devtools extra extras \
    hack maint_tools release script scripts tools";

fn is_script(directory: &str, name: &str) -> bool {
    let top = directory.split('/').next().unwrap_or("");
    // `0002_add_index.py`, `4bd95c99b2e7_add_index.py`
    let numbered = name.split_once('_').is_some_and(|(push_varint, _)| {
        push_varint.len() >= 4 && push_varint.chars().all(|c| c.is_ascii_hexdigit())
    });
    let migrates = directory.split('/').any(|part| ["migrations", "alembic"].contains(&part));
    is_listed(SCRIPTS, top) || (migrates && numbered)
}

#[cfg(test)]
mod tests {
    use super::FileKind::{self, *};

    #[test]
    fn paths_determine_the_file_kind() {
        for (path, kind) in [
            ("src/pool.rs", Source),
            ("django/db/models/query.py", Source),
            ("src/changes.rs", Source),
            ("lib/history.py", Source),
            ("scripts/release.py", Script),
            ("src/scripts/run.py", Source),
            ("shop/migrations/0002_add_total.py", Script),
            ("shop/migrations/executor.py", Source),
            ("tests/pool.rs", Test),
            ("tests/fixtures/pool.json", Test),
            ("testing/test_pool.py", Test),
            ("testing/helpers.py", Test),
            ("src/internal/testing/TestScheduler.ts", Source),
            ("shop/testing/client.py", Source),
            ("shop/testing/tests/client.py", Test),
            ("docs/tutorial/tests.rst", Document),
            ("docs/tests/index.rst", Document),
            ("docs/testing/index.md", Document),
            ("test_plan.md", Document),
            ("tests/README.md", Test),
            ("tests/data/long.txt", Test),
            ("README.md", Document),
            ("docs/conf.py", Document),
            ("CHANGELOG.md", Peripheral),
            ("CHANGES", Peripheral),
            ("Cargo.lock", Peripheral),
            ("Cargo.toml", Settings),
            ("setup.py", Settings),
            ("vendor/a/b.go", Peripheral),
            ("pip/_vendor/requests/api.py", Peripheral),
        ] {
            assert_eq!(FileKind::from_path(path), kind, "{path}");
        }
    }
}
