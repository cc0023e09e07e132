//! The scan kernel for 64-bit ARM.

use std::arch::aarch64::{
    vaddvq_s32, vdupq_n_s32, vget_low_s8, vld1q_s8, vmull_high_s8, vmull_s8, vpadalq_s16,
};

/// Computes the dot product of each row with the query.
///
/// # Safety
///
/// `rows` must hold `out.len()` rows of `query.len()` bytes, a multiple of 64.
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
