//! Facts leave the store once no worktree has their source any more, and not before.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use tacit_codebase::{CleanupReport, Codebase, RefreshOptions, RefreshReport};

use crate::{Worktree, refresh};

/// Drops unused facts and returns their number.
fn dropped(codebase: &Codebase) -> usize {
    codebase.drop_unused().unwrap().facts
}

/// Changes to a branch on which `pool.py` says something else.
fn switch(worktree: &mut Worktree, function: &str) -> RefreshReport {
    worktree.write("pool.py", format!("def {function}(): pass\n"));
    let options = RefreshOptions { threads: 2, reread_all: false, progress: &|_, _| {} };
    let refreshed = worktree.codebase("kept").refresh(&options).unwrap();
    worktree.codebase("kept").refresh_words(&options).unwrap();
    refreshed
}

#[test]
fn facts_no_worktree_uses_are_dropped() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    assert_eq!(dropped(&codebase), 0, "there are no facts");
    worktree.write("cart.py", "def total(): pass\n");
    switch(&mut worktree, "acquire");
    let mut other = Worktree::new();
    other.write("cart.py", "def total(): pass\n");
    let beside = Codebase::new(&other.root(), &worktree.folder.path().join("kept"));
    assert_eq!(refresh(&beside).parsed, 0);
    worktree.remove("cart.py");
    switch(&mut worktree, "release");
    let left = codebase.drop_unused().unwrap();
    // `acquire` is gone; the other worktree still has `total`, in its graph.
    assert_eq!(left, CleanupReport { facts: 1, words: 2 });
    assert_eq!(dropped(&codebase), 0, "nothing else is unused");
    worktree.write("cart.py", "def total(): pass\n");
    assert_eq!(switch(&mut worktree, "acquire").parsed, 1);
}

#[test]
fn nothing_is_dropped_during_a_refresh() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    switch(&mut worktree, "acquire");
    switch(&mut worktree, "release");
    // Another worktree is at the branch that was left; its facts are found, and are not yet part of
    // a graph when somebody looks for what is not used.
    let mut other = Worktree::new();
    other.write("pool.py", "def acquire(): pass\n");
    let beside = Codebase::new(&other.root(), &worktree.folder.path().join("kept"));
    let (looked, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = |_: usize, _: usize| {
        looked.fetch_add(1, Ordering::Relaxed);
        left.fetch_add(dropped(&codebase), Ordering::Relaxed);
    };
    let options = RefreshOptions { threads: 1, reread_all: false, progress: &progress };
    assert_eq!(beside.refresh(&options).unwrap().parsed, 0);
    assert_eq!((looked.into_inner(), left.into_inner()), (1, 0));
    assert_eq!(dropped(&codebase), 0);
    other.write("pool.py", "def acquire(): pass\n");
    assert_eq!(refresh(&beside).parsed, 0);
}

#[test]
fn the_cache_file_shrinks_after_many_drops() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    worktree.write("pool.py", "def acquire(): pass\n");
    for file in 0..100 {
        let functions = (0..60).map(|at| format!("def f{file}_{at}(): return {at}\n"));
        worktree.write(&format!("m{file}.py"), functions.collect::<String>());
    }
    refresh(&codebase);
    (0..100).for_each(|file| worktree.remove(&format!("m{file}.py")));
    refresh(&codebase);
    let facts = worktree.folder.path().join("kept/facts.db");
    let before = fs::metadata(&facts).unwrap().len();
    assert_eq!(dropped(&codebase), 100);
    let after = fs::metadata(&facts).unwrap().len();
    assert!(after * 4 < before, "{after} of {before}");
    // What is left is not parsed again.
    worktree.write("pool.py", "def acquire(): pass\n");
    assert_eq!(refresh(&codebase).parsed, 0);
}
