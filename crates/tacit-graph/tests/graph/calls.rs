//! What holds in every language: errors, strange bytes, and names that are not certain.

use std::cell::RefCell;

use proptest::prelude::*;
use tacit_graph::{Extractor, FileFacts, Language, NodeKind, SourceText, link};

use crate::project;

#[test]
fn a_file_with_errors_says_where_and_gives_what_it_can() {
    let graph = link(&project("== a.py\ndef fine(): pass\n\ndef broken(:\n== b.py\n"), 1);
    assert_eq!(graph.files[0].error_line, Some(3));
    assert_eq!(graph.files[1].error_line, None);
    assert!(graph.nodes.iter().any(|node| node.name == "fine"));
}

#[test]
fn nodes_are_what_they_are() {
    let graph = link(
        &project(
            "== src/a.ts
export class Cart { add() {} }
interface Shape {}
describe('cart', () => { it('adds', () => { new Cart(); }) })
namespace Space { export function inner() {} }
",
        ),
        1,
    );
    let nodes: Vec<(NodeKind, &str)> =
        graph.nodes.iter().map(|node| (node.kind, node.name.as_str())).collect();
    assert_eq!(
        nodes,
        [
            (NodeKind::File, "src/a.ts"),
            (NodeKind::Class, "Cart"),
            (NodeKind::Function, "Cart.add"),
            (NodeKind::Interface, "Shape"),
            (NodeKind::Test, "cart"),
            (NodeKind::Test, "cart.adds"),
            (NodeKind::Module, "Space"),
            (NodeKind::Function, "Space.inner"),
            (NodeKind::Directory, "src"),
        ]
    );
}

#[test]
fn bytes_that_are_no_text_do_not_disturb() {
    let mut extractor = Extractor::default();
    let bytes = b"def caf\xe9(): pass\ndef after(): pass\n\xff\xfe\x00";
    let facts = extractor.extract(Language::Python, &SourceText::new(bytes)).unwrap();
    assert!(facts.definitions.iter().any(|d| d.name == "after" && d.line == 2));
}

/// Pieces of code that are likely to meet each other in a bad way.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "use a::{b, c::{self, d as e}, *};",
        "mod x;",
        "assert!(f(), ",
        "info!(target: \"a\", %b, c = ?d(",
        "matches!(f(), ",
        "vec![f(); ",
        "mod x {",
        "}",
        "impl A for B {",
        "fn f(",
        ")",
        "import {a as b} from './c'",
        "export * from",
        "export {",
        "require('",
        "')",
        "`${",
        "class A extends B {",
        "from . import (a, b)",
        "import a.b.c as d",
        "def f(self):\n  ",
        "class X(Y[Z]):\n",
        "\n",
        "\t",
        " ",
        "package main\n",
        "import (\n\"a\"\n)",
        "func (r *T[K]) M() {",
        "type X interface {",
        "import static a.b.*;",
        "@Test",
        "new A<B<C>>()",
        "#include \"a.h\"\n",
        "#include <a",
        "namespace a::b {",
        "template <class T>",
        "int *f(void);",
        "using A = B.C;",
        "namespace A.B;",
        "require_relative 'a'\n",
        "class A < B\n",
        "def self.f; end",
        "<?php ",
        "namespace A\\B;",
        "use A\\{B, C as D};",
        "require __DIR__ . '/a';",
        "fun A<B>.f() = 1\n",
        "import a.b as c\n",
        "source \"$(dirname \"$0\")/a\"\n",
        "f() { g; }\n",
        "$(",
        "<<EOF\n",
        "import a.{b => c, _}\n",
        "object A extends B {",
        "extension A: B {",
        "@testable import A\n",
        "::",
        ".",
        "->",
        "<",
        ">",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "#",
        "é",
        "\u{0}",
        "𝒳",
    ]);
    let any = prop_oneof![4 => piece.prop_map(str::to_owned), 1 => ".{0,12}"];
    prop::collection::vec(any, 0..40).prop_map(|pieces| pieces.concat())
}

/// Pieces of manifests, whole and broken.
fn manifests() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<ProjectReference Include=\"",
        "<Using Include='A.B' />",
        "..\\a\\b.csproj",
        "/>",
        ".target(",
        ".testTarget(name: \"T\", path: ",
        "name: \"a\"",
        "// comment\n",
        "{\"autoload\": {\"psr-4\": {\"A\\\\\": [\"src\", \"\"]}, \"classmap\": \"..\"}}",
        "{\"name\": \"a\", \"require\": {\"a\": \"*\"}}",
        "[{\"directory\": \"/x\", \"file\": \"a.c\", \"command\": \"cc -I.. -I 'q\"}]",
        "[{\"file\": \"/x/a.c\", \"arguments\": [\"-I\", \"-iquote\", \"/x\", \"-isystem\"]}]",
        "{objects = {P = {mainGroup = G; targets = (T, T); };",
        "G = {sourceTree = \"<group>\"; children = (G, F, G); path = \"..\"; };",
        "T = {name = a; buildPhases = (P, T); fileSystemSynchronizedGroups = (G, F); };",
        "}; rootObject = P; }",
        "/*",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "\"",
        "'",
        ":",
        "\n",
        "é",
        "𝒳",
    ]);
    let any = prop_oneof![4 => piece.prop_map(str::to_owned), 1 => ".{0,8}"];
    prop::collection::vec(any, 0..16).prop_map(|pieces| pieces.concat())
}

thread_local! {
    /// Compiling queries takes longer than using them.
    static EXTRACTOR: RefCell<Extractor> = RefCell::default();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever a file holds, it gives facts that can be kept, read back and linked.
    #[test]
    fn any_text_gives_facts(text in fragments()) {
        for language in Language::all() {
            let source = SourceText::new(text.as_bytes());
            let facts = EXTRACTOR.with_borrow_mut(|extractor| extractor.extract(language, &source));
            let Some(facts) = facts else { continue };
            let kept = FileFacts::from_bytes(&facts.to_bytes());
            prop_assert_eq!(kept.as_ref(), Some(&facts));
            let files = vec![
                tacit_graph::SourceFile { path: "a".into(), facts: Ok(facts.clone()) },
                tacit_graph::SourceFile { path: "b".into(), facts: Ok(facts) },
            ];
            let graph = link(&tacit_graph::GraphInput { files, ..Default::default() }, 2);
            prop_assert!(graph.edges.iter().all(|edge| (edge.to as usize) < graph.nodes.len()));
        }
    }

    /// Whatever a manifest holds, the project is linked.
    #[test]
    fn any_text_is_a_manifest(text in manifests()) {
        let names = [
            "a.csproj", "Package.swift", "composer.json", "compile_commands.json", "a.gemspec",
            "Gemfile", "build.sbt", "go.mod", "package.json", "tsconfig.json", "Cargo.toml",
            "pyproject.toml", "setup.cfg", "a.xcodeproj/project.pbxproj",
        ];
        let sources = "== a.c\n#include \"b.h\"\n== b.h\n== src/A.php\n<?php namespace A; class A {}\n\
            == A.cs\nusing A.B;\nclass C : D {}\n== Sources/a/A.swift\nclass A: B {}\n\
            == lib/a.rb\nrequire 'a'\n";
        let mut project = project(sources);
        project.manifests = names.iter().map(|name| ((*name).to_owned(), text.clone())).collect();
        prop_assert_eq!(link(&project, 1).files.len(), 6);
    }

    /// Bytes that are no facts are refused, and never trusted.
    #[test]
    fn any_bytes_are_facts_or_not(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(facts) = FileFacts::from_bytes(&bytes) {
            let files = vec![tacit_graph::SourceFile { path: "a.rs".into(), facts: Ok(facts) }];
            let graph = link(&tacit_graph::GraphInput { files, ..Default::default() }, 1);
            prop_assert!(!graph.files.is_empty());
        }
    }
}
