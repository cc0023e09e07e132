//! A graph and what edits changed in it, packed into one piece.

use super::base::{FILE, FORWARD, NODE};
use super::rows::{EdgeRow, FileRow, NodeRow, Rows, write};
use super::{Overlay, Packed};
use crate::graph::NodeId;
use crate::project::FileId;

/// Packs all into one piece. None if it does not fit together: all is to be linked then.
pub(super) fn fold(graph: &Packed<'_>) -> Option<Vec<u8>> {
    let Some(overlay) = graph.overlay else { return Some(graph.base.bytes.to_vec()) };
    let mut rows = Rows { unnameable: graph.unnameable(), ..Rows::default() };
    rows.edges.reserve(graph.edges() as usize);
    rows.nodes.reserve(graph.nodes() as usize);
    for file in 0..graph.files() {
        let again = overlay.relinked(file);
        rows.files.push(file_row(graph, file)?);
        match again.and_then(|one| one.text.as_ref()) {
            Some(text) => rows.nodes.extend(text.nodes.iter().map(|one| NodeRow::new(one, file))),
            None => keep_nodes(graph, graph.base.range(file), file, &mut rows)?,
        }
        match again {
            Some(_) => {
                let added = graph.range(file).flat_map(|node| overlay.dependencies(node));
                rows.edges.extend(added.map(EdgeRow::new));
            }
            None => keep_edges(graph, overlay, file, &mut rows)?,
        }
        rows.consulted.extend(graph.consulted(file));
        rows.mentions.extend(graph.mentions(file).into_iter().map(|name| (file, name)));
    }
    rows.symbols = rows.nodes.len();
    let directories = graph.base.counts.symbols as NodeId..graph.base.nodes();
    keep_nodes(graph, directories, graph.files().saturating_sub(1), &mut rows)?;
    let end = rows.nodes.len();
    let is_node = |edge: &EdgeRow| (edge.to as usize) < end && (edge.from as usize) < end;
    let fits = rows.symbols == graph.symbols() as usize
        && rows.edges.len() == graph.edges() as usize
        && rows.edges.iter().all(is_node);
    fits.then(|| write(&rows, graph.generation()))
}

fn file_row(graph: &Packed<'_>, file: FileId) -> Option<FileRow> {
    let known = graph.file(file)?;
    Some(FileRow {
        node: known.node,
        // Why it was not parsed, and whether it is a test: no edit changes these.
        flags: graph.base.number(graph.base.part(0) + file as usize * FILE + 4),
        error_line: known.error_line.unwrap_or(0),
        dynamic_calls: known.dynamic_calls,
        unresolved: known.unresolved,
        computed: known.computed,
    })
}

/// Takes nodes over as they are.
fn keep_nodes<'a>(
    graph: &Packed<'a>,
    range: std::ops::Range<NodeId>,
    file: FileId,
    rows: &mut Rows<'a>,
) -> Option<()> {
    let base = &graph.base;
    for node in range {
        let at = base.part(1) + node as usize * NODE;
        let start = base.part(10) + base.number(at) as usize;
        let length = base.number(at + 20) as usize;
        rows.nodes.push(NodeRow {
            name: base.bytes.get(start..start.checked_add(length)?)?,
            kind: base.number(at + 4),
            end_line: base.number(at + 8),
            sum: u64::from(base.number(at + 12)) | (u64::from(base.number(at + 16)) << 32),
            file,
        });
    }
    Some(())
}

/// Takes the edges of a file over, to where the nodes are now. None if one leads to a symbol that
/// may be another: whoever names such a symbol is linked again.
fn keep_edges(
    graph: &Packed<'_>,
    overlay: &Overlay,
    file: FileId,
    rows: &mut Rows<'_>,
) -> Option<()> {
    let base = &graph.base;
    for node in base.range(file) {
        let from = overlay.now(node)?;
        for index in base.row(2, node) {
            let at = base.part(3) + index as usize * FORWARD;
            let (line, kinds) = (base.number(at + 4), base.number(at + 8));
            rows.edges.push(EdgeRow { from, to: overlay.now(base.number(at))?, line, kinds });
        }
    }
    Some(())
}
