//! Matrix products in plain Rust: the reference for the other kernels, and the fallback.

use super::tile::{Dequantize, Tile};
use super::{GROUP, PANEL, PackedColumns};

pub(super) fn run(rows: &[u8], m: usize, columns: &PackedColumns<'_>, output: &mut Dequantize<'_>) {
    let stride = columns.k_padded();
    let mut tile = Tile::new();
    for panel in 0..columns.panels() {
        let bytes = columns.panel_bytes(panel, 1);
        for row in 0..m {
            let sums = dot_panel(&rows[row * stride..][..stride], bytes);
            tile.0[..PANEL].copy_from_slice(&sums);
            output.take(&tile, row, 1, panel, 1);
        }
    }
}

fn dot_panel(row: &[u8], panel: &[i8]) -> [i32; PANEL] {
    let mut sums = [0; PANEL];
    for (a, group) in row.as_chunks::<GROUP>().0.iter().zip(panel.chunks_exact(GROUP * PANEL)) {
        let a = a.map(i16::from);
        for (sum, weights) in sums.iter_mut().zip(group.as_chunks::<GROUP>().0) {
            for (&a, &weight) in a.iter().zip(weights) {
                // The product of a byte and a weight of at most 64 fits in sixteen bits, which lets
                // the compiler use narrow multiplications.
                *sum += i32::from(a * i16::from(weight));
            }
        }
    }
    sums
}
