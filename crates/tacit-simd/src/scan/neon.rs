//! Kernels for 64-bit ARM.

use std::arch::aarch64::{
    uint16x8_t, vaddlvq_u16, vaddvq_s32, vand_u8, vandq_u8, vcnt_u8, vcntq_u8, vcombine_u8,
    vdup_n_u8, vdupq_n_s32, vdupq_n_u16, vget_low_s8, vld1_u8, vld1q_s8, vld1q_u8, vmull_high_s8,
    vmull_s8, vpadalq_s16, vpadalq_u8,
};

use super::bits::BitQuery;

/// # Safety
///
/// `rows` holds `out.len()` rows of `query.len()` bytes, a multiple of 64.
#[target_feature(enable = "neon")]
pub(super) unsafe fn int8(query: &[i8], rows: &[u8], out: &mut [i32]) {
    let stride = query.len();
    for (i, dot) in out.iter_mut().enumerate() {
        let mut sums = [vdupq_n_s32(0); 2];
        for at in (0..stride).step_by(16) {
            // SAFETY: `at + 16 <= stride`, so the 16 bytes of row `i` and of the query lie within
            // their slices; no alignment is needed.
            let (row, codes) = unsafe {
                (
                    vld1q_s8(rows.as_ptr().add(i * stride + at).cast()),
                    vld1q_s8(query.as_ptr().add(at)),
                )
            };
            // A product of two signed bytes fits 16 bits, -128 squared included; the pairwise
            // accumulation widens before it adds.
            sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(row), vget_low_s8(codes)));
            sums[1] = vpadalq_s16(sums[1], vmull_high_s8(row, codes));
        }
        *dot = vaddvq_s32(sums[0]) + vaddvq_s32(sums[1]);
    }
}

/// # Safety
///
/// `planes` holds `PLANES * words` words and `rows` `out.len()` rows of `words` words.
#[target_feature(enable = "neon")]
pub(super) unsafe fn bits(planes: &[u64], words: usize, rows: &[u8], out: &mut [i32]) {
    let bytes = words * 8;
    for (i, dot) in out.iter_mut().enumerate() {
        let mut counts: [uint16x8_t; BitQuery::PLANES] = [vdupq_n_u16(0); BitQuery::PLANES];
        for at in (0..bytes).step_by(16) {
            for (plane, count) in counts.iter_mut().enumerate() {
                // SAFETY: `at` is below `bytes`, a multiple of 8; 16 bytes are read only where
                // as many are left, else 8. Row `i` and each plane lie within their slices.
                let ones = unsafe {
                    let row = rows.as_ptr().add(i * bytes + at);
                    let plane = planes.as_ptr().add(plane * words).cast::<u8>().add(at);
                    if at + 16 <= bytes {
                        vcntq_u8(vandq_u8(vld1q_u8(row), vld1q_u8(plane)))
                    } else {
                        let ones = vcnt_u8(vand_u8(vld1_u8(row), vld1_u8(plane)));
                        vcombine_u8(ones, vdup_n_u8(0))
                    }
                };
                // Eight lanes of 16 bits hold 65,535 each: enough for 65,536 bits in all.
                *count = vpadalq_u8(*count, ones);
            }
        }
        let mut weighed = [0; BitQuery::PLANES];
        for (count, weighed) in counts.into_iter().zip(&mut weighed) {
            *weighed = vaddlvq_u16(count).cast_signed();
        }
        let [one, two, four, eight] = weighed;
        *dot = one + 2 * two + 4 * four - 8 * eight;
    }
}
