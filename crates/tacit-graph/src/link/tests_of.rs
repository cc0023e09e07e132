//! Which files are there to test others, by the names that test runners look for.

/// Whether a path is that of a test.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folders = ["test", "tests", "__tests__", "spec", "testing", "e2e"];
    if directory.split('/').any(|folder| folders.contains(&folder)) {
        return true;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain = stem.strip_prefix("test_").is_some() || stem == "conftest" || stem == "tests";
    let ends = ["_test", ".test", ".spec", "_spec", ".cy"].iter().any(|end| stem.ends_with(end));
    let java =
        [".java", ".kt", ".scala", ".cs", ".swift", ".php"].iter().any(|end| name.ends_with(end))
            && ["Test", "Tests", "IT", "Spec"].iter().any(|end| stem.ends_with(end));
    plain || ends || java
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
            ("src/attest.py", false),
            ("src/latest.ts", false),
            ("src/contest/a.ts", false),
            ("src/Testing.rs", false),
        ] {
            assert_eq!(is_test_path(path), test, "{path}");
        }
    }
}
