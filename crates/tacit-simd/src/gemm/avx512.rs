//! Matrix products with AVX-512 VNNI: six rows by four panels in twenty-four accumulators; one
//! `vpdpbusd` does 64 multiplications.

use std::arch::x86_64::{
    _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_storeu_si512,
};

use super::tile::{Dequantize, MAX_PANELS, MAX_ROWS, TILE_STRIDE, Tile, row_blocks};
use super::{GROUP, PANEL, PackedColumns};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
pub(super) fn run(rows: &[u8], m: usize, columns: &PackedColumns<'_>, output: &mut Dequantize<'_>) {
    let stride = columns.k_padded();
    let mut tile = Tile::new();
    let mut panel = 0;
    while panel < columns.panels() {
        let wide = columns.panels() - panel >= MAX_PANELS;
        let panels = if wide { MAX_PANELS } else { 1 };
        let bytes = columns.panel_bytes(panel, panels);
        for (row, count) in row_blocks(m, MAX_ROWS) {
            let a = &rows[row * stride..][..count * stride];
            if wide {
                by_rows::<MAX_PANELS>(count, a, stride, bytes, &mut tile);
            } else {
                by_rows::<1>(count, a, stride, bytes, &mut tile);
            }
            output.take(&tile, row, count, panel, panels);
        }
        panel += panels;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn by_rows<const P: usize>(count: usize, a: &[u8], stride: usize, panels: &[i8], tile: &mut Tile) {
    match count {
        1 => multiply::<1, P>(a, stride, panels, tile),
        2 => multiply::<2, P>(a, stride, panels, tile),
        3 => multiply::<3, P>(a, stride, panels, tile),
        4 => multiply::<4, P>(a, stride, panels, tile),
        5 => multiply::<5, P>(a, stride, panels, tile),
        _ => multiply::<6, P>(a, stride, panels, tile),
    }
}

/// Computes `R` rows and `P` panels of the tile.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn multiply<const R: usize, const P: usize>(
    a: &[u8],
    stride: usize,
    panels: &[i8],
    tile: &mut Tile,
) {
    const { assert!(R <= MAX_ROWS && P <= MAX_PANELS) };
    assert!(a.len() == R * stride && panels.len() == P * stride * PANEL);
    let mut sums = [[_mm512_setzero_si512(); P]; R];
    for group in 0..stride / GROUP {
        let mut weights = [_mm512_setzero_si512(); P];
        for (p, weights) in weights.iter_mut().enumerate() {
            let at = p * stride * PANEL + group * GROUP * PANEL;
            // SAFETY: a panel is `stride * PANEL` bytes, there are `P` of them (asserted above),
            // and `group < stride / GROUP` leaves a whole 64 bytes.
            *weights = unsafe { _mm512_loadu_si512(panels.as_ptr().add(at).cast()) };
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            let at = r * stride + group * GROUP;
            // SAFETY: there are `R` rows of `stride` bytes (asserted above), and the group ends
            // within its row.
            let four = unsafe { a.as_ptr().add(at).cast::<i32>().read_unaligned() };
            let bytes = _mm512_set1_epi32(four);
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm512_dpbusd_epi32(*sum, bytes, weights);
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        for (p, sum) in sums.iter().enumerate() {
            let lane = &mut tile.0[r * TILE_STRIDE + p * PANEL..][..PANEL];
            // SAFETY: the lane was sliced to sixteen integers, 64 bytes.
            unsafe { _mm512_storeu_si512(lane.as_mut_ptr().cast(), *sum) };
        }
    }
}
