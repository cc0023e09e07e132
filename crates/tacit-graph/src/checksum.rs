//! A checksum that reveals damage to stored bytes.

/// The number of independent lanes, so that the processor can work on them in parallel.
const LANES: usize = 4;

/// Computes the checksum of some bytes, 32 at a time.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    let mut last = [0; 8 * LANES];
    last[..rest.len()].copy_from_slice(rest);
    let start = bytes.len() as u64 ^ 0xcbf2_9ce4_8422_2325;
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| step(start, lane as u64));
    for block in blocks.iter().chain([&last]) {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
    }
    lanes.into_iter().fold(start, step)
}

/// Mixes a word into a lane. The multiplication spreads differences upwards, the rotation brings
/// them down again.
#[inline]
fn step(checksum: u64, word: u64) -> u64 {
    (checksum.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn every_bit_and_the_length_change_the_checksum() {
        for length in [0, 1, 7, 8, 31, 32, 33, 100] {
            let mut bytes = vec![0_u8; length];
            let whole = checksum(&bytes);
            assert_ne!(whole, checksum(&vec![0; length + 1]), "{length}");
            for bit in 0..length * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(whole, checksum(&bytes), "{length}, {bit}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
