//! What was parsed leaves when no worktree has had it for a week, and not before.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use tacit_codebase::{Codebase, Dropped, Options, Refreshed};

use crate::{NOW_MS, Worktree, refresh};

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// How many facts leave on a day.
fn dropped(codebase: &Codebase, day: i64) -> usize {
    codebase.drop_unused(NOW_MS + day * DAY_MS).unwrap().facts
}

/// Changes to a branch on which `pool.py` says something else.
fn switch(worktree: &mut Worktree, function: &str) -> Refreshed {
    worktree.write("pool.py", format!("def {function}(): pass\n"));
    let options = Options { threads: 2, all: false, progress: &|_, _| {} };
    let refreshed = worktree.codebase("kept").refresh(&options).unwrap();
    worktree.codebase("kept").refresh_words(&options).unwrap();
    refreshed
}

#[test]
fn facts_that_no_worktree_has_leave_after_a_week() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    assert_eq!(dropped(&codebase, 0), 0, "there are no facts");
    worktree.write("cart.py", "def total(): pass\n");
    switch(&mut worktree, "acquire");
    let mut other = Worktree::new();
    other.write("cart.py", "def total(): pass\n");
    let beside = Codebase::new(&other.root(), &worktree.folder.path().join("kept"));
    assert_eq!(refresh(&beside).parsed, 0);
    worktree.remove("cart.py");
    switch(&mut worktree, "release");
    for (day, expected, why) in [
        (0, 0, "what is not used is noted"),
        (6, 0, "it may be used again"),
        (7, 1, "`acquire` is gone; the other worktree still has `total`"),
        (30, 0, "nothing else is unused"),
    ] {
        assert_eq!(dropped(&codebase, day), expected, "{why}");
    }
    worktree.write("cart.py", "def total(): pass\n");
    assert_eq!(switch(&mut worktree, "acquire").parsed, 1);
}

#[test]
fn the_week_begins_anew_when_a_branch_is_left_again() {
    // On which days facts are looked for that are not used, and on which the branch is changed to
    // for a while; what is left on the last day.
    for (looks, visits, last, expected) in [
        (vec![0, 3, 6], vec![], 7, 1),
        (vec![0], vec![], 6, 0),
        (vec![0], vec![3], 7, 0),
        (vec![0, 4], vec![3], 10, 0),
        (vec![0, 4], vec![3], 11, 1),
        (vec![0, 7], vec![6], 13, 0),
    ] {
        let mut worktree = Worktree::new();
        let codebase = worktree.codebase("kept");
        switch(&mut worktree, "acquire");
        switch(&mut worktree, "release");
        for day in 0..last {
            if visits.contains(&day) {
                assert_eq!(switch(&mut worktree, "acquire").parsed, 0, "{looks:?} {visits:?}");
                switch(&mut worktree, "release");
            }
            if looks.contains(&day) {
                assert_eq!(dropped(&codebase, day), 0, "{looks:?} {visits:?}");
            }
        }
        let left = codebase.drop_unused(NOW_MS + last * DAY_MS).unwrap();
        let expected = Dropped { facts: expected, words: expected };
        assert_eq!(left, expected, "{looks:?} {visits:?} {last}");
        let parsed = switch(&mut worktree, "acquire").parsed;
        assert_eq!(parsed, expected.facts, "{looks:?} {visits:?} {last}");
    }
}

#[test]
fn nothing_leaves_while_a_worktree_is_read() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    switch(&mut worktree, "acquire");
    switch(&mut worktree, "release");
    assert_eq!(dropped(&codebase, 0), 0);
    // Another worktree is at the branch that was left; its facts are found, and are not yet part of
    // a graph when somebody looks for what has not been used for a week.
    let mut other = Worktree::new();
    other.write("pool.py", "def acquire(): pass\n");
    let beside = Codebase::new(&other.root(), &worktree.folder.path().join("kept"));
    let (looked, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = |_: usize, _: usize| {
        looked.fetch_add(1, Ordering::Relaxed);
        left.fetch_add(dropped(&codebase, 8), Ordering::Relaxed);
    };
    let options = Options { threads: 1, all: false, progress: &progress };
    assert_eq!(beside.refresh(&options).unwrap().parsed, 0);
    assert_eq!((looked.into_inner(), left.into_inner()), (1, 0));
    assert_eq!(dropped(&codebase, 8), 0);
    other.write("pool.py", "def acquire(): pass\n");
    assert_eq!(refresh(&beside).parsed, 0);
}

#[test]
fn the_file_is_smaller_when_much_has_left() {
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
    dropped(&codebase, 0);
    let before = fs::metadata(&facts).unwrap().len();
    assert_eq!(dropped(&codebase, 7), 100);
    let after = fs::metadata(&facts).unwrap().len();
    assert!(after * 4 < before, "{after} of {before}");
    // What is left is not parsed again.
    worktree.write("pool.py", "def acquire(): pass\n");
    assert_eq!(refresh(&codebase).parsed, 0);
}
