//! Kernels for x86-64: AVX2 and AVX-512.

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128,
    _mm_shuffle_epi32, _mm_unpackhi_epi64, _mm256_add_epi32, _mm256_castsi256_si128,
    _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_setzero_si256, _mm512_add_epi32, _mm512_add_epi64, _mm512_and_si512,
    _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_maskz_loadu_epi64, _mm512_popcnt_epi64,
    _mm512_reduce_add_epi32, _mm512_reduce_add_epi64, _mm512_set1_epi8, _mm512_setzero_si512,
    _mm512_slli_epi64, _mm512_sub_epi64, _mm512_xor_si512,
};

use super::bits::{BitQuery, planes_dot};

/// # Safety
///
/// The processor has AVX2; `rows` holds `out.len()` rows of `wide.len()` bytes, a multiple of 64.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn int8_avx2(wide: &[i16], rows: &[u8], out: &mut [i32]) {
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

/// VNNI multiplies unsigned by signed bytes, so rows are biased by 128 on the way in (flipping the
/// top bit) and 128 times the query's sum is taken back at the end.
///
/// # Safety
///
/// The processor has AVX-512 F, BW and VNNI; `rows` holds `out.len()` rows of `query.len()` bytes,
/// a multiple of 64; `query_sum` is the sum of `query`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn int8_avx512(query: &[i8], query_sum: i32, rows: &[u8], out: &mut [i32]) {
    let stride = query.len();
    let bias = _mm512_set1_epi8(i8::MIN);
    let unbias = 128 * query_sum;
    // Row after row: several at once would share the loads of the query, but read from as many
    // places at once, which was measured to cost a third more than it saves.
    for (i, dot) in out.iter_mut().enumerate() {
        let mut sums = [_mm512_setzero_si512(); 2];
        for at in (0..stride).step_by(64) {
            // SAFETY: `at + 64 <= stride`, so 64 codes of the query and 64 bytes of row `i` lie
            // within their slices; no alignment is needed.
            let (codes, row) = unsafe {
                (
                    _mm512_loadu_si512(query.as_ptr().add(at).cast::<__m512i>()),
                    _mm512_loadu_si512(rows.as_ptr().add(i * stride + at).cast::<__m512i>()),
                )
            };
            let sum = &mut sums[at / 64 % 2];
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(row, bias), codes);
        }
        *dot = _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])) - unbias;
    }
}

/// The portable kernel with POPCNT: for rows this short, vector lookups are no faster.
///
/// # Safety
///
/// The processor has POPCNT.
#[target_feature(enable = "popcnt")]
pub(super) unsafe fn bits_popcnt(planes: &[u64], words: usize, rows: &[u8], out: &mut [i32]) {
    planes_dot(planes, words, rows, out);
}

/// # Safety
///
/// The processor has AVX-512 F and VPOPCNTDQ; `planes` holds `PLANES * words` words and `rows`
/// `out.len()` rows of `words` words.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) unsafe fn bits_avx512(planes: &[u64], words: usize, rows: &[u8], out: &mut [i32]) {
    // One register per plane holds rows of up to 512 bits: the planes then stay in registers.
    // SAFETY: passed on from the caller.
    unsafe {
        match words.div_ceil(8) {
            1 => bits_avx512_of::<1>(planes, words, rows, out),
            2 => bits_avx512_of::<2>(planes, words, rows, out),
            3 => bits_avx512_of::<3>(planes, words, rows, out),
            _ => bits_avx512_long(planes, words, rows, out),
        }
    }
}

/// # Safety
///
/// As [`bits_avx512`], and `words.div_ceil(8) == N`.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
unsafe fn bits_avx512_of<const N: usize>(
    planes: &[u64],
    words: usize,
    rows: &[u8],
    out: &mut [i32],
) {
    let mut weights = [[_mm512_setzero_si512(); BitQuery::PLANES]; N];
    for (chunk, weights) in weights.iter_mut().enumerate() {
        for (plane, weight) in weights.iter_mut().enumerate() {
            // SAFETY: the mask of `load` leaves out words beyond the plane's end.
            *weight = unsafe { load(planes[plane * words..].as_ptr(), chunk, words) };
        }
    }
    for (i, dot) in out.iter_mut().enumerate() {
        let mut sum = _mm512_setzero_si512();
        for (chunk, weights) in weights.iter().enumerate() {
            // SAFETY: row `i` lies within `rows`, and the mask of `load` leaves out words beyond its end.
            let row = unsafe { load(rows.as_ptr().add(i * words * 8).cast(), chunk, words) };
            sum = _mm512_add_epi64(sum, weigh(row, weights));
        }
        *dot = _mm512_reduce_add_epi64(sum) as i32;
    }
}

/// The same for rows too long to keep the planes in registers.
///
/// # Safety
///
/// As [`bits_avx512`].
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
unsafe fn bits_avx512_long(planes: &[u64], words: usize, rows: &[u8], out: &mut [i32]) {
    for (i, dot) in out.iter_mut().enumerate() {
        let mut sum = _mm512_setzero_si512();
        for chunk in 0..words.div_ceil(8) {
            // SAFETY: row `i` and each plane lie within their slices, and the mask of `load` leaves out
            // words beyond their ends.
            unsafe {
                let row = load(rows.as_ptr().add(i * words * 8).cast(), chunk, words);
                let mut weights = [_mm512_setzero_si512(); BitQuery::PLANES];
                for (plane, weight) in weights.iter_mut().enumerate() {
                    *weight = load(planes.as_ptr().add(plane * words), chunk, words);
                }
                sum = _mm512_add_epi64(sum, weigh(row, &weights));
            }
        }
        *dot = _mm512_reduce_add_epi64(sum) as i32;
    }
}

/// Words `8 * chunk ..` of a sequence of `words` words, zero where it ends.
///
/// # Safety
///
/// `from` points to `words` readable words (of any alignment), and `8 * chunk < words`.
#[target_feature(enable = "avx512f")]
unsafe fn load(from: *const u64, chunk: usize, words: usize) -> __m512i {
    let left = words - 8 * chunk;
    let mask = if left >= 8 { 0xff } else { (1_u8 << left) - 1 };
    // SAFETY: `8 * chunk < words`, and the mask admits no word at or beyond `words`.
    unsafe { _mm512_maskz_loadu_epi64(mask, from.add(8 * chunk).cast()) }
}

/// Per word, the population counts under the four planes, weighed 1, 2, 4 and -8.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn weigh(row: __m512i, planes: &[__m512i; BitQuery::PLANES]) -> __m512i {
    let one = _mm512_popcnt_epi64(_mm512_and_si512(row, planes[0]));
    let two = _mm512_popcnt_epi64(_mm512_and_si512(row, planes[1]));
    let four = _mm512_popcnt_epi64(_mm512_and_si512(row, planes[2]));
    let eight = _mm512_popcnt_epi64(_mm512_and_si512(row, planes[3]));
    let low = _mm512_add_epi64(one, _mm512_slli_epi64(two, 1));
    let high = _mm512_sub_epi64(_mm512_slli_epi64(four, 2), _mm512_slli_epi64(eight, 3));
    _mm512_add_epi64(low, high)
}
