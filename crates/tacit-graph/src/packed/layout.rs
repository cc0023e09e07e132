//! The layout of a packed graph: files, nodes, rows of edges in both directions, pairs of extending
//! files, and names. All numbers are little-endian.

pub(super) const MAGIC: &[u8; 8] = b"TACITGR4";
pub(super) const HEADER: usize = 72;
pub(super) const FILE: usize = 24;
pub(super) const NODE: usize = 28;
pub(super) const FORWARD: usize = 12;
pub(super) const BACKWARD: usize = 8;
pub(super) const EXTENDED_PAIR: usize = 8;
/// The offset of the number of files with names that are not UTF-8.
pub(super) const NON_UTF8_FILES: usize = 44;
pub(super) const NON_UTF8_LANGUAGES: usize = 56;
/// The offset of the checksum of everything after the header.
pub(super) const CHECKSUM: usize = 48;
/// The offset of the checksum of the header before it.
pub(super) const HEADER_CHECKSUM: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: usize,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// The number of file and symbol nodes. Directories follow.
    pub(super) symbols: usize,
    pub(super) names: usize,
    /// The number of pairs in which one file extends another.
    pub(super) extended_pairs: usize,
}

/// The number of sections: files, nodes, forward rows and edges, backward rows and edges, pairs of
/// extending files, names.
pub(super) const PARTS: usize = 8;

impl Counts {
    /// Computes the start of each section and the end of the last. Returns `None` on overflow.
    pub(super) fn parts(self) -> Option<[usize; PARTS + 1]> {
        let sizes = [
            self.files.checked_mul(FILE)?,
            self.nodes.checked_mul(NODE)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(FORWARD)?,
            self.nodes.checked_add(1)?.checked_mul(4)?,
            self.edges.checked_mul(BACKWARD)?,
            self.extended_pairs.checked_mul(EXTENDED_PAIR)?,
            self.names,
        ];
        let mut at = [HEADER; PARTS + 1];
        for (index, size) in sizes.into_iter().enumerate() {
            at[index + 1] = at[index].checked_add(size)?;
        }
        Some(at)
    }
}
