//! Pairs of outputs that are the same failure.

use tacit_observer::error_fingerprint;

/// A tool with two of its outputs.
const SAME: [(&str, &str, &str); 91] = [
    // rustc and cargo
    (
        "cargo",
        "   Compiling app v0.1.0 (/home/a/app)\nerror[E0308]: mismatched types\n --> src/main.rs:4:18\n  |\n4 |     let x: u32 = \"a\";\n  |            ---   ^^^ expected `u32`, found `&str`\n\nerror: could not compile `app` (bin \"app\") due to 1 previous error",
        "error[E0308]: mismatched types\n   --> crates/core/src/lib.rs:104:9\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `core` (lib) due to 3 previous errors; 2 warnings emitted",
    ),
    (
        "cargo",
        "error[E0425]: cannot find value `foo` in this scope\n --> src/a.rs:1:1",
        "error[E0425]: cannot find value `foo` in this scope\n --> src/b.rs:77:12",
    ),
    (
        "cargo",
        "error[E0432]: unresolved import `crate::foo`\n --> src/a.rs:1:5",
        "\u{1b}[0m\u{1b}[1m\u{1b}[38;5;9merror[E0432]\u{1b}[0m\u{1b}[1m: unresolved import `crate::foo`\u{1b}[0m\n --> src/lib.rs:9:5",
    ),
    (
        "cargo",
        "thread 'main' panicked at src/main.rs:10:23:\ncalled `Option::unwrap()` on a `None` value\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
        "thread 'worker-3' (1234) panicked at /work/src/pool.rs:99:1:\ncalled `Option::unwrap()` on a `None` value",
    ),
    (
        "cargo",
        "running 1 test\ntest tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\n\nthread 'tests::adds' panicked at src/lib.rs:10:9:\nassertion `left == right` failed\n  left: 3\n right: 4",
        "test tests::adds ... FAILED\n---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:14:9:\nassertion `left == right` failed\n  left: 5\n right: 6\n",
    ),
    (
        "cargo",
        "error: failed to select a version for the requirement `serde = \"^9\"`\ncandidate versions found which didn't match: 1.0.200",
        "    Updating crates.io index\nerror: failed to select a version for the requirement `tokio = \"^7.1\"`\ncandidate versions found which didn't match: 1.2.3, 1.2.2",
    ),
    (
        "cargo",
        "error: linking with `cc` failed: exit status: 1\n  = note: /usr/bin/ld: cannot find -lfoo",
        "error: linking with `clang` failed: exit status: 1\n  = note: more",
    ),
    // TypeScript
    (
        "npx tsc",
        "src/app.ts(12,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
        "web/src/deep/view.tsx(140,33): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.\nFound 1 error.",
    ),
    (
        "tsc",
        "src/a.ts:3:7 - error TS2304: Cannot find name 'foo'.\n\n3   foo()\n    ~~~",
        "src/b.ts:88:1 - error TS2304: Cannot find name 'foo'.",
    ),
    (
        "tsc",
        "src/a.ts(3,7): error TS2339: Property 'x' does not exist on type 'User'.",
        "src/a.ts:9:1 - error TS2339: Property 'x' does not exist on type 'Account'.",
    ),
    // eslint
    (
        "eslint",
        "/home/me/app/src/a.js\n  12:5  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
        "/tmp/ci-123/src/b.js\n  3:10  error  'total' is assigned a value but never used  no-unused-vars\n\n✖ 4 problems (1 error, 3 warnings)",
    ),
    (
        "eslint",
        "  1:1  error  Parsing error: Unexpected token }",
        "  44:19  error  Parsing error: Unexpected token }",
    ),
    // jest and vitest
    (
        "jest",
        "FAIL src/math.test.ts\n  ● math › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 4\n\n      at Object.<anonymous> (src/math.test.ts:5:21)",
        "FAIL src/math.test.ts (5.2 s)\n  ● math › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 10\n    Received: 12\n      at Object.<anonymous> (src/math.test.ts:9:3)",
    ),
    (
        "vitest",
        " FAIL  src/user.test.ts > user > loads\nAssertionError: expected 3 to be 4 // Object.is equality\n ❯ src/user.test.ts:8:20",
        " FAIL  src/user.test.ts > user > loads\nAssertionError: expected 13 to be 14 // Object.is equality\n ❯ src/user.test.ts:80:2",
    ),
    (
        "jest",
        "  ● a › b\n    TypeError: Cannot read properties of undefined (reading 'id')\n      at f (src/a.ts:1:2)",
        "  ● c › d\n    TypeError: Cannot read properties of undefined (reading 'name')\n      at g (src/z.ts:9:9)",
    ),
    (
        "jest",
        "    Cannot find module 'lodash/fp' from 'src/a.ts'",
        "    Cannot find module 'lodash/fp' from 'src/lib/other.ts'",
    ),
    // Python
    (
        "python",
        "Traceback (most recent call last):\n  File \"/tmp/a/main.py\", line 3, in <module>\n    main()\nKeyError: 'user'",
        "Traceback (most recent call last):\n  File \"/srv/app/run.py\", line 30, in run\n    x['id']\n  File \"/srv/app/b.py\", line 1, in g\nKeyError: 'account_id'",
    ),
    (
        "python3",
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'",
        "Traceback (most recent call last):\n  File \"/x/b.py\", line 7, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'\n",
    ),
    (
        "python",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: bad\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 9, in g\nsqlalchemy.exc.OperationalError: connection to 10.0.0.1:5432 lost",
        "Traceback (most recent call last):\n  File \"b.py\", line 4, in f\nsqlalchemy.exc.OperationalError: connection to 10.9.8.7:6543 lost",
    ),
    (
        "python",
        "Traceback (most recent call last):\n  File \"x.py\", line 2, in <module>\nTypeError: unsupported operand type(s) for +: 'int' and 'str'",
        "Traceback (most recent call last):\n  File \"/opt/y.py\", line 200, in calc\n    a + b\n    ~~^~~\nTypeError: unsupported operand type(s) for +: 'int' and 'str'",
    ),
    (
        "python",
        "  File \"a.py\", line 3\n    if x\n        ^\nSyntaxError: expected ':'",
        "  File \"/tmp/zz/b.py\", line 99\n    while y\n           ^\nSyntaxError: expected ':'",
    ),
    (
        "pytest",
        "____________ test_total ____________\n\n    def test_total():\n>       assert total() == 3\nE       assert 4 == 3\nE        +  where 4 = total()\n\ntests/test_a.py:5: AssertionError\nFAILED tests/test_a.py::test_total - assert 4 == 3\n1 failed in 0.03s",
        "____________ test_total ____________\n>       assert total() == 7\nE       assert 8 == 7\nE        +  where 8 = total()\n\ntests/test_a.py:15: AssertionError\nFAILED tests/test_a.py::test_total - assert 8 == 7\n1 failed, 20 passed in 12.03s",
    ),
    (
        "pytest",
        "E   fixture 'db' not found\n>       available fixtures: cache",
        "E   fixture 'db' not found\n>       available fixtures: cache, capsys",
    ),
    (
        "pytest",
        "FAILED tests/a.py::test_x - ConnectionError: HTTPConnectionPool(host='a', port=80): Max retries exceeded with url: /v1",
        "FAILED tests/b.py::test_y - ConnectionError: HTTPConnectionPool(host='b.example', port=8080): Max retries exceeded with url: /v2/users",
    ),
    // Go
    (
        "go build",
        "# example.com/app\n./main.go:12:3: undefined: foo",
        "# example.com/app/internal\ninternal/x/y.go:101:17: undefined: foo",
    ),
    (
        "go",
        "./main.go:7:2: \"os\" imported and not used",
        "pkg/a.go:9:2: \"net/http\" imported and not used",
    ),
    (
        "go",
        "./main.go:7:2: declared and not used: x",
        "cmd/x.go:70:12: declared and not used: result",
    ),
    (
        "go test",
        "--- FAIL: TestAdd (0.00s)\n    add_test.go:12: got 3, want 4\nFAIL\nexit status 1\nFAIL\texample.com/a\t0.002s",
        "--- FAIL: TestAdd (1.20s)\n    add_test.go:19: got 5, want 6\nFAIL\nFAIL\texample.com/a\t1.402s",
    ),
    (
        "go",
        "panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x/main.go:8 +0x1d\nexit status 2",
        "panic: runtime error: index out of range [10] with length 7\n\ngoroutine 18 [running]:\nmain.f(0xc0000140a0)\n\t/home/u/main.go:80 +0x2f",
    ),
    (
        "go",
        "go: finding module for package github.com/a/b\nmain.go:4:2: no required module provides package github.com/a/b; to add it:\n\tgo get github.com/a/b",
        "cmd/main.go:14:2: no required module provides package github.com/a/b; to add it:\n\tgo get github.com/a/b",
    ),
    // Java
    (
        "java",
        "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"<local1>\" is null\n\tat Main.main(Main.java:5)",
        "Exception in thread \"pool-1-thread-4\" java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"<local7>\" is null\n\tat App.run(App.java:51)",
    ),
    (
        "java",
        "Exception in thread \"main\" java.lang.RuntimeException: start failed\n\tat A.b(A.java:1)\nCaused by: java.net.ConnectException: Connection refused: localhost:5432\n\t... 3 more",
        "Exception in thread \"main\" java.lang.RuntimeException: boot of 7 failed\n\tat C.d(C.java:9)\nCaused by: java.net.ConnectException: Connection refused: 10.0.0.7:5433\n\t... 12 more",
    ),
    (
        "mvn",
        "[INFO] Scanning\n[ERROR] COMPILATION ERROR :\n[ERROR] /home/a/src/main/java/A.java:[12,5] cannot find symbol\n[ERROR]   symbol:   variable foo\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile",
        "[ERROR] /tmp/x/src/main/java/com/B.java:[99,17] cannot find symbol\n[ERROR]   symbol:   variable foo\n[ERROR] Failed to execute goal x",
    ),
    (
        "gradle",
        "> Task :compileJava FAILED\n/home/a/A.java:3: error: cannot find symbol\n    foo();\n    ^\n1 error\n\nFAILURE: Build failed with an exception.",
        "/b/src/C.java:33: error: cannot find symbol\n    bar.baz();\n\nBUILD FAILED in 12s",
    ),
    (
        "gradle",
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not determine the dependencies of task ':app:compile'.\n\nBUILD FAILED in 3s",
        "* What went wrong:\nCould not determine the dependencies of task ':lib:assemble'.\nBUILD FAILED in 41s",
    ),
    // C and C++
    (
        "gcc",
        "main.c: In function ‘main’:\nmain.c:5:3: error: ‘foo’ undeclared (first use in this function)\n    5 |   foo();",
        "src/io.c: In function ‘open_it’:\nsrc/io.c:55:13: error: ‘foo’ undeclared (first use in this function)",
    ),
    (
        "clang",
        "a.cpp:3:10: fatal error: 'boost/asio.hpp' file not found\n#include <boost/asio.hpp>",
        "/b/c.cpp:9:10: fatal error: 'boost/asio.hpp' file not found",
    ),
    (
        "gcc",
        "/usr/bin/ld: /tmp/ccAbC123.o: in function `main':\nmain.c:(.text+0x9): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status",
        "/usr/bin/ld: /tmp/ccZz9x.o: in function `run':\nrun.c:(.text+0x1f): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status",
    ),
    (
        "./app",
        "Segmentation fault (core dumped)",
        "bash: line 1:  4711 Segmentation fault (core dumped)",
    ),
    // npm and node
    (
        "npm",
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: react@18.2.0\nnpm ERR! A complete log of this run can be found in:\nnpm ERR!     /home/a/.npm/_logs/2026-02-17T21_00_00_000Z-debug-0.log",
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: vue@3.1.0",
    ),
    (
        "npm",
        "npm error Missing script: \"build\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run",
        "npm ERR! Missing script: \"build\"\nnpm ERR! \nnpm ERR! To see a list of scripts, run:",
    ),
    (
        "npm",
        "npm ERR! code EACCES\nnpm ERR! syscall mkdir\nnpm ERR! path /usr/lib/node_modules/x",
        "npm ERR! code EACCES\nnpm ERR! syscall open\nnpm ERR! path /usr/local/y",
    ),
    (
        "node",
        "node:internal/modules/cjs/loader:1080\n  throw err;\n  ^\n\nError: Cannot find module './foo'\nRequire stack:\n- /home/a/index.js\n    at Module._resolve (node:internal:1)\n\nNode.js v18.17.0",
        "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '../lib/bar'\nRequire stack:\n- /tmp/x.js\n\nNode.js v22.1.0",
    ),
    (
        "node",
        "/home/a/x.js:3\nfoo();\n^\n\nReferenceError: foo is not defined\n    at Object.<anonymous> (/home/a/x.js:3:1)",
        "/b/y.js:30\nreturn bar;\n\nReferenceError: foo is not defined\n    at f (/b/y.js:30:8)",
    ),
    (
        "node",
        "TypeError: items.map is not a function\n    at a (x.js:1:2)",
        "TypeError: rows.forEach is not a function\n    at b (y.js:10:20)",
    ),
    (
        "node",
        "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setup",
        "Error: listen EADDRINUSE: address already in use :::8080\n    at Server.setup",
    ),
    (
        "node",
        "Error: ENOENT: no such file or directory, open '/tmp/a.json'",
        "Error: ENOENT: no such file or directory, open 'C:\\Users\\me\\b.json'\n    at Object.openSync (node:fs:601:3)",
    ),
    (
        "node",
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "Error: connect ECONNREFUSED 10.1.2.3:6379",
    ),
    // docker
    (
        "docker",
        "docker: Error response from daemon: Conflict. The container name \"/db\" is already in use by container \"4f5e6d7c8b9a\".",
        "docker: Error response from daemon: Conflict. The container name \"/cache\" is already in use by container \"0a1b2c3d4e5f60718293\".",
    ),
    (
        "docker",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        "Cannot connect to the Docker daemon at unix:///run/user/1000/docker.sock. Is the docker daemon running?",
    ),
    (
        "docker",
        "Error response from daemon: driver failed programming external connectivity on endpoint web (a1b2c3d4e5f6a7b8): Bind for 0.0.0.0:80 failed: port is already allocated",
        "Error response from daemon: driver failed programming external connectivity on endpoint web (99aabbccddeeff00): Bind for 0.0.0.0:8080 failed: port is already allocated",
    ),
    (
        "docker build",
        "#12 3.456 npm ERR! code ERESOLVE\n#12 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1",
        "#9 10.2 npm ERR! code ERESOLVE\n#9 ERROR: process \"/bin/sh -c npm install\" did not complete successfully: exit code: 1",
    ),
    // git
    (
        "git",
        "fatal: not a git repository (or any parent up to mount point /mnt)\nStopping at filesystem boundary",
        "Exit code 128\nfatal: not a git repository (or any parent up to mount point /home)",
    ),
    (
        "git",
        "To github.com:a/b.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'github.com:a/b.git'\nhint: Updates were rejected",
        "To https://example.com/c/d.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'https://example.com/c/d.git'",
    ),
    (
        "git",
        "error: pathspec 'feature' did not match any file(s) known to git",
        "error: pathspec 'fix/login' did not match any file(s) known to git",
    ),
    (
        "git",
        "fatal: Unable to create '/home/a/.git/index.lock': File exists.\n\nAnother git process seems to be running",
        "fatal: Unable to create '/tmp/wt-17/.git/worktrees/x/index.lock': File exists.",
    ),
    // kubectl
    (
        "kubectl",
        "Error from server (NotFound): pods \"web-7d9f8b6c5-x2k4p\" not found",
        "Error from server (NotFound): pods \"api-5c6d7e8f9-abcd1\" not found",
    ),
    (
        "kubectl",
        "error: the server doesn't have a resource type \"pod5\"",
        "error: the server doesn't have a resource type \"deploys\"",
    ),
    (
        "kubectl",
        "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?",
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
    ),
    // psql
    (
        "psql",
        "ERROR:  duplicate key value violates unique constraint \"users_email_key\"\nDETAIL:  Key (email)=(a@b.c) already exists.",
        "psql:seed.sql:12: ERROR:  duplicate key value violates unique constraint \"users_email_key\"",
    ),
    (
        "psql",
        "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused",
        "psql: error: connection to server at \"db\" (10.0.0.12), port 6543 failed: Connection refused",
    ),
    (
        "psql",
        "ERROR:  syntax error at or near \"selct\"\nLINE 1: selct 1;\n        ^",
        "ERROR:  syntax error at or near \"form\"\nLINE 12: select * form x",
    ),
    // make and shells
    (
        "make",
        "gcc -c a.c\nmake: *** [Makefile:12: a.o] Error 1",
        "gcc -c a.c\nmake: *** [Makefile:14: a.o] Error 1",
    ),
    (
        "make",
        "make: *** No rule to make target 'deploy'.  Stop.",
        "make[2]: *** No rule to make target 'deploy'.  Stop.\nmake[1]: *** [Makefile:3: all] Error 2",
    ),
    (
        "bash",
        "bash: line 1: jq: command not found",
        "Exit code 127\nbash: line 42: jq: command not found",
    ),
    (
        "git",
        "Permission denied (publickey).\nfatal: Could not read from remote repository.",
        "git@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure",
    ),
    (
        "cargo",
        "error[E0599]: no method named `foo` found for struct `Bar` in the current scope\n --> src/x.rs:1:2",
        "error[E0599]: no method named `foo` found for struct `Vec<T>` in the current scope",
    ),
    (
        "mysql",
        "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)",
        "ERROR 1045 (28000): Access denied for user 'app'@'10.0.0.4' (using password: YES)",
    ),
    (
        "npx prisma",
        "Error: P1001: Can't reach database server at `localhost:5432`",
        "Error: P1001: Can't reach database server at `db.internal:5433`",
    ),
    (
        "gcc",
        "src/a.c:10: undefined reference to `foo'",
        "a.c:(.text+0x5): undefined reference to `foo'",
    ),
    ("zsh", "zsh: command not found: jq", "/bin/sh: 1: jq: not found"),
    (
        "cat",
        "cat: /tmp/abc/x.txt: No such file or directory",
        "cat: /var/y/z.json: No such file or directory",
    ),
    (
        "curl",
        "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Connection refused",
        "curl: (7) Failed to connect to localhost port 8080 after 12 ms: Connection refused",
    ),
    // Unknown tools.
    (
        "migrate",
        "2026-02-17T21:00:00Z step 3 of request 123e4567-e89b-12d3-a456-426614174000 gave up after 1m30s",
        "2026-03-01T01:02:03Z step 12 of request 00000000-0000-4000-8000-000000000000 gave up after 250ms",
    ),
    // Task runners and places do not matter.
    (
        "mise run lint",
        "[lint:go] cmd/a.go:175:19: string `x` has 3 occurrences, make it a constant (goconst)\n[lint:go] ERROR task failed",
        "b.go:1:2: string `other` has 12 occurrences, make it a constant (goconst)\n1 issues:\n* goconst: 1",
    ),
    (
        "mise run test",
        "[test] $ go test ./...\n[test] --- FAIL: TestAdd (0.00s)\n[test]     add_test.go:12: got 3, want 4\n[test] FAIL\n[test] ERROR task failed",
        "=== RUN   TestAdd\n2026/01/15 16:03:05 INFO started\n    add_test.go:19: got 5, want 6\n--- FAIL: TestAdd (0.00s)\nFAIL",
    ),
    (
        "turbo run test",
        "web:test: FAIL src/math.test.ts\nweb:test:   ● math › adds\nweb:test: \nweb:test:     expect(received).toBe(expected) // Object.is equality\nweb:test: \nweb:test:     Expected: 3\nweb:test:     Received: 4",
        "FAIL src/math.test.ts\n  ● math › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 1\n    Received: 9",
    ),
    (
        "uv run pytest",
        "ImportError while importing test module '/p/tests/test_a.py'.\nTraceback:\ntests/test_a.py:1: in <module>\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'",
        "/opt/bin/python: No module named yaml",
    ),
    (
        "pytest",
        "FAILED tests/test_a.py::test_total - AssertionError: assert 4 == 3",
        "=================== FAILURES ===================\n__________ test_total __________\n\n>   assert total() == 7\nE   AssertionError: assert 8 == 7\n\ntests/test_a.py:9: AssertionError\n=========== short test summary info ===========\nFAILED tests/test_a.py::test_total - AssertionError: assert 8 == 7",
    ),
    (
        "docker compose run",
        "api  | src/a.ts(1,2): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
        "src/b.ts(9,2): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ),
    (
        "ruff",
        "F401 [*] `os` imported but unused\n --> src/a.py:1:8\n  |\n1 | import os\n\nFound 1 error.",
        "src/b.py:9:8: F401 [*] `sys` imported but unused\nFound 1 error.",
    ),
    (
        "cargo clippy",
        "error: this `if` has identical blocks\n --> src/a.rs:3:5\n  |\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#if_same_then_else",
        "error: this `if` has the same blocks\n --> src/b.rs:9:5\n  |\n  = note: `-D clippy::if-same-then-else` implied by `-D warnings`",
    ),
    ("zsh", "(eval):1: command not found: jq", "bash: line 3: jq: command not found"),
    (
        "golangci-lint",
        "Error: unknown flag: --disable-all",
        "Error: unknown flag: --disable-all\nUsage:\n  golangci-lint run [flags]",
    ),
    (
        "python -m unittest",
        "FAIL: test_add (tests.TestMath)\n-----\nTraceback (most recent call last):\n  File \"/p/t.py\", line 3, in test_add\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\n-----\nRan 1 test in 0.001s",
        "FAIL: test_add (tests.TestMath.test_add)\n-----\nTraceback (most recent call last):\n  File \"/q/t.py\", line 30, in test_add\n    self.assertEqual(5, 7)\nAssertionError: 5 != 7\n\n-----\nRan 9 tests in 1.001s",
    ),
    (
        "rspec",
        "  1) Cart adds\n     Failure/Error: expect(x).to eq(1)\n\n       expected: 1\n            got: 2\n     # ./spec/cart_spec.rb:5",
        "  3) Cart adds\n     Failure/Error: expect(x).to eq(4)\n\n       expected: 4\n            got: 7\n     # ./spec/cart_spec.rb:8",
    ),
    (
        "dotnet test",
        "A.cs(1,2): error CS0103: The name 'foo' does not exist in the current context [/p/a.csproj]",
        "/src/B.cs(10,20): error CS0103: The name 'foo' does not exist in the current context [/q/b.csproj]",
    ),
    (
        "golangci-lint",
        "a.go:1:2: unused-parameter: parameter 'x' seems to be unused (revive)",
        "b.go:9:2: unused-parameter: parameter 'ctx' seems to be unused (revive)",
    ),
    (
        "mypy",
        "a.py:1: error: Incompatible types in assignment (expression has type \"str\", variable has type \"int\")  [assignment]",
        "b.py:7:3: error: Incompatible types in assignment (expression has type \"str\", variable has type \"int\")  [assignment]",
    ),
    (
        "gradle",
        "CalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n        at CalcTest.adds(CalcTest.java:12)",
        "CalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <8> but was: <9>\n        at CalcTest.adds(CalcTest.java:20)",
    ),
    (
        "mix test",
        "  1) test adds (MathTest)\n     test/math_test.exs:5\n     Assertion with == failed\n     code:  assert add(1) == 2\n     left:  1\n     right: 2",
        "  2) test adds (MathTest)\n     test/math_test.exs:9\n     Assertion with == failed\n     code:  assert add(3) == 5\n     left:  3\n     right: 5",
    ),
];

#[test]
fn same_failures_share_a_fingerprint() {
    let mut distinct = String::new();
    for (tool, one, two) in SAME {
        let first = error_fingerprint(tool, one).expect(one);
        let second = error_fingerprint(tool, two).expect(two);
        if first.digest() != second.digest() {
            distinct += &format!("---\n{}\nand\n{}\n", first.text(), second.text());
        }
    }
    assert!(distinct.is_empty(), "{distinct}");
}
