//! Matrix products with AVX2, with and without VNNI: one panel at a time as two 256-bit halves.
//!
//! Without VNNI, four products take two instructions: `vpmaddubsw` adds pairs in sixteen bits,
//! which the range of packed weights keeps from overflowing, and `vpmaddwd` with ones adds the
//! pairs.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_dpbusd_avx_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_storeu_si256,
};

use super::tile::{Dequantize, TILE_STRIDE, Tile, row_blocks};
use super::{GROUP, PANEL, PackedColumns};

/// The number of columns in half a panel.
const HALF: usize = PANEL / 2;

/// Defines the driver and the tile for one way of adding four products to a lane. This is a macro
/// and not a generic, because the step must be inlined into a function that has its target feature.
macro_rules! kernel {
    ($run:ident, $multiply:ident, $features:literal, $rows:literal, $step:ident) => {
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
                for (row, count) in row_blocks(m, $rows) {
                    let a = &rows[row * stride..][..count * stride];
                    match count {
                        1 => $multiply::<1>(a, stride, bytes, &mut tile),
                        2 => $multiply::<2>(a, stride, bytes, &mut tile),
                        3 => $multiply::<3>(a, stride, bytes, &mut tile),
                        _ => $multiply::<4>(a, stride, bytes, &mut tile),
                    }
                    output.take(&tile, row, count, panel, 1);
                }
            }
        }

        #[target_feature(enable = $features)]
        fn $multiply<const R: usize>(a: &[u8], stride: usize, panel: &[i8], tile: &mut Tile) {
            assert!(a.len() == R * stride && panel.len() == stride * PANEL);
            let mut sums = [[_mm256_setzero_si256(); 2]; R];
            for group in 0..stride / GROUP {
                let at = group * GROUP * PANEL;
                // SAFETY: the panel is `stride * PANEL` bytes (asserted above) and
                // `group < stride / GROUP` leaves two halves of 32 bytes.
                let weights = unsafe {
                    let start = panel.as_ptr().add(at);
                    [
                        _mm256_loadu_si256(start.cast()),
                        _mm256_loadu_si256(start.add(HALF * GROUP).cast()),
                    ]
                };
                for (r, sums) in sums.iter_mut().enumerate() {
                    let at = r * stride + group * GROUP;
                    // SAFETY: there are `R` rows of `stride` bytes (asserted above), and the
                    // group ends within its row.
                    let four = unsafe { a.as_ptr().add(at).cast::<i32>().read_unaligned() };
                    let bytes = _mm256_set1_epi32(four);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = $step(*sum, bytes, weights);
                    }
                }
            }
            for (r, sums) in sums.iter().enumerate() {
                for (half, sum) in sums.iter().enumerate() {
                    let lane = &mut tile.0[r * TILE_STRIDE + half * HALF..][..HALF];
                    // SAFETY: the lane was sliced to eight integers, 32 bytes.
                    unsafe { _mm256_storeu_si256(lane.as_mut_ptr().cast(), *sum) };
                }
            }
        }
    };
}

#[inline]
#[target_feature(enable = "avx2")]
fn step_pairs(sum: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(bytes, weights);
    _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

#[inline]
#[target_feature(enable = "avx2,avxvnni")]
fn step_vnni(sum: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
    _mm256_dpbusd_avx_epi32(sum, bytes, weights)
}

kernel!(run, multiply, "avx2", 4, step_pairs);
kernel!(run_vnni, multiply_vnni, "avx2,avxvnni", 4, step_vnni);
