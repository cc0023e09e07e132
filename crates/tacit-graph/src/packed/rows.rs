//! Writing a packed graph, from rows that are given in order.

use super::base::{
    BACKWARD, CONSULTED, Counts, FILE, FORWARD, HEADER, HEADER_SUM, MAGIC, MENTION, NODE, PARTS,
    SKIPPED, SPEAKS, SUM, THEIR_LANGUAGES, UNNAMEABLE,
};
use crate::graph::{Computed, Consulted, Edge, FileNode, Graph, Node, NodeId};
use crate::project::{FileId, Unnameable};
use crate::sum::sum;

/// What is written of a file.
#[derive(Clone, Copy)]
pub(super) struct FileRow {
    pub(super) node: NodeId,
    pub(super) flags: u32,
    pub(super) error_line: u32,
    pub(super) dynamic_calls: u32,
    pub(super) unresolved: u32,
    pub(super) computed: Computed,
}

impl FileRow {
    pub(super) fn new(file: &FileNode, unresolved: u32) -> FileRow {
        let skipped = file.skipped.and_then(|why| SKIPPED.iter().position(|known| *known == why));
        FileRow {
            node: file.node,
            flags: skipped.map_or(0, |at| at as u32 + 1) | (u32::from(file.test) << 8),
            error_line: file.error_line.unwrap_or(0),
            dynamic_calls: file.dynamic_calls,
            unresolved,
            computed: file.computed,
        }
    }
}

/// What is written of a node.
#[derive(Clone, Copy)]
pub(super) struct NodeRow<'n> {
    pub(super) name: &'n [u8],
    /// The kind, and above it the line.
    pub(super) kind: u32,
    pub(super) end_line: u32,
    pub(super) sum: u64,
    pub(super) file: FileId,
}

impl<'n> NodeRow<'n> {
    pub(super) fn new(node: &'n Node, file: FileId) -> NodeRow<'n> {
        NodeRow {
            name: node.name.as_bytes(),
            // Lines of files that are parsed fit in 24 bits: they have at most a million bytes.
            kind: (node.line.min(0xff_ffff) << 8) | node.kind as u32,
            end_line: node.end_line,
            sum: node.sum,
            file,
        }
    }
}

/// What is written of an edge.
#[derive(Clone, Copy)]
pub(super) struct EdgeRow {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) line: u32,
    /// The kind, and above it the origin.
    pub(super) kinds: u32,
}

impl EdgeRow {
    pub(super) fn new(edge: &Edge) -> EdgeRow {
        let kinds = edge.kind as u32 | ((edge.origin as u32) << 8);
        EdgeRow { from: edge.from, to: edge.to, line: edge.line, kinds }
    }
}

/// All rows of a graph, in order.
#[derive(Default)]
pub(super) struct Rows<'n> {
    pub(super) files: Vec<FileRow>,
    pub(super) nodes: Vec<NodeRow<'n>>,
    pub(super) edges: Vec<EdgeRow>,
    pub(super) consulted: Vec<Consulted>,
    pub(super) mentions: Vec<(FileId, u32)>,
    /// Where directories begin.
    pub(super) symbols: usize,
    pub(super) unnameable: Unnameable,
}

/// Packs a graph.
#[must_use]
pub fn pack(graph: &Graph, generation: u64) -> Vec<u8> {
    let mut unresolved = vec![0_u32; graph.files.len()];
    for missing in &graph.unresolved {
        unresolved[missing.file as usize] += 1;
    }
    let mut file = None;
    let nodes = graph.nodes.iter().enumerate().map(|(at, node)| {
        let next = file.map_or(0, |file: u32| file + 1);
        if graph.files.get(next as usize).is_some_and(|file| file.node as usize == at) {
            file = Some(next);
        }
        NodeRow::new(node, file.unwrap_or(0))
    });
    let files = graph.files.iter().zip(unresolved);
    let rows = Rows {
        nodes: nodes.collect(),
        files: files.map(|(file, unresolved)| FileRow::new(file, unresolved)).collect(),
        edges: graph.edges.iter().map(EdgeRow::new).collect(),
        consulted: graph.consulted.clone(),
        mentions: graph.mentions.clone(),
        symbols: graph.symbols_end() as usize,
        unnameable: graph.unnameable,
    };
    write(&rows, generation)
}

/// Writes a graph.
pub(super) fn write(rows: &Rows<'_>, generation: u64) -> Vec<u8> {
    let counts = Counts {
        files: rows.files.len(),
        nodes: rows.nodes.len(),
        edges: rows.edges.len(),
        symbols: rows.symbols,
        names: rows.nodes.iter().map(|node| node.name.len()).sum(),
        consulted: rows.consulted.len(),
        mentions: rows.mentions.len(),
    };
    let mut out = Vec::with_capacity(counts.parts().map_or(0, |parts| parts[PARTS]));
    out.extend(MAGIC);
    out.extend(generation.to_le_bytes());
    let numbers = [
        counts.files,
        counts.nodes,
        counts.edges,
        counts.symbols,
        counts.names,
        counts.consulted,
        counts.mentions,
    ];
    numbers.iter().for_each(|number| put(&mut out, [*number as u32]));
    out.resize(HEADER, 0);
    for file in &rows.files {
        let FileRow { node, flags, error_line, dynamic_calls, unresolved, computed } = *file;
        let computed = u32::from(computed.imports) | (u32::from(computed.folders) << 16);
        let numbers = [node, flags, error_line, dynamic_calls, unresolved, computed];
        put::<{ FILE / 4 }>(&mut out, numbers);
    }
    let mut name = 0;
    for node in &rows.nodes {
        let (low, high) = (node.sum as u32, (node.sum >> 32) as u32);
        let length = node.name.len() as u32;
        put::<{ NODE / 4 }>(
            &mut out,
            [name, node.kind, node.end_line, low, high, length, node.file],
        );
        name += length;
    }
    starts(&mut out, counts.nodes, rows.edges.iter().map(|edge| edge.from));
    for edge in &rows.edges {
        put::<{ FORWARD / 4 }>(&mut out, [edge.to, edge.line, edge.kinds]);
    }
    let places = starts(&mut out, counts.nodes, rows.edges.iter().map(|edge| edge.to));
    backward(&mut out, &rows.edges, places);
    starts(&mut out, counts.files, rows.consulted.iter().map(|one| one.file));
    for one in &rows.consulted {
        put::<{ CONSULTED / 4 }>(&mut out, [one.of | if one.speaks { SPEAKS } else { 0 }]);
    }
    starts(&mut out, counts.files, rows.mentions.iter().map(|one| one.0));
    for (_, mention) in &rows.mentions {
        put::<{ MENTION / 4 }>(&mut out, [*mention]);
    }
    rows.nodes.iter().for_each(|node| out.extend(node.name));
    let Unnameable { files, languages } = rows.unnameable;
    out[UNNAMEABLE..UNNAMEABLE + 4].copy_from_slice(&files.to_le_bytes());
    out[THEIR_LANGUAGES..THEIR_LANGUAGES + 8].copy_from_slice(&languages.to_le_bytes());
    let body = sum(&out[HEADER..]);
    out[SUM..SUM + 8].copy_from_slice(&body.to_le_bytes());
    let header = sum(&out[..HEADER_SUM]);
    out[HEADER_SUM..HEADER_SUM + 8].copy_from_slice(&header.to_le_bytes());
    out
}

fn put<const N: usize>(out: &mut Vec<u8>, numbers: [u32; N]) {
    numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
}

/// Writes where the row of each begins, and where the last ends; gives them back.
fn starts(out: &mut Vec<u8>, count: usize, of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0_u32; count + 1];
    of.for_each(|one| starts[one as usize + 1] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts.iter().for_each(|start| put(out, [*start]));
    starts
}

/// Writes the edges by where they lead, each with its number; `places` is where those to each node
/// begin.
fn backward(out: &mut Vec<u8>, edges: &[EdgeRow], mut places: Vec<u32>) {
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
