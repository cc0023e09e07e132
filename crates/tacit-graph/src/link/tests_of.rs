//! Which files are there to test others, by the names that test runners look for.

/// Whether a path is that of a test.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folders = ["test", "tests", "__tests__", "spec", "testing", "e2e"];
    // `Tests`, `Shop.Tests`, `commonTest`: with a large letter it is a word of its own.
    let is_test = |folder: &str| {
        folders.contains(&folder) || folder.ends_with("Test") || folder.ends_with("Tests")
    };
    if directory.split('/').any(is_test) || name.ends_with(".bats") {
        return true;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain = stem.strip_prefix("test_").is_some() || stem == "conftest" || stem == "tests";
    let ends = ["_test", "_unittest", ".test", ".spec", "_spec", ".cy"]
        .iter()
        .any(|end| stem.ends_with(end));
    let large = [".java", ".kt", ".scala", ".cs", ".swift", ".php", ".cpp", ".cc", ".cxx"];
    let named = large.iter().any(|end| name.ends_with(end))
        && ["Test", "Tests", "IT", "Spec", "Suite"].iter().any(|end| stem.ends_with(end));
    plain || ends || named
}

#[cfg(test)]
mod tests {
    use super::is_test_path;

    #[test]
    fn tests_are_known_by_name_and_place() {
        for (path, test) in [
            ("src/a.test.ts", true),
            ("src/__tests__/a.ts", true),
            ("tests/a.rs", true),
            ("pkg/a_test.go", true),
            ("test_a.py", true),
            ("conftest.py", true),
            ("src/main/AppTest.java", true),
            ("src/common/CartSuite.scala", true),
            ("base/file_unittest.cc", true),
            ("Sources/CartTests.swift", true),
            ("Shop.Tests/Cart.cs", true),
            ("src/commonTest/kotlin/A.kt", true),
            ("scripts/run.bats", true),
            ("spec/cart_spec.rb", true),
            ("src/Latest/A.cs", false),
            ("src/Suite.rb", false),
            ("src/attest.py", false),
            ("src/latest.ts", false),
            ("src/contest/a.ts", false),
            ("src/Testing.rs", false),
        ] {
            assert_eq!(is_test_path(path), test, "{path}");
        }
    }
}
