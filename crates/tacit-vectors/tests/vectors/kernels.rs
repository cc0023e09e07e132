//! Every kernel level gives what the portable one gives.

use proptest::prelude::*;
use tacit_simd::scan::{BitQuery, Int8Query, Level};

fn levels() -> impl Iterator<Item = Level> {
    Level::ALL.into_iter().filter(|level| level.is_available())
}

proptest! {
    #[test]
    fn int8_levels_agree(
        query in prop::collection::vec(any::<i8>(), 1..700),
        count in 0_usize..12,
        seed in any::<u64>(),
    ) {
        let rows = noise(Int8Query::stride_of(query.len()) * count, seed);
        let expected: Vec<i32> = rows
            .chunks(Int8Query::stride_of(query.len()))
            .map(|row| {
                let pairs = query.iter().zip(row);
                pairs.map(|(a, b)| i32::from(*a) * i32::from(b.cast_signed())).sum()
            })
            .collect();
        for level in levels() {
            let mut dots = vec![7; count];
            Int8Query::new(&query, level).dots(&rows, &mut dots);
            prop_assert_eq!(&dots, &expected, "{:?}", level);
        }
    }

    #[test]
    fn bit_levels_agree(
        query in prop::collection::vec(-7_i8..=7, 1..2500),
        count in 0_usize..12,
        seed in any::<u64>(),
    ) {
        let rows = noise(BitQuery::stride_of(query.len()) * count, seed);
        let expected: Vec<i32> = rows
            .chunks(BitQuery::stride_of(query.len()))
            .map(|row| {
                let set = query.iter().enumerate().filter(|(i, _)| row[i / 8] >> (i % 8) & 1 == 1);
                set.map(|(_, value)| i32::from(*value)).sum()
            })
            .collect();
        for level in levels() {
            let mut dots = vec![7; count];
            BitQuery::new(&query, level).dots(&rows, &mut dots);
            prop_assert_eq!(&dots, &expected, "{:?}", level);
        }
    }
}

#[test]
fn a_level_the_processor_lacks_still_answers() {
    for level in Level::ALL {
        let mut dots = [0];
        let mut row = [0; 64];
        row[..2].copy_from_slice(&[3, 4]);
        Int8Query::new(&[1, 2], level).dots(&row, &mut dots);
        assert_eq!(dots, [11], "{level:?}");
    }
    assert!(Level::best().is_available());
}

fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut random = crate::support::Random::new(seed);
    (0..len).map(|_| random.next() as u8).collect()
}
