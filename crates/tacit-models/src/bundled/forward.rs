//! The encoder: computes a vector from token ids, step by step like the published graph.
//!
//! Activations are quantised over a whole text before each matrix product; attention and everything
//! else between products is in floats; the last state of the first token is the embedding. The only
//! difference from the graph is in the last layer: nothing reads the other tokens after its
//! attention, so they are dropped there. That saves a fifteenth of the work, and lets the first
//! token use the whole range of a byte, which the graph shares with tokens it then ignores.

use tacit_simd::gemm::{AttentionScratch, Kernel, Linear};

use super::weights::{HIDDEN, LAYERS, Layer, ModelWeights};
use super::{DIMENSIONS, Vector};

/// Buffers that are reused from text to text.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    states: Vec<f32>,
    bytes: Vec<u8>,
    /// Queries, keys and values, and later in a layer the hidden dimensions: never both, and every
    /// page not touched saves a page fault in a process that embeds once.
    wide: Vec<f32>,
    attended: Vec<f32>,
    added: Vec<f32>,
    attention: AttentionScratch,
}

pub(super) fn embed(
    weights: &ModelWeights<'_>,
    kernel: Kernel,
    ids: &[u32],
    scratch: &mut Scratch,
) -> Vector {
    read_tables(weights, kernel, ids, scratch);
    for (index, layer) in weights.layers.iter().enumerate() {
        let rows = if index == LAYERS - 1 { 1 } else { ids.len() };
        run_layer(layer, weights.epsilon, kernel, rows, scratch);
    }
    let mut vector = [0.0; DIMENSIONS];
    vector.copy_from_slice(&scratch.states);
    kernel.unit_norm(&mut vector);
    vector
}

/// Sums the word, segment and position embeddings of each token, and normalises.
fn read_tables(weights: &ModelWeights<'_>, kernel: Kernel, ids: &[u32], scratch: &mut Scratch) {
    let states = resized(&mut scratch.states, ids.len() * DIMENSIONS);
    let added = resized(&mut scratch.added, ids.len() * DIMENSIONS);
    states.fill(0.0);
    added.fill(0.0);
    let rows = states.chunks_exact_mut(DIMENSIONS);
    for (position, (id, state)) in ids.iter().zip(rows).enumerate() {
        weights.words.add(*id as usize, state);
        weights.segments.add(0, state);
        weights.positions.add(position, state);
    }
    let norm = weights.norm;
    kernel.add_norm(states, added, norm.gain, norm.bias, weights.epsilon);
}

/// Runs all tokens through a layer's attention, and the first `rows` of them through the rest.
fn run_layer(layer: &Layer<'_>, epsilon: f32, kernel: Kernel, rows: usize, scratch: &mut Scratch) {
    let qkv = resized(&mut scratch.wide, 3 * scratch.states.len());
    multiply(kernel, &scratch.states, &layer.qkv, &mut scratch.bytes, qkv);

    let states = resized(&mut scratch.states, rows * DIMENSIONS);
    let attended = resized(&mut scratch.attended, rows * DIMENSIONS);
    kernel.attend(qkv, rows, DIMENSIONS, &mut scratch.attention, attended);

    let added = resized(&mut scratch.added, rows * DIMENSIONS);
    multiply(kernel, attended, &layer.attended, &mut scratch.bytes, added);
    let norm = layer.attended_norm;
    kernel.add_norm(states, added, norm.gain, norm.bias, epsilon);

    let hidden = resized(&mut scratch.wide, rows * HIDDEN);
    multiply(kernel, states, &layer.expand, &mut scratch.bytes, hidden);
    kernel.gelu(hidden);
    multiply(kernel, hidden, &layer.contract, &mut scratch.bytes, added);
    kernel.add_norm(states, added, layer.norm.gain, layer.norm.bias, epsilon);
}

fn multiply(
    kernel: Kernel,
    values: &[f32],
    layer: &Linear<'_>,
    bytes: &mut Vec<u8>,
    out: &mut [f32],
) {
    bytes.resize(values.len(), 0);
    let quantization = kernel.quantize(values, bytes);
    kernel.linear(bytes, quantization, layer, out);
}

/// Resizes a buffer; its content is undefined.
fn resized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    buffer.resize(len, 0.0);
    buffer
}
