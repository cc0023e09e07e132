//! A minimal reader of protobuf and ONNX that finds tensors by name, and weights by their bias.

use std::collections::HashMap;

use crate::Result;

/// The value of one protobuf field.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Splits a protobuf message into numbered fields.
fn fields(message: &[u8]) -> Result<Vec<(u64, Field<'_>)>> {
    let mut rest = message;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let value = match key & 7 {
            0 => Field::Number(varint(&mut rest)?),
            1 => Field::Bytes(take(&mut rest, 8)?),
            2 => {
                let len = usize::try_from(varint(&mut rest)?)?;
                Field::Bytes(take(&mut rest, len)?)
            }
            5 => Field::Bytes(take(&mut rest, 4)?),
            kind => return Err(format!("unknown protobuf wire type {kind}").into()),
        };
        fields.push((key >> 3, value));
    }
    Ok(fields)
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(len).ok_or("the message is truncated")?;
    *rest = after;
    Ok(taken)
}

fn varint(rest: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a varint is too long".into())
}

fn text(bytes: &[u8]) -> Result<&str> {
    Ok(str::from_utf8(bytes)?)
}

/// A named array of numbers.
#[derive(Clone)]
pub(crate) struct Tensor<'a> {
    pub(crate) dims: Vec<usize>,
    name: &'a str,
    raw: &'a [u8],
    floats: &'a [u8],
    /// Small integers, each a varint.
    integers: &'a [u8],
}

impl<'a> Tensor<'a> {
    fn read(message: &'a [u8]) -> Result<Self> {
        let mut tensor = Self { dims: Vec::new(), name: "", raw: &[], floats: &[], integers: &[] };
        for field in fields(message)? {
            match field {
                (1, Field::Number(dim)) => tensor.dims.push(usize::try_from(dim)?),
                (1, Field::Bytes(mut packed)) => {
                    while !packed.is_empty() {
                        tensor.dims.push(usize::try_from(varint(&mut packed)?)?);
                    }
                }
                (4, Field::Bytes(floats)) => tensor.floats = floats,
                (5, Field::Bytes(integers)) => tensor.integers = integers,
                (8, Field::Bytes(name)) => tensor.name = text(name)?,
                (9, Field::Bytes(raw)) => tensor.raw = raw,
                _ => {}
            }
        }
        Ok(tensor)
    }

    pub(crate) fn floats(&self) -> Result<Vec<f32>> {
        let bytes = if self.raw.is_empty() { self.floats } else { self.raw };
        let (floats, rest) = bytes.as_chunks();
        if floats.is_empty() || !rest.is_empty() {
            return Err(format!("`{}` contains no floats", self.name).into());
        }
        Ok(floats.iter().map(|float| f32::from_le_bytes(*float)).collect())
    }

    /// Returns the tensor as bytes, signed or not.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        let mut integers = self.integers;
        let mut bytes = self.raw.to_vec();
        while !integers.is_empty() {
            bytes.push(varint(&mut integers)? as u8);
        }
        if bytes.len() != self.dims.iter().product::<usize>() {
            return Err(format!("`{}` does not contain bytes", self.name).into());
        }
        Ok(bytes)
    }
}

/// An operation with the names of its inputs and outputs.
struct Node<'a> {
    operation: &'a str,
    inputs: Vec<&'a str>,
    outputs: Vec<&'a str>,
}

impl<'a> Node<'a> {
    fn read(message: &'a [u8]) -> Result<Self> {
        let mut node = Self { operation: "", inputs: Vec::new(), outputs: Vec::new() };
        for field in fields(message)? {
            match field {
                (1, Field::Bytes(name)) => node.inputs.push(text(name)?),
                (2, Field::Bytes(name)) => node.outputs.push(text(name)?),
                (4, Field::Bytes(name)) => node.operation = text(name)?,
                _ => {}
            }
        }
        Ok(node)
    }
}

/// The tensors and operations of a model.
pub(crate) struct Graph<'a> {
    tensors: HashMap<&'a str, Tensor<'a>>,
    nodes: Vec<Node<'a>>,
}

impl<'a> Graph<'a> {
    pub(crate) fn read(model: &'a [u8]) -> Result<Self> {
        let mut graph = Self { tensors: HashMap::new(), nodes: Vec::new() };
        for field in fields(model)? {
            let (7, Field::Bytes(message)) = field else {
                continue;
            };
            for field in fields(message)? {
                match field {
                    (1, Field::Bytes(node)) => graph.nodes.push(Node::read(node)?),
                    (5, Field::Bytes(tensor)) => {
                        let tensor = Tensor::read(tensor)?;
                        graph.tensors.insert(tensor.name, tensor);
                    }
                    _ => {}
                }
            }
        }
        Ok(graph)
    }

    pub(crate) fn tensor(&self, name: &str) -> Result<Tensor<'a>> {
        let tensor = self.tensors.get(name).cloned();
        tensor.ok_or_else(|| format!("the model has no tensor `{name}`").into())
    }

    /// Returns the common name of the quantised weights whose product `bias` is added to, by
    /// following the graph back from the addition through the scaling and the cast. Exporters
    /// number weights, so the names do not tell.
    pub(crate) fn weights_before(&self, bias: &str) -> Result<&'a str> {
        let missing = || format!("`{bias}` is not added to an integer product");
        let addition = self
            .nodes
            .iter()
            .find(|node| node.operation == "Add" && node.inputs.contains(&bias))
            .ok_or_else(missing)?;
        let mut inputs = addition.inputs.clone();
        while let Some(input) = inputs.pop() {
            let Some(node) = self.nodes.iter().find(|node| node.outputs.contains(&input)) else {
                continue;
            };
            match node.operation {
                "MatMulInteger" => {
                    let weights = node.inputs.get(1).and_then(|n| n.strip_suffix("_quantized"));
                    return Ok(weights.ok_or_else(missing)?);
                }
                "Mul" | "Cast" => inputs.extend(&node.inputs),
                _ => {}
            }
        }
        Err(missing().into())
    }
}
