//! Writes packed graphs.

use super::layout::{
    BACKWARD, CHECKSUM, Counts, EXTENDED_PAIR, FILE, FORWARD, HEADER, HEADER_CHECKSUM, MAGIC, NODE,
    NON_UTF8_FILES, NON_UTF8_LANGUAGES, PARTS,
};
use crate::checksum::checksum;
use crate::graph::{Edge, Graph};
use crate::project::NonUtf8Files;

/// Packs a graph into bytes.
#[must_use]
pub fn pack(graph: &Graph, generation: u64) -> Vec<u8> {
    let counts = Counts {
        files: graph.files.len(),
        nodes: graph.nodes.len(),
        edges: graph.edges.len(),
        symbols: graph.symbols_end() as usize,
        names: graph.nodes.iter().map(|node| node.name.len()).sum(),
        extended_pairs: graph.extended_files.len(),
    };
    let mut out = Vec::with_capacity(counts.parts().map_or(0, |parts| parts[PARTS]));
    out.extend(MAGIC);
    out.extend(generation.to_le_bytes());
    let Counts { files, nodes, edges, symbols, names, extended_pairs } = counts;
    put(&mut out, [files, nodes, edges, symbols, names, extended_pairs].map(|count| count as u32));
    out.resize(HEADER, 0);
    put_files(&mut out, graph);
    put_nodes(&mut out, graph);
    put_row_starts(&mut out, nodes, graph.edges.iter().map(|edge| edge.from));
    for edge in &graph.edges {
        let kinds = edge.kind as u32 | ((edge.origin as u32) << 8);
        put::<{ FORWARD / 4 }>(&mut out, [edge.to, edge.line, kinds]);
    }
    let places = put_row_starts(&mut out, nodes, graph.edges.iter().map(|edge| edge.to));
    put_backward_edges(&mut out, &graph.edges, places);
    for (file, extended) in &graph.extended_files {
        put::<{ EXTENDED_PAIR / 4 }>(&mut out, [*file, *extended]);
    }
    graph.nodes.iter().for_each(|node| out.extend(node.name.as_bytes()));
    let NonUtf8Files { files, languages } = graph.non_utf8;
    out[NON_UTF8_FILES..NON_UTF8_FILES + 4].copy_from_slice(&files.to_le_bytes());
    out[NON_UTF8_LANGUAGES..NON_UTF8_LANGUAGES + 8].copy_from_slice(&languages.to_le_bytes());
    let body = checksum(&out[HEADER..]);
    out[CHECKSUM..CHECKSUM + 8].copy_from_slice(&body.to_le_bytes());
    let header = checksum(&out[..HEADER_CHECKSUM]);
    out[HEADER_CHECKSUM..HEADER_CHECKSUM + 8].copy_from_slice(&header.to_le_bytes());
    out
}

fn put_files(out: &mut Vec<u8>, graph: &Graph) {
    let mut unresolved = vec![0_u32; graph.files.len()];
    for missing in &graph.unresolved {
        unresolved[missing.file as usize] += 1;
    }
    for (file, unresolved) in graph.files.iter().zip(unresolved) {
        let skipped = file.skipped.map_or(0, |why| why as u32 + 1);
        let flags = skipped | (u32::from(file.test) << 8);
        let computed = u32::from(file.computed_imports.count)
            | (u32::from(file.computed_imports.folders) << 16);
        let error_line = file.error_line.unwrap_or(0);
        let numbers = [file.node, flags, error_line, file.dynamic_calls, unresolved, computed];
        put::<{ FILE / 4 }>(out, numbers);
    }
}

fn put_nodes(out: &mut Vec<u8>, graph: &Graph) {
    let (mut name, mut files) = (0, 0_u32);
    for (at, node) in graph.nodes.iter().enumerate() {
        if graph.files.get(files as usize).is_some_and(|file| file.node as usize == at) {
            files += 1;
        }
        // Parsed files have at most a million bytes, so line numbers fit into 24 bits.
        let kind = (node.line.min(0xff_ffff) << 8) | node.kind as u32;
        let (low, high) = (node.checksum as u32, (node.checksum >> 32) as u32);
        let (length, file) = (node.name.len() as u32, files.saturating_sub(1));
        put::<{ NODE / 4 }>(out, [name, kind, node.end_line, low, high, length, file]);
        name += length;
    }
}

fn put<const N: usize>(out: &mut Vec<u8>, numbers: [u32; N]) {
    numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
}

/// Writes the start of each row and the end of the last. Returns the starts.
fn put_row_starts(
    out: &mut Vec<u8>,
    count: usize,
    nodes_of_edges: impl Iterator<Item = u32>,
) -> Vec<u32> {
    let mut starts = vec![0_u32; count + 1];
    nodes_of_edges.for_each(|one| starts[one as usize + 1] += 1);
    let mut checksum = 0;
    for start in &mut starts {
        checksum += *start;
        *start = checksum;
    }
    starts.iter().for_each(|start| put(out, [*start]));
    starts
}

/// Writes the edges ordered by target, each with its number. `places` are the starts of the rows.
fn put_backward_edges(out: &mut Vec<u8>, edges: &[Edge], mut places: Vec<u32>) {
    let start = out.len();
    out.resize(start + edges.len() * BACKWARD, 0);
    for (number, edge) in edges.iter().enumerate() {
        let place = &mut places[edge.to as usize];
        let at = start + *place as usize * BACKWARD;
        *place += 1;
        out[at..at + 4].copy_from_slice(&edge.from.to_le_bytes());
        out[at + 4..at + 8].copy_from_slice(&(number as u32).to_le_bytes());
    }
}
