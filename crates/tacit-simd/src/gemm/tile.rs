//! Types shared by the integer kernels: a tile of sums on the stack, and its output.

use super::PANEL;

/// Maximum number of rows of activations that a kernel processes at a time.
pub(super) const MAX_ROWS: usize = 6;
/// Maximum number of panels that a kernel processes at a time.
pub(super) const MAX_PANELS: usize = 4;
/// The distance between two rows of a tile.
pub(super) const TILE_STRIDE: usize = MAX_PANELS * PANEL;

/// Integer sums of up to six rows by four panels.
#[repr(align(64))]
pub(super) struct Tile(pub(super) [i32; MAX_ROWS * TILE_STRIDE]);

impl Tile {
    pub(super) fn new() -> Self {
        Self([0; MAX_ROWS * TILE_STRIDE])
    }

    /// Returns the sixteen sums of a row and a panel.
    #[inline(always)]
    pub(super) fn lane(&self, row: usize, panel: usize) -> &[i32; PANEL] {
        let start = row * TILE_STRIDE + panel * PANEL;
        let (lane, _) = self.0[start..].split_first_chunk().expect("a tile holds whole panels");
        lane
    }
}

/// Splits `m` rows into blocks of nearly equal size, at most `most` each, so that no block is so
/// small that reading the weights takes longer than the arithmetic. Yields the first row and the
/// count.
#[inline(always)]
pub(super) fn row_blocks(m: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let blocks = m.div_ceil(most).max(1);
    let (size, larger) = (m / blocks, m % blocks);
    (0..blocks).map(move |block| {
        let first = block * size + block.min(larger);
        (first, size + usize::from(block < larger))
    })
}

/// Converts sums to floats: subtracts the zero point, scales and adds the bias.
pub(super) struct Dequantize<'a> {
    pub(super) out: &'a mut [f32],
    pub(super) n: usize,
    pub(super) scale: f32,
    pub(super) zero_point: i32,
    pub(super) col_sums: &'a [i32],
    pub(super) scales: &'a [f32],
    pub(super) bias: &'a [f32],
}

impl Dequantize<'_> {
    #[inline(always)]
    fn value(&self, sum: i32, col_sum: i32, scale: f32, bias: f32) -> f32 {
        (sum - self.zero_point * col_sum) as f32 * (self.scale * scale) + bias
    }

    /// Writes the row part of a last panel that is not full.
    fn partial(&mut self, sums: &[i32; PANEL], row: usize, column: usize) {
        for (c, sum) in (column..self.n).zip(sums) {
            let value = self.value(*sum, self.col_sums[c], self.scales[c], self.bias[c]);
            self.out[row * self.n + c] = value;
        }
    }

    /// Converts `rows × panels` sums, starting at output row `row` and panel `panel`.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        tile: &Tile,
        row: usize,
        rows: usize,
        panel: usize,
        panels: usize,
    ) {
        for p in 0..panels {
            let column = (panel + p) * PANEL;
            for r in 0..rows {
                let sums = tile.lane(r, p);
                if self.n - column < PANEL {
                    self.partial(sums, row + r, column);
                    continue;
                }
                let col_sums = &self.col_sums[column..][..PANEL];
                let scales = &self.scales[column..][..PANEL];
                let bias = &self.bias[column..][..PANEL];
                let values: [f32; PANEL] =
                    std::array::from_fn(|l| self.value(sums[l], col_sums[l], scales[l], bias[l]));
                self.out[(row + r) * self.n + column..][..PANEL].copy_from_slice(&values);
            }
        }
    }
}
