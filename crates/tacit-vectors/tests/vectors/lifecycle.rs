//! Creating an index, and appending, replacing and removing rows.

use std::{fs, time::Duration};

use tacit_fs::Wait;
use tacit_vectors::{
    Batch, Error, IndexSpec, MAX_DIMS, Opened, RebuildReason, RowCounts, SyncState, VectorIndex,
    WriteLock,
};

use crate::support::{Model, Random, Scratch, contents, keys, nearest, vector};

#[test]
fn a_missing_file_must_be_built() {
    let scratch = Scratch::new(8);
    assert_eq!(scratch.try_open().reason(), Some(&RebuildReason::Absent));
    assert_eq!(
        scratch.lock().append(&scratch.spec).expect("asked").reason(),
        Some(&RebuildReason::Absent)
    );
    scratch.rebuild(7, &Model::new());
    let index = scratch.open();
    assert_eq!(index.row_counts(), RowCounts { live: 0, dead: 0 });
    assert_eq!(index.generation(), 7);
    assert_eq!(index.search(&vector(8, 1), 5).expect("searched"), []);
    index.verify().expect("clean");
}

#[test]
fn files_of_other_models_or_formats_must_be_rebuilt() {
    let (scratch, _) = Scratch::filled(8, 10);
    let reason = |model: &str, dims| {
        let spec = IndexSpec::new(model, dims).expect("fits");
        let opened = VectorIndex::open(&scratch.path(), &spec).expect("opened");
        opened.reason().cloned().expect("a reason")
    };
    assert_eq!(reason("other", 8), RebuildReason::OtherModel { found: "test-model".into() });
    assert_eq!(reason("test-model", 9), RebuildReason::OtherDims { found: 8 });

    scratch.overwrite(&b"not an index, but long enough to be one? ".repeat(400));
    assert_eq!(reason("test-model", 8), RebuildReason::OtherFormat);
    scratch.overwrite(b"");
    assert!(matches!(reason("test-model", 8), RebuildReason::Damaged(_)));

    assert!(matches!(IndexSpec::new("m", 0), Err(Error::BadDims { dims: 0 })));
    assert!(IndexSpec::new("m", MAX_DIMS).is_ok());
    assert!(IndexSpec::new("m", MAX_DIMS + 1).is_err());
}

#[test]
fn files_of_other_versions_are_rebuilt_in_place() {
    let (scratch, model) = Scratch::filled(8, 10);
    let current = scratch.bytes();
    for version in [1_u32, u32::from(current[8]) + 1] {
        let mut bytes = current.clone();
        bytes[8..12].copy_from_slice(&version.to_le_bytes());
        scratch.overwrite(&bytes);
        assert_eq!(scratch.try_open().reason(), Some(&RebuildReason::OtherFormat));
        let reopened = scratch.lock().append(&scratch.spec).expect("asked").reason().cloned();
        assert_eq!(
            reopened,
            Some(RebuildReason::OtherFormat),
            "writers do not append to it either"
        );
        scratch.rebuild(2, &model);
        assert_eq!(contents(&scratch.open()), model);
    }
}

#[test]
fn random_changes_match_a_map() {
    let dims = 24;
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let (scratch, mut model) = Scratch::filled(dims, random.below(200));
        for generation in 2..40 {
            let put: Vec<(u64, Vec<f32>)> = (0..random.below(30))
                .map(|_| (random.below(400), vector(dims, random.next() >> 8)))
                .collect();
            let remove: Vec<u64> = (0..random.below(10)).map(|_| random.below(400)).collect();
            for key in &remove {
                model.remove(key);
            }
            model.extend(put.iter().cloned());
            let put: Vec<(u64, &[f32])> = put.iter().map(|(key, row)| (*key, &row[..])).collect();
            scratch.apply(generation, &put, &remove);
            if random.below(15) == 0 {
                let row_counts = scratch.drop_dead_rows();
                assert_eq!(row_counts, RowCounts { live: model.len() as u64, dead: 0 });
            }
        }
        let index = scratch.open();
        assert_eq!(contents(&index), model);
        assert_eq!(index.verify().expect("clean").live, model.len() as u64);
        assert_eq!(index.generation(), 39);
        let query = vector(dims, 77);
        let hits = index.search(&query, 10).expect("searched");
        assert_eq!(keys(&hits), nearest(&model, &query, 10));
    }
}

#[test]
fn rows_fill_segments_of_every_size() {
    let dims = 8;
    let scratch = Scratch::new(dims);
    scratch.rebuild(0, &Model::new());
    let mut lock = scratch.lock();
    let mut appender = lock.append(&scratch.spec).expect("opened").ready().expect("usable");
    let rows: Vec<(u64, Vec<f32>)> = (0..20_000).map(|key| (key, vector(dims, key))).collect();
    for (generation, rows) in (1..).zip(rows.chunks(777)) {
        let put: Vec<(u64, &[f32])> = rows.iter().map(|(key, row)| (*key, &row[..])).collect();
        appender.apply(&Batch { generation, put: &put, remove: &[] }).expect("appended");
    }
    drop(appender);
    drop(lock);
    let index = scratch.open();
    assert_eq!(index.row_counts(), RowCounts { live: 20_000, dead: 0 });
    index.verify().expect("clean");
    assert_eq!(contents(&index), rows.into_iter().collect());
}

#[test]
fn a_rebuild_keeps_the_last_of_repeated_keys() {
    let scratch = Scratch::new(8);
    let mut lock = scratch.lock();
    let mut rebuild = lock.rebuild(&scratch.spec).expect("begun");
    for (key, seed) in [(5, 1), (3, 2), (5, 3), (4, 4), (3, 5), (5, 6)] {
        rebuild.push(key, &vector(8, seed)).expect("pushed");
    }
    assert_eq!(rebuild.finish(1).expect("finished"), RowCounts { live: 3, dead: 3 });
    drop(lock);
    let expected = Model::from([(3, vector(8, 5)), (4, vector(8, 4)), (5, vector(8, 6))]);
    assert_eq!(contents(&scratch.open()), expected);
}

#[test]
fn an_abandoned_rebuild_changes_nothing() {
    let (scratch, model) = Scratch::filled(8, 10);
    let mut lock = scratch.lock();
    let mut rebuild = lock.rebuild(&scratch.spec).expect("begun");
    rebuild.push(99, &vector(8, 99)).expect("pushed");
    drop(rebuild);
    drop(lock);
    assert_eq!(contents(&scratch.open()), model);
    let names: Vec<_> = fs::read_dir(scratch.path().parent().expect("a directory"))
        .expect("listed")
        .map(|entry| entry.expect("entry").file_name())
        .collect();
    assert!(names.iter().all(|name| name == "vectors" || name == "vectors.lock"), "{names:?}");
}

#[test]
fn generations_show_which_side_is_behind() {
    let (scratch, _) = Scratch::filled(8, 10);
    scratch.apply(5, &[(11, &vector(8, 11))], &[]);
    let index = scratch.open();
    assert_eq!(index.sync_state(5), SyncState::Current);
    assert_eq!(index.sync_state(9), SyncState::Behind { at: 5 });
    assert_eq!(index.sync_state(4), SyncState::Ahead { at: 5 });

    let mut lock = scratch.lock();
    let mut appender = lock.append(&scratch.spec).expect("opened").ready().expect("usable");
    assert_eq!(appender.generation(), 5);
    let outdated = appender.apply(&Batch { generation: 4, put: &[], remove: &[] });
    assert!(matches!(outdated, Err(Error::Backwards { at: 5, given: 4, .. })));
    appender.apply(&Batch { generation: 9, put: &[], remove: &[] }).expect("caught up");
    drop(appender);
    assert_eq!(scratch.open().sync_state(9), SyncState::Current);
}

#[test]
fn a_rejected_batch_changes_nothing() {
    let (scratch, model) = Scratch::filled(8, 10);
    let mut lock = scratch.lock();
    let mut appender = lock.append(&scratch.spec).expect("opened").ready().expect("usable");
    let good = vector(8, 50);
    for bad in [&[f32::INFINITY; 8][..], &[1.0; 7]] {
        let batch = Batch { generation: 2, put: &[(50, &good), (51, bad)], remove: &[1] };
        let error = appender.apply(&batch).expect_err("refused").to_string();
        assert!(error.contains("vectors"), "{error}");
    }
    drop(appender);
    assert_eq!(contents(&scratch.open()), model);
}

#[test]
fn only_one_writer_holds_the_lock() {
    let (scratch, _) = Scratch::filled(8, 1);
    let first = scratch.lock();
    let wait = Wait::AtMost(Duration::from_millis(5));
    let refused = WriteLock::acquire(&scratch.path(), wait);
    assert!(matches!(refused, Err(Error::Busy { .. })));
    drop(first);
    WriteLock::acquire(&scratch.path(), wait).expect("free again");
}

/// The lock file, like everything beside the database, may be deleted at any time.
#[cfg(unix)]
#[test]
fn deleting_the_lock_file_does_not_admit_a_second_writer() {
    let (scratch, _) = Scratch::filled(8, 1);
    let mut first = scratch.lock();
    let appender = first.append(&scratch.spec).expect("opened").ready().expect("usable");
    fs::remove_file(scratch.path().with_extension("lock")).expect("removed");
    let wait = Wait::AtMost(Duration::from_millis(5));
    let mut second = WriteLock::acquire(&scratch.path(), wait).expect("a new lock file");
    assert!(matches!(second.append(&scratch.spec), Err(Error::Busy { .. })));
    drop(appender);
    assert!(second.append(&scratch.spec).expect("free again").reason().is_none());
}

#[test]
fn system_errors_name_the_file() {
    let scratch = Scratch::new(8);
    fs::create_dir(scratch.path()).expect("a directory in the way");
    let error = VectorIndex::open(&scratch.path(), &scratch.spec).expect_err("a directory");
    assert!(error.to_string().contains(&scratch.path().display().to_string()), "{error}");
    let missing = scratch.path().join("missing").join("vectors");
    let error = WriteLock::acquire(&missing, Wait::Forever).expect_err("no directory");
    assert!(error.to_string().contains("missing"), "{error}");
    assert!(matches!(
        VectorIndex::open(&scratch.path().join("nothing"), &scratch.spec),
        Ok(Opened::Rebuild(RebuildReason::Absent))
    ));
}
