//! A sum by which damage to kept bytes shows.

/// A sum by which damage to bytes shows; they are taken eight at a time.
#[must_use]
pub fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    // Multiplying moves what differs upwards, turning brings it down again.
    words.fold(bytes.len() as u64 ^ 0xcbf2_9ce4_8422_2325, |sum, word| {
        (sum.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}
