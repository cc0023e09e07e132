//! Layout of a packed graph: a row of edges for each node, in both directions, beside the names;
//! and the files that speak for others. All numbers are little-endian.

pub(super) const MAGIC: &[u8; 8] = b"TACITGR4";
pub(super) const HEADER: usize = 72;
pub(super) const FILE: usize = 24;
pub(super) const NODE: usize = 28;
pub(super) const FORWARD: usize = 12;
pub(super) const BACKWARD: usize = 8;
pub(super) const SPEAKS: usize = 8;
/// Offset of the number of files that cannot be named, followed by their languages.
pub(super) const NON_UTF8_FILES: usize = 44;
pub(super) const NON_UTF8_LANGUAGES: usize = 56;
/// Offset of the checksum of everything after the header.
pub(super) const CHECKSUM: usize = 48;
/// Offset of the checksum of the header before it.
pub(super) const HEADER_CHECKSUM: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: usize,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// The start of the directories.
    pub(super) symbols: usize,
    pub(super) names: usize,
    /// Number of pairs in which one file speaks for another.
    pub(super) speaks: usize,
}

/// Number of parts: files, nodes, rows and edges in one direction and the other, pairs of files of
/// which one speaks for the other, names.
pub(super) const PARTS: usize = 8;

impl Counts {
    /// Computes the start of each part, and the end of the last.
    pub(super) fn parts(self) -> Option<[usize; PARTS + 1]> {
        let sizes = [
            self.files.checked_mul(FILE)?,
            self.nodes.checked_mul(NODE)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(FORWARD)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(BACKWARD)?,
            self.speaks.checked_mul(SPEAKS)?,
            self.names,
        ];
        let mut at = [HEADER; PARTS + 1];
        for (index, size) in sizes.into_iter().enumerate() {
            at[index + 1] = at[index].checked_add(size)?;
        }
        Some(at)
    }
}
