//! Recognises test files by the paths that test runners look for.

/// Returns true if the path is that of a test file.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folders = ["test", "tests", "__tests__", "spec", "testing", "e2e"];
    // `Tests`, `Shop.Tests`, `commonTest`: the capital letter starts a word.
    let is_test = |folder: &str| {
        folders.contains(&folder) || folder.ends_with("Test") || folder.ends_with("Tests")
    };
    if let Some(module) = production_module(directory) {
        return module.split('/').any(is_test);
    }
    if directory.split('/').any(is_test) || name.ends_with(".bats") {
        return true;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let has_plain_name =
        stem.strip_prefix("test_").is_some() || stem == "conftest" || stem == "tests";
    let ends = ["_test", "_unittest", ".test", ".spec", "_spec", ".cy"]
        .iter()
        .any(|end| stem.ends_with(end));
    let camel_case_extensions =
        [".java", ".kt", ".scala", ".cs", ".swift", ".php", ".cpp", ".cc", ".cxx"];
    let named = camel_case_extensions.iter().any(|end| name.ends_with(end))
        && ["Test", "Tests", "IT", "Spec", "Suite"].iter().any(|end| stem.ends_with(end));
    has_plain_name || ends || named
}

/// Returns the module of a Maven or Gradle source folder for production code:
/// `app/src/main/java/test` is code of `app`, so the folder name `test` does not count.
fn production_module(directory: &str) -> Option<&str> {
    ["/java", "/kotlin", "/scala", "/groovy"].into_iter().find_map(|language| {
        let before = directory.match_indices(language).find_map(|(at, _)| {
            let rest = &directory[at + language.len()..];
            (rest.is_empty() || rest.starts_with('/')).then(|| &directory[..at])
        })?;
        let (sources, set) = before.rsplit_once('/')?;
        let is_code = set == "main" || set.ends_with("Main");
        let module = sources.strip_suffix("src").filter(|_| is_code)?;
        (module.is_empty() || module.ends_with('/')).then_some(module)
    })
}

#[cfg(test)]
mod tests {
    use super::is_test_path;

    #[test]
    fn test_files_are_recognised_by_path() {
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
            ("app/src/main/java/shop/IsTestClassWithTests.java", false),
            ("src/main/kotlin/shop/test/CartTest.kt", false),
            ("src/commonMain/kotlin/shop/CartTest.kt", false),
            ("tests/src/main/java/shop/Cart.java", true),
            ("src/main/javascript/CartTest.java", true),
            ("src/jvmTest/kotlin/shop/Cart.kt", true),
            ("app/src/test/java/shop/Cart.java", true),
        ] {
            assert_eq!(is_test_path(path), test, "{path}");
        }
    }
}
