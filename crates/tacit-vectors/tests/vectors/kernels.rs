//! Every kernel computes the same product as plain Rust.

use proptest::prelude::*;
use tacit_simd::{gemm::Kernel, scan::Int8Query};

proptest! {
    #[test]
    fn kernels_match_plain_rust(
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
        for kernel in Kernel::available() {
            let mut dots = vec![7; count];
            Int8Query::new(&query, kernel).dots(&rows, &mut dots);
            prop_assert_eq!(&dots, &expected, "{:?}", kernel);
        }
    }
}

fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut random = crate::support::Random::new(seed);
    (0..len).map(|_| random.next() as u8).collect()
}
