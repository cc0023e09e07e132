//! A writer killed at any point leaves either the old or the new state.

use crate::support::{Model, Random, Scratch, contents, vector};

const DIMS: usize = 20;
const PAGE: usize = 4096;

/// Returns the bytes before and after one batch that adds, replaces and removes.
fn before_and_after(rows: u64) -> (Scratch, [Vec<u8>; 2], [Model; 2]) {
    let (scratch, model) = Scratch::filled(DIMS, rows);
    scratch.apply(2, &[(0, &vector(DIMS, 70))], &[1]);
    let (before, old) = (scratch.bytes(), contents(&scratch.open()));
    assert_eq!(old.len(), model.len() - 1);
    let added: Vec<Vec<f32>> = (0..30).map(|i| vector(DIMS, 500 + i)).collect();
    let put: Vec<(u64, &[f32])> =
        added.iter().enumerate().map(|(i, row)| (i as u64 * 7, &row[..])).collect();
    scratch.apply(3, &put, &[2, 3]);
    let (after, new) = (scratch.bytes(), contents(&scratch.open()));
    assert_ne!(old, new);
    (scratch, [before, after], [old, new])
}

/// Returns true inside the slots, which are pages 1 and 2.
fn is_slot(at: usize) -> bool {
    (PAGE..3 * PAGE).contains(&at)
}

#[test]
fn unpublished_rows_are_invisible() {
    // 50 rows end inside a segment; 64 and 192 fill one exactly, so the file grows.
    for rows in [50, 62, 64, 190, 192] {
        let (scratch, [before, after], [old, _]) = before_and_after(rows);
        let mut random = Random::new(rows);
        for round in 0..40 {
            let length = if round % 2 == 0 {
                after.len()
            } else {
                before.len() + random.below((after.len() - before.len() + 1) as u64) as usize
            };
            let mut torn = before.clone();
            torn.resize(length, 0);
            // Writes may reach the file in any order, completely or in part.
            for start in (0..length).step_by(512) {
                let end = (start + 1 + random.below(512) as usize).min(length);
                if !is_slot(start) && random.below(2) == 0 {
                    torn[start..end].copy_from_slice(&after[start..end]);
                }
            }
            scratch.overwrite(&torn);
            let index = scratch.open();
            assert_eq!(index.generation(), 2);
            assert_eq!(contents(&index), old);
            index.verify().expect("clean");
            drop(index);

            // The next writer starts where the killed one did.
            scratch.apply(4, &[(9000, &vector(DIMS, 1))], &[]);
            let mut expected = old.clone();
            expected.insert(9000, vector(DIMS, 1));
            let index = scratch.open();
            index.verify().expect("clean");
            assert_eq!(contents(&index), expected);
        }
    }
}

#[test]
fn torn_states_are_the_old_or_the_new_one() {
    let (scratch, [before, after], [old, new]) = before_and_after(62);
    let changed: Vec<usize> = (PAGE..3 * PAGE).filter(|&at| before[at] != after[at]).collect();
    let slot = changed.first().expect("a new state") / PAGE * PAGE;
    let (mut old_states, mut new_states) = (0, 0);
    for cut in 0..=64 {
        for from_the_end in [false, true] {
            let mut torn = after.clone();
            let stale = if from_the_end { slot..slot + cut } else { slot + cut..slot + 64 };
            torn[stale.clone()].copy_from_slice(&before[stale]);
            scratch.overwrite(&torn);
            let index = scratch.open();
            index.verify().expect("clean");
            if index.generation() == 3 {
                assert_eq!(contents(&index), new);
                new_states += 1;
            } else {
                assert_eq!(contents(&index), old);
                old_states += 1;
            }
        }
    }
    assert!(new_states >= 2 && old_states > 100, "{old_states} old, {new_states} new");
}

#[test]
fn truncated_files_are_rejected() {
    let (scratch, [_, after], _) = before_and_after(192);
    let boundaries = (0..=after.len() / PAGE).map(|page| page * PAGE);
    let mut cuts: Vec<usize> = boundaries.flat_map(|at| [at.wrapping_sub(1), at, at + 1]).collect();
    cuts.extend([8, 256, 4096 + 64, 2 * 4096 + 64]);
    for cut in cuts.into_iter().filter(|&cut| cut < after.len()) {
        scratch.overwrite(&after[..cut]);
        assert!(scratch.try_open().reason().is_some(), "accepted {cut} of {} bytes", after.len());
    }
    scratch.overwrite(&after);
    scratch.open().verify().expect("clean");
}

/// Simulates a power cut after which only the header has reached the disk.
#[test]
fn opening_detects_rows_that_never_reached_the_disk() {
    let (scratch, _) = Scratch::filled(DIMS, 10);
    let before = scratch.bytes();
    scratch.apply(2, &[(100, &vector(DIMS, 100))], &[]);
    let mut after = scratch.bytes();
    for at in (0..after.len()).filter(|&at| !is_slot(at)) {
        after[at] = before.get(at).copied().unwrap_or(0);
    }
    scratch.overwrite(&after);
    let opened = scratch.try_open();
    let reason = opened.reason().expect("a reason").to_string();
    assert!(reason.contains("row 10 never reached the disk"), "{reason}");
}
