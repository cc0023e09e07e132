//! The scan kernel for AVX2.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32,
    _mm_unpackhi_epi64, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
};

/// Computes the dot product of each row with the widened query.
///
/// # Safety
///
/// The processor must have AVX2; `rows` must hold `out.len()` rows of `wide.len()` bytes, a
/// multiple of 64.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn int8(wide: &[i16], rows: &[u8], out: &mut [i32]) {
    let stride = wide.len();
    for (i, dot) in out.iter_mut().enumerate() {
        let mut sums = [_mm256_setzero_si256(); 4];
        for at in (0..stride).step_by(64) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let at = at + lane * 16;
                // SAFETY: `at + 16 <= stride`, so both the 16 bytes of row `i` and the 16
                // widened codes lie within their slices. The loads need no alignment.
                let (row, query) = unsafe {
                    (
                        _mm_loadu_si128(rows.as_ptr().add(i * stride + at).cast::<__m128i>()),
                        _mm256_loadu_si256(wide.as_ptr().add(at).cast::<__m256i>()),
                    )
                };
                // Pairs of 16-bit products sum exactly in 32 bits: at most 2 * 128 * 128.
                let products = _mm256_madd_epi16(_mm256_cvtepi8_epi16(row), query);
                *sum = _mm256_add_epi32(*sum, products);
            }
        }
        let [a, b, c, d] = sums;
        let sum = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        let sum = _mm_add_epi32(sum, _mm_unpackhi_epi64(sum, sum));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b01));
        *dot = _mm_cvtsi128_si32(sum);
    }
}
