//! A fixed pseudo-random rotation, applied before a vector is reduced to codes.
//!
//! Embedding models put much of their variance into a few coordinates. Rotation spreads it over all
//! of them, where codes catch it, and keeps dot products. A full rotation matrix would
//! cost `dims` squared; rounds of sign flips and Hadamard transforms cost `dims * log(dims)`.

/// Rounds of flips and transforms; three leave no visible trace of the original axes.
const ROUNDS: usize = 3;

/// The rotation for one number of dimensions. Part of the file format: never change its numbers.
#[derive(Debug, Clone)]
pub(crate) struct Rotation {
    dims: usize,
    /// The length of the transforms: the largest power of two that fits.
    width: usize,
    /// Plus or minus one for every round and dimension, scaled to keep lengths.
    flips: Vec<f32>,
}

impl Rotation {
    pub(crate) fn new(dims: usize) -> Self {
        let width = 1 << dims.ilog2();
        let mut state = 0x7AC1_7000_0000_0000_u64 + dims as u64;
        let flips = (0..ROUNDS * dims)
            .map(|_| if split_mix(&mut state) >> 63 == 0 { 1.0 } else { -1.0 })
            .collect();
        Self { dims, width, flips }
    }

    /// Rotates `vector` in place.
    ///
    /// A transform covers `width` coordinates at once; where dimensions are no power of two, a
    /// second one covers the end, and the overlap ties the halves together.
    pub(crate) fn apply(&self, vector: &mut [f32]) {
        let scale = 1.0 / (self.width as f32).sqrt();
        for flips in self.flips.chunks_exact(self.dims) {
            for (x, flip) in vector.iter_mut().zip(flips) {
                *x *= flip;
            }
            transform(&mut vector[..self.width], scale);
            if self.width < self.dims {
                transform(&mut vector[self.dims - self.width..], scale);
            }
        }
    }
}

/// The Walsh-Hadamard transform of a power of two of numbers, scaled to keep lengths.
fn transform(x: &mut [f32], scale: f32) {
    let mut half = 1;
    while half < x.len() {
        for block in x.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    for x in x {
        *x *= scale;
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_lengths_and_spreads_a_single_coordinate() {
        for dims in [1_usize, 2, 8, 100, 384, 1024, 4095] {
            let mut x = vec![0.0; dims];
            x[dims / 2] = 1.0;
            Rotation::new(dims).apply(&mut x);
            let length: f32 = x.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-4, "{dims}: {length}");
            let peak = x.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
            assert!(dims < 100 || peak < 6.0 / (dims as f32).sqrt(), "{dims}: {peak}");
        }
    }
}
