//! Opening and searching a damaged file never panics and never returns wrong rows.

use std::{collections::BTreeMap, sync::OnceLock};

use proptest::prelude::*;
use tacit_vectors::{Opened, VectorIndex};

use crate::support::{Model, Scratch, keys, nearest, vector};

const DIMS: usize = 20;

/// Returns a file with dead and appended rows, and its content at each generation.
fn sample() -> &'static (Vec<u8>, BTreeMap<u64, Model>) {
    static SAMPLE: OnceLock<(Vec<u8>, BTreeMap<u64, Model>)> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let (scratch, mut model) = Scratch::filled(DIMS, 150);
        let mut history = BTreeMap::from([(1, model.clone())]);
        for generation in 2..8 {
            let (key, row) = (generation * 5, vector(DIMS, 1000 + generation));
            scratch.apply(generation, &[(key, &row)], &[generation]);
            model.remove(&generation);
            model.insert(key, row);
            history.insert(generation, model.clone());
        }
        (scratch.bytes(), history)
    })
}

/// A kind of damage to a file.
#[derive(Debug, Clone)]
enum Damage {
    Cut(usize),
    Flip(usize, u8),
    Garbage(usize, Vec<u8>),
    Zeros(usize, usize),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let clamp = |at: usize, len: usize| at.min(len)..(at + 4096).min(len);
        match self {
            Self::Cut(at) => bytes.truncate(*at),
            Self::Flip(at, bit) => {
                if let Some(byte) = bytes.get_mut(*at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::Garbage(at, garbage) => {
                let range = clamp(*at, bytes.len());
                for (byte, garbage) in bytes[range].iter_mut().zip(garbage) {
                    *byte = *garbage;
                }
            }
            Self::Zeros(at, count) => {
                let range = clamp(*at, bytes.len());
                bytes[range].iter_mut().take(*count).for_each(|byte| *byte = 0);
            }
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let len = sample().0.len();
    // Half of the damage is in the header, the log and the small columns, which have few bytes.
    let offset = prop_oneof![0..len, 0..40_000_usize];
    prop_oneof![
        1 => (0..len).prop_map(Damage::Cut),
        8 => (offset.clone(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        4 => (offset.clone(), prop::collection::vec(any::<u8>(), 1..3000))
            .prop_map(|(at, garbage)| Damage::Garbage(at, garbage)),
        2 => (offset, 1..4096_usize).prop_map(|(at, count)| Damage::Zeros(at, count)),
    ]
}

/// Searches the file and checks every result against its intact rows.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let scratch = Scratch::new(DIMS);
    scratch.overwrite(bytes);
    let Ok(Opened::Ready(index)) = VectorIndex::open(&scratch.path(), &scratch.spec) else {
        return Ok(());
    };
    let expected = &sample().1[&index.generation()];
    let Ok(rows) = index.rows() else {
        prop_assert!(index.verify().is_err());
        prop_assert!(index.search(&vector(DIMS, 1), 5).is_err());
        return Ok(());
    };
    let intact: Model = rows.flatten().collect();
    for (key, row) in &intact {
        prop_assert_eq!(expected.get(key), Some(row), "key {} is made up", key);
    }
    if index.verify().is_ok() {
        prop_assert!(intact.len() == expected.len() && centre_is_intact(bytes));
    }
    for seed in 0..3 {
        let query = vector(DIMS, 5000 + seed);
        let hits = index.search(&query, 20).expect("searched");
        prop_assert_eq!(keys(&hits), nearest(&intact, &query, 20));
        prop_assert_eq!(hits, index.search_exact(&query, 20).expect("searched"));
    }
    prop_assert_eq!(index.damage_seen(), intact.len() < expected.len());
    Ok(())
}

/// Returns true if the centre, which follows the three header pages, is unchanged.
fn centre_is_intact(bytes: &[u8]) -> bool {
    let centre = 3 * 4096..3 * 4096 + DIMS * 4;
    bytes[centre.clone()] == sample().0[centre]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_files_are_rejected_or_return_intact_rows(
        damages in prop::collection::vec(damage(), 1..6),
    ) {
        let mut bytes = sample().0.clone();
        for damage in &damages {
            damage.apply(&mut bytes);
        }
        check(&bytes)?;
    }

    #[test]
    fn garbage_is_rejected(
        garbage in prop::collection::vec(any::<u8>(), 0..30_000),
        with_header in any::<bool>(),
    ) {
        let mut bytes = garbage;
        if with_header {
            let header = &sample().0[..bytes.len().min(4096)];
            bytes[..header.len()].copy_from_slice(header);
        }
        check(&bytes)?;
    }
}

#[test]
fn every_bit_of_the_header_is_checked() {
    let (clean, history) = sample();
    for at in (0..256).chain(4096..4160).chain(8192..8256) {
        for bit in 0..8 {
            let mut bytes = clean.clone();
            bytes[at] ^= 1 << bit;
            let scratch = Scratch::new(DIMS);
            scratch.overwrite(&bytes);
            if let Some(index) = scratch.try_open().ready() {
                assert!(at >= 4096, "byte {at} of the first page is not checked");
                assert!(history.contains_key(&index.generation()));
                check(&bytes).expect("true answers");
            }
        }
    }
}

#[test]
fn every_bit_of_the_deletion_log_is_checked() {
    let (scratch, _) = Scratch::filled(DIMS, 50);
    let before = scratch.bytes();
    scratch.apply(2, &[], &[7, 20]);
    let after = scratch.bytes();
    // A batch that only removes rows writes only the log and a state.
    let log = (3 * 4096..after.len()).find(|&at| before[at] != after[at]).expect("two entries");
    assert_eq!(before[log + 16..], after[log + 16..]);
    for at in log..log + 16 {
        for bit in 0..8 {
            let mut bytes = after.clone();
            bytes[at] ^= 1 << bit;
            scratch.overwrite(&bytes);
            let index = scratch.open();
            assert!(index.search(&vector(DIMS, 7), 5).is_err(), "bit {bit} of byte {at}");
            assert!(index.verify().is_err());
        }
    }
}

#[test]
fn verify_describes_the_damage() {
    let (clean, _) = sample();
    let scratch = Scratch::new(DIMS);
    let mut detected = 0;
    for at in (3 * 4096..clean.len()).step_by(97) {
        let mut bytes = clean.clone();
        bytes[at] ^= 0x10;
        scratch.overwrite(&bytes);
        if let Some(index) = scratch.try_open().ready()
            && let Err(error) = index.verify()
        {
            assert!(error.to_string().contains("is damaged ("), "{error}");
            detected += 1;
        }
    }
    assert!(detected > 50, "{detected}");
}
