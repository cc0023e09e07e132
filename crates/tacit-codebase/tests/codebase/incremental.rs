//! A graph that was brought up to date is the one that would have been built anew.

use proptest::prelude::*;
use tacit_graph::EdgeKind;

use crate::compiler_index::{Occurrence, index};
use crate::{Worktree, refresh};

/// Files of a project in nine languages, each with contents it may have in turn.
const FILES: [(&str, &[&str]); 31] = [
    (
        "web/tsconfig.json",
        &[
            r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#,
            r#"{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}"#,
        ],
    ),
    (
        "web/src/a.ts",
        &[
            "import { b } from '@/b';\nimport { c } from './c';\nexport function a() { b(); c(); }\n",
            "export * from './b';\nexport class A { run() { this.stop(); } stop() {} }\n",
            "import { gone } from './gone';\nexport const a = () => gone();\n",
        ],
    ),
    (
        "web/src/b.ts",
        &[
            "export function b() {}\n",
            "\n\nexport function other() {}\nexport function b() { other(); }\n",
        ],
    ),
    ("web/src/c/index.ts", &["export { b as c } from '../b';\n", "export function c() {}\n"]),
    ("web/lib/b.ts", &["export function b() { throw 1; }\n"]),
    ("py/shop/__init__.py", &["from .order import Order\n", "def run(): pass\n", ""]),
    (
        "py/shop/order.py",
        &[
            "class Order:\n    def total(self): return self.sum()\n    def sum(self): pass\n",
            "from . import cart\nclass Order(cart.Cart): pass\n",
        ],
    ),
    (
        "py/shop/cart.py",
        &[
            "from shop import Order\nclass Cart: pass\ndef f(): Order()\n",
            "class Cart:\n    pass\n",
        ],
    ),
    (
        "Cargo.toml",
        &[
            "[package]\nname = \"shop\"\n",
            "[package]\nname = \"other\"\n[lib]\npath = \"src/root.rs\"\n",
        ],
    ),
    ("src/lib.rs", &["pub mod a;\nmod b;\npub use a::A;\n", "pub mod b;\n"]),
    ("src/root.rs", &["pub mod a;\npub mod b;\n"]),
    (
        "src/a.rs",
        &[
            "use crate::b::help;\npub struct A;\nimpl A { pub fn new() { help(); } }\n",
            "pub struct A;\n",
        ],
    ),
    (
        "src/b.rs",
        &[
            "pub fn help() {}\n",
            "use super::a::A;\npub fn help() { A::new(); }\npub trait T {}\nimpl T for A {}\n",
        ],
    ),
    ("go/go.mod", &["module example.com/shop\n", "module example.com/store\n"]),
    (
        "go/main.go",
        &[
            "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() { cart.New(); helper() }\n",
            "package main\n\nfunc helper() {}\n",
        ],
    ),
    (
        "go/cart/cart.go",
        &[
            "package cart\n\nfunc New() {}\n",
            "package basket\n\nfunc New() { other() }\nfunc other() {}\n",
        ],
    ),
    (
        "go/helper.go",
        &[
            "package main\n\nfunc helper() {}\n",
            "package main\n\ntype T struct{}\nfunc (t *T) helper() {}\n",
        ],
    ),
    (
        "c/include/cart.h",
        &[
            "void add(int x);\n#include \"base.h\"\n",
            "namespace shop { class Cart { void add(int x); }; }\n",
        ],
    ),
    ("c/cart.c", &["#include \"cart.h\"\nvoid add(int x) { base(); }\n", "void add(int x) {}\n"]),
    (
        "c/main.cpp",
        &[
            "#include <cart.h>\nint main() { add(1); }\n",
            "#include \"cart.h\"\nvoid shop::Cart::add(int x) { this->add(1); }\n",
        ],
    ),
    ("c/include/base.h", &["static inline void base(void) {}\n"]),
    (
        "swift/Package.swift",
        &[
            "let p = Package(targets: [.target(name: \"Core\"), .target(name: \"Web\")])\n",
            "let p = Package(targets: [.target(name: \"Core\", path: \"Sources\")])\n",
        ],
    ),
    (
        "swift/Sources/Core/Cart.swift",
        &["public class Cart {}\nfunc free() {}\n", "class Cart { func run() { free() } }\n"],
    ),
    (
        "swift/Sources/Web/App.swift",
        &["import Core\nclass App: Cart { func go() { free() } }\n", "func free() {}\n"],
    ),
    (
        "xcode/Shop.xcodeproj/project.pbxproj",
        &[
            "{objects = {G = {isa = PBXGroup; children = (D, W); sourceTree = \"<group>\"; }; D = {isa = PBXFileSystemSynchronizedRootGroup; exceptions = (E); path = App; sourceTree = \"<group>\"; }; W = {isa = PBXFileSystemSynchronizedRootGroup; path = Widget; sourceTree = \"<group>\"; }; E = {membershipExceptions = (Cart.swift); target = U; }; T = {name = App; fileSystemSynchronizedGroups = (D); }; U = {name = Widget; fileSystemSynchronizedGroups = (W); }; P = {mainGroup = G; targets = (T, U); }; }; rootObject = P; }\n",
            "{objects = {G = {isa = PBXGroup; children = (D, W); sourceTree = \"<group>\"; }; D = {isa = PBXFileSystemSynchronizedRootGroup; exceptions = (E); path = App; sourceTree = \"<group>\"; }; W = {isa = PBXFileSystemSynchronizedRootGroup; path = Widget; sourceTree = \"<group>\"; }; T = {name = App; fileSystemSynchronizedGroups = (D, W); }; P = {mainGroup = G; targets = (T, U); }; }; rootObject = P; }\n",
            "<<<<<<< HEAD\n",
        ],
    ),
    (
        "xcode/App/App.swift",
        &[
            "class App: Cart { func go() { free() } }\n",
            "import Widget\nstruct App { let e: Entry }\n",
        ],
    ),
    ("xcode/App/Cart.swift", &["class Cart {}\nfunc free() {}\n", "class Cart { let e: Entry }\n"]),
    (
        "xcode/Widget/Widget.swift",
        &["struct Entry { let c: Cart }\n", "public struct Entry {}\nfunc free() {}\n"],
    ),
    ("ruby/shop.gemspec", &["Gem::Specification.new\n"]),
    (
        "ruby/lib/shop.rb",
        &["require 'shop/cart'\nShop::Cart.make\n", "module Shop; class Cart; end; end\n"],
    ),
    (
        "ruby/lib/shop/cart.rb",
        &[
            "module Shop\n  class Cart\n    def self.make; new; end\n  end\nend\n",
            "def make; end\n",
        ],
    ),
];

/// Something that happens to a worktree.
#[derive(Debug, Clone)]
enum WorktreeEvent {
    /// A file gets one of its contents, whether it was there or not.
    Write(usize, usize),
    Remove(usize),
    /// A file takes the place of another.
    Rename(usize, usize),
    /// All files are those of another branch.
    Switch(Vec<Option<usize>>),
    /// A compiler writes an index, of these contents or of others.
    Index(usize),
    Unindex,
    /// Somebody asks.
    Refresh,
    /// What nothing uses leaves.
    Drop,
}

fn worktree_events() -> impl Strategy<Value = Vec<WorktreeEvent>> {
    let file = 0..FILES.len();
    let content = prop::option::weighted(0.7, 0_usize..3);
    let event = prop_oneof![
        6 => (file.clone(), 0_usize..3).prop_map(|(file, content)| WorktreeEvent::Write(file, content)),
        2 => file.clone().prop_map(WorktreeEvent::Remove),
        2 => (file.clone(), file).prop_map(|(from, to)| WorktreeEvent::Rename(from, to)),
        1 => prop::collection::vec(content, FILES.len()).prop_map(WorktreeEvent::Switch),
        2 => (0_usize..3).prop_map(WorktreeEvent::Index),
        1 => Just(WorktreeEvent::Unindex),
        3 => Just(WorktreeEvent::Refresh),
        1 => Just(WorktreeEvent::Drop),
    ];
    prop::collection::vec(event, 1..14)
}

fn write(worktree: &mut Worktree, file: usize, content: usize) {
    let (path, contents) = FILES[file];
    worktree.write(path, contents[content % contents.len()]);
}

/// What compilers say of some of the files.
fn indexes(which: usize) -> Vec<u8> {
    let b = Occurrence::defines("web b b().", 1);
    match which {
        0 => index(&[
            ("web/src/b.ts", &[b], &[]),
            ("web/src/a.ts", &[Occurrence::names("web b b().", 3)], &[]),
            (
                "src/b.rs",
                &[Occurrence::defines("rs T#", 3), Occurrence::names("rs A#new().", 2)],
                &[("rs A#", "rs T#")],
            ),
            (
                "src/a.rs",
                &[Occurrence::defines("rs A#", 2), Occurrence::defines("rs A#new().", 3)],
                &[],
            ),
        ]),
        1 => index(&[("py/shop/cart.py", &[Occurrence::defines("py Cart#", 1)], &[])]),
        _ => b"no index".to_vec(),
    }
}

fn exists(worktree: &Worktree, file: usize) -> bool {
    worktree.root().join(FILES[file].0).exists()
}

fn apply(worktree: &mut Worktree, event: &WorktreeEvent) {
    match event {
        WorktreeEvent::Write(file, content) => write(worktree, *file, *content),
        WorktreeEvent::Remove(file) if exists(worktree, *file) => worktree.remove(FILES[*file].0),
        WorktreeEvent::Rename(from, to) if exists(worktree, *from) && from != to => {
            // The bytes of the one under the name of the other; its time comes along.
            let root = worktree.root();
            let target = root.join(FILES[*to].0);
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::rename(root.join(FILES[*from].0), target).unwrap();
        }
        WorktreeEvent::Switch(branch) => {
            for (file, content) in branch.iter().enumerate() {
                match content {
                    Some(content) => write(worktree, file, *content),
                    None if exists(worktree, file) => worktree.remove(FILES[file].0),
                    None => {}
                }
            }
        }
        WorktreeEvent::Index(which) => worktree.write("index.scip", indexes(*which)),
        WorktreeEvent::Unindex if worktree.root().join("index.scip").exists() => {
            worktree.remove("index.scip");
        }
        WorktreeEvent::Refresh => {
            refresh(&worktree.codebase("kept"));
        }
        WorktreeEvent::Drop => {
            let codebase = worktree.codebase("kept");
            codebase.drop_unused().unwrap();
        }
        WorktreeEvent::Remove(_) | WorktreeEvent::Rename(..) | WorktreeEvent::Unindex => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_incremental_graph_equals_a_fresh_build(story in worktree_events()) {
        let mut worktree = Worktree::new();
        for file in 0..FILES.len() {
            write(&mut worktree, file, 0);
        }
        refresh(&worktree.codebase("kept"));
        for event in &story {
            apply(&mut worktree, event);
        }
        refresh(&worktree.codebase("kept"));
        refresh(&worktree.codebase("anew"));
        prop_assert!(worktree.packed("kept") == worktree.packed("anew"));
    }
}

#[test]
fn names_resolve_once_their_export_appears() {
    let mut worktree = Worktree::new();
    worktree.write("a.ts", "import { late } from './late';\nexport function a() { late(); }\n");
    let codebase = worktree.codebase("kept");
    refresh(&codebase);
    let unresolved = || codebase.open().unwrap().packed().file(0).unwrap().unresolved;
    assert_eq!(unresolved(), 1);
    worktree.write("late.ts", "export function late() {}\n");
    let after = refresh(&codebase);
    assert_eq!((after.read, after.parsed, after.changed), (1, 1, true));
    let open = codebase.open().unwrap();
    let graph = open.packed();
    let called = graph.range(0).flat_map(|node| graph.dependencies(node));
    let called = called.filter(|edge| edge.kind == EdgeKind::Calls);
    let called: Vec<String> = called.map(|edge| graph.label(edge.to)).collect();
    assert_eq!((called, unresolved()), (vec!["late.ts::late".to_owned()], 0));
}

#[test]
fn unchanged_files_are_not_read_and_known_content_is_not_parsed() {
    let mut worktree = Worktree::new();
    worktree.write("a.py", "import b\n");
    worktree.write("b.py", "def f(): pass\n");
    let codebase = worktree.codebase("kept");
    let first = refresh(&codebase);
    assert_eq!((first.files, first.read, first.parsed, first.generation), (2, 2, 2, 1));
    let again = refresh(&codebase);
    assert_eq!((again.read, again.parsed, again.changed, again.generation), (0, 0, false, 1));
    // Another branch, and back: the bytes are known.
    worktree.write("b.py", "def g(): pass\n");
    assert_eq!(refresh(&codebase).parsed, 1);
    worktree.write("b.py", "def f(): pass\n");
    let back = refresh(&codebase);
    assert_eq!((back.read, back.parsed, back.changed), (1, 0, true));
    // A file that was only touched.
    worktree.write("b.py", "def f(): pass\n");
    let touched = refresh(&codebase);
    assert_eq!((touched.read, touched.changed), (1, false));
    assert_eq!(refresh(&codebase).read, 0);
}
