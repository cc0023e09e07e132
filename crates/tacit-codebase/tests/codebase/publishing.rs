//! The graph and the database that it belongs to are written one after the other: who reads or is
//! killed meanwhile has the old graph or the new one.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use tacit_codebase::CodebaseError;

use crate::{Worktree, find, refresh};

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

/// Checks that bringing it up to date gives the graph of a fresh build.
fn assert_equals_fresh_build(worktree: &Worktree, what: &str) {
    refresh(&worktree.codebase("kept"));
    refresh(&worktree.codebase("anew"));
    assert!(worktree.packed("kept") == worktree.packed("anew"), "{what}");
}

#[test]
fn killed_processes_leave_the_old_or_the_new_graph() {
    let mut worktree = shop();
    let folder = worktree.folder.path().join("kept");
    let graph = find(&folder, "graph");
    let (old, old_graph) = (worktree.packed("kept"), fs::read(&graph).unwrap());
    // After the tables were written, before the graph was.
    worktree.write("web/a.ts", "export function a() {}\nexport function two() {}\n");
    refresh(&worktree.codebase("kept"));
    fs::write(&graph, &old_graph).unwrap();
    fs::write(graph.with_extension("graph-new"), &old_graph[..20]).unwrap();
    assert!(worktree.packed("kept") == old);
    assert_equals_fresh_build(&worktree, "before the graph was written");
    // Facts that are lost are made again.
    fs::remove_file(folder.join("facts.db")).unwrap();
    worktree.write("web/a.ts", "export function a() {}\nexport function three() {}\n");
    assert_equals_fresh_build(&worktree, "without facts");
}

#[test]
fn files_of_earlier_versions_are_removed() {
    let mut worktree = shop();
    let graph = find(&worktree.folder.path().join("kept"), "graph");
    let former = ["edits", "outlines"].map(|ending| graph.with_extension(ending));
    former.iter().for_each(|path| fs::write(path, "names of what is gone").unwrap());
    worktree.write("web/a.ts", "export function a() {}\n");
    refresh(&worktree.codebase("kept"));
    assert!(former.iter().all(|path| !path.exists()));
}

#[test]
fn concurrent_readers_see_one_state_after_the_other() {
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
    assert_equals_fresh_build(&worktree, "after all");
}
