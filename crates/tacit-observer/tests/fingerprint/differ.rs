//! Pairs of outputs that are different failures, and the text of fingerprints.

use tacit_observer::error_fingerprint;

const DIFFER: [(&str, &str); 77] = [
    ("error[E0308]: mismatched types", "error[E0425]: cannot find value `x` in this scope"),
    (
        "error[E0382]: borrow of moved value: `x`",
        "error[E0499]: cannot borrow `x` as mutable more than once at a time",
    ),
    ("a.ts(1,1): error TS2345: Argument", "a.ts(1,1): error TS2322: Argument"),
    (
        "a.ts(1,1): error TS2322: Type 'string' is not assignable to type 'number'.",
        "a.ts(1,1): error TS2322: Type 'null' is not assignable to type 'number'.",
    ),
    (
        "ModuleNotFoundError: No module named 'yaml'",
        "ModuleNotFoundError: No module named 'requests'",
    ),
    ("KeyError: 'a'", "IndexError: list index out of range"),
    (
        "AttributeError: 'NoneType' object has no attribute 'x'",
        "AttributeError: 'User' object has no attribute 'x'",
    ),
    (
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: a\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 2, in g\nKeyError: 'a'",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: a",
    ),
    (
        "FAILED tests/a.py::test_one - AssertionError: assert 1 == 2",
        "FAILED tests/a.py::test_two - AssertionError: assert 1 == 2",
    ),
    (
        "--- FAIL: TestAdd (0.00s)\n    a_test.go:3: got 1, want 2",
        "--- FAIL: TestSub (0.00s)\n    a_test.go:3: got 1, want 2",
    ),
    (
        "  ● math › adds\n    expect(received).toBe(expected)",
        "  ● math › divides\n    expect(received).toBe(expected)",
    ),
    (
        "---- tests::a stdout ----\nthread 'tests::a' panicked at src/a.rs:1:1:\nassertion failed: x",
        "---- tests::b stdout ----\nthread 'tests::b' panicked at src/a.rs:1:1:\nassertion failed: x",
    ),
    (
        "thread 'main' panicked at a.rs:1:1:\ncalled `Option::unwrap()` on a `None` value",
        "thread 'main' panicked at a.rs:1:1:\nattempt to subtract with overflow",
    ),
    ("./a.go:1:2: undefined: x", "./a.go:1:2: declared and not used: x"),
    ("./a.go:1:2: missing return", "./a.go:1:2: undefined: x"),
    (
        "panic: runtime error: index out of range [3] with length 2",
        "panic: runtime error: invalid memory address or nil pointer dereference",
    ),
    (
        "Exception in thread \"main\" java.lang.RuntimeException: a\nCaused by: java.io.IOException: b",
        "Exception in thread \"main\" java.lang.RuntimeException: a\nCaused by: java.lang.IllegalStateException: b",
    ),
    (
        "A.java:1: error: cannot find symbol",
        "A.java:1: error: incompatible types: int cannot be converted to String",
    ),
    (
        "a.c:1:1: error: expected ‘;’ before ‘}’ token",
        "a.c:1:1: error: ‘x’ undeclared (first use in this function)",
    ),
    ("npm ERR! code ERESOLVE", "npm ERR! code EACCES"),
    ("npm ERR! Missing script: \"build\"", "npm ERR! Missing script: \"lint\""),
    ("Error: connect ECONNREFUSED 127.0.0.1:1", "Error: connect ETIMEDOUT 127.0.0.1:1"),
    (
        "TypeError: x is not a function",
        "TypeError: Cannot read properties of undefined (reading 'x')",
    ),
    (
        "TypeError: Cannot read properties of undefined (reading 'x')",
        "TypeError: Cannot read properties of null (reading 'x')",
    ),
    (
        "Error response from daemon: No such container: x",
        "Error response from daemon: No such image: x",
    ),
    ("fatal: not a git repository", "fatal: refusing to merge unrelated histories"),
    (
        "CONFLICT (content): Merge conflict in a.rs",
        "CONFLICT (modify/delete): a.rs deleted in HEAD and modified in b.",
    ),
    (
        "Error from server (NotFound): pods \"x\" not found",
        "Error from server (Forbidden): pods is forbidden: User \"x\" cannot list resource",
    ),
    ("ERROR:  relation \"users\" does not exist", "ERROR:  relation \"orders\" does not exist"),
    ("ERROR:  relation \"users\" does not exist", "ERROR:  column \"users\" does not exist"),
    ("bash: jq: command not found", "bash: yq: command not found"),
    ("cat: a.txt: No such file or directory", "cat: a.txt: Permission denied"),
    ("server answered with status 404", "server answered with status 500"),
    ("process exited with code 1", "process exited with code 137"),
    ("  1:1  error  'x' is not defined  no-undef", "  1:1  error  Missing semicolon  semi"),
    ("curl: (6) Could not resolve host: a", "curl: (28) Operation timed out after 30 s"),
    // The name of what is missing counts.
    ("./a.go:1:2: undefined: json", "./a.go:1:2: undefined: ValidateToolUseID"),
    (
        "a.go:1:2: x.Load undefined (type *T has no field or method Load)",
        "a.go:1:2: x.Save undefined (type *T has no field or method Save)",
    ),
    (
        "main.go:4:2: no required module provides package github.com/a/b; to add it:",
        "main.go:4:2: no required module provides package github.com/a/c; to add it:",
    ),
    (
        "a.go:3:2: cannot find package \"github.com/a/b\" in any of:",
        "a.go:3:2: cannot find package \"github.com/a/c\" in any of:",
    ),
    (
        "error[E0425]: cannot find value `foo` in this scope\n --> src/a.rs:1:1",
        "error[E0425]: cannot find value `bar` in this scope\n --> src/a.rs:1:1",
    ),
    (
        "error[E0412]: cannot find type `Foo` in this scope\n --> src/a.rs:1:1",
        "error[E0412]: cannot find type `Bar` in this scope\n --> src/a.rs:1:1",
    ),
    (
        "error[E0432]: unresolved import `serde::de`\n --> src/a.rs:1:1",
        "error[E0432]: unresolved import `tokio::io`\n --> src/a.rs:1:1",
    ),
    (
        "error[E0599]: no method named `foo` found for struct `Bar` in the current scope",
        "error[E0599]: no method named `baz` found for struct `Bar` in the current scope",
    ),
    ("error: unexpected argument '--foo' found", "error: unexpected argument '--bar' found"),
    ("Error: unknown flag: --disable-all", "Error: unknown flag: --new-from"),
    ("error: unknown option '--foo'", "error: unknown option '--bar'"),
    ("unknown command \"foo\" for \"gh\"", "unknown command \"bar\" for \"gh\""),
    (
        "Error: unknown linters: 'deadcode', run 'golangci-lint help linters'",
        "Error: unknown linters: 'varcheck', run 'golangci-lint help linters'",
    ),
    ("json: unknown field \"retries\"", "json: unknown field \"timeout\""),
    ("python: No module named pytest", "python: No module named ruff"),
    (
        "ImportError: cannot import name 'load' from 'app'",
        "ImportError: cannot import name 'save' from 'app'",
    ),
    (
        "AttributeError: 'User' object has no attribute 'mail'",
        "AttributeError: 'User' object has no attribute 'name'",
    ),
    ("NameError: name 'foo' is not defined", "NameError: name 'bar' is not defined"),
    ("E   fixture 'db' not found", "E   fixture 'client' not found"),
    (
        "sqlite3.OperationalError: no such table: users",
        "sqlite3.OperationalError: no such table: orders",
    ),
    (
        "sqlite3.OperationalError: no such column: mail",
        "sqlite3.OperationalError: no such column: name",
    ),
    ("ReferenceError: foo is not defined", "ReferenceError: bar is not defined"),
    (
        "src/a.ts(3,7): error TS2304: Cannot find name 'foo'.",
        "src/a.ts(3,7): error TS2304: Cannot find name 'bar'.",
    ),
    (
        "src/a.ts(3,7): error TS2307: Cannot find module 'zod' or its corresponding type declarations.",
        "src/a.ts(3,7): error TS2307: Cannot find module 'ky' or its corresponding type declarations.",
    ),
    (
        "a.ts(1,1): error TS2339: Property 'x' does not exist on type 'User'.",
        "a.ts(1,1): error TS2339: Property 'y' does not exist on type 'User'.",
    ),
    ("Error: Cannot find module 'express'", "Error: Cannot find module 'fastify'"),
    ("error: Missing script \"test:unit\"", "error: Missing script \"test:e2e\""),
    (
        "A.java:1: error: cannot find symbol\n  foo();\n  ^\n  symbol:   method foo()",
        "A.java:1: error: cannot find symbol\n  bar();\n  ^\n  symbol:   method bar()",
    ),
    (
        "A.java:1: error: package org.junit does not exist",
        "A.java:1: error: package org.mockito does not exist",
    ),
    (
        "A.cs(1,2): error CS0103: The name 'foo' does not exist in the current context [/p/a.csproj]",
        "A.cs(1,2): error CS0103: The name 'bar' does not exist in the current context [/p/a.csproj]",
    ),
    (
        "e: file:///p/A.kt:1:2 Unresolved reference 'foo'.",
        "e: file:///p/A.kt:1:2 Unresolved reference 'bar'.",
    ),
    (
        "a.c:1:1: error: use of undeclared identifier 'foo'",
        "a.c:1:1: error: use of undeclared identifier 'bar'",
    ),
    (
        "a.c:(.text+0x5): undefined reference to `foo'",
        "a.c:(.text+0x5): undefined reference to `bar'",
    ),
    ("(eval):1: command not found: jq", "(eval):1: command not found: yq"),
    ("mise ERROR no task lint:full found", "mise ERROR no task lint:go found"),
    // A rule of a linter is another failure than another rule.
    (
        "a.go:1:2: string `x` has 3 occurrences, make it a constant (goconst)",
        "a.go:1:2: Error return value of `f.Close` is not checked (errcheck)",
    ),
    (
        "a.go:1:2: unused-parameter: parameter 'x' seems to be unused (revive)",
        "a.go:1:2: package-comments: should have a package comment (revive)",
    ),
    ("a.py:1:2: E501 Line too long (120 > 100)", "a.py:1:2: F401 `os` imported but unused"),
    (
        "a.py:1: error: Incompatible return value type  [return-value]",
        "a.py:1: error: Missing return statement  [return]",
    ),
    // Tests of the same output.
    (
        "=== RUN   TestA\n    a_test.go:3: got 1, want 2\n--- FAIL: TestA (0.00s)",
        "=== RUN   TestB\n    a_test.go:3: got 1, want 2\n--- FAIL: TestB (0.00s)",
    ),
    (
        "ImportError while importing test module '/p/tests/test_a.py'.\nHint: make sure your test modules/packages have valid Python names.\nTraceback:\nE   ModuleNotFoundError: No module named 'yaml'",
        "ImportError while importing test module '/p/tests/test_a.py'.\nHint: make sure your test modules/packages have valid Python names.\nTraceback:\nE   ModuleNotFoundError: No module named 'toml'",
    ),
];

#[test]
fn different_failures_have_different_fingerprints() {
    let mut alike = String::new();
    for (one, two) in DIFFER {
        let first = error_fingerprint("sh", one).expect(one);
        let second = error_fingerprint("sh", two).expect(two);
        if first.digest() == second.digest() {
            alike += &format!("---\n{}\nof\n{one}\nand\n{two}\n", first.text());
        }
    }
    assert!(alike.is_empty(), "{alike}");
}

#[test]
fn the_tool_counts_if_no_line_is_a_known_error() {
    let digest = |tool, text| error_fingerprint(tool, text).expect(text).digest().to_owned();
    assert_ne!(digest("left", "done, 3 problems"), digest("right", "done, 3 problems"));
    assert_eq!(digest("/bin/left --x", "done, 3 problems"), digest("left", "done, 4 problems"));
    assert_eq!(digest("make", "error[E0308]: x"), digest("cargo", "error[E0308]: x"));
}

#[test]
fn the_text_shows_error_lines_with_placeholders() {
    let cases = [
        (
            "Exit code 101\n   Compiling a v1.0.0\nerror[E0308]: mismatched types\n --> src/a.rs:1:2\n\nerror[E0425]: cannot find value `x` in this scope\n --> src/a.rs:9:2\nerror: could not compile `a`",
            "error[E0308]: mismatched types\nerror[E0425]: cannot find value x in this scope",
        ),
        (
            "psql:/tmp/a.sql:3: ERROR:  23505: duplicate key value violates unique constraint \"k\"",
            "ERROR: 23505: duplicate key value violates unique constraint k",
        ),
        (
            "Error: ENOENT: no such file or directory, open '/tmp/x'",
            "Error: ENOENT: no such file or directory, open <path>",
        ),
        (
            "GET https://example.com/a?b=1 from 10.0.0.1:80 failed at 2026-02-17 21:00:00 (pid 4711, 0xdeadbeef)",
            "GET <url> from <address> failed at <time> <time> (pid <n>, <hex>)",
        ),
    ];
    for (text, shown) in cases {
        let fingerprint = error_fingerprint("x", text).expect(text);
        assert_eq!(fingerprint.text(), shown);
    }
}

#[test]
fn output_without_an_error_has_no_fingerprint() {
    for text in
        ["", "\n \n", "Exit code 1", "--- 12 ===\n====", "   Compiling a v1.0.0\n", "\u{1b}[0m"]
    {
        assert_eq!(error_fingerprint("x", text), None, "{text}");
    }
}
