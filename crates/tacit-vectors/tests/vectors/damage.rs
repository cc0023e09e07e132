//! Whatever a file contains, opening and searching it never panics and never lies.

use std::{collections::BTreeMap, sync::OnceLock};

use proptest::prelude::*;
use tacit_vectors::{Opened, VectorIndex};

use crate::support::{Model, Scratch, keys, nearest, vector};

const DIMS: usize = 20;

/// Returns a file with dead rows and a few appended ones, and what it held at each generation.
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

/// A change to a file.
#[derive(Debug, Clone)]
enum Harm {
    Cut(usize),
    Flip(usize, u8),
    Garbage(usize, Vec<u8>),
    Zeros(usize, usize),
}

impl Harm {
    fn do_to(&self, bytes: &mut Vec<u8>) {
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

fn harm() -> impl Strategy<Value = Harm> {
    let len = sample().0.len();
    // Half of all harm falls on the header, the log and the small runs, which are few bytes.
    let place = prop_oneof![0..len, 0..40_000_usize];
    prop_oneof![
        1 => (0..len).prop_map(Harm::Cut),
        8 => (place.clone(), 0..8_u8).prop_map(|(at, bit)| Harm::Flip(at, bit)),
        4 => (place.clone(), prop::collection::vec(any::<u8>(), 1..3000))
            .prop_map(|(at, garbage)| Harm::Garbage(at, garbage)),
        2 => (place, 1..4096_usize).prop_map(|(at, count)| Harm::Zeros(at, count)),
    ]
}

/// Searches the file and checks every answer against what is still whole in it.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let scratch = Scratch::new(DIMS);
    scratch.overwrite(bytes);
    let Ok(Opened::Ready(index)) = VectorIndex::open(&scratch.path(), &scratch.spec) else {
        return Ok(());
    };
    let truth = &sample().1[&index.generation()];
    let Ok(rows) = index.rows() else {
        prop_assert!(index.verify().is_err());
        prop_assert!(index.search(&vector(DIMS, 1), 5).is_err());
        return Ok(());
    };
    let whole: Model = rows.flatten().collect();
    for (key, row) in &whole {
        prop_assert_eq!(truth.get(key), Some(row), "key {} is made up", key);
    }
    if index.verify().is_ok() {
        prop_assert!(whole.len() == truth.len() && centre_is_whole(bytes));
    }
    for seed in 0..3 {
        let query = vector(DIMS, 5000 + seed);
        let hits = index.search(&query, 20).expect("searched");
        prop_assert_eq!(keys(&hits), nearest(&whole, &query, 20));
        prop_assert_eq!(hits, index.search_exact(&query, 20).expect("searched"));
    }
    prop_assert_eq!(index.damage_seen(), whole.len() < truth.len());
    Ok(())
}

/// Returns the centre follows the three header pages.
fn centre_is_whole(bytes: &[u8]) -> bool {
    let centre = 3 * 4096..3 * 4096 + DIMS * 4;
    bytes[centre.clone()] == sample().0[centre]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn harmed_files_are_refused_or_answer_truly(
        harms in prop::collection::vec(harm(), 1..6),
    ) {
        let mut bytes = sample().0.clone();
        for harm in &harms {
            harm.do_to(&mut bytes);
        }
        check(&bytes)?;
    }

    #[test]
    fn garbage_is_refused(
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
fn every_bit_of_the_header_is_guarded() {
    let (clean, history) = sample();
    for at in (0..256).chain(4096..4160).chain(8192..8256) {
        for bit in 0..8 {
            let mut bytes = clean.clone();
            bytes[at] ^= 1 << bit;
            let scratch = Scratch::new(DIMS);
            scratch.overwrite(&bytes);
            if let Some(index) = scratch.try_open().ready() {
                assert!(at >= 4096, "byte {at} of the first page is not guarded");
                assert!(history.contains_key(&index.generation()));
                check(&bytes).expect("true answers");
            }
        }
    }
}

#[test]
fn every_bit_of_the_deaths_log_is_guarded() {
    let (scratch, _) = Scratch::filled(DIMS, 50);
    let before = scratch.bytes();
    scratch.apply(2, &[], &[7, 20]);
    let after = scratch.bytes();
    // A batch that only removes writes nothing but the log and a state.
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
fn verify_names_what_is_damaged() {
    let (clean, _) = sample();
    let scratch = Scratch::new(DIMS);
    let mut noticed = 0;
    for at in (3 * 4096..clean.len()).step_by(97) {
        let mut bytes = clean.clone();
        bytes[at] ^= 0x10;
        scratch.overwrite(&bytes);
        if let Some(index) = scratch.try_open().ready()
            && let Err(error) = index.verify()
        {
            assert!(error.to_string().contains("is damaged ("), "{error}");
            noticed += 1;
        }
    }
    assert!(noticed > 50, "{noticed}");
}
