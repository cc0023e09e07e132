//! A packed graph with what an edit changed in it, as it would be packed anew.

use super::rows::{EdgeRow, FileRow, NodeRow, Rows, write};
use super::{FORWARD, NODE, Packed};
use crate::graph::{Consulted, NodeId};
use crate::link::{Patch, Relinked};
use crate::project::FileId;

/// Puts a patch into the graph it was made for. None if they do not fit: all is to be linked then.
#[must_use]
pub fn splice(before: &Packed<'_>, patch: &Patch, generation: u64) -> Option<Vec<u8>> {
    if patch.starts.len() != before.files() as usize {
        return None;
    }
    let moved = Moved::new(before, patch);
    let mut rows = Rows::default();
    rows.edges.reserve(before.edges() as usize);
    rows.nodes.reserve(before.nodes() as usize);
    let mut relinked = patch.files.iter().peekable();
    for file in 0..before.files() {
        let again = relinked.next_if(|one| one.file == file);
        rows.files.push(file_row(before, file, again, patch.starts[file as usize])?);
        match again.and_then(|one| one.nodes.as_ref()) {
            Some((_, nodes)) => rows.nodes.extend(nodes.iter().map(|one| NodeRow::new(one, file))),
            None => keep_nodes(before, before.range(file), file, &mut rows)?,
        }
        match again {
            Some(one) => {
                rows.edges.extend(one.edges.iter().map(EdgeRow::new));
                rows.consulted.extend(&one.consulted);
            }
            None => {
                keep_edges(before, file, &moved, &mut rows)?;
                rows.consulted.extend(before.consulted(file));
            }
        }
    }
    rows.symbols = rows.nodes.len();
    let directories = before.counts.symbols as NodeId..before.nodes();
    let last = before.files().saturating_sub(1);
    keep_nodes(before, directories, last, &mut rows)?;
    let end = rows.nodes.len();
    let is_node = |edge: &EdgeRow| (edge.to as usize) < end && (edge.from as usize) < end;
    let is_file = |one: &Consulted| one.of < before.files();
    let fits = rows.edges.iter().all(is_node) && rows.consulted.iter().all(is_file);
    fits.then(|| write(&rows, generation))
}

fn file_row(
    before: &Packed<'_>,
    file: FileId,
    again: Option<&Relinked>,
    node: NodeId,
) -> Option<FileRow> {
    let at = before.part(0) + file as usize * super::FILE;
    let row = match again.and_then(|one| one.nodes.as_ref()) {
        Some((known, _)) => FileRow::new(known, 0),
        None => FileRow {
            node,
            flags: before.number(at + 4),
            error_line: before.number(at + 8),
            dynamic_calls: before.number(at + 12),
            unresolved: before.number(at + 16),
        },
    };
    let unresolved = again.map_or(row.unresolved, |one| one.unresolved.len() as u32);
    (row.node == node).then_some(FileRow { unresolved, ..row })
}

/// Takes nodes over as they are.
fn keep_nodes<'a>(
    before: &Packed<'a>,
    range: std::ops::Range<NodeId>,
    file: FileId,
    rows: &mut Rows<'a>,
) -> Option<()> {
    for node in range {
        let at = before.part(1) + node as usize * NODE;
        let start = before.part(8) + before.number(at) as usize;
        let length = before.number(at + 20) as usize;
        rows.nodes.push(NodeRow {
            name: before.bytes.get(start..start.checked_add(length)?)?,
            kind: before.number(at + 4),
            end_line: before.number(at + 8),
            sum: u64::from(before.number(at + 12)) | (u64::from(before.number(at + 16)) << 32),
            file,
        });
    }
    Some(())
}

/// Takes the edges of a file over, to where the nodes are now. None if one leads to a symbol that
/// may be another: whoever names such a symbol is linked again.
fn keep_edges(before: &Packed<'_>, file: FileId, moved: &Moved, rows: &mut Rows<'_>) -> Option<()> {
    for node in before.range(file) {
        let from = moved.node(node)?;
        for index in before.row(2, node) {
            let at = before.part(3) + index as usize * FORWARD;
            let (to, line, kinds) =
                (before.number(at), before.number(at + 4), before.number(at + 8));
            rows.edges.push(EdgeRow { from, to: moved.node(to)?, line, kinds });
        }
    }
    Some(())
}

/// Where nodes went.
struct Moved {
    /// Files with other nodes than before: where their symbols began and ended, whether these are
    /// known by other numbers or names, and how far nodes from there on were moved.
    changes: Vec<Change>,
}

struct Change {
    start: NodeId,
    end: NodeId,
    renamed: bool,
    /// How far the nodes after it are moved.
    by: i64,
}

impl Moved {
    fn new(before: &Packed<'_>, patch: &Patch) -> Moved {
        let mut by = 0;
        let mut changes = Vec::new();
        for one in &patch.files {
            let Some((_, nodes)) = &one.nodes else { continue };
            let range = before.range(one.file);
            by += nodes.len() as i64 - range.len() as i64;
            changes.push(Change { start: range.start, end: range.end, renamed: one.renamed, by });
        }
        Moved { changes }
    }

    /// Where a node is now; none if it may be another.
    fn node(&self, node: NodeId) -> Option<NodeId> {
        let after = self.changes.partition_point(|change| change.end <= node);
        let by = after.checked_sub(1).map_or(0, |last| self.changes[last].by);
        let inside = self.changes.get(after).filter(|change| node > change.start);
        if inside.is_some_and(|change| change.renamed) {
            return None;
        }
        NodeId::try_from(i64::from(node) + by).ok()
    }
}
