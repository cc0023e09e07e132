//! Whose links an edit can touch.

use tacit_graph::{Extractor, FileFacts, Language, Source, Touched, touched};

fn facts(path: &str, text: &str) -> FileFacts {
    let language = Language::of_path(path).unwrap();
    Extractor::default().extract(language, &Source::new(text.as_bytes())).unwrap()
}

#[test]
fn what_others_can_see_of_an_edit_is_told() {
    use Touched::{Anyone, Askers, Itself, Naming};
    for (path, before, after, expected) in [
        // What is inside, where it stands, and what is said about it.
        ("a.ts", "export function f() { a(); }", "// new\n\nexport function f() { b(); }", Itself),
        ("a.ts", "export class A { f() {} }", "export class A {\n  f() { this.f(); }\n}", Itself),
        ("a.py", "def f(): pass\n", "'''says'''\n\ndef f():\n    return g()\n", Itself),
        ("a.rs", "fn f() {}", "#[inline]\nfn f() { g() }", Itself),
        ("a.go", "package a\nfunc f() {}", "package a\n\nfunc f() { g() }", Itself),
        ("A.java", "class A { void f() {} }", "class A { void f() { g(); } }", Itself),
        ("a.c", "void f() {}", "void f() { g(); }", Itself),
        ("a.rb", "def f; end\n", "def f; g; end\n", Itself),
        // What is imported for itself alone.
        (
            "a.ts",
            "export function f() {}",
            "import { b } from './b';\nexport function f() {}",
            Itself,
        ),
        ("a.py", "def f(): pass\n", "def f():\n    import b\n    b.g()\n", Itself),
        ("a.rs", "fn f() {}", "use crate::b::g;\nfn f() { g() }", Itself),
        ("a.go", "package a\n", "package a\nimport \"fmt\"\n", Itself),
        ("A.java", "class A {}", "import b.B;\nclass A { B b; }", Itself),
        ("A.cs", "class A {}", "using B;\nclass A {}", Itself),
        // What is passed on, or decides where members are looked for.
        ("a.ts", "", "export { b } from './b';", Askers),
        ("a.ts", "export { b };", "import { b } from './b';\nexport { b };", Askers),
        (
            "a.ts",
            "export class A extends B {}",
            "import { B } from './b';\nexport class A extends B {}",
            Askers,
        ),
        ("a.py", "", "import b\n", Askers),
        ("a.rs", "use crate::b::g;", "pub use crate::b::g;", Askers),
        // What is defined, what it is, where it is, what it is based on, and whether others may.
        ("a.ts", "export function f() {}", "export function g() {}", Askers),
        ("a.ts", "function f() {}", "export function f() {}", Askers),
        ("a.ts", "export function f() {}", "export class f {}", Askers),
        (
            "a.ts",
            "export class A { f() {} }",
            "export class A {}\nexport class B { f() {} }",
            Askers,
        ),
        (
            "a.ts",
            "export function f() {}\nexport function g() {}",
            "export function g() {}\nexport function f() {}",
            Askers,
        ),
        ("a.py", "class A(B): pass\n", "class A(C): pass\n", Askers),
        ("a.rs", "struct A;", "struct A;\nimpl A { fn f() {} }", Askers),
        ("a.go", "package a\n", "package a\nfunc f() {}", Askers),
        // What resolvers look at in all files.
        ("a.rs", "mod b;", "mod b;\nmod c;", Anyone),
        ("a.rs", "fn f() {}", "fn f() {}\nmod b { fn g() {} }", Anyone),
        ("a.go", "package a\n", "package b\n", Anyone),
        // In open namespaces anybody who mentions a name can mean a new one.
        ("A.java", "class A {}", "class A { void f() {} }", Naming),
        ("A.java", "class A { void f() {} }", "class A { private void f() {} }", Naming),
        (
            "A.java",
            "package a;\nclass A {}\nclass B {}",
            "package a;\nclass A {}\nclass C {}\nclass B {}",
            Naming,
        ),
        (
            "A.java",
            "package a;\nclass A extends B {}",
            "package a;\nclass A extends B {}\nclass C extends D {}",
            Naming,
        ),
        ("a.kt", "fun f() {}", "fun f() {}\nfun g() {}", Naming),
        ("a.scala", "package a\nobject A", "package a\nobject A\nobject B", Naming),
        ("A.cs", "class A {}", "class A { void F() {} }", Naming),
        ("a.php", "<?php function f() {}", "<?php function g() {}", Naming),
        ("a.rb", "class A; end\n", "class A; def self.f; end; end\n", Naming),
        ("a.swift", "class A {}", "class A {}\npublic func f() {}", Naming),
        ("a.sh", "f() { :; }\n", "g() { :; }\n", Naming),
        ("a.cpp", "void f() {}", "void f() {}\nvoid g() {}", Naming),
        ("a.h", "void f(void);\n", "void f(void);\nstruct s {};\n", Naming),
        // Unless what stays is in another order, or more is different than names.
        ("A.java", "class A {}\nclass B {}", "class B {}\nclass A {}", Anyone),
        ("A.java", "class A {}\nclass B {}", "class A {}\nclass C {}\nclass B {}", Anyone),
        ("A.java", "class A extends B {}", "class A extends C {}", Anyone),
        ("a.php", "<?php f();", "<?php function f() {}", Anyone),
        ("A.java", "package a;\nclass A {}", "package b;\nclass A {}", Anyone),
        ("A.java", "class A extends B {}", "import b.B;\nclass A extends B {}", Anyone),
        ("A.cs", "class A {}", "global using B;\nclass A {}", Anyone),
        ("a.php", "<?php f();", "<?php require __DIR__ . '/b.php'; f();", Anyone),
        ("a.rb", "class A; end\n", "class A < B; end\n", Anyone),
        ("a.rb", "", "require_relative 'b'\n", Anyone),
        ("a.swift", "class A {}", "import B\nclass A {}", Anyone),
        ("a.sh", "f() { :; }\n", "source ./b.sh\nf() { :; }\n", Anyone),
        ("a.h", "void f(void);\n", "#include \"b.h\"\nvoid f(void);\n", Anyone),
        // A header that turns out to be C++.
        ("a.h", "struct A {};\n", "class A {\npublic:\n  void f();\n};\n", Anyone),
    ] {
        let (one, other) = (facts(path, before), facts(path, after));
        assert_eq!(touched(&one, &other), expected, "{path}:\n{before}\n→\n{after}");
        assert_eq!(touched(&other, &one), expected, "{path}:\n{after}\n→\n{before}");
        assert_eq!(touched(&one, &one), Itself, "{path}:\n{before}");
    }
}

#[test]
fn an_outline_is_its_own() {
    let facts =
        facts("a.ts", "import { B } from './b';\nexport class A extends B { f() { g(); } }");
    let outline = facts.outline();
    assert_eq!(outline.outline(), outline);
    assert_eq!(touched(&facts, &outline), Touched::Itself);
    assert_eq!(outline.references.len(), 1);
}
