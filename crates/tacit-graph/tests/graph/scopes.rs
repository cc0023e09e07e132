//! Names that hide others: test titles, object members, bindings, and imports inside functions.

use tacit_graph::{EdgeKind, link};

use crate::{check_uses, edges, project};

#[test]
fn test_titles_cannot_be_called() {
    check_uses(
        "== util.ts
export function parse() {}
export function other() {}
== util.test.ts
import { parse, other } from './util';
describe('parse', () => {
  function helper() { parse(); }
  it('works', () => { parse(); other(); helper(); });
});
test('other', () => { other(); });
== use.ts
import * as tests from './util.test';
tests.other();
",
        &[
            "util.test.ts::other calls util.ts::other",
            "util.test.ts::parse.helper calls util.ts::parse",
            "util.test.ts::parse.works calls util.test.ts::parse.helper",
            "util.test.ts::parse.works calls util.ts::other",
            "util.test.ts::parse.works calls util.ts::parse",
        ],
    );
    // Each has a test with the name of a function as its title, and a call of that function.
    for (text, expected) in [
        (
            "== src/main/kotlin/k/K.kt\npackage k\nfun run() {}\n== src/test/kotlin/k/T.kt\npackage k\nclass T {\n  init { context(\"run\") { test(\"b\") { run() } } }\n}\n",
            &["src/test/kotlin/k/T.kt::T.run.b calls src/main/kotlin/k/K.kt::run"][..],
        ),
        (
            "== build.sbt\n== src/main/scala/A.scala\npackage a\nobject U { def run() = 1 }\n== src/test/scala/T.scala\npackage a\nimport a.U._\nclass T {\n  test(\"run\") { run() }\n}\n",
            &["src/test/scala/T.scala::T.run calls src/main/scala/A.scala::U.run"],
        ),
        (
            "== composer.json\n{\"autoload\":{\"files\":[\"fn.php\"]}}\n== fn.php\n<?php\nfunction helper() {}\n== tests/P.php\n<?php\ndescribe('helper', function () { it('a', function () { helper(); }); });\n",
            &["tests/P.php::helper.a calls fn.php::helper"],
        ),
        (
            "== lib.sh\ndie() { :; }\n== t/a.bats\nload ../lib.sh\n@test \"die\" {\n  die\n}\n",
            &["t/a.bats calls lib.sh::die"],
        ),
        (
            "== a.gemspec\n== lib/a.rb\ndef top; end\n== spec/a_spec.rb\nrequire 'a'\ndescribe 'top' do\n  it 'top' do\n    top()\n  end\nend\n",
            &["spec/a_spec.rb::top.top calls lib/a.rb::top"],
        ),
    ] {
        check_uses(text, expected);
    }
}

#[test]
fn object_members_need_their_object() {
    check_uses(
        "== api.ts
export function save() {}
export function load() {}
== store.ts
import { save, load } from './api';
export const actions = { save() { save(); }, load: () => load() };
export default { methods: { load() { return load(); } } };
class A { load() { return { run() { this.load(); } }; } }
Object.prototype.load = function () {};
export function go() { save(); load(); }
== use.ts
import * as store from './store';
store.save(); store.load(); store.go();
",
        &[
            "store.ts calls api.ts::load",
            "store.ts::go calls api.ts::load",
            "store.ts::go calls api.ts::save",
            "store.ts::load calls api.ts::load",
            "store.ts::save calls api.ts::save",
            "use.ts calls store.ts::go",
        ],
    );
}

#[test]
fn only_exported_names_are_visible() {
    check_uses(
        "== a.ts
function hidden() {}
export const one = () => {}, two = () => {};
== use.ts
import * as a from './a';
import { hidden } from './a';
a.hidden(); a.one(); a.two(); hidden();
",
        &["use.ts calls a.ts::one", "use.ts calls a.ts::two"],
    );
    check_uses(
        "== x.js
exports.run = function () {};
module.exports.two = () => {};
exports.three = exports.four = named;
exports.deep.five = function () {};
function named() {}
function hidden() { run(); }
== y.js
module.exports = { run, made: function () {}, method() {}, other: hidden };
function run() {}
function hidden() {}
== whole.js
module.exports = main;
function main() {}
== use.js
import main from './whole';
const x = require('./x'), y = require('./y');
x.run(); x.two(); x.three(); x.five(); x.named(); x.hidden();
y.run(); y.made(); y.method(); y.hidden(); main();
function four() { x.four(); }
function other() { y.other(); }
",
        &[
            "use.js calls whole.js::main",
            "use.js calls x.js::named",
            "use.js calls x.js::run",
            "use.js calls x.js::two",
            "use.js calls y.js::made",
            "use.js calls y.js::method",
            "use.js calls y.js::run",
            "use.js::four calls x.js::named",
            "use.js::other calls y.js::hidden",
        ],
    );
}

#[test]
fn exported_names_are_not_object_members() {
    let text = "== a.ts
import { save } from './b';
const actions = { save() {}, load() {} };
function load() {}
it('load', () => {});
export { save, load };
";
    let graph = link(&project(text), 1);
    let mut exported = edges(&graph, |edge| edge.kind == EdgeKind::Exports);
    exported.extend(
        { graph.edges.iter() }
            .filter(|edge| edge.kind == EdgeKind::Exports)
            .map(|edge| format!("line {}", edge.line)),
    );
    assert_eq!(exported, ["a.ts exports a.ts::load", "line 3"]);
}

#[test]
fn reexports_bind_no_local_name() {
    check_uses(
        "== a.ts
export function fetch() {}
export function parse() {}
== b.ts
export { fetch } from './a';
export * from './a';
export * as space from './a';
export function go() { fetch(); parse(); }
== c.ts
import { fetch, parse, space } from './b';
export function go() { fetch(); }
export function other() { parse(); }
export function more() { space.parse(); space.gone(); }
",
        &[
            "c.ts::go calls a.ts::fetch",
            "c.ts::more calls a.ts::parse",
            "c.ts::other calls a.ts::parse",
        ],
    );
}

#[test]
fn imports_inside_a_function_are_only_visible_there() {
    check_uses(
        "== x.js
exports.run = function () {};
exports.twice = function () {};
== y.js
exports.run = function () {};
exports.twice = function () {};
== a.js
function a() { const { run } = require('./x'); run(); inner(); function inner() { run(); } }
function b() { const m = require('./y'); m.run(); }
function c() { run(); m.run(); }
function d(run) { function e() { const { run } = require('./y'); run(); } run(); }
function f(x) { if (x) { const { run } = require('./x'); run(); } else { const { run } = require('./y'); run(); } }
function g() { const { run } = require('outside'); run(); }
async function h() { const { run } = await import('./x'); const y = await import('./y'); run(); y.run(); }
on(() => { const { twice } = require('./x'); twice(); });
on(() => { const { twice } = require('./y'); twice(); });
",
        &[
            "a.js::a calls a.js::a.inner",
            "a.js::a calls x.js::run",
            "a.js::a.inner calls x.js::run",
            "a.js::b calls y.js::run",
            "a.js::d.e calls y.js::run",
            "a.js::h calls x.js::run",
            "a.js::h calls y.js::run",
        ],
    );
    check_uses(
        "== pkg/__init__.py
== pkg/x.py
def run(): pass
class A: pass
== pkg/y.py
def run(): pass
def extra(): pass
== pkg/a.py
from .y import extra
def a():
    from .x import run
    run()
def b():
    from . import y as run
    run.extra()
def c(): run()
def d():
    import json as extra
    extra()
def e():
    global lazy
    from .x import A as lazy
def f(): lazy()
class C:
    from .x import run as made
    made()
    def g(self): made()
    def h(self):
        from .x import A as made
        class D(made): pass
def i():
    try: from .x import run
    except ImportError: from .y import run
    run()
== pkg/b.py
from .a import run
from .a import lazy
def j(): run()
def k(): lazy()
",
        &[
            "pkg/a.py::C calls pkg/x.py::run",
            "pkg/a.py::C.h.D extends pkg/x.py::A",
            "pkg/a.py::a calls pkg/x.py::run",
            "pkg/a.py::b calls pkg/y.py::extra",
            "pkg/a.py::f calls pkg/x.py::A",
            "pkg/b.py::k calls pkg/x.py::A",
        ],
    );
}

#[test]
fn python_bindings_hide_imports() {
    for hiding in [
        "def f(*run): run()",
        "def f(**run): run()",
        "def f(*run: int): run()",
        "def f():\n    (run, z) = 1, 2\n    run()",
        "def f():\n    [run, z] = 1, 2\n    run()",
        "def f():\n    z, *run = 1, 2\n    run()",
        "def f():\n    z, (q, run) = 1, 2\n    run()",
        "def f():\n    run += 1\n    run()",
        "def f():\n    for (run, z) in []: run()",
        "def f():\n    return [run() for (run, z) in []]",
        "def f():\n    with z() as (run, q): run()",
        "def f():\n    with z() as [run, q]: run()",
        "def f(o):\n    match o:\n        case {'k': run}: run()",
        "def f(o):\n    match o:\n        case {'k': z, **run}: run()",
        "def f(o):\n    match o:\n        case [run, *z]: run()",
        "def f(o):\n    match o:\n        case [z, *run]: run()",
        "def f(o):\n    match o:\n        case A(x=run): run()",
        "def f(o):\n    match o:\n        case A() as run: run()",
        "def f(o):\n    match o:\n        case run: run()",
        "def f():\n    import os as run\n    run()",
        "def f():\n    from os import run\n    run()",
        "run = print\ndef f(): run()",
        "from os import run\nfrom .y import *\ndef f(): run()",
        "from os import run\nfrom .y import *\n== p/b.py\nfrom .a import run\ndef f(): run()",
    ] {
        let import = if hiding.contains("import *") { "" } else { "from .x import run\n" };
        check_uses(
            &format!(
                "== p/__init__.py\n== p/x.py\ndef run(): pass\n== p/y.py\ndef run(): pass\n== p/a.py\n{import}{hiding}\n"
            ),
            &[],
        );
    }
}

#[test]
fn python_bindings_elsewhere_do_not_hide_imports() {
    for (text, by) in [
        ("run = None\nfrom .x import run\ndef f(): run()", "f"),
        ("try: from .x import run\nexcept ImportError: run = None\ndef f(): run()", "f"),
        ("from .x import run\nclass K:\n    run = 3\n    def f(self): run()", "K.f"),
        ("from .x import run\ndef f(o):\n    match o:\n        case a.run: run()", "f"),
    ] {
        check_uses(
            &format!("== p/__init__.py\n== p/x.py\ndef run(): pass\n== p/a.py\n{text}\n"),
            &[&format!("p/a.py::{by} calls p/x.py::run")],
        );
    }
}

#[test]
fn self_and_this_follow_the_rules_of_their_language() {
    check_uses(
        "== a.py
class R:
    def m(self): pass
    @classmethod
    def k(cls): cls.m(cls)
    @staticmethod
    def s(self): self.m()
    @staticmethod
    def t(self: int):
        def inner(): self.m()
== a.ts
class A {
  run() {}
  own() { this.run(); }
  other(self: any) { self.run(); }
  named() { return function own() { own(); }; }
}
",
        &["a.py::R.k calls a.py::R.m", "a.ts::A.own calls a.ts::A.run"],
    );
}
