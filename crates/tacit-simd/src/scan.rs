//! Dot products over 8-bit codes, for scanning a vector index.
//!
//! Results are exact integers, so every [`Kernel`] returns the same numbers; they differ only in
//! speed. Scales, selection and rescoring are the index's task.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "aarch64")]
mod neon;

use crate::gemm::{Kernel, SimdLevel};

/// A query of 8-bit codes, prepared for one kernel.
///
/// Rows are consecutive, each [`Int8Query::stride`] bytes: the query's length rounded up to 64. The
/// padding of a row may have any content.
#[derive(Debug, Clone)]
pub struct Int8Query {
    kernel: Kernel,
    /// The codes, zero-padded to the stride.
    codes: Vec<i8>,
    /// The same codes widened, for kernels that multiply 16-bit lanes.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only AVX2 widens"))]
    wide: Vec<i16>,
}

impl Int8Query {
    /// Maximum number of codes in a query: sums of products stay far within 32 bits.
    pub const MAX_LEN: usize = 65_536;

    /// Prepares `codes` for a kernel.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`Self::MAX_LEN`] codes.
    #[must_use]
    pub fn new(codes: &[i8], kernel: Kernel) -> Self {
        assert!(codes.len() <= Self::MAX_LEN, "a query of {} codes", codes.len());
        let mut padded = codes.to_vec();
        padded.resize(Self::stride_of(codes.len()), 0);
        Self { kernel, wide: padded.iter().map(|&code| i16::from(code)).collect(), codes: padded }
    }

    /// Returns the size in bytes of a row of `len` codes.
    #[must_use]
    pub const fn stride_of(len: usize) -> usize {
        len.next_multiple_of(64)
    }

    /// Returns the size in bytes of a row.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.codes.len()
    }

    /// Writes the dot product of the query with each row of `rows` into `out`.
    ///
    /// # Panics
    ///
    /// Panics if `rows` does not hold exactly one row per element of `out`.
    pub fn dots(&self, rows: &[u8], out: &mut [i32]) {
        assert_eq!(rows.len(), self.stride() * out.len(), "rows and results differ in number");
        match self.kernel.level() {
            #[cfg(target_arch = "x86_64")]
            // A 512-bit kernel would save only a quarter of the time: 0.55 ms for 100,000 rows.
            //
            // SAFETY: a `Kernel` of these levels exists only on processors with AVX2, which
            // AVX-512 includes. The lengths were compared above.
            SimdLevel::Avx512Vnni | SimdLevel::AvxVnni | SimdLevel::Avx2 => unsafe {
                avx2::int8(&self.wide, rows, out);
            },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every 64-bit ARM processor has NEON. The lengths were compared above.
            SimdLevel::NeonDot | SimdLevel::Neon => unsafe { neon::int8(&self.codes, rows, out) },
            _ => portable(&self.codes, rows, out),
        }
    }
}

fn portable(query: &[i8], rows: &[u8], out: &mut [i32]) {
    if query.is_empty() {
        out.fill(0);
        return;
    }
    for (row, dot) in rows.chunks_exact(query.len()).zip(out) {
        *dot = row
            .iter()
            .zip(query)
            .map(|(&code, &weight)| i32::from(code.cast_signed()) * i32::from(weight))
            .sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_do_not_overflow_and_padding_is_ignored() {
        for kernel in Kernel::available() {
            for len in [1, 63, 64, 65, 384, 4096] {
                let query = Int8Query::new(&vec![-128; len], kernel);
                let mut rows = vec![0x80; query.stride() * 5];
                rows[query.stride()..2 * query.stride()].fill(127);
                let mut out = [0; 5];
                query.dots(&rows, &mut out);
                let len = i32::try_from(len).expect("small");
                let square = 128 * 128 * len;
                assert_eq!(out, [square, -128 * 127 * len, square, square, square], "{kernel:?}");
            }
        }
    }
}
