//! What edits changed is kept beside the graph: read as one with it, and never wrong.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use tacit_codebase::CodebaseError;
use tacit_graph::{
    Direction, Packed, Question, conventions, flow, impact, modules, summary, to_dot, to_graphml,
    to_json,
};

use crate::edits::refresh_all;
use crate::{Worktree, find, refresh};

/// Everything that can be asked about a graph, as text.
pub(crate) fn answers(graph: &Packed<'_>, thorough: bool) -> Vec<String> {
    let mut said = vec![format!("{} {} {}", graph.files(), graph.nodes(), graph.edges())];
    for file in 0..graph.files() {
        let (known, range) = (graph.file(file), graph.range(file));
        said.push(format!("{} {known:?} {range:?} {:?}", graph.path(file), graph.consulted(file)));
        assert_eq!(graph.find(graph.path(file)), Some(file));
    }
    for node in 0..graph.nodes() + 2 {
        let (of, kind, around) = (graph.file_of(node), graph.kind(node), graph.container(node));
        said.push(format!("{node} {:?} {of:?} {kind:?} {around:?}", graph.node(node)));
        said.push(format!("{:?}", graph.dependencies(node).collect::<Vec<_>>()));
        said.push(format!("{:?}", graph.dependents(node).collect::<Vec<_>>()));
    }
    if !thorough {
        return said;
    }
    let mut json = to_json(graph);
    json["generation"] = 0.into();
    said.extend([json.to_string(), to_graphml(graph), to_dot(graph)]);
    said.push(format!("{:?}", summary(graph)));
    let found = modules(graph, &BTreeSet::from(["web/package.json".to_owned()]));
    said.push(format!("{found:?} {:?}", conventions(graph, &found)));
    for node in 0..graph.nodes() {
        for direction in [Direction::Dependents, Direction::Dependencies] {
            let question = Question {
                start: &[node],
                direction,
                depth: 3,
                offset: 0,
                limit: 100,
                together: &|_| None,
            };
            said.push(format!("{node} {direction:?} {:?}", impact(graph, &question)));
        }
        said.push(format!("{:?}", flow(graph, &[node], &[graph.range(0).start])));
    }
    said
}

/// A few files in two languages.
fn shop() -> Worktree {
    let mut worktree = Worktree::new();
    for (path, text) in [
        ("web/package.json", "{}"),
        ("web/a.ts", "export function a() {}\nexport function b() { a(); }\n"),
        ("web/b.ts", "import { a } from './a';\nexport function c() { a(); }\n"),
        ("web/c.ts", "export { a, b } from './a';\n"),
        ("web/d.ts", "import { b } from './c';\nexport function d() { b(); }\n"),
        ("z.py", "def z(): pass\n"),
        ("zz.py", "import z\ndef x(): pass\ndef y(): z.z()\n"),
    ] {
        worktree.write(path, text);
    }
    for number in 0..40 {
        worktree.write(&format!("web/n{number}.ts"), format!("export function f{number}() {{}}\n"));
    }
    refresh(&worktree.codebase("kept"));
    worktree
}

fn edits_file(worktree: &Worktree) -> PathBuf {
    find(&worktree.folder.path().join("kept"), "graph").with_extension("edits")
}

#[test]
fn answers_are_those_of_a_fresh_build() {
    let mut worktree = shop();
    let edits: [(&str, &str, &[&str]); 6] = [
        // Others see nothing of it.
        (
            "web/a.ts",
            "\n\nexport function a() {}\nexport function b() { a(); a(); }\n",
            &["web/a.ts"],
        ),
        // One more symbol, before those of all others.
        (
            "web/a.ts",
            "export function new_one() {}\nexport function a() {}\nexport function b() {}\n",
            &["web/a.ts", "web/b.ts", "web/c.ts", "web/d.ts"],
        ),
        ("web/d.ts", "export function d() {}\nexport function e() { d(); }\n", &["web/d.ts"]),
        ("web/a.ts", "export function a() {}\n", &["web/a.ts", "web/b.ts", "web/c.ts"]),
        ("web/d.ts", "import { a, b } from './c';\nexport class D {}\na(); b();\n", &["web/d.ts"]),
        ("z.py", "def other(): pass\ndef z(): other()\n", &["z.py", "zz.py"]),
    ];
    for (path, text, touched) in edits {
        worktree.write(path, text);
        let after = refresh(&worktree.codebase("kept"));
        assert_eq!(after.linked, touched.len(), "{path}\n{text}");
        assert!(edits_file(&worktree).exists());
        refresh_all(&worktree.codebase("anew"));
        let (kept, anew) =
            (worktree.codebase("kept").open().unwrap(), worktree.codebase("anew").open().unwrap());
        assert!(kept.edits().is_some() && anew.edits().is_none());
        assert_eq!(answers(&kept.packed(), true), answers(&anew.packed(), true), "{path}\n{text}");
    }
}

#[test]
fn edits_become_part_of_the_graph_when_there_are_many() {
    let mut worktree = shop();
    for number in 0..20 {
        let path = format!("web/n{number}.ts");
        worktree.write(&path, format!("export function f{number}() {{}}\nfunction g() {{}}\n"));
        assert_eq!(refresh(&worktree.codebase("kept")).linked, 1);
        let open = worktree.codebase("kept").open().unwrap();
        let edited = open.edits().map_or(0, |edits| edits.files.len());
        assert_eq!(edits_file(&worktree).exists(), edited > 0);
        assert!(edited <= 8, "{edited}");
    }
    refresh_all(&worktree.codebase("anew"));
    assert!(worktree.packed("kept") == worktree.packed("anew"));
}

/// Whether the graph, once it is brought up to date, is the one of a fresh build.
fn is_repaired(worktree: &Worktree, what: &str) {
    refresh(&worktree.codebase("kept"));
    refresh_all(&worktree.codebase("anew"));
    assert!(worktree.packed("kept") == worktree.packed("anew"), "{what}");
}

#[test]
fn edits_that_are_damaged_or_of_another_graph_are_passed_over() {
    let mut worktree = shop();
    let base = worktree.packed("kept");
    worktree.write("web/a.ts", "export function a() {}\nexport function late() {}\n");
    refresh(&worktree.codebase("kept"));
    let path = edits_file(&worktree);
    let whole = fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> = [0, 1, 8, 31, 32, 33, whole.len() / 2, whole.len() - 1]
        .map(|length| whole[..length].to_vec())
        .into();
    damaged.extend((0..whole.len()).step_by(5).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    }));
    damaged.push([whole.clone(), vec![0]].concat());
    damaged.push(vec![0; whole.len()]);
    for bytes in damaged {
        fs::write(&path, &bytes).unwrap();
        assert!(worktree.packed("kept") == base, "{bytes:?}");
    }
    is_repaired(&worktree, "damaged");
    // Edits of a graph that is no longer there, found beside the one that replaced it.
    fs::write(&path, &whole).unwrap();
    assert!(worktree.codebase("kept").open().unwrap().edits().is_none());
    is_repaired(&worktree, "of another graph");
}

#[test]
fn a_process_that_is_killed_leaves_the_old_or_the_new_graph() {
    let mut worktree = shop();
    let folder = worktree.folder.path().join("kept");
    let (graph, edits) = (find(&folder, "graph"), edits_file(&worktree));
    worktree.write("web/a.ts", "export function a() {}\nexport function one() {}\n");
    refresh(&worktree.codebase("kept"));
    let (old_graph, old_edits) = (fs::read(&graph).unwrap(), fs::read(&edits).unwrap());
    let old = worktree.packed("kept");
    // After the tables were written, before the edits were.
    worktree.write("web/a.ts", "export function a() {}\nexport function two() {}\n");
    refresh(&worktree.codebase("kept"));
    fs::write(&edits, &old_edits).unwrap();
    fs::write(edits.with_extension("edits-new"), &old_edits[..20]).unwrap();
    assert!(worktree.packed("kept") == old);
    is_repaired(&worktree, "before the edits were written");
    // After the tables were written, before the graph was: a file is new, so all is linked.
    worktree.write("web/new.ts", "export function n() {}\n");
    refresh(&worktree.codebase("kept"));
    fs::write(&graph, &old_graph).unwrap();
    fs::write(&edits, &old_edits).unwrap();
    assert!(worktree.packed("kept") == old);
    is_repaired(&worktree, "before the graph was written");
    // After the graph was written, before the edits of the last were taken away.
    let new = worktree.packed("kept");
    fs::write(&edits, &old_edits).unwrap();
    assert!(worktree.packed("kept") == new);
    is_repaired(&worktree, "before the edits were taken away");
    // The facts of what was are lost: the edit cannot be compared with it.
    fs::remove_file(folder.join("facts.db")).unwrap();
    worktree.write("web/a.ts", "export function a() {}\nexport function three() {}\n");
    is_repaired(&worktree, "without facts");
}

#[test]
fn whoever_reads_while_another_writes_sees_one_state_after_the_other() {
    let mut worktree = shop();
    let codebase = worktree.codebase("kept");
    let done = AtomicBool::new(false);
    let read = || {
        let (mut last, mut states) = (0, 0);
        while !done.load(Ordering::Relaxed) {
            let open = match codebase.open() {
                Err(CodebaseError::Missing { .. }) => continue,
                opened => opened.unwrap(),
            };
            let graph = open.packed();
            assert!(graph.generation() >= last, "{} after {last}", graph.generation());
            states += u32::from(graph.generation() > last);
            last = graph.generation();
            // Every state has as many symbols as its step, in a file before all others and in one
            // after them.
            let count = |path: &str| graph.range(graph.find(path).unwrap()).len();
            assert_eq!(count("web/a.ts"), count("zz.py"), "in {last}");
            let end = graph.range(graph.files() - 1).end;
            assert!((0..end).flat_map(|node| graph.dependents(node)).all(|edge| edge.from < end));
        }
        states
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2).map(|_| scope.spawn(read)).collect();
        for step in 0..60 {
            let functions: Vec<String> =
                (0..2 + step % 7).map(|at| format!("function f{at}() {{}}\n")).collect();
            worktree.write("web/a.ts", functions.concat());
            worktree.write(
                "zz.py",
                functions.concat().replace("function", "def").replace("{}", ": pass"),
            );
            let other = format!("export function f() {{}}\nexport function g{step}() {{}}\n");
            worktree.write(&format!("web/n{}.ts", step % 20), other);
            refresh(&codebase);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
    is_repaired(&worktree, "after all");
}

#[test]
fn outlines_that_are_damaged_lost_or_old_are_not_believed() {
    let mut worktree = Worktree::new();
    worktree.write("pom.xml", "<project/>");
    worktree.write("Base.java", "package shop;\nclass Base { void total() {} }\n");
    worktree.write("Order.java", "package shop;\nclass Order { static void make() {} }\n");
    let cart = |calls: &str| {
        format!("package shop;\nclass Cart extends Base {{ void add() {{ {calls} }} }}\n")
    };
    worktree.write("Cart.java", cart(""));
    refresh(&worktree.codebase("kept"));
    let folder = worktree.folder.path().join("kept");
    let path = find(&folder, "outlines");
    let whole = fs::read(&path).unwrap();
    let mut kept: Vec<Option<Vec<u8>>> = vec![None, Some(whole.clone())];
    kept.extend(
        [0, 15, 16, 40, whole.len() / 2, whole.len() - 1].map(|end| Some(whole[..end].to_vec())),
    );
    kept.extend((0..whole.len()).step_by(7).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x21;
        Some(bytes)
    }));
    for (turn, bytes) in kept.into_iter().enumerate() {
        match &bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let calls = ["total();", "Order.make(); total();", "Order.make();"][turn % 3];
        worktree.write("Cart.java", cart(calls));
        assert_eq!(refresh(&worktree.codebase("kept")).linked, 1);
        refresh_all(&worktree.codebase("anew"));
        assert!(worktree.packed("kept") == worktree.packed("anew"), "{turn} {bytes:?}");
    }
}

#[test]
fn a_name_in_an_open_namespace_touches_those_who_mention_it() {
    let mut worktree = Worktree::new();
    worktree.write("pom.xml", "<project/>");
    for (name, body) in [
        ("Base", "void total() {}"),
        ("Order", "void make() {}"),
        ("User", "void use() { new Order().hashCode(); }"),
        ("Caller", "void call() { fresh(); }"),
    ] {
        worktree
            .write(&format!("{name}.java"), format!("package shop;\nclass {name} {{ {body} }}\n"));
    }
    worktree
        .write("Cart.java", "package shop;\nclass Cart extends Base { void add() { total(); } }\n");
    refresh(&worktree.codebase("kept"));
    for (what, path, text, linked) in [
        ("nobody mentions it", "Order.java", "class Order { void late() {} void make() {} }", 1),
        ("somebody does", "Order.java", "class Order { void fresh() {} void make() {} }", 2),
        (
            "a class with all in it",
            "Order.java",
            "class Orders { void fresh() {} void make() {} }",
            3,
        ),
        ("a class others are based on", "Base.java", "class Bases { void total() {} }", 5),
        ("what it is based on", "Order.java", "class Orders extends Bases { void make() {} }", 5),
    ] {
        worktree.write(path, format!("package shop;\n{text}\n"));
        assert_eq!(refresh(&worktree.codebase("kept")).linked, linked, "{what}");
        refresh_all(&worktree.codebase("anew"));
        assert!(worktree.packed("kept") == worktree.packed("anew"), "{what}");
    }
}

#[test]
fn what_is_not_parsed_touches_nobody_until_it_is() {
    let mut worktree = shop();
    worktree.write("vendor/lib.ts", "export function one() {}\n");
    worktree.write("web/made.ts", "// @generated by a program\nexport function made() {}\n");
    let all = refresh(&worktree.codebase("kept")).files;
    for (what, path, text, linked) in [
        ("somebody else's", "vendor/lib.ts", "export function two() {}\n", 0),
        (
            "made again",
            "web/made.ts",
            "// @generated by a program\nexport function other() {}\n",
            0,
        ),
        ("now by hand", "web/made.ts", "export function other() {}\n", all),
        ("with an error", "web/made.ts", "export function other() { ( }\n", 1),
        ("made by a program", "web/made.ts", "// @generated by a program\n", all),
    ] {
        worktree.write(path, text);
        let after = refresh(&worktree.codebase("kept"));
        assert_eq!((after.changed, after.linked), (true, linked), "{what}");
        is_repaired(&worktree, what);
    }
}
