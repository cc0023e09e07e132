//! Properties of findings of any output.

use proptest::prelude::*;
use tacit_observer::findings::findings;
use tacit_observer::{error_fingerprint, error_lines};

const PIECES: [&str; 54] = [
    "--- FAIL: TestX (0.1s)\n",
    "    a_test.go:1: got\n",
    "=== RUN   TestX\n",
    "        --- FAIL: TestX/é\n",
    "a.go:1:2: string `x\n",
    " (goconst)\n",
    "a.go:",
    "# [x]\n",
    "error[E0308]: é\n",
    " --> a.rs:1:2\n",
    "error: x\n",
    "= note: `-D clippy::\n",
    "---- a stdout ----\n",
    "thread 'é' panicked at a.rs:1:2:\n",
    "left: 1\n",
    "____ a ____\n",
    "E   é\n",
    "FAILED a.py::b - c\n",
    "ERROR a.py\n",
    "==== FAILURES ====\n",
    "---- Captured stdout ----\n",
    "FAIL: a (b)\n",
    "  File \"a\", line 9\n",
    "F401 [*] x\n",
    "a.py:1:2: E501 é\n",
    "  ● a › b\n",
    " FAIL  a.ts > b\n",
    " FAIL  a.ts [ x ]\n",
    "❯ a.ts:1:2\n",
    "at f (a.ts:1:2)\n",
    "a.ts(1,2): error TS1: x\n",
    "  1:2  error  x  y\n",
    "a.ts:1:2 lint/x ━━\n",
    "1) a\n",
    "Failure/Error: x\n",
    "1) Failure:\n",
    "1) A::b\n",
    "1) test x (Y)\n",
    "X > y() FAILED\n",
    "[ERROR] a.b <<< FAILURE!\n",
    "[ERROR]   A.b:1 é\n",
    "[ERROR] Failures: \n",
    "e: a.kt: (1, 2): x\n",
    "* What went wrong:\n",
    "Failed X [1 s]\n",
    "Error Message:\n",
    "unknown flag: --é\n",
    "[x] ",
    "web:test: ",
    "a  | ",
    "é",
    "\r",
    "\t",
    "\n",
];

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let _ = findings(&text);
    }

    #[test]
    fn pieces_of_outputs_in_any_order_are_read(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        let text = pieces.concat();
        for found in findings(&text) {
            prop_assert!(found.message.len() <= 304 && !found.message.contains('\n'), "{}", found.message);
        }
        for line in error_lines(&text, 3) {
            prop_assert!(!line.contains('\n'));
        }
    }
}

#[test]
fn long_hostile_outputs_are_read() {
    let numbered = [
        "--- FAIL: TestN (0.1s)\n",
        "--- FAIL: Test/a/b/N (0.1s)\n",
        "=== RUN   TestN\n    a_test.go:1: got\n",
        "____ test_N ____\nE   x\nFAILED a.py::test_N - c\n",
        "[ERROR] Failures: \n[ERROR]   A.bN:1 x\n",
        "a.go:N:2: undefined: xN\n",
        "unknown flag: --N\n",
        "  1) test N\n",
        "  N     message\n",
    ];
    for piece in PIECES.iter().chain(&numbered) {
        let text: String = (0..128 * 1024 / piece.len())
            .map(|number| piece.replace('N', &number.to_string()))
            .collect();
        // A reader of quadratic cost would not finish within the runner's patience.
        let _ = error_fingerprint("x", &text);
    }
}
