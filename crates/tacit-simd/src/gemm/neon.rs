//! Matrix products with NEON, with and without the dot-product extension.
//!
//! Both variants multiply signed by signed, so 128 is subtracted from the activations and added back
//! with the column sums: `Σ a·w = Σ (a - 128)·w + 128·Σ w`.

use std::arch::aarch64::{
    int8x16_t, int32x4_t, vdupq_n_s32, vget_low_s8, vld1q_s8, vmull_high_s8, vmull_s8, vpadalq_s16,
    vpaddq_s16, vreinterpretq_s8_s32, vst1q_s32,
};
use std::arch::asm;

use super::tile::{Dequantize, TILE_STRIDE, Tile, row_blocks};
use super::{GROUP, PANEL, PackedColumns};

/// The number of columns in one 128-bit register.
const QUARTER: usize = PANEL / 4;
/// Flips the top bit of four bytes: `a` becomes the signed byte `a - 128`.
const SHIFT: u32 = 0x8080_8080;

/// Defines the driver and the tile for one way of adding four products to a lane. This is a macro
/// and not a generic, because the step must be inlined into a function that has its target feature.
macro_rules! kernel {
    ($run:ident, $multiply:ident, $features:literal, $step:ident) => {
        #[target_feature(enable = $features)]
        pub(super) fn $run(
            rows: &[u8],
            m: usize,
            columns: &PackedColumns<'_>,
            output: &mut Dequantize<'_>,
        ) {
            let stride = columns.k_padded();
            let mut tile = Tile::new();
            for panel in 0..columns.panels() {
                let bytes = columns.panel_bytes(panel, 1);
                let first = panel * PANEL;
                let last = columns.n().min(first + PANEL);
                let col_sums = &columns.col_sums()[first..last];
                for (row, count) in row_blocks(m, 4) {
                    let a = &rows[row * stride..][..count * stride];
                    match count {
                        1 => $multiply::<1>(a, stride, bytes, &mut tile),
                        2 => $multiply::<2>(a, stride, bytes, &mut tile),
                        3 => $multiply::<3>(a, stride, bytes, &mut tile),
                        _ => $multiply::<4>(a, stride, bytes, &mut tile),
                    }
                    unshift(&mut tile, count, col_sums);
                    output.take(&tile, row, count, panel, 1);
                }
            }
        }

        #[target_feature(enable = $features)]
        fn $multiply<const R: usize>(a: &[u8], stride: usize, panel: &[i8], tile: &mut Tile) {
            assert!(a.len() == R * stride && panel.len() == stride * PANEL);
            let mut sums = [[vdupq_n_s32(0); 4]; R];
            for group in 0..stride / GROUP {
                let at = group * GROUP * PANEL;
                // SAFETY: the panel is `stride * PANEL` bytes (asserted above) and
                // `group < stride / GROUP` leaves four quarters of 16 bytes.
                let weights = unsafe {
                    let start = panel.as_ptr().add(at);
                    [
                        vld1q_s8(start),
                        vld1q_s8(start.add(16)),
                        vld1q_s8(start.add(32)),
                        vld1q_s8(start.add(48)),
                    ]
                };
                for (r, sums) in sums.iter_mut().enumerate() {
                    let at = r * stride + group * GROUP;
                    // SAFETY: there are `R` rows of `stride` bytes (asserted above), and the
                    // group ends within its row.
                    let four = unsafe { a.as_ptr().add(at).cast::<u32>().read_unaligned() };
                    let bytes = vreinterpretq_s8_s32(vdupq_n_s32((four ^ SHIFT) as i32));
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = $step(*sum, bytes, weights);
                    }
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                for (quarter, sum) in sums.iter().enumerate() {
                    let lane = &mut tile.0[r * TILE_STRIDE + quarter * QUARTER..][..QUARTER];
                    // SAFETY: the lane was sliced to four integers, 16 bytes.
                    unsafe { vst1q_s32(lane.as_mut_ptr(), *sum) };
                }
            }
        }
    };
}

/// Adds back what [`SHIFT`] subtracted. Columns past the end are padding and are ignored.
fn unshift(tile: &mut Tile, rows: usize, col_sums: &[i32]) {
    for row in 0..rows {
        let lane = &mut tile.0[row * TILE_STRIDE..][..col_sums.len()];
        for (sum, col_sum) in lane.iter_mut().zip(col_sums) {
            *sum += 128 * col_sum;
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn step_widening(sum: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // The sum of two products is at most 2 × 128 × 64, so the pairs fit in sixteen bits.
    let low = vmull_s8(vget_low_s8(bytes), vget_low_s8(weights));
    let high = vmull_high_s8(bytes, weights);
    vpadalq_s16(sum, vpaddq_s16(low, high))
}

#[inline]
#[target_feature(enable = "neon,dotprod")]
fn step_dot(sum: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
    let mut sum = sum;
    // SAFETY: this is one register-to-register instruction of an extension that this function
    // requires. Its intrinsic is not stable yet.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {bytes:v}.16b, {weights:v}.16b",
            sum = inout(vreg) sum,
            bytes = in(vreg) bytes,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

kernel!(run, multiply, "neon", step_widening);
kernel!(run_dot, multiply_dot, "neon,dotprod", step_dot);
