//! Violated rules of linters and formatters.

use super::assert_cases;

#[test]
fn linters_tell_the_rule() {
    assert_cases(&[
        (
            "[lint:go] $ golangci-lint run ./...\n[lint:go] cmd/setup.go:175:19: string `x` has 3 occurrences, make it a constant (goconst)\n[lint:go] \tx := \"x\"\n[lint:go] \t     ^\n[lint:go] a_test.go:90: 90-109 lines are duplicate of `b_test.go:111-130` (dupl)\n[lint:go] 2 issues:\n[lint:go] * goconst: 1\n[lint:go] ERROR task failed",
            &[
                "Lint golangci-lint | cmd/setup.go:175 | goconst |  | string `x` has 3 occurrences, make it a constant",
                "Lint golangci-lint | a_test.go:90 | dupl |  | 90-109 lines are duplicate of `b_test.go:111-130`",
            ],
        ),
        (
            "a_test.go:3:16: string `{\"a\":1}\n{\"b\":2}\n` has 3 occurrences, make it a constant (goconst)",
            &[
                "Lint golangci-lint | a_test.go:3 | goconst |  | string `{\"a\":1} {\"b\":2} ` has 3 occurrences, make it a constant",
            ],
        ),
        (
            "a.go:3:2: this value of err is never used (SA4006)",
            &["Lint staticcheck | a.go:3 | SA4006 |  | this value of err is never used"],
        ),
        (
            "# example.com/a\n# [example.com/a]\n./a.go:3:2: Printf format %d has arg x of wrong type string",
            &["Lint go vet | a.go:3 |  |  | Printf format %d has arg x of wrong type string"],
        ),
        (
            "error: this `if` has identical blocks\n --> src/a.rs:3:5\n  |\n3 |     if x {\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#if_same_then_else\n  = note: `-D clippy::if-same-then-else` implied by `-D warnings`\n\nerror: unused variable: `x`\n --> src/a.rs:9:5\n  |\n  = note: `-D unused-variables` implied by `-D warnings`\n\nerror: could not compile `a`",
            &[
                "Lint clippy | src/a.rs:3 | if_same_then_else |  | this `if` has identical blocks",
                "Lint rustc | src/a.rs:9 | unused_variables |  | unused variable: `x`",
            ],
        ),
        (
            "F401 [*] `os` imported but unused\n --> src/a.py:1:8\n  |\n1 | import os\n  |        ^^\nhelp: Remove unused import\n\nFound 1 error.\n[*] 1 fixable with the `--fix` option.",
            &["Lint ruff | src/a.py:1 | F401 |  | `os` imported but unused"],
        ),
        (
            "src/a.py:12:101: E501 Line too long (120 > 100)\nFound 1 error.",
            &["Lint ruff | src/a.py:12 | E501 |  | Line too long (120 > 100)"],
        ),
        (
            "src/a.py:12:80: E501 line too long (81 > 79 characters)",
            &["Lint flake8 | src/a.py:12 | E501 |  | line too long (81 > 79 characters)"],
        ),
        (
            "************* Module a\na.py:1:0: C0114: Missing module docstring (missing-module-docstring)",
            &["Lint pylint | a.py:1 | missing-module-docstring |  | Missing module docstring"],
        ),
        (
            "/p/src/a.js\n  12:5   error    'x' is assigned a value but never used  no-unused-vars\n  13:5   warning  Unexpected console statement             no-console\n  14:1   error    Parsing error: Unexpected token }\n\n✖ 3 problems (2 errors, 1 warning)",
            &[
                "Lint eslint | /p/src/a.js:12 | no-unused-vars |  | 'x' is assigned a value but never used",
                "Lint eslint | /p/src/a.js:14 |  |  | Parsing error: Unexpected token }",
            ],
        ),
        (
            "./src/a.ts:3:7 lint/style/useConst  FIXABLE  ━━━━━━━━━━━━━━━━━━━━\n\n  × This let declares a variable that is only assigned once.\n\nChecked 3 files in 10ms.\nFound 1 error.",
            &[
                "Lint biome | ./src/a.ts:3 | lint/style/useConst |  | This let declares a variable that is only assigned once.",
            ],
        ),
        (
            "app/a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings.\n3 files inspected, 1 offense detected",
            &[
                "Lint rubocop | app/a.rb:3 | Style/StringLiterals |  | Prefer single-quoted strings.",
            ],
        ),
        (
            "In run.sh line 12:\necho $x\n     ^-- SC2086 (info): Double quote to prevent globbing and word splitting.\n\nFor more information:",
            &[
                "Lint shellcheck | run.sh:12 | SC2086 |  | Double quote to prevent globbing and word splitting.",
            ],
        ),
        (
            "run.sh:3:6: note: Double quote to prevent globbing. [SC2086]",
            &["Lint shellcheck | run.sh:3 | SC2086 |  | Double quote to prevent globbing."],
        ),
        (
            "[WARN] /p/A.java:5:25: '19' is a magic number. [MagicNumber]",
            &["Lint checkstyle | /p/A.java:5 | MagicNumber |  | '19' is a magic number."],
        ),
        (
            "/p/A.kt:3:1: Unused import (standard:no-unused-imports)",
            &["Lint ktlint | /p/A.kt:3 | standard:no-unused-imports |  | Unused import"],
        ),
        (
            "a.cpp:3:5: error: use nullptr [modernize-use-nullptr,-warnings-as-errors]",
            &["Lint clang-tidy | a.cpp:3 | modernize-use-nullptr |  | use nullptr"],
        ),
        (
            "/p/A.swift:3:1: error: Line Length Violation: too long (line_length)",
            &["Lint swiftlint | /p/A.swift:3 | line_length |  | Line Length Violation: too long"],
        ),
        (
            "README.md:3 MD001/heading-increment Heading levels should only increment by one",
            &[
                "Lint markdownlint | README.md:3 | MD001/heading-increment |  | Heading levels should only increment by one",
            ],
        ),
        (
            "/p/A.cs(3,5): error IDE0005: Using directive is unnecessary. [/p/a.csproj]",
            &["Lint dotnet | /p/A.cs:3 | IDE0005 |  | Using directive is unnecessary."],
        ),
    ]);
}

#[test]
fn formatters_tell_the_file() {
    assert_cases(&[
        (
            "Checking formatting...\n[warn] src/a.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
            &["Lint prettier | src/a.ts | format |  | the file is not formatted"],
        ),
        (
            "would reformat src/a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted.",
            &["Lint black | src/a.py | format |  | the file is not formatted"],
        ),
        (
            "Would reformat: src/a.py\n1 file would be reformatted",
            &["Lint ruff format | src/a.py | format |  | the file is not formatted"],
        ),
        (
            "unformatted: File would be reformatted\n   --> src/a.py:204:41\n    |\n1 file would be reformatted",
            &["Lint ruff format | src/a.py | format |  | the file is not formatted"],
        ),
        (
            "Diff in /p/src/a.rs:12:\n-x\n+y\nDiff in /p/src/a.rs:30:\n",
            &["Lint rustfmt | /p/src/a.rs | format |  | the file is not formatted"],
        ),
        (
            "diff a.go.orig a.go\n--- a.go.orig\n+++ a.go",
            &["Lint gofmt | a.go | format |  | the file is not formatted"],
        ),
    ]);
}

#[test]
fn prefixes_of_task_runners_do_not_matter() {
    let plain = "src/a.ts(1,2): error TS2304: Cannot find name 'x'.";
    let expected = super::rendered(plain);
    for prefix in [
        "[check] ",
        "[lint:ts] ",
        "web:check: ",
        "@acme/web:check: ",
        "app#check: ",
        "api  | ",
        "packages/web check: ",
        "\u{1b}[35m[check]\u{1b}[0m ",
    ] {
        assert_eq!(super::rendered(&format!("{prefix}{plain}")), expected, "{prefix}");
    }
}
