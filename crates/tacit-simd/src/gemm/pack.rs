//! The memory layout of weights, shared by all kernels and used in the weights file.
//!
//! Columns are grouped in panels of sixteen. In a panel, four consecutive rows of one column are
//! adjacent (the four bytes that one `vpdpbusd` lane multiplies), then the next column follows.
//! Sixteen columns make 64 bytes, one 512-bit register, and the next four rows follow. Any vector
//! width thus reads a panel from front to back, once.

use std::fmt;

/// The number of columns in a panel.
pub(super) const PANEL: usize = 16;
/// The number of rows multiplied together in one lane.
pub(super) const GROUP: usize = 4;
/// The largest weight that the AVX2 kernel accepts without overflow.
const MAX_WEIGHT: i8 = 64;

/// Packed weights of `k` rows and `n` columns, with the sum of each column.
#[derive(Clone, Copy, Debug)]
pub struct PackedColumns<'a> {
    bytes: &'a [i8],
    col_sums: &'a [i32],
    k: usize,
    n: usize,
}

impl<'a> PackedColumns<'a> {
    /// Creates a view of weights packed by [`pack`]; `None` if the lengths do not match `k` and
    /// `n`, or the layer is empty.
    pub fn new(bytes: &'a [i8], col_sums: &'a [i32], k: usize, n: usize) -> Option<Self> {
        let fits = k > 0 && n > 0 && bytes.len() == packed_len(k, n) && col_sums.len() == n;
        fits.then_some(Self { bytes, col_sums, k, n })
    }

    /// Returns the number of output columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Returns the size in bytes of a row of activations: `k` rounded up to a whole group. The
    /// padding may have any content, because its weights are zero.
    pub fn k_padded(&self) -> usize {
        self.groups() * GROUP
    }

    pub(super) fn groups(&self) -> usize {
        self.k.div_ceil(GROUP)
    }

    pub(super) fn panels(&self) -> usize {
        self.n.div_ceil(PANEL)
    }

    pub(super) fn panel_len(&self) -> usize {
        self.groups() * GROUP * PANEL
    }

    /// Returns the bytes of `count` panels from `first`.
    pub(super) fn panel_bytes(&self, first: usize, count: usize) -> &'a [i8] {
        &self.bytes[first * self.panel_len()..(first + count) * self.panel_len()]
    }

    pub(super) fn col_sums(&self) -> &'a [i32] {
        self.col_sums
    }
}

/// The reason why weights cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackError {
    /// The slice is not `k × n` long.
    Shape,
    /// A weight is outside -64..=64 and could overflow in the AVX2 kernel.
    Range(i8),
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape => write!(f, "weights are not a k × n matrix"),
            Self::Range(weight) => write!(f, "weight {weight} is outside -64..=64"),
        }
    }
}

impl std::error::Error for PackError {}

/// Returns the size in bytes of `k × n` packed weights.
pub fn packed_len(k: usize, n: usize) -> usize {
    k.div_ceil(GROUP) * GROUP * n.div_ceil(PANEL) * PANEL
}

/// Packs row-major `k × n` weights, padding with zeros; returns the bytes and the column sums.
///
/// # Errors
/// Fails if the shape is wrong or a weight is out of range.
pub fn pack(weights: &[i8], k: usize, n: usize) -> Result<(Vec<i8>, Vec<i32>), PackError> {
    if weights.len() != k * n {
        return Err(PackError::Shape);
    }
    let range = -MAX_WEIGHT..=MAX_WEIGHT;
    if let Some(&out) = weights.iter().find(|weight| !range.contains(weight)) {
        return Err(PackError::Range(out));
    }
    let groups = k.div_ceil(GROUP);
    let mut packed = vec![0; packed_len(k, n)];
    let mut col_sums = vec![0; n];
    for (row, values) in weights.chunks_exact(n).enumerate() {
        for (column, &weight) in values.iter().enumerate() {
            let group = (column / PANEL) * groups + row / GROUP;
            packed[(group * PANEL + column % PANEL) * GROUP + row % GROUP] = weight;
            col_sums[column] += i32::from(weight);
        }
    }
    Ok((packed, col_sums))
}
