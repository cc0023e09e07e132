//! Typed views of the weights, in file order.

use tacit_simd::gemm::{Linear, PackedColumns, packed_len};

use super::format::{FormatError, Sections};
use super::vocab::Vocab;
use super::{DIMENSIONS, MAX_TOKENS};

/// The number of transformer layers.
pub(super) const LAYERS: usize = 12;
/// The dimensions between the two products of a feed-forward block.
pub(super) const HIDDEN: usize = 1536;

/// The weights of the model.
#[derive(Debug)]
pub(super) struct ModelWeights<'a> {
    pub(super) vocab: Vocab<'a>,
    pub(super) words: EmbeddingTable<'a>,
    pub(super) positions: EmbeddingTable<'a>,
    /// A single text uses only row 0.
    pub(super) segments: EmbeddingTable<'a>,
    pub(super) norm: Norm<'a>,
    pub(super) layers: [Layer<'a>; LAYERS],
    /// The bytes of the layers, all of which every text reads.
    pub(super) layer_bytes: &'a [u8],
    pub(super) epsilon: f32,
}

/// An embedding table of bytes with one scale and zero point.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmbeddingTable<'a> {
    rows: &'a [u8],
    scale: f32,
    zero_point: i32,
}

impl EmbeddingTable<'_> {
    /// Adds a row to `sum`; a missing row adds nothing.
    pub(super) fn add(&self, row: usize, sum: &mut [f32]) {
        let rows = self.rows.as_chunks::<DIMENSIONS>().0;
        for (sum, byte) in sum.iter_mut().zip(rows.get(row).into_iter().flatten()) {
            *sum += (i32::from(*byte) - self.zero_point) as f32 * self.scale;
        }
    }
}

/// Gain and bias of a layer normalisation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Norm<'a> {
    pub(super) gain: &'a [f32],
    pub(super) bias: &'a [f32],
}

/// One transformer layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer<'a> {
    /// Queries, keys and values side by side.
    pub(super) qkv: Linear<'a>,
    pub(super) attended: Linear<'a>,
    pub(super) attended_norm: Norm<'a>,
    pub(super) expand: Linear<'a>,
    pub(super) contract: Linear<'a>,
    pub(super) norm: Norm<'a>,
}

impl<'a> ModelWeights<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, FormatError> {
        let sections = &mut Sections::open(file)?;
        let &[epsilon] = sections.f32s(1)? else {
            return Err(sections.damaged());
        };
        let vocab = Vocab::open(sections)?;
        let words = read_table(sections, vocab.len())?;
        let positions = read_table(sections, MAX_TOKENS)?;
        let segments = read_table(sections, 2)?;
        let norm = read_norm(sections)?;
        let layer_bytes = sections.rest();
        let mut next = || {
            Ok(Layer {
                qkv: read_linear(sections, DIMENSIONS, 3 * DIMENSIONS)?,
                attended: read_linear(sections, DIMENSIONS, DIMENSIONS)?,
                attended_norm: read_norm(sections)?,
                expand: read_linear(sections, DIMENSIONS, HIDDEN)?,
                contract: read_linear(sections, HIDDEN, DIMENSIONS)?,
                norm: read_norm(sections)?,
            })
        };
        let mut layers = [next()?; LAYERS];
        for layer in &mut layers[1..] {
            *layer = next()?;
        }
        Ok(Self { vocab, words, positions, segments, norm, layers, layer_bytes, epsilon })
    }
}

fn read_table<'a>(
    sections: &mut Sections<'a>,
    rows: usize,
) -> Result<EmbeddingTable<'a>, FormatError> {
    let &[scale, zero_point] = sections.f32s(2)? else {
        return Err(sections.damaged());
    };
    Ok(EmbeddingTable {
        rows: sections.exact(rows * DIMENSIONS)?,
        scale,
        zero_point: zero_point as i32,
    })
}

fn read_norm<'a>(sections: &mut Sections<'a>) -> Result<Norm<'a>, FormatError> {
    Ok(Norm { gain: sections.f32s(DIMENSIONS)?, bias: sections.f32s(DIMENSIONS)? })
}

fn read_linear<'a>(
    sections: &mut Sections<'a>,
    k: usize,
    n: usize,
) -> Result<Linear<'a>, FormatError> {
    let weights = sections.i8s(packed_len(k, n))?;
    let col_sums = sections.i32s(n)?;
    let (scales, bias) = (sections.f32s(n)?, sections.f32s(n)?);
    PackedColumns::new(weights, col_sums, k, n)
        .and_then(|columns| Linear::new(columns, scales, bias))
        .ok_or(sections.damaged())
}
