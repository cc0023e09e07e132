//! Dot products of a small-integer query with rows of single bits.
//!
//! The query is cut into bit planes, so that the product becomes a weighted sum of population
//! counts: `sum(value[i] * bit[i]) = sum over planes p of weight(p) * popcount(plane[p] & row)`,
//! the top plane weighing negative as in two's complement. With one value per sign this is the
//! Hamming distance in other clothes; with a few bits per value it ranks far better for little
//! more work.

use super::Level;

/// A query of small signed integers, prepared for scanning rows of bits.
///
/// Rows are laid out one after the other, each [`BitQuery::stride`] bytes: one bit per value,
/// least significant first, rounded up to 64 bits. What a row holds in its padding does not
/// matter.
#[derive(Debug, Clone)]
pub struct BitQuery {
    level: Level,
    words: usize,
    /// [`Self::PLANES`] planes of `words` words, lowest weight first.
    planes: Vec<u64>,
}

impl BitQuery {
    /// How many bits each value of the query has, its sign included.
    pub const PLANES: usize = 4;
    /// The largest value of a query; the smallest is its negation.
    pub const MAX_VALUE: i8 = 7;
    /// The longest query.
    pub const MAX_LEN: usize = 65_536;

    /// Prepares `values` for the given level, or for the portable one where that is missing.
    ///
    /// # Panics
    ///
    /// When a value lies outside plus or minus [`Self::MAX_VALUE`], or there are more values than
    /// [`Self::MAX_LEN`].
    #[must_use]
    pub fn new(values: &[i8], level: Level) -> Self {
        assert!(values.len() <= Self::MAX_LEN, "a query of {} values", values.len());
        let words = Self::stride_of(values.len()) / 8;
        let mut planes = vec![0_u64; Self::PLANES * words];
        for (i, &value) in values.iter().enumerate() {
            assert!(value.abs() <= Self::MAX_VALUE, "the value {value} does not fit the planes");
            for plane in 0..Self::PLANES {
                let bit = u64::from(value.cast_unsigned() >> plane & 1);
                planes[plane * words + i / 64] |= bit << (i % 64);
            }
        }
        Self { level: level.or_portable(), words, planes }
    }

    /// How many bytes a row of `len` bits occupies.
    #[must_use]
    pub const fn stride_of(len: usize) -> usize {
        len.div_ceil(64) * 8
    }

    /// How many bytes each row occupies.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.words * 8
    }

    /// Writes the sum of the query's values where a row's bits are set into `out`, row by row.
    ///
    /// # Panics
    ///
    /// When `rows` does not hold exactly one row per element of `out`.
    pub fn dots(&self, rows: &[u8], out: &mut [i32]) {
        assert_eq!(rows.len(), self.stride() * out.len(), "rows and results differ in number");
        match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a query's level is available (`or_portable`), which for this one means all
            // features the kernel is compiled with. The lengths were compared above, and there
            // are `PLANES * words` words of planes by construction.
            Level::Avx512 => unsafe {
                super::x86::bits_avx512(&self.planes, self.words, rows, out);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { super::x86::bits_popcnt(&self.planes, self.words, rows, out) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every 64-bit ARM processor has NEON; lengths as above.
            Level::Neon => unsafe { super::neon::bits(&self.planes, self.words, rows, out) },
            _ => planes_dot(&self.planes, self.words, rows, out),
        }
    }
}

/// The portable kernel, inlined into callers that compile it with POPCNT.
#[inline(always)]
pub(super) fn planes_dot(planes: &[u64], words: usize, rows: &[u8], out: &mut [i32]) {
    if words == 0 {
        out.fill(0);
        return;
    }
    for (row, dot) in rows.chunks_exact(words * 8).zip(out) {
        let mut counts = [0_u32; BitQuery::PLANES];
        for (i, word) in row.chunks_exact(8).enumerate() {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            let word = u64::from_le_bytes(bytes);
            for (plane, count) in counts.iter_mut().enumerate() {
                *count += (planes[plane * words + i] & word).count_ones();
            }
        }
        let [one, two, four, eight] = counts.map(u32::cast_signed);
        *dot = one + 2 * two + 4 * four - 8 * eight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_the_values_under_set_bits() {
        for level in Level::ALL {
            for len in [1, 64, 65, 384, 512, 513, 1024, 4096] {
                let values: Vec<i8> = (0..len).map(|i| (i % 15) as i8 - 7).collect();
                let query = BitQuery::new(&values, level);
                let mut rows = vec![0_u8; query.stride() * 3];
                rows[query.stride()..2 * query.stride()].fill(0xff);
                rows[2 * query.stride()..].fill(0b0101_0101);
                let mut out = [9; 3];
                query.dots(&rows, &mut out);
                let all = values.iter().map(|&v| i32::from(v)).sum();
                let even = values.iter().step_by(2).map(|&v| i32::from(v)).sum();
                assert_eq!(out, [0, all, even], "{level:?} {len}");
            }
        }
    }
}
