//! Code that does not compile, and types that do not fit.

use super::assert_cases;

#[test]
fn compile_errors_have_a_place_and_a_code() {
    assert_cases(&[
        (
            "go: downloading github.com/a/b v1.2.3\n# example.com/app\n./main.go:12:3: undefined: foo\nmain.go:13:3: x.Load undefined (type *T has no field or method Load)\nmain.go:20:3: too many errors\nFAIL\texample.com/app [build failed]",
            &[
                "Compile go | main.go:12 |  |  | undefined: foo",
                "Compile go | main.go:13 |  |  | x.Load undefined (type *T has no field or method Load)",
            ],
        ),
        (
            "   Compiling app v0.1.0\nwarning: unused import: `x`\n --> src/lib.rs:1:5\n\nerror[E0308]: mismatched types\n --> src/main.rs:4:18\n  |\n4 |     let x: u32 = \"a\";\n\nerror: could not compile `app` (bin \"app\") due to 1 previous error",
            &["Compile rustc | src/main.rs:4 | E0308 |  | mismatched types"],
        ),
        (
            "src/main.rs:4:18: error[E0425]: cannot find value `x` in this scope",
            &["Compile rustc | src/main.rs:4 | E0425 |  | cannot find value `x` in this scope"],
        ),
        (
            "src/app.ts(12,5): error TS2345: Argument of type 'string' is not assignable.\nsrc/b.ts:3:7 - error TS2304: Cannot find name 'foo'.\n\n3   foo()\n\nFound 2 errors in 2 files.",
            &[
                "Types tsc | src/app.ts:12 | TS2345 |  | Argument of type 'string' is not assignable.",
                "Types tsc | src/b.ts:3 | TS2304 |  | Cannot find name 'foo'.",
            ],
        ),
        (
            "src/a.py:12: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\nsrc/a.py:12: note: see docs\nFound 1 error in 1 file (checked 3 source files)",
            &[
                "Types mypy | src/a.py:12 | return-value |  | Incompatible return value type (got \"str\", expected \"int\")",
            ],
        ),
        (
            "/p/src/a.py\n  /p/src/a.py:12:5 - error: \"foo\" is not defined (reportUndefinedVariable)\n  /p/src/a.py:13:5 - warning: unused\n1 error, 1 warning, 0 informations",
            &[
                "Types pyright | /p/src/a.py:12 | reportUndefinedVariable |  | \"foo\" is not defined",
            ],
        ),
        (
            "> Task :compileJava FAILED\n/p/A.java:3: error: cannot find symbol\n    foo();\n    ^\n  symbol:   method foo()\n  location: class A\n1 error\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n> Compilation failed; see the compiler error output for details.",
            &["Compile javac | /p/A.java:3 |  |  | cannot find symbol: method foo()"],
        ),
        (
            "[INFO] Scanning\n[ERROR] COMPILATION ERROR : \n[ERROR] /p/A.java:[12,5] cannot find symbol\n[ERROR]   symbol:   variable foo\n[ERROR] Failed to execute goal org.apache.maven.plugins",
            &["Compile javac | /p/A.java:12 |  |  | cannot find symbol: variable foo"],
        ),
        (
            "e: file:///p/src/A.kt:1:2 Unresolved reference 'foo'.\ne: /p/B.kt: (3, 4): Type mismatch",
            &[
                "Compile kotlinc | /p/src/A.kt:1 |  |  | Unresolved reference 'foo'.",
                "Compile kotlinc | /p/B.kt:3 |  |  | Type mismatch",
            ],
        ),
        (
            "[error] /p/src/A.scala:12:5: not found: value foo\n[error]   foo\n[error]   ^\n[error] one error found",
            &["Compile scalac | /p/src/A.scala:12 |  |  | not found: value foo"],
        ),
        (
            "/p/A.cs(1,2): error CS0103: The name 'foo' does not exist in the current context [/p/a.csproj]\n/p/A.cs(1,2): warning CS0168: unused [/p/a.csproj]\nBuild FAILED.",
            &[
                "Compile dotnet | /p/A.cs:1 | CS0103 |  | The name 'foo' does not exist in the current context",
            ],
        ),
        (
            "main.c: In function ‘main’:\nmain.c:5:3: error: ‘foo’ undeclared (first use in this function)\nmain.c:6:3: warning: unused variable\nio.c:9:1: error: unused variable ‘x’ [-Werror=unused-variable]\n/usr/bin/ld: /tmp/cc.o: in function `main':\nmain.c:(.text+0x9): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status",
            &[
                "Compile cc | main.c:5 |  |  | ‘foo’ undeclared (first use in this function)",
                "Compile cc | io.c:9 | unused-variable |  | unused variable ‘x’",
                "Compile ld |  |  |  | undefined reference to `foo'",
            ],
        ),
        (
            "/p/A.swift:3:5: error: cannot find 'foo' in scope\nsrc/main.zig:3:5: error: use of undeclared identifier 'foo'",
            &[
                "Compile swiftc | /p/A.swift:3 |  |  | cannot find 'foo' in scope",
                "Compile zig | src/main.zig:3 |  |  | use of undeclared identifier 'foo'",
            ],
        ),
        (
            "PHP Parse error:  syntax error, unexpected token \"}\" in /p/a.php on line 12",
            &["Compile php | /p/a.php:12 |  |  | syntax error, unexpected token \"}\""],
        ),
        (
            "** (CompileError) lib/a.ex:3: undefined function foo/0",
            &["Compile elixir | lib/a.ex:3 |  |  | undefined function foo/0"],
        ),
        (
            " ------ ----------------------------\n  Line   src/A.php\n ------ ----------------------------\n  12     Call to an undefined method A::foo().\n         🪪  method.notFound\n ------ ----------------------------\n\n [ERROR] Found 1 error",
            &[
                "Types phpstan | src/A.php:12 | method.notFound |  | Call to an undefined method A::foo().",
            ],
        ),
        (
            "  error • Undefined name 'foo' • lib/main.dart:3:5 • undefined_identifier",
            &["Types dart | lib/main.dart:3 | undefined_identifier |  | Undefined name 'foo'"],
        ),
    ]);
}
