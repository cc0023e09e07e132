//! Converts the publisher's ONNX export and tokenizer to the weights file of the bundled model.
//!
//! `cargo run --release -p tacit-models --example convert_weights -- MODEL_DIR OUT`
//!
//! The same input gives the same bytes. The values of the weights do not change; only the layout
//! does, and the column sums are added.

mod onnx;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use onnx::{Graph, Tensor};
use serde_json::Value;
use tacit_models::bundled::{DIMENSIONS, MAX_TOKENS, format, vocab};
use tacit_simd::gemm::{pack, view};

const LAYERS: usize = 12;
const HIDDEN: usize = 1536;
const EPSILON: f32 = 1e-12;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut args = env::args_os().skip(1).map(PathBuf::from);
    let (Some(models), Some(out)) = (args.next(), args.next()) else {
        return Err("usage: convert_weights MODEL_DIR OUT".into());
    };
    let model = fs::read(models.join("model_int8.onnx"))?;
    let tokenizer = serde_json::from_slice(&fs::read(models.join("tokenizer.json"))?)?;
    let graph = Graph::read(&model)?;

    let mut sections = vec![floats(&[EPSILON])];
    sections.extend(vocabulary(&tokenizer)?);
    for (name, rows) in [
        ("word_embeddings", None),
        ("position_embeddings", Some(MAX_TOKENS)),
        ("token_type_embeddings", Some(2)),
    ] {
        sections.extend(table(&graph, name, rows)?);
    }
    sections.extend(norm(&graph, "embeddings.LayerNorm")?);
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let qkv = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        sections.extend(linear(&graph, &qkv, DIMENSIONS, DIMENSIONS)?);
        let attended = [name("attention.output.dense")];
        sections.extend(linear(&graph, &attended, DIMENSIONS, DIMENSIONS)?);
        sections.extend(norm(&graph, &name("attention.output.LayerNorm"))?);
        let expand = [name("intermediate.dense")];
        sections.extend(linear(&graph, &expand, DIMENSIONS, HIDDEN)?);
        let contract = [name("output.dense")];
        sections.extend(linear(&graph, &contract, HIDDEN, DIMENSIONS)?);
        sections.extend(norm(&graph, &name("output.LayerNorm"))?);
    }
    fs::write(out, format::write(&sections))?;
    Ok(())
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn vocabulary(tokenizer: &Value) -> Result<[Vec<u8>; 4]> {
    let words =
        tokenizer["model"]["vocab"].as_object().ok_or("`tokenizer.json` has no `model.vocab`")?;
    let mut tokens = vec![None; words.len()];
    for (token, id) in words {
        let id = id.as_u64().and_then(|id| usize::try_from(id).ok());
        *id.and_then(|id| tokens.get_mut(id))
            .ok_or("the ids of the vocabulary are not 0 to its length")? = Some(token.as_str());
    }
    let tokens: Option<Vec<_>> = tokens.into_iter().collect();
    Ok(vocab::sections(&tokens.ok_or("an id names two tokens")?))
}

/// Returns the scale and zero point, and the rows of an embedding table.
fn table(graph: &Graph<'_>, name: &str, rows: Option<usize>) -> Result<[Vec<u8>; 2]> {
    let tensor = |part: &str| graph.tensor(&format!("embeddings.{name}.weight_{part}"));
    let scale = tensor("scale")?.floats()?;
    let zero_point = tensor("zero_point")?.bytes()?;
    let (&[scale], &[zero_point]) = (&scale[..], &zero_point[..]) else {
        return Err(format!("`{name}` has more than one scale").into());
    };
    let weights = tensor("quantized")?;
    if rows.is_some_and(|rows| weights.dims != [rows, DIMENSIONS]) {
        return Err(format!("`{name}` has shape {:?}", weights.dims).into());
    }
    Ok([floats(&[scale, f32::from(zero_point)]), weights.bytes()?])
}

/// Returns gain and bias of a layer normalisation.
fn norm(graph: &Graph<'_>, name: &str) -> Result<[Vec<u8>; 2]> {
    let part = |part: &str| -> Result<Vec<u8>> {
        Ok(floats(&graph.tensor(&format!("{name}.{part}"))?.floats()?))
    };
    Ok([part("weight")?, part("bias")?])
}

/// Returns the packed weights, column sums, scales and bias of adjacent matrices.
fn linear(graph: &Graph<'_>, names: &[String], k: usize, n: usize) -> Result<[Vec<u8>; 4]> {
    let (mut columns, mut scales, mut bias) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let bias_name = format!("{name}.bias");
        let weights = graph.weights_before(&bias_name)?;
        let tensor = |part: &str| graph.tensor(&format!("{weights}_{part}"));
        let quantized: Tensor<'_> = tensor("quantized")?;
        if quantized.dims != [k, n] {
            return Err(format!("`{name}` has shape {:?}", quantized.dims).into());
        }
        if tensor("zero_point")?.bytes()?.iter().any(|zero| *zero != 0) {
            return Err(format!("`{name}` is not quantised around zero").into());
        }
        columns.push(quantized.bytes()?);
        scales.extend(tensor("scale")?.floats()?);
        bias.extend(graph.tensor(&bias_name)?.floats()?);
    }
    let mut joined = Vec::with_capacity(k * n * columns.len());
    for row in 0..k {
        for matrix in &columns {
            joined.extend(view::as_i8(&matrix[row * n..][..n]));
        }
    }
    let (packed, sums) = pack(&joined, k, n * columns.len())?;
    Ok([
        view::from_i8(&packed).to_vec(),
        sums.iter().flat_map(|sum| sum.to_le_bytes()).collect(),
        floats(&scales),
        floats(&bias),
    ])
}
