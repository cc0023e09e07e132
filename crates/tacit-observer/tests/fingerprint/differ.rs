//! Pairs of outputs that are two failures, and what a fingerprint shows.

use tacit_observer::error_fingerprint;

const DIFFER: [(&str, &str); 36] = [
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
            "error[E0308]: mismatched types\nerror[E0425]: cannot find value <name> in this scope",
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
