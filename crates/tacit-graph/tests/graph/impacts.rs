//! What a change may break, and in which order it is told.

use std::collections::{BTreeMap, BTreeSet};

use tacit_graph::{
    Completeness, Direction, EdgeKind, GraphInput, Impact, ImpactQuery, Language, NonUtf8Files,
    PackedGraph, conventions, find_target, impact, link, modules, pack, summary,
};

use crate::project;

const PROJECT: &str = r#"
== core.py
def run(): pass
class Base: pass
== a.py
from core import run
== b.py
from core import run
== c.py
import b
== test_core.py
from core import run
== apart.py
x = 1
"#;

fn asked(text: &str, co_change: &[(&str, f32)], offset: usize, limit: usize) -> Impact {
    let bytes = pack(&link(&project(text), 1), 1);
    let graph = PackedGraph::new(&bytes).unwrap();
    let start = find_target(&graph, "core.py", None).unwrap();
    let co_change: BTreeMap<&str, f32> = co_change.iter().copied().collect();
    let query = ImpactQuery {
        start: &start,
        direction: Direction::Dependents,
        depth: 3,
        offset,
        limit,
        co_change: &|path| co_change.get(path).copied(),
    };
    impact(&graph, &query)
}

fn paths(answer: &Impact) -> Vec<&str> {
    answer.affected.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn files_are_listed_by_structure_times_what_changes_together() {
    for (what, co_change, expected) in [
        ("nothing known", vec![], ["a.py", "b.py", "test_core.py", "c.py"]),
        ("the second", vec![("b.py", 0.1)], ["b.py", "a.py", "test_core.py", "c.py"]),
        (
            "both, by how likely",
            vec![("a.py", 0.2), ("b.py", 0.9), ("test_core.py", 0.5)],
            ["b.py", "test_core.py", "a.py", "c.py"],
        ),
        // Two steps away, it needs more than one that is a step away has.
        ("the farthest", vec![("c.py", 0.05)], ["a.py", "b.py", "test_core.py", "c.py"]),
        ("the farthest, surely", vec![("c.py", 1.0)], ["c.py", "a.py", "b.py", "test_core.py"]),
        // What does not depend on it cannot be broken by it.
        ("one apart", vec![("apart.py", 1.0)], ["a.py", "b.py", "test_core.py", "c.py"]),
    ] {
        let answer = asked(PROJECT, &co_change, 0, 10);
        assert_eq!(paths(&answer), expected, "{what}");
        for file in &answer.affected {
            let known = co_change.iter().find(|(path, _)| *path == file.path);
            assert_eq!(file.co_change, known.map(|(_, likely)| *likely), "{what}");
        }
    }
}

#[test]
fn what_changes_together_weighs_files_and_not_the_impact_of_all() {
    let score = |co_change: &[(&str, f32)]| asked(PROJECT, co_change, 0, 10).score;
    assert_eq!(score(&[]), score(&[("b.py", 0.9)]));
}

#[test]
fn an_answer_is_paged_and_counts_and_tests_are_those_of_all() {
    let whole = asked(PROJECT, &[], 0, 10);
    assert_eq!((whole.total, whole.next_offset(0)), (4, None));
    assert_eq!(whole.files_at, [3, 1]);
    let (first, second) = (asked(PROJECT, &[], 0, 3), asked(PROJECT, &[], 3, 3));
    assert_eq!((first.next_offset(0), second.next_offset(3)), (Some(3), None));
    let both: Vec<&str> = paths(&first).into_iter().chain(paths(&second)).collect();
    assert_eq!(both, paths(&whole));
    for page in [&first, &second] {
        assert_eq!((page.total, page.tests_total), (4, 1));
        assert_eq!(page.tests, ["test_core.py"]);
        assert_eq!(page.score, whole.score);
    }
}

#[test]
fn the_bound_names_what_could_not_be_looked_into() {
    assert_eq!(asked(PROJECT, &[], 0, 10).completeness, Completeness::Exact);
    for (added, reason) in [
        ("== broken.py\ndef (:\n", "broken.py"),
        ("== missing.py\nfrom core.gone import x\n", "missing.py"),
    ] {
        let Completeness::LowerBound { reasons } =
            asked(&format!("{PROJECT}{added}"), &[], 0, 10).completeness
        else {
            unreachable!("{reason} could depend on it")
        };
        assert!(reasons.iter().any(|told| told.contains(reason)), "{reasons:?}");
    }
}

/// Why there may be more that depends on a target; nothing if there is not.
fn doubts(text: &str, path: &str, symbol: Option<&str>) -> Vec<String> {
    let bytes = pack(&link(&project(text), 1), 1);
    let graph = PackedGraph::new(&bytes).unwrap();
    let start = find_target(&graph, path, symbol).unwrap();
    let (direction, co_change) = (Direction::Dependents, &|_: &str| None);
    let query = ImpactQuery { start: &start, direction, depth: 3, offset: 0, limit: 9, co_change };
    match impact(&graph, &query).completeness {
        Completeness::Exact => Vec::new(),
        Completeness::LowerBound { reasons } => reasons,
    }
}

#[test]
fn what_is_put_together_at_run_time_may_reach_its_own_part_of_the_project() {
    for (what, by, told) in [
        ("a path from here", "== web/a/by.js\nrequire('./' + n).run();\n", false),
        ("a path from above", "== web/a/by.js\nimport(`../b/${n}.js`);\n", true),
        ("a name", "== web/a/by.js\nconst m = require(n);\n", true),
        ("a call", "== web/a/by.js\nrequire(path.join(x, 'y'));\n", true),
        ("of another package", "== api/by.js\nconst m = require(n);\n", false),
        ("no way out of a package", "== api/by.js\nimport(`../${n}`);\n", true),
        ("what is written down", "== web/b/by.js\nrequire(`./other.js`);\n", false),
        ("a method of that name", "== web/b/by.js\nloader.require(n);\n", false),
        ("another language", "== web/by.py\nimportlib.import_module(x)\n", false),
    ] {
        let project = "== web/package.json\n{}\n== api/package.json\n{}\n\
                       == web/b/it.js\nexports.run = () => {};\n== web/b/other.js\n1;\n";
        let reasons = doubts(&format!("{project}{by}"), "web/b/it.js", None);
        let path = by.lines().next().unwrap().trim_start_matches("== ");
        let reason = format!("1 file with imports computed at run time: {path} (1)");
        assert_eq!(reasons, if told { vec![reason] } else { vec![] }, "{what}");
    }
}

#[test]
fn imports_that_are_put_together_at_run_time_are_known_in_every_language() {
    for (target, by, reason) in [
        ("p/a.py", "== p/b.py\nimportlib.import_module('p.a').run()\n", "p/b.py (1)"),
        (
            "p/a.py",
            "== p/b.py\nfrom importlib import import_module\nimport_module(x)\n__import__(y)\n",
            "p/b.py (2)",
        ),
        ("s/a.sh", "== s/m.sh\nfor f in \"$HERE\"/*.sh; do source \"$f\"; done\n", "s/m.sh (1)"),
        ("s/a.sh", "== s/m.sh\n. /etc/os-release\nsource ~/.bashrc\nsource \"$HOME/x.sh\"\n", ""),
        (
            "r/a.rb",
            "== r/b.rb\nDir['*.rb'].each { |f| require f }\nrequire_relative \"x/#{n}\"\n",
            "r/b.rb (2)",
        ),
        ("r/a.rb", "== r/b.rb\nrequire 'json'\nrequire '/etc/x'\nautoload :X\n", ""),
        (
            "h/i.php",
            "== h/j.php\n<?php require $dir . '/i.php'; include_once(__DIR__ . \"/$x.php\");\n",
            "h/j.php (2)",
        ),
        (
            "h/i.php",
            "== h/j.php\n<?php require '/etc/x.php'; require __DIR__ . '/k.php';\n== h/k.php\n<?php\n",
            "",
        ),
    ] {
        let reasons = doubts(&format!("== {target}\n{by}"), target, None);
        let told = format!("1 file with imports computed at run time: {reason}");
        assert_eq!(reasons, if reason.is_empty() { vec![] } else { vec![told] }, "{by}");
    }
}

#[test]
fn what_is_defined_for_several_systems_may_be_called_by_more() {
    const GO: &str = "== go.mod\nmodule ex.com/m\n\
        == os_linux.go\npackage m\nfunc Plat() {}\nfunc OnlyLinux() {}\nfunc init() {}\n\
        == os_windows.go\npackage m\nfunc Plat() {}\nfunc init() {}\n\
        == m.go\npackage m\nfunc Run() { Plat() }\n\
        == m_test.go\npackage m\nfunc Run2() {}\n\
        == sub/os_linux.go\npackage sub\nfunc Plat() {}\nfunc OnlyLinux() {}\n";
    const C: &str = "== a.h\nvoid twice(void);\nvoid once(void);\n\
        == a_posix.c\n#include \"a.h\"\nvoid twice(void) {}\nvoid once(void) {}\nstatic void own(void) {}\nint main(void) {}\n#define UNUSED(x) (x)\n\
        == a_win.c\n#include \"a.h\"\nvoid twice(void) {}\nstatic void own(void) {}\nint main(void) {}\n#define UNUSED(x) (x)\n\
        == apart.c\nvoid once(void) {}\n== d.c\n#include \"a.h\"\nvoid d(void) { twice(); }\n";
    for (text, path, symbol, shared) in [
        (GO, "os_linux.go", None, "os_linux.go::Plat (also in os_windows.go)"),
        (GO, "os_windows.go", Some("Plat"), "os_windows.go::Plat (also in os_linux.go)"),
        (GO, "os_linux.go", Some("OnlyLinux"), ""),
        (GO, "sub/os_linux.go", None, ""),
        (GO, "m.go", None, ""),
        (C, "a_posix.c", Some("twice"), "a_posix.c::twice (also in a_win.c)"),
        (C, "a_win.c", None, "a_win.c::twice (also in a_posix.c)"),
        (C, "a_posix.c", Some("once"), ""),
        (C, "a_posix.c", Some("own"), ""),
    ] {
        let told = format!("1 symbol with several definitions, so calls are not linked: {shared}");
        let expected = if shared.is_empty() { vec![] } else { vec![told] };
        assert_eq!(doubts(text, path, symbol), expected, "{path} {symbol:?}");
    }
}

#[test]
fn files_that_cannot_be_named_are_a_doubt_to_their_language() {
    for (language, reason) in [
        (Language::Python, Some("1 file is left out, because its name is not UTF-8")),
        (Language::Go, None),
    ] {
        let non_utf8 = NonUtf8Files::count([language]);
        let bytes = pack(&link(&GraphInput { non_utf8, ..project(PROJECT) }, 1), 1);
        let graph = PackedGraph::new(&bytes).unwrap();
        let start = find_target(&graph, "core.py", None).unwrap();
        let (direction, co_change) = (Direction::Dependents, &|_: &str| None);
        let query =
            ImpactQuery { start: &start, direction, depth: 3, offset: 0, limit: 9, co_change };
        let bound = match reason {
            None => Completeness::Exact,
            Some(reason) => Completeness::LowerBound { reasons: vec![reason.to_owned()] },
        };
        assert_eq!(impact(&graph, &query).completeness, bound);
        assert_eq!(summary(&graph).non_utf8, 1);
    }
}

#[test]
fn each_kind_of_edge_lets_through_its_share() {
    for (kind, weight) in [
        (EdgeKind::Imports, 0.9),
        (EdgeKind::Calls, 0.8),
        (EdgeKind::Implements, 0.7),
        (EdgeKind::Extends, 0.7),
        (EdgeKind::Exports, 0.6),
    ] {
        assert!((kind.weight() - weight).abs() < f32::EPSILON, "{kind:?}");
    }
}

#[test]
fn a_module_knows_the_tests_that_are_elsewhere() {
    let graph = link(
        &project(
            "== pyproject.toml\n[project]\nname = \"shop\"\n\
             == src/store/__init__.py\n== src/store/pool.py\ndef drain(): pass\n\
             == src/web/__init__.py\n== src/web/app.py\ndef main(): pass\n== src/__init__.py\n\
             == tests/test_pool.py\nfrom src.store.pool import drain\ndef test_it(): drain()\n",
        ),
        1,
    );
    let bytes = pack(&graph, 1);
    let packed = PackedGraph::new(&bytes).unwrap();
    let found = modules(&packed, &BTreeSet::new());
    let said = conventions(&packed, &found);
    let tests = |path: &str| {
        let at = found.iter().position(|module| module.path == path).unwrap();
        said[at].iter().find(|line| line.contains("ests")).cloned().unwrap()
    };
    assert_eq!(tests("src/store"), "Tests: 1 file elsewhere.");
    assert_eq!(tests("src/web"), "Tests: none.");
}

#[test]
fn one_starts_with_what_is_used_and_not_with_empty_packages() {
    let graph = link(
        &project(
            "== shop/__init__.py\nfrom .pool import drain\n\
             == shop/pool.py\ndef drain(): pass\ndef _check(): pass\ndef _shared(): pass\n\
             == shop/till.py\nfrom .pool import drain, _check\ndef run():\n    drain()\n    _check()\n\
             == shop/parts/__init__.py\n\
             == shop/parts/belt.py\nfrom ..pool import drain\nfrom . import belt\ndef turn(): drain()\n\
             == own/__init__.py\nfrom shop.pool import _shared\ndef begin(): _shared()\n\
             == own/deep/__init__.py\ndef deep(): pass\n\
             == own/used.py\ndef used(): pass\n\
             == own/user.py\nfrom own.used import used\nfrom own.deep import deep\ndef user(): used()\n\
             == bare/__init__.py\n\
             == setup.py\nx = 1\n\
             == tests/test_pool.py\ndef test_it(): pass\n",
        ),
        1,
    );
    let bytes = pack(&graph, 1);
    let packed = PackedGraph::new(&bytes).unwrap();
    let found = modules(&packed, &BTreeSet::new());
    let said = conventions(&packed, &found);
    let module = |path: &str| found.iter().find(|module| module.path == path).unwrap();
    for (path, first) in
        [("shop", "shop/pool.py"), ("own", "own/__init__.py"), ("bare", "bare/__init__.py")]
    {
        assert_eq!(module(path).entry_points[0], first, "{path}");
    }
    let hollow = |path: &&String| path.ends_with("__init__.py");
    assert_eq!(module("shop").entry_points.iter().find(hollow), None);
    assert_eq!(module("shop").exports, ["shop/pool.py::_shared", "shop/pool.py::drain"]);
    let root = found.iter().position(|module| module.path.is_empty()).unwrap();
    assert_eq!(said[root][0], "Tests: 1 file in tests.");
}

#[test]
fn reasons_name_the_line_or_the_file_that_says_so() {
    let own = "== src/lib.rs\nmod kind;\nmod show;\nmod more;\n\
        == src/kind.rs\npub struct Kind;\n";
    let shows =
        "== src/show.rs\nuse crate::kind::Kind;\npub trait Show {}\n\nimpl Show for Kind {}\n";
    let both = "== src/more.rs\nuse crate::kind::Kind;\npub trait More {}\nimpl More for Kind {}\n";
    for (rest, reason) in [(String::new(), "in src/show.rs"), (both.to_owned(), "in another file")]
    {
        let text = format!("== Cargo.toml\n[package]\nname = \"a\"\n{own}{shows}{rest}");
        let bytes = pack(&link(&project(&text), 1), 1);
        let graph = PackedGraph::new(&bytes).unwrap();
        let query = ImpactQuery {
            start: &find_target(&graph, "src/show.rs", Some("Show")).unwrap(),
            direction: Direction::Dependents,
            depth: 1,
            offset: 0,
            limit: 10,
            co_change: &|_| None,
        };
        let answer = impact(&graph, &query);
        let kind = answer.affected.iter().find(|file| file.path == "src/kind.rs").unwrap();
        assert_eq!(kind.reason, format!("`Kind` implements `src/show.rs::Show`, {reason}"));
    }
}
