//! Readers while the file changes.

use std::fs::{self, File};

use tacit_vectors::Error;

use crate::support::{Model, Scratch, contents, vector};

#[test]
fn readers_keep_a_deleted_file() {
    let (scratch, model) = Scratch::filled(32, 500);
    let index = scratch.open();
    fs::remove_file(scratch.path()).expect("removed");
    assert_eq!(contents(&index), model);
    index.search(&vector(32, 9), 10).expect("searched");
    assert!(scratch.try_open().reason().is_some());
}

#[test]
fn readers_keep_their_view_during_appends_and_rebuilds() {
    let (scratch, model) = Scratch::filled(32, 500);
    let query = vector(32, 9);
    let old = scratch.open();
    let before = old.search(&query, 20).expect("searched");

    let late = vector(32, 1000);
    for generation in 2..200 {
        scratch.apply(generation, &[(generation + 1000, &late)], &[generation]);
    }
    assert_eq!(old.search(&query, 20).expect("searched"), before, "after appends");
    let middle = scratch.open();
    let dead = middle.row_counts().dead;
    assert_eq!(dead, 198);

    scratch.rebuild(200, &contents(&middle));
    assert_eq!(old.search(&query, 20).expect("searched"), before, "after a rebuild");
    assert_eq!(contents(&middle), contents(&scratch.open()));
    assert_eq!(scratch.open().row_counts().dead, 0);

    scratch.rebuild(300, &Model::from([(1, late)]));
    assert_eq!(contents(&old), model, "after another");
    old.verify().expect("clean");
    middle.verify().expect("clean");
    assert_eq!(scratch.open().row_counts().live, 1);
}

/// Touching the missing pages would kill the process with `SIGBUS`.
#[test]
fn truncated_files_are_rejected_before_access() {
    let (scratch, _) = Scratch::filled(32, 5000);
    let index = scratch.open();
    File::options()
        .write(true)
        .open(scratch.path())
        .and_then(|file| file.set_len(20_000))
        .expect("cut");
    let query = vector(32, 9);
    for error in [
        index.search(&query, 5).expect_err("cut"),
        index.search_exact(&query, 5).expect_err("cut"),
        index.verify().expect_err("cut"),
        index.rows().err().expect("cut"),
    ] {
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        assert!(error.to_string().contains("was truncated"), "{error}");
    }
}
