//! After an edit only what it touched is linked, and the graph is the one of a fresh build.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tacit_codebase::{Codebase, Options, Refreshed};

use crate::incremental::rows;
use crate::overlay::answers;
use crate::{Worktree, refresh};

/// Files that mean something to each other, each with texts that differ in what others see of it,
/// and in what they do not.
pub(crate) const FILES: [(&str, &[&str]); 54] = [
    // Names that are passed on, under their own name, another one, or all together; classes that
    // are based on each other over three files.
    (
        "web/hub.ts",
        &[
            "export * from './a';\nexport { b as c } from './b';\nexport { own };\nimport { own } from './a';\n",
            "export * from './a';\nexport * from './b';\n",
            "export { a } from './a';\nexport function b() {}\n",
            "import './a';\n",
            "export * as own from './a';\nfunction b() {}\nexport const x = 1, a = () => b();\n",
        ],
    ),
    (
        "web/a.ts",
        &[
            "exports.a = function () { own(); };\nmodule.exports.own = own;\nfunction own() {}\n",
            "module.exports = { own, a() { own(); } };\nfunction own() {}\nfunction b() {}\n",
            "export function a() { own(); }\nexport function own() {}\n",
            "// moved\nexport function a() {}\nexport function own() { a(); a(); }\n",
            "export class Base { go() {} stop() { this.go(); } }\n",
            "export function b() {}\nexport class Base { go() {} }\nexport function a() {}\n",
        ],
    ),
    (
        "web/b.ts",
        &[
            "import { Base } from './a';\nexport class Middle extends Base {}\nexport function b() {}\n",
            "import { Base } from './hub';\nexport class Middle extends Base { go() { super.stop(); } }\nexport function b() {}\n",
            "export class Middle {}\nexport const b = 1;\n",
        ],
    ),
    (
        "web/user.ts",
        &[
            "import { a, b, c, own } from './hub';\nexport function use() { a(); b(); c(); own(); }\n",
            "import { Middle } from './b';\nclass Mine extends Middle { run() { this.go(); this.stop(); } }\n",
            "import * as hub from './hub';\nexport function use() { hub.a(); hub.c(); hub.own.a(); }\n",
            "export function use() { const { a } = require('./a'); a(); }\nexport function after() { a(); }\n",
            "import { a } from './hub';\nexport function use() { const { a } = require('./b'); a(); }\ndescribe('a', () => { a(); });\n",
        ],
    ),
    (
        "web/other.tsx",
        &[
            "import { a } from './a';\nexport const f = () => a();\n",
            "\n\n",
            "import { Coded } from './coded';\nexport const f = () => new Coded();\n",
            "import * as coded from './coded.js';\nclass F extends coded.Coded {}\n",
        ],
    ),
    // A declaration, and the code beside it.
    (
        "web/coded.d.ts",
        &[
            "export declare class Coded {}\n",
            "export interface Coded {}\n",
            "export { Base as Coded } from './a';\n",
        ],
    ),
    (
        "web/coded.js",
        &[
            "export class Coded {}\n",
            "class Coded {}\n",
            "export { Middle as Coded } from './b';\n",
        ],
    ),
    // What a package defines hides a module of its name.
    (
        "py/pkg/__init__.py",
        &["", "def mod(): pass\n", "from .mod import f\n", "from .base import *\n", "import os\n"],
    ),
    (
        "py/pkg/mod.py",
        &["def f(): pass\n", "def f():\n    g()\ndef g(): pass\n", "class f: pass\n"],
    ),
    (
        "py/pkg/base.py",
        &[
            "class Base:\n    def run(self): pass\n",
            "class Root:\n    def run(self): pass\nclass Base(Root):\n    def go(self): self.run()\n",
            "from .mod import f as Base\n",
            "def local():\n    from .mod import f as Base\n    Base()\n",
        ],
    ),
    (
        "py/use.py",
        &[
            "from pkg import mod\nfrom pkg.base import Base\nclass Mine(Base):\n    def x(self): self.run()\ndef y(): mod.f()\n",
            "from pkg import f, Base\ndef y():\n    f()\n    Base()\n",
            "import pkg.mod\ndef y(): pkg.mod.f()\n",
            "from pkg import f\ndef y():\n    from pkg.mod import f\n    f()\ndef x(): f()\n",
            "from pkg.mod import f\nf = print\ndef y():\n    from pkg.base import Base\n    class Mine(Base):\n        def x(self): self.run()\n    f()\n",
        ],
    ),
    ("py/again.py", &["from use import y\ndef z(): y()\n", "from use import *\ndef z(): y()\n"]),
    // Types that other files add to, in the tree of modules of a crate.
    ("Cargo.toml", &["[package]\nname = \"shop\"\n"]),
    (
        "src/lib.rs",
        &[
            "pub mod a;\npub mod b;\nmod c;\npub use a::A;\n",
            "pub mod a;\npub mod b;\nmod c;\npub use a::*;\npub fn free() {}\n",
            "pub mod a;\npub mod b;\n",
            "pub mod a;\npub mod b;\nmod c;\n",
            "pub mod a;\npub mod b;\nmod c;\npub mod pre { pub use crate::a::A; }\nfn f() { use pre::*; A::new() }\n",
        ],
    ),
    (
        "src/a.rs",
        &[
            "pub struct A;\nimpl A { pub fn new() { Self::help(); } fn help() {} }\n",
            "\npub struct A;\nimpl A { pub fn new() {} fn help() {} }\n",
            "pub struct A;\npub trait T { fn t(); }\nimpl A { pub fn new() {} }\n",
            "pub fn A() {}\npub mod inner { pub struct B; }\n",
            "pub struct Z;\npub struct A;\n",
        ],
    ),
    (
        "src/b.rs",
        &[
            "use crate::a::A;\npub trait T { fn t(); }\nimpl T for A { fn t() { A::new(); } }\n",
            "use crate::A;\nuse crate::a::T;\nimpl T for A { fn t() { A::help(); } }\n",
            "pub trait T {}\npub fn help() {}\n",
        ],
    ),
    (
        "src/c.rs",
        &[
            "use crate::A;\nuse crate::b::T;\nimpl T for A { fn t() { crate::b::help(); } }\n",
            "use super::a::A;\nimpl A { fn more() { A::new(); } }\nimpl super::b::T for A {}\n",
            "fn alone() { crate::free(); }\n",
            "fn here() { use crate::b::help; help() }\nfn there() { help() }\n",
            "fn more() {}\nfn here() { use crate::a::*; assert!(A::new(), help()) }\nfn there() { use crate::pre::A; A::new() }\n",
        ],
    ),
    (
        "tests/it.rs",
        &["use shop::A;\n#[test]\nfn works() { A::new(); }\n", "fn main() { shop::free(); }\n"],
    ),
    // Packages of several files.
    ("go/go.mod", &["module example.com/shop\n"]),
    (
        "go/main.go",
        &[
            "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() { cart.New(); helper() }\n",
            "package main\n\nimport \"example.com/shop/cart\"\n\nfunc main() { var c cart.Cart; c.Add() }\n",
            "package main\n\nfunc main() {}\nfunc helper() {}\n",
        ],
    ),
    (
        "go/helper.go",
        &[
            "package main\n\nfunc helper() {}\n",
            "package main\n\n// moved\nfunc helper() { other() }\nfunc other() {}\n",
            "package tools\n",
        ],
    ),
    (
        "go/cart/cart.go",
        &[
            "package cart\n\ntype Cart struct{}\nfunc New() {}\n",
            "package cart\n\nfunc New() { add() }\n",
            "package cart\n\ntype Cart interface{ Add() }\n",
        ],
    ),
    (
        "go/cart/add.go",
        &[
            "package cart\n\nfunc (c *Cart) Add() { New() }\n",
            "package cart\n\nfunc add() { New() }\nfunc New() {}\n",
            "package cart\n\n\nfunc (c *Cart) Add() { New(); New() }\nfunc (c *Cart) Remove() { c.Add() }\n",
        ],
    ),
    ("go/cart/add_test.go", &["package cart\n\nfunc TestAdd() { add(); New() }\n"]),
    // Namespaces that many files add to.
    ("java/pom.xml", &["<project/>\n"]),
    (
        "java/src/main/java/shop/Cart.java",
        &[
            "package shop;\nclass Cart extends Base { void helper() {} void add() { total(); other(); } }\n",
            "package shop;\nclass Cart extends Base { void add() { total(); } }\n",
            "package shop;\n\nclass Cart extends Base { void add() { total(); total(); Order.make(); } }\n",
            "package shop;\nclass Cart { void add() {} void total() {} }\n",
            "package store;\nclass Cart {}\n",
            "package shop;\nclass Cart { void add() { class Inner extends Base { void go() { total(); } } new Base() { void go() { other(); add(); } }; } }\n",
        ],
    ),
    (
        "java/src/main/java/shop/Base.java",
        &[
            "package shop;\nclass Base { void other() {} void total() { add(); } }\n",
            "package shop;\nclass Base { void total() {} }\nclass Inner extends Base { void add() { total(); } }\n",
            "package shop;\nimport shop.Order;\nclass Base { void total() { Order.make(); } }\n",
            "package shop;\nclass Base { void total() { add(); } }\n",
            "package shop;\nclass Base extends Order { void total() {} }\n",
        ],
    ),
    (
        "java/src/main/java/shop/Order.java",
        &[
            "package shop;\nclass Order { static void total() {} static void make() { new Cart().add(); } }\n",
            "package shop;\nclass Order { static void make() {} }\nclass Base2 { void add() {} }\n",
            "package shop;\nclass Order { private static void make() {} static void make(int x) {} }\n",
            "package shop;\nclass Order { static void make() { new Cart().add(); } }\n",
            "package shop;\n\n\nclass Order { static void make() {} }\n",
            "package shop;\nclass Order { static void make() {} static void total() {} }\n",
        ],
    ),
    (
        "java/src/main/java/shop/Use.kt",
        &[
            "package shop\nfun total() {}\nfun use() { Order.make(); total() }\nfun Cart.more() { add() }\n",
            "package shop\nfun use() { Order.make() }\n",
            "package shop\nimport shop.Cart\nfun use() { Cart().add() }\nfun make() {}\n",
            "package shop\nopen class Held { val Order = 1\n val total = {} }\nfun use() {\n  val it = object : Base() {\n    fun go() { total() }\n  }\n}\n",
            "package shop\nopen class Held { class Order }\nfun use() { fun total() {}; total() }\n",
        ],
    ),
    (
        "java/src/main/java/shop/Other.kt",
        &[
            "package shop\nclass Other : Held() { fun go(order: Order) { Order.make(); total() } }\n",
            "package shop\nfun go() {\n  object : Held() {\n    fun stop() { Order.make(); total() }\n  }\n}\n",
        ],
    ),
    (
        "c/include/cart.h",
        &[
            "void add(int x);\n#include \"base.h\"\nvoid more(void);\nstruct cart { int x; };\n",
            "void add(int x);\n#include \"base.h\"\n",
            "void add(int x);\n",
            "// later\nvoid add(int x);\n#include \"base.h\"\n",
        ],
    ),
    (
        "c/include/base.h",
        &["static inline void base(void) {}\n", "\nstatic inline void base(void) { }\n"],
    ),
    (
        "c/cart.c",
        &[
            "#include \"cart.h\"\nvoid more(void) { add(1); }\nvoid add(int x) { more(); }\n",
            "#include \"cart.h\"\nvoid add(int x) { base(); }\n",
            "#include \"cart.h\"\n\nvoid add(int x) {}\n",
            "void add(int x) {}\n",
            "#if 0\n#include \"cart.h\"\n#endif\nint list[] = {\n#include \"base.h\"\n};\nvoid add(int x) { base(); }\n",
        ],
    ),
    (
        "c/main.cpp",
        &[
            "#include \"cart.h\"\nnamespace shop { class Cart { void run() { more(); } }; }\nint main() { more(); }\n",
            "#include \"cart.h\"\nint main() { add(1); }\n",
            "#include \"cart.h\"\nint main() { add(1); base(); }\n",
            "int main() {}\n",
            "#include \"cart.h\"\nstruct own { cart add; void run(); };\nvoid own::run() { add.x(); base(); }\ntemplate <class cart> struct more : cart { void run() { base(); } };\n",
        ],
    ),
    ("cs/App.csproj", &["<Project><ItemGroup><Using Include=\"Shop\" /></ItemGroup></Project>\n"]),
    (
        "cs/Cart.cs",
        &[
            "namespace Shop;\npublic class Cart : Base { void Add() { More(); Total(); } class Inner { void Go() {} } }\n",
            "namespace Shop;\npublic class Cart : Base { void Add() { Total(); } }\n",
            "namespace Shop;\n\npublic class Cart : Base { void Add() { } }\n",
            "global using Shop.Inner;\nnamespace Shop;\npublic class Cart { public static void Total() {} }\n",
        ],
    ),
    (
        "cs/Base.cs",
        &[
            "namespace Shop;\npublic class Early {}\npublic class Base { public void More() {} public void Total() { More(); } }\n",
            "namespace Shop;\npublic class Base { public void Total() {} }\n",
            "namespace Shop;\npublic class Base { public void Total() { Total(); } }\n",
            "namespace Shop;\npublic class Base { public Cart Early; public class Cart { public static void Total() {} } }\npublic class Early {}\n",
        ],
    ),
    (
        "cs/Program.cs",
        &[
            "using Shop.Early;\nclass Program { static void Main() { new Cart().More(); new Early(); } }\n",
            "class Program { static void Main() { new Cart(); } }\n",
            "class Program { static void Main() { Cart.Total(); new Base(); } }\n",
            "namespace Shop;\nclass Program : Base { static void Main() { Cart.Total(); Early.Go(); new Early(); } }\n",
        ],
    ),
    ("ruby/Gemfile", &["source 'x'\n"]),
    (
        "ruby/lib/shop.rb",
        &[
            "require 'shop/cart'\nmodule Shop\n  class Other < Cart\n    def go; add; more; end\n    def self.run; make; end\n  end\nend\n",
            "require 'shop/cart'\nShop::Cart.make\n",
            "require 'shop/cart'\n\nmodule Shop; def self.go; Cart.make; end; end\n",
            "Shop::Cart.make\n",
            "require 'shop/cart'\nString.add\nclass String; def self.add; end; end\nmodule Shop; class Cart; K = Class.new(Cart) { def go; add; end }; end; end\n",
        ],
    ),
    (
        "ruby/lib/shop/cart.rb",
        &[
            "module Shop\n  class Early; end\n  class Cart\n    def more; add; end\n    def self.other; end\n    def self.make; other; end\n  end\nend\n",
            "module Shop\n  class Cart\n    def self.make; new; end\n  end\nend\n",
            "module Shop\n  class Cart\n\n    def self.make; end\n  end\nend\n",
            "module Shop\n  class Cart\n    def self.make; end\n    def add; self.class; end\n  end\nend\n",
            "class String; def add; end; end\nmodule Shop\n  class Cart < String\n    def self.make; end\n  end\nend\n",
        ],
    ),
    ("php/composer.json", &["{\"autoload\": {\"psr-4\": {\"Shop\\\\\": \"src/\"}}}\n"]),
    (
        "php/src/Cart.php",
        &[
            "<?php\nnamespace Shop;\nuse function Shop\\early;\nclass Cart extends Base { function add() { $this->more(); early(); } }\n",
            "<?php\nnamespace Shop;\nclass Cart extends Base { function add() { $this->total(); } }\n",
            "<?php\nnamespace Shop;\n\nclass Cart extends Base { function add() { new Base(); } }\n",
            "<?php\nnamespace Shop;\nclass Cart { function add() {} function total() {} }\n",
            "<?php\nnamespace Shop;\ninterface Early { function total(); }\nclass Cart implements Early { use Base; function add() { $this->total(); } }\n",
        ],
    ),
    (
        "php/src/Base.php",
        &[
            "<?php\nnamespace Shop;\nfunction early() {}\nclass Base { function more() { early(); } function total() { $this->more(); } }\n",
            "<?php\nnamespace Shop;\nuse Shop\\Cart;\nclass Base { function total() { new Cart(); } }\n",
            "<?php\nnamespace Shop;\nclass Base { function total() {} }\n",
            "<?php\nnamespace Shop;\ntrait Base { function total() {} }\n",
        ],
    ),
    (
        "swift/Package.swift",
        &["let p = Package(targets: [.target(name: \"Core\"), .target(name: \"Web\")])\n"],
    ),
    (
        "swift/Sources/Core/Cart.swift",
        &[
            "public class Cart { public func add() { free() } }\nfunc free() {}\n",
            "public class Early {}\npublic class Cart { public func more() {} public func add() {} }\nfunc free() {}\n",
            "class Cart { func add() {} }\npublic func free() {}\n",
            "public protocol Cart { associatedtype Early; func add() }\npublic class Early {}\n",
        ],
    ),
    (
        "swift/Sources/Web/App.swift",
        &[
            "import Core\nclass App: Cart { func go() { free(); add(); more() } }\n",
            "import Core\nextension Cart { func extra() { add() } }\nclass App { let e = Early() }\n",
            "@testable import Core\nfunc go() { free() }\n",
        ],
    ),
    // Targets of Xcode, with a file that is in both.
    (
        "xcode/Shop.xcodeproj/project.pbxproj",
        &[
            "{objects = {G = {isa = PBXGroup; children = (D, W); sourceTree = \"<group>\"; }; D = {isa = PBXFileSystemSynchronizedRootGroup; exceptions = (E); path = App; sourceTree = \"<group>\"; }; W = {isa = PBXFileSystemSynchronizedRootGroup; path = Widget; sourceTree = \"<group>\"; }; E = {membershipExceptions = (Cart.swift); target = U; }; T = {name = App; fileSystemSynchronizedGroups = (D); }; U = {name = Widget; fileSystemSynchronizedGroups = (W); }; P = {mainGroup = G; targets = (T, U); }; }; rootObject = P; }\n",
        ],
    ),
    (
        "xcode/App/App.swift",
        &[
            "import Widget\nclass App: Cart { func go() { free(); add(); more() } }\n",
            "extension Cart { func extra() { add() } }\nstruct App { let e: Entry }\n",
            "@testable import Widget\nstruct Theme {}\nfunc go() { free(); Entry() }\n",
        ],
    ),
    (
        "xcode/App/Cart.swift",
        &[
            "class Cart { func add() { free() } }\nfunc free() {}\n",
            "class Cart { let t: Theme; func more() {} }\nclass Early {}\n",
            "public class Cart { func add() {} }\nprivate func free() {}\n",
        ],
    ),
    (
        "xcode/Widget/Widget.swift",
        &[
            "struct Entry { let c: Cart; func go() { free() } }\nstruct Theme {}\n",
            "public struct Entry {}\nextension Cart { func more() { add() } }\n",
            "public struct Entry { let e: Early }\nfunc free() {}\n",
        ],
    ),
    (
        "bash/lib.sh",
        &["helper() { :; }\n", "other() { :; }\nhelper() { other; }\n", "helper() { early; }\n"],
    ),
    (
        "scala/src/main/scala/A.scala",
        &[
            "package shop.deep\nobject Tool { def run() = help() \n def help() = 1 }\n",
            "package shop.deep\nobject Early\nobject Tool { def run() = 1\n def help() = 2 }\n",
            "package shop\npackage deep\nclass Tool extends Cart { def run() = add() }\n",
            "package shop.deep\nobject Tool { def run() = new Tool }\nclass Tool { val help = new Cart { def go() = add() } }\n",
        ],
    ),
    (
        "bash/run.sh",
        &[
            "source ./lib.sh\nearly() { :; }\nmain() { helper; other; }\n",
            "source ./lib.sh\nmain() { helper; }\n",
            "source ./lib.sh\n\nmain() { helper; helper; }\n",
            "main() { :; }\nhelper() { :; }\n",
        ],
    ),
];

pub(crate) fn refresh_all(codebase: &Codebase) -> Refreshed {
    let options = Options { threads: 1, all: true, progress: &|_, _| {} };
    codebase.refresh(&options).unwrap()
}

/// Whether a graph that was brought up to date is the one of a fresh build; tells whether it has an
/// overlay.
fn is_as_anew(worktree: &Worktree) -> Result<bool, TestCaseError> {
    refresh_all(&worktree.codebase("anew"));
    let (kept, anew) = (rows(worktree, "kept"), rows(worktree, "anew"));
    let differs = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|row| !other.contains(row)).cloned().collect()
    };
    prop_assert!(kept == anew, "{:#?} for {:#?}", differs(&kept, &anew), differs(&anew, &kept));
    prop_assert!(worktree.packed("kept") == worktree.packed("anew"), "the packed graphs differ");
    let (kept, anew) =
        (worktree.codebase("kept").open().unwrap(), worktree.codebase("anew").open().unwrap());
    if kept.edits().is_some() {
        prop_assert_eq!(answers(&kept.packed(), false), answers(&anew.packed(), false));
    }
    Ok(kept.edits().is_some())
}

fn write(worktree: &mut Worktree, file: usize, text: usize) {
    let (path, texts) = FILES[file];
    worktree.write(path, texts[text % texts.len()]);
}

#[test]
fn an_edit_gives_the_graph_of_a_fresh_build() {
    let edits =
        prop::collection::vec((0..FILES.len(), 0_usize..7, prop::bool::weighted(0.8)), 1..24);
    let beginning = prop::collection::vec(0_usize..7, FILES.len());
    let (edited, in_part, overlaid) = (Cell::new(0_u32), Cell::new(0_u32), Cell::new(0_u32));
    let count = |which: &Cell<u32>, is_one: bool| which.set(which.get() + u32::from(is_one));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) };
    let tried = TestRunner::new(config).run(&(beginning, edits), |(beginning, edits)| {
        let mut worktree = Worktree::new();
        for (file, text) in beginning.into_iter().enumerate() {
            write(&mut worktree, file, text);
        }
        refresh(&worktree.codebase("kept"));
        for (file, text, asked) in edits {
            write(&mut worktree, file, text);
            // Several files are edited at once where nobody asks in between.
            if asked {
                let after = refresh(&worktree.codebase("kept"));
                count(&edited, after.changed);
                count(&in_part, after.linked > 0 && after.linked < after.files);
                count(&overlaid, is_as_anew(&worktree)? && after.changed);
            }
        }
        refresh(&worktree.codebase("kept"));
        is_as_anew(&worktree).map(drop)
    });
    tried.unwrap();
    // Most edits are linked in part, and most of these stay beside the graph.
    let counts = format!("{} of {}, {} beside", in_part.get(), edited.get(), overlaid.get());
    assert!(in_part.get() * 2 > edited.get() && overlaid.get() * 2 > in_part.get(), "{counts}");
}
