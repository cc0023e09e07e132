//! Where things are in a packed graph: a row of edges for each node, in both directions, beside the
//! names; and which files speak for which. All numbers are little-endian.

pub(super) const MAGIC: &[u8; 8] = b"TACITGR4";
pub(super) const HEADER: usize = 72;
pub(super) const FILE: usize = 24;
pub(super) const NODE: usize = 28;
pub(super) const FORWARD: usize = 12;
pub(super) const BACKWARD: usize = 8;
pub(super) const SPEAKS: usize = 8;
/// Where the number of files that cannot be named stands, and where their languages do.
pub(super) const UNNAMEABLE: usize = 44;
pub(super) const THEIR_LANGUAGES: usize = 56;
/// Where the sum of all that follows the header stands.
pub(super) const SUM: usize = 48;
/// Where the sum of the header before it stands.
pub(super) const HEADER_SUM: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) files: usize,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Where directories begin.
    pub(super) symbols: usize,
    pub(super) names: usize,
    /// How often a file speaks for another.
    pub(super) speaks: usize,
}

/// How many parts there are: files, nodes, rows and edges in one direction and the other, which
/// files speak for which, names.
pub(super) const PARTS: usize = 8;

impl Counts {
    /// Where each part begins, and where the last ends.
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
