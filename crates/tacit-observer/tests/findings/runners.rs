//! Failed tests.

use super::assert_cases;

#[test]
fn go_tests_tell_the_line_that_failed() {
    assert_cases(&[
        (
            "ok  \texample.com/b\t0.1s\n2026/01/15 16:03:05 INFO saved\nError: context deadline exceeded\n--- FAIL: TestResume (0.13s)\n    hooks.go:155: Hook output: 2026/01/15 16:03:05 INFO stop component=hooks\n    resume_test.go:12: expected 2 sessions, got 1\nFAIL\nFAIL\texample.com/a\t0.002s\nFAIL",
            &["Test go test | resume_test.go:12 |  | TestResume | expected 2 sessions, got 1"],
        ),
        (
            "=== RUN   TestAdd\n    add_test.go:9: adding\n    add_test.go:12: got 3, want 4\n--- FAIL: TestAdd (0.00s)\n=== RUN   TestSub\n    sub_test.go:3: want nothing\n--- PASS: TestSub (0.00s)\nFAIL\nexit status 1",
            &["Test go test | add_test.go:12 |  | TestAdd | got 3, want 4"],
        ),
        (
            "--- FAIL: TestEnable (0.00s)\n    --- FAIL: TestEnable/auto (0.07s)\n        setup_test.go:152: Expected status 'enabled', got: Enabled\n    --- PASS: TestEnable/manual (0.07s)\nFAIL",
            &[
                "Test go test | setup_test.go:152 |  | TestEnable/auto | Expected status 'enabled', got: Enabled",
            ],
        ),
        (
            "--- FAIL: TestLoad (0.00s)\n    load_test.go:20: \n        \tError Trace:\t/p/load_test.go:20\n        \tError:      \tNot equal: \n        \t            \texpected: 2\n        \t            \tactual  : 1\n        \tTest:       \tTestLoad\n        \tMessages:   \twrong count\nFAIL",
            &[
                "Test go test | load_test.go:20 |  | TestLoad | wrong count: Not equal: expected: 2, actual: 1",
            ],
        ),
        (
            "--- FAIL: TestNil (0.00s)\npanic: runtime error: invalid memory address or nil pointer dereference [recovered]\n\tpanic: again\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2()\n\t/usr/go/src/testing/testing.go:1631 +0x24a\nexample.com/a.TestNil(0xc0)\n\t/p/nil_test.go:8 +0x1d\nFAIL\texample.com/a\t0.002s",
            &[
                "Test go test | /p/nil_test.go:8 |  | TestNil | panic: runtime error: invalid memory address or nil pointer dereference [recovered]",
            ],
        ),
        ("--- FAIL: TestOnlyName (0.09s)\nFAIL", &["Test go test |  |  | TestOnlyName | "]),
    ]);
}

#[test]
fn rust_tests_tell_the_panic_of_the_test() {
    assert_cases(&[
        (
            "running 1 test\ntest tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\nerror: printed by the test\n\nthread 'tests::adds' panicked at src/lib.rs:10:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1`\n\n\nfailures:\n    tests::adds\n\ntest result: FAILED. 0 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`",
            &[
                "Test cargo test | src/lib.rs:10 |  | tests::adds | assertion `left == right` failed (left: 3, right: 4)",
            ],
        ),
        (
            "---- reads stdout ----\nError: Custom { kind: NotFound, error: \"x\" }\n\nfailures:\n    reads",
            &["Test cargo test |  |  | reads | Custom { kind: NotFound, error: \"x\" }"],
        ),
        (
            "thread 'main' (77) panicked at src/main.rs:3:5:\nno configuration\n",
            &["Test cargo test | src/main.rs:3 |  |  | no configuration"],
        ),
        (
            "thread 'tests::old' panicked at 'assertion failed: x', src/lib.rs:4:5",
            &["Test cargo test | src/lib.rs:4 |  | tests::old | assertion failed: x"],
        ),
    ]);
}

#[test]
fn python_tests_tell_the_exception() {
    assert_cases(&[
        (
            "=================================== FAILURES ===================================\n__________________________________ test_total __________________________________\n\n    def test_total():\n>       assert total() == 3\nE       assert 4 == 3\nE        +  where 4 = total()\n\ntests/test_a.py:5: AssertionError\n----------------------------- Captured stdout call -----------------------------\nE   not this one\nerror: printed\n=========================== short test summary info ============================\nFAILED tests/test_a.py::test_total - assert 4 == 3\n========================= 1 failed, 10 passed in 0.03s =========================",
            &["Test pytest | tests/test_a.py:5 |  | test_total | assert 4 == 3"],
        ),
        (
            "FAILED tests/test_a.py::TestCart::test_add[2-3] - KeyError: 'price'\n1 failed, 3 passed in 0.1s",
            &["Test pytest | tests/test_a.py |  | TestCart::test_add[2-3] | KeyError: 'price'"],
        ),
        (
            "==================================== ERRORS ====================================\n_____________________ ERROR collecting tests/test_a.py _____________________\nImportError while importing test module '/p/tests/test_a.py'.\nHint: make sure your test modules/packages have valid Python names.\nTraceback:\ntests/test_a.py:1: in <module>\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'\n=========================== short test summary info ============================\nERROR tests/test_a.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n=============================== 1 error in 0.06s ===============================",
            &[
                "Test pytest | tests/test_a.py:1 |  |  | ModuleNotFoundError: No module named 'yaml'",
            ],
        ),
        (
            "======================================================================\nFAIL: test_add (tests.test_math.TestMath.test_add)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/p/tests/test_math.py\", line 7, in test_add\n    self.assertEqual(add(1, 1), 3)\nAssertionError: 2 != 3\n\n----------------------------------------------------------------------\nRan 1 test in 0.000s\n\nFAILED (failures=1)",
            &["Test unittest | /p/tests/test_math.py:7 |  | test_add | AssertionError: 2 != 3"],
        ),
    ]);
}

#[test]
fn javascript_tests_tell_the_assertion() {
    assert_cases(&[
        (
            "PASS src/ok.test.ts\nFAIL src/math.test.ts\n  ● Console\n\n    console.log\n      FAIL printed\n\n  ● math › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 4\n\n      3 | it('adds', () => {\n    > 5 |   expect(add(1, 2)).toBe(3);\n\n      at Object.<anonymous> (src/math.test.ts:5:21)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 3 passed, 4 total",
            &[
                "Test jest | src/math.test.ts:5 |  | adds | expect(received).toBe(expected): Expected: 3, Received: 4",
            ],
        ),
        (
            "FAIL src/a.test.ts\n  ● Test suite failed to run\n\n    Cannot find module './missing' from 'src/a.test.ts'\n\n    Require stack:\n      src/a.test.ts\n\nTest Suites: 1 failed, 1 total",
            &[
                "Test jest | src/a.test.ts |  |  | Cannot find module './missing' from 'src/a.test.ts'",
            ],
        ),
        (
            "⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  src/user.test.ts > user > loads\nAssertionError: expected 3 to be 4 // Object.is equality\n\n- Expected\n+ Received\n\n ❯ src/user.test.ts:8:20\n      6|\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯\n\n Test Files  1 failed (1)",
            &["Test vitest | src/user.test.ts:8 |  | loads | AssertionError: expected 3 to be 4"],
        ),
        (
            " FAIL  src/app.test.ts [ src/app.test.ts ]\nError: Failed to resolve import \"./app\" from \"src/app.test.ts\". Does the file exist?\n  Plugin: vite:import-analysis",
            &[
                "Test vitest | src/app.test.ts |  |  | Error: Failed to resolve import \"./app\" from \"src/app.test.ts\". Does the file exist?",
            ],
        ),
        (
            "  1 failing\n\n  1) Cart\n       adds items:\n     AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n      at Context.<anonymous> (test/cart.js:12:5)",
            &[
                "Test mocha | test/cart.js:12 |  | adds items | AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
            ],
        ),
    ]);
}

#[test]
fn other_runners_tell_the_test_and_the_reason() {
    assert_cases(&[
        (
            "> Task :test FAILED\n\nCalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n        at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)\n        at app.CalcTest.adds(CalcTest.java:12)\n\n3 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report at: file:///p/index.html",
            &[
                "Test gradle | CalcTest.java:12 |  | CalcTest > adds() | org.opentest4j.AssertionFailedError: expected: <3> but was: <4>",
            ],
        ),
        (
            "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in app.CalcTest\n[ERROR] app.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n\tat app.CalcTest.adds(CalcTest.java:12)\n\n[INFO] Results:\n[ERROR] Failures: \n[ERROR]   CalcTest.adds:12 expected: <3> but was: <4>\n[ERROR] Tests run: 2, Failures: 1\n[INFO] BUILD FAILURE",
            &[
                "Test maven | CalcTest.java:12 |  | app.CalcTest.adds | org.opentest4j.AssertionFailedError: expected: <3> but was: <4>",
            ],
        ),
        (
            "[ERROR] Errors: \n[ERROR]   CalcTest.loads:9 » NullPointer x is null\n[INFO] \n[ERROR] Tests run: 2, Errors: 1",
            &["Test maven | CalcTest.java:9 |  | CalcTest.loads | NullPointer x is null"],
        ),
        (
            "  Failed Shop.CartTests.Adds [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\nExpected: 1\nActual:   2\n  Stack Trace:\n     at Shop.CartTests.Adds() in /p/CartTests.cs:line 12\n\nFailed!  - Failed:     1, Passed:     3",
            &[
                "Test dotnet test | /p/CartTests.cs:12 |  | Shop.CartTests.Adds | Assert.Equal() Failure: Values differ Expected: 1 Actual: 2",
            ],
        ),
        (
            "Failures:\n\n  1) Cart adds an item\n     Failure/Error: expect(cart.size).to eq(1)\n\n       expected: 1\n            got: 2\n\n       (compared using ==)\n     # ./spec/cart_spec.rb:12:in `block'\n\nFinished in 0.01 seconds\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:10 # Cart adds an item",
            &["Test rspec | spec/cart_spec.rb:12 |  | Cart adds an item | expected: 1, got: 2"],
        ),
        (
            "  1) Failure:\nCartTest#test_adds [test/cart_test.rb:8]:\nExpected: 1\n  Actual: 2\n\n1 runs, 1 assertions, 1 failures",
            &[
                "Test minitest | test/cart_test.rb:8 |  | CartTest#test_adds | Expected: 1, Actual: 2",
            ],
        ),
        (
            "There was 1 failure:\n\n1) App\\Tests\\CartTest::testAdds\nFailed asserting that 2 matches expected 1.\n\n/p/tests/CartTest.php:15\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
            &[
                "Test phpunit | /p/tests/CartTest.php:15 |  | App\\Tests\\CartTest::testAdds | Failed asserting that 2 matches expected 1.",
            ],
        ),
        (
            "  1) test adds (MathTest)\n     test/math_test.exs:5\n     Assertion with == failed\n     code:  assert add(1, 1) == 3\n     left:  2\n     right: 3\n     stacktrace:\n       test/math_test.exs:6: (test)\n\nFinished in 0.02 seconds",
            &[
                "Test mix test | test/math_test.exs:5 |  | adds | Assertion with == failed: assert add(1, 1) == 3",
            ],
        ),
        (
            "/p/Tests/CartTests.swift:12: error: -[ShopTests.CartTests testAdds] : XCTAssertEqual failed: (\"1\") is not equal to (\"2\")",
            &[
                "Test swift test | /p/Tests/CartTests.swift:12 |  | testAdds | XCTAssertEqual failed: (\"1\") is not equal to (\"2\")",
            ],
        ),
        (
            "✘ Test adds() recorded an issue at CartTests.swift:12:5: Expectation failed: (size → 1) == 2",
            &[
                "Test swift test | CartTests.swift:12 |  | adds() | Expectation failed: (size → 1) == 2",
            ],
        ),
        (
            "error: 'main.test.adds' failed: expected 3, found 4\n/usr/lib/zig/std/testing.zig:110:17: 0x1 in expect",
            &["Test zig test |  |  | main.test.adds | expected 3, found 4"],
        ),
    ]);
}
