//! A 64-bit checksum for rows and headers.
//!
//! The checksum detects torn writes, lost pages and flipped bits, but is not secure against manipulation.
//! Every step is a bijection of the running state, so a change confined to one word always changes
//! the checksum; four lanes keep it at memory speed.

const PRIMES: [u64; 4] =
    [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5];

/// Computes the checksum of `parts`, distinguished by `seed`.
///
/// The length of each part is included, so that bytes cannot move between parts unnoticed.
pub(crate) fn checksum(seed: u64, parts: &[&[u8]]) -> u64 {
    let mut state = mix(seed ^ PRIMES[3]);
    for part in parts {
        let mut lanes = PRIMES.map(|prime| state ^ prime);
        let mut chunks = part.chunks_exact(32);
        for chunk in &mut chunks {
            for (lane, word) in lanes.iter_mut().zip(chunk.chunks_exact(8)) {
                *lane = step(*lane, word_of(word));
            }
        }
        for (lane, word) in lanes.iter_mut().zip(chunks.remainder().chunks(8)) {
            *lane = step(*lane, word_of(word));
        }
        state = mix(state ^ part.len() as u64);
        for lane in lanes {
            state = mix(step(state, lane));
        }
    }
    state
}

fn step(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(PRIMES[0]).rotate_left(31)
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 32)).wrapping_mul(PRIMES[1]);
    x = (x ^ (x >> 29)).wrapping_mul(PRIMES[2]);
    x ^ (x >> 32)
}

fn word_of(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_changes_the_checksum() {
        for len in [0_usize, 1, 7, 8, 31, 32, 33, 100] {
            let mut bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let clean = checksum(1, &[&bytes]);
            assert_ne!(clean, checksum(2, &[&bytes]));
            for bit in 0..len * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(clean, checksum(1, &[&bytes]), "bit {bit} of {len} bytes");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn moving_bytes_between_parts_changes_the_checksum() {
        assert_ne!(checksum(0, &[&[0, 0], &[0]]), checksum(0, &[&[0], &[0, 0]]));
        assert_ne!(checksum(0, &[&[]]), checksum(0, &[]));
    }

    /// Checksums are part of the file format.
    #[test]
    fn checksums_do_not_change() {
        assert_eq!(checksum(7, &[b"tacit", b"vectors"]), 1_364_246_605_770_077_315);
    }
}
