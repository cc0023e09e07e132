//! The rows of the graph itself, file by file: nodes, edges, and names that could not be resolved.

use std::collections::BTreeSet;

use rusqlite::{Transaction, params};
use tacit_graph::{Edge, FileId, Graph, KeptNodes, NodeId, NodeKind, Packed, Patch};

use super::{PER_FILE, clear};
use crate::edit::Edited;

/// A node as it is written.
struct NodeRow<'g> {
    kind: NodeKind,
    name: &'g str,
    line: u32,
    end_line: u32,
}

/// Writes a whole graph. `row` tells the row of a file by its path, and the sum of what is written of
/// it.
pub(super) fn write_graph(
    transaction: &Transaction<'_>,
    graph: &Graph,
    row: impl Fn(&str) -> (i64, i64),
) -> rusqlite::Result<()> {
    let path = |node: NodeId| graph.nodes[node as usize].name.as_str();
    let rows: Vec<(i64, i64)> = graph.files.iter().map(|file| row(path(file.node))).collect();
    let mut numbers: Vec<i64> = (0..graph.nodes.len() as i64).collect();
    for (file, (id, _)) in rows.iter().enumerate() {
        for (at, node) in graph.range(file as u32).enumerate() {
            numbers[node as usize] = id * PER_FILE + at as i64;
        }
    }
    let number = |node: NodeId| numbers[node as usize];
    let (mut edge, mut missing) = (0, 0);
    for (file, row) in rows.iter().enumerate() {
        let range = graph.range(file as u32);
        let edges_end = edge + graph.edges[edge..].partition_point(|edge| edge.from < range.end);
        let missing_end = missing
            + graph.unresolved[missing..].partition_point(|found| found.file as usize <= file);
        let edges = &graph.edges[edge..edges_end];
        let unresolved = &graph.unresolved[missing..missing_end];
        (edge, missing) = (edges_end, missing_end);
        let nodes = graph.nodes[range.start as usize..range.end as usize].iter().map(|node| {
            NodeRow { kind: node.kind, name: &node.name, line: node.line, end_line: node.end_line }
        });
        let missing = unresolved.iter().map(|found| (found.line, found.name.as_str()));
        write_file(transaction, *row, nodes, edges, missing, number)?;
    }
    clear(transaction, 0)?;
    let mut insert = transaction.prepare_cached("INSERT INTO nodes VALUES (?1, ?2, ?3, 0, 0)")?;
    let directories = graph.nodes[graph.symbols_end() as usize..].iter();
    for (at, node) in directories.enumerate().take(PER_FILE as usize) {
        insert.execute(params![at as i64, node.kind.as_str(), node.name])?;
    }
    Ok(())
}

/// Writes the files that were linked again, and those with edges to symbols that have another
/// place in their file now.
pub(super) fn write_part(
    transaction: &Transaction<'_>,
    edited: &Edited,
    row: impl Fn(&str) -> (i64, i64),
) -> rusqlite::Result<()> {
    let graph = edited.packed();
    let row = |file| row(graph.path(file));
    let number = |node: NodeId| {
        let file = graph.file_of(node).unwrap_or_default();
        row(file).0 * PER_FILE + i64::from(node - graph.range(file).start)
    };
    let write = |file: FileId, unresolved: &[(u32, String)]| {
        let nodes = graph.range(file).filter_map(|node| graph.node(node)).map(|node| NodeRow {
            kind: node.kind,
            name: node.name,
            line: node.line,
            end_line: node.end_line,
        });
        let edges = graph.range(file).flat_map(|node| graph.dependencies(node));
        let edges: Vec<Edge> = edges.collect();
        let missing = unresolved.iter().map(|(line, name)| (*line, name.as_str()));
        write_file(transaction, row(file), nodes, &edges, missing, number)
    };
    for one in &edited.patch.files {
        write(one.file, &one.unresolved)?;
    }
    let mut select = transaction
        .prepare_cached("SELECT line, name FROM unresolved WHERE file = ?1 ORDER BY line, name")?;
    for file in leading_elsewhere(&graph, &edited.patch) {
        let missing = select.query_map([row(file).0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        write(file, &missing.collect::<rusqlite::Result<Vec<_>>>()?)?;
    }
    Ok(())
}

/// The files that were not linked again and have edges to symbols with another place than before.
fn leading_elsewhere(graph: &Packed<'_>, patch: &Patch) -> BTreeSet<FileId> {
    let mut found = BTreeSet::new();
    for one in &patch.files {
        let kept = one.text.as_ref().map(|text| &text.kept);
        let Some(KeptNodes::These(places)) = kept else { continue };
        let moved = (0..).zip(places).filter_map(|(before, now)| now.filter(|now| *now != before));
        for place in moved {
            let edges = graph.dependents(graph.range(one.file).start + place);
            found.extend(edges.filter_map(|edge| graph.file_of(edge.from)));
        }
    }
    patch.files.iter().for_each(|one| {
        found.remove(&one.file);
    });
    found
}

/// Writes what there is of a file, if it is not what was written before.
fn write_file<'g>(
    transaction: &Transaction<'_>,
    (id, digest_before): (i64, i64),
    nodes: impl Iterator<Item = NodeRow<'g>> + Clone,
    edges: &[Edge],
    unresolved: impl Iterator<Item = (u32, &'g str)> + Clone,
    number: impl Fn(NodeId) -> i64,
) -> rusqlite::Result<()> {
    let mut digest = Digest::default();
    for node in nodes.clone() {
        digest.text(node.name);
        digest.numbers(&[node.kind as i64, i64::from(node.line), i64::from(node.end_line)]);
    }
    for edge in edges {
        let (from, to) = (number(edge.from), number(edge.to));
        digest.numbers(&[from, to, edge.kind as i64, edge.origin as i64, i64::from(edge.line)]);
    }
    for (line, name) in unresolved.clone() {
        digest.text(name);
        digest.numbers(&[i64::from(line)]);
    }
    let digest = digest.0 as i64;
    if digest == digest_before {
        return Ok(());
    }
    clear(transaction, id)?;
    let mut insert = transaction.prepare_cached("INSERT INTO nodes VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for (at, node) in nodes.enumerate() {
        let row = id * PER_FILE + at as i64;
        insert.execute(params![row, node.kind.as_str(), node.name, node.line, node.end_line])?;
    }
    let mut insert =
        transaction.prepare_cached("INSERT INTO edges VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for edge in edges {
        let confidence = f64::from(edge.origin.confidence()) / 100.0;
        let (kind, origin) = (edge.kind.as_str(), edge.origin.as_str());
        let (from, to) = (number(edge.from), number(edge.to));
        insert.execute(params![from, to, kind, origin, confidence, edge.line])?;
    }
    let mut insert =
        transaction.prepare_cached("INSERT OR IGNORE INTO unresolved VALUES (?1, ?2, ?3)")?;
    for (line, name) in unresolved {
        insert.execute(params![id, line, name])?;
    }
    let mut set_digest =
        transaction.prepare_cached("UPDATE files SET digest = ?2 WHERE id = ?1")?;
    set_digest.execute(params![id, digest])?;
    Ok(())
}

/// A sum of the rows of a file, eight bytes at a time.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn word(&mut self, word: u64) {
        // Multiplying moves what differs upwards, turning brings it down again.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn text(&mut self, text: &str) {
        for part in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            self.word(u64::from_le_bytes(bytes));
        }
        self.word(text.len() as u64);
    }

    fn numbers(&mut self, numbers: &[i64]) {
        numbers.iter().for_each(|number| self.word(*number as u64));
    }
}
