//! Short texts for well-known rules of linters and type checkers. The message of a checker names one
//! place; these texts hold anywhere.

/// The rules by name or code, with what satisfies them.
const TEXTS: [(&str, &str); 78] = [
    // golangci-lint
    ("bodyclose", "close the body of every HTTP response"),
    ("containedctx", "keep no context in a struct"),
    ("contextcheck", "pass the context on"),
    ("depguard", "some imports are forbidden"),
    ("dupl", "merge near-identical code; write alike tests as one table"),
    ("err113", "no errors made in place; compare with `errors.Is`"),
    ("errcheck", "handle every returned error"),
    ("errorlint", "compare errors with `errors.Is` and `errors.As`"),
    ("exhaustive", "a switch over an enum lists every value"),
    ("exhaustruct", "struct literals set every field"),
    ("forbidigo", "some calls are forbidden"),
    ("forcetypeassert", "type assertions check `ok`"),
    ("funlen", "functions stay short"),
    ("gochecknoglobals", "no global variables"),
    ("goconst", "make a string that occurs several times a constant"),
    ("gocognit", "keep functions simple"),
    ("gocyclo", "keep functions simple"),
    ("cyclop", "keep functions simple"),
    ("maintidx", "keep functions simple"),
    ("godot", "comments end with a full stop"),
    ("ireturn", "functions return concrete types, not interfaces"),
    ("lll", "lines stay short"),
    ("mnd", "numbers are named constants"),
    ("nestif", "no deeply nested conditions"),
    ("nilerr", "do not return nil where `err` is not nil"),
    ("nilnil", "do not return a nil value with a nil error"),
    ("noctx", "use the variants of calls that take a context, such as `exec.CommandContext`"),
    ("nolintlint", "`//nolint` names its rule and gives a reason"),
    ("paralleltest", "tests call `t.Parallel()`"),
    ("testpackage", "tests are in a package of their own"),
    ("thelper", "helpers of tests call `t.Helper()`"),
    ("unconvert", "no needless conversions"),
    ("usetesting", "tests use `t.Context()`, `t.TempDir()` and `t.Setenv()`"),
    ("varnamelen", "names of variables are not too short"),
    (
        "wrapcheck",
        "wrap errors of other packages and interfaces, such as `fmt.Errorf(\"…: %w\", err)`",
    ),
    ("gosec G104", "handle every returned error"),
    ("gosec G204", "commands with variable arguments are marked"),
    ("gosec G301", "make directories with mode 0750 or less"),
    ("gosec G304", "files opened by a variable path are marked"),
    ("gosec G306", "write files with mode 0600 or less"),
    (
        "staticcheck SA5011",
        "after a check for nil that ends a test, return before the value is used",
    ),
    // eslint
    ("no-console", "no `console` calls"),
    ("eqeqeq", "compare with `===`"),
    ("curly", "braces around every block"),
    ("no-shadow", "no names that hide others"),
    ("no-param-reassign", "do not assign to parameters"),
    ("no-restricted-imports", "some imports are forbidden"),
    ("prefer-const", "`const` for what is never reassigned"),
    ("import/order", "imports are ordered by group"),
    ("react-hooks/exhaustive-deps", "hooks list every dependency"),
    ("react-hooks/rules-of-hooks", "call hooks at the top level only"),
    ("@typescript-eslint/explicit-function-return-type", "functions declare their return type"),
    ("@typescript-eslint/explicit-module-boundary-types", "exported functions declare their types"),
    ("@typescript-eslint/no-explicit-any", "no `any`; use `unknown` or a type"),
    ("@typescript-eslint/no-floating-promises", "await every promise or mark it with `void`"),
    (
        "@typescript-eslint/no-misused-promises",
        "no promise where a value or a void callback is expected",
    ),
    ("@typescript-eslint/no-non-null-assertion", "no `!` after a value"),
    ("@typescript-eslint/consistent-type-imports", "import types with `import type`"),
    // ruff, flake8, pylint
    ("B904", "`raise … from err` inside `except`"),
    ("B008", "no calls in default arguments"),
    ("BLE001", "do not catch `Exception`"),
    ("E402", "imports stand at the top of the file"),
    ("E501", "lines stay short"),
    ("E722", "no bare `except`"),
    ("I001", "imports are sorted"),
    ("PLR2004", "numbers are named constants"),
    ("S101", "no `assert` outside tests"),
    ("T201", "no `print`"),
    // clippy
    ("clippy::expect_used", "no `expect` in product code"),
    ("clippy::missing_errors_doc", "documentation has a section `# Errors`"),
    ("clippy::missing_panics_doc", "documentation has a section `# Panics`"),
    ("clippy::too_many_arguments", "functions take at most seven arguments"),
    ("clippy::unwrap_used", "no `unwrap` in product code"),
    // Type checkers
    ("no-any-return", "no `Any` from a function with a declared type"),
    ("no-untyped-def", "functions declare all their types"),
    ("type-arg", "generic types have their parameters"),
    ("TS2532", "check for undefined before use"),
    ("TS7006", "parameters declare their type"),
];

/// Returns what a rule asks for, if it is known.
pub(super) fn rule_text(rule: &str) -> Option<&'static str> {
    let known = |name: &str| TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    known(rule).or_else(|| known(&format!("clippy::{rule}")))
}
