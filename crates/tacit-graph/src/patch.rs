//! What an edit changed in a graph, as it is made by linking and kept beside the packed graph.

use serde::{Deserialize, Serialize};

use crate::graph::{EdgeKind, Node, Origin};
use crate::project::FileId;
use crate::sum::sum;

const MAGIC: &[u8; 8] = b"TACITED1";
/// The mark, the sum of the graph it belongs to, the generation, and a sum of what follows.
const HEADER: usize = 32;

/// The files of a graph that were linked again, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// The files.
    pub files: Vec<Relinked>,
}

/// A file that was linked again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relinked {
    /// Which.
    pub file: FileId,
    /// What it is made of, if its text changed.
    pub text: Option<Text>,
    /// All edges from its nodes, in order.
    pub links: Vec<Link>,
    /// What could not be linked: lines and names, in order.
    pub unresolved: Vec<(u32, String)>,
    /// Which other files its links depend on, and whether it speaks for them, in order.
    pub consulted: Vec<(FileId, bool)>,
}

/// What a file is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Text {
    /// The first line that could not be parsed.
    pub error_line: Option<u32>,
    /// Calls of which nothing can be said.
    pub dynamic_calls: u32,
    /// The file and what it defines.
    pub nodes: Vec<Node>,
    /// Whether its symbols are others than before, so that nobody who was not linked again leads to
    /// one of them.
    pub renamed: bool,
}

/// An edge, with nodes named by their files and their places there: numbers change when files
/// before them get other nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The place of the one that depends, in the file that was linked again.
    pub from: u32,
    /// The file of the one it depends on.
    pub to_file: FileId,
    /// The place there.
    pub to: u32,
    /// How.
    pub kind: EdgeKind,
    /// How that is known.
    pub origin: Origin,
    /// The line that says so.
    pub line: u32,
}

impl Patch {
    /// This patch with one that was made after it.
    #[must_use]
    pub fn then(self, later: Patch) -> Patch {
        let mut files = Vec::with_capacity(self.files.len() + later.files.len());
        let mut earlier = self.files.into_iter().peekable();
        for mut one in later.files {
            while let Some(before) = earlier.next_if(|before| before.file < one.file) {
                files.push(before);
            }
            if let Some(before) = earlier.next_if(|before| before.file == one.file) {
                let was_renamed = before.text.as_ref().is_some_and(|text| text.renamed);
                one.text = one.text.or(before.text);
                if let Some(text) = &mut one.text {
                    text.renamed |= was_renamed;
                }
            }
            files.push(one);
        }
        files.extend(earlier);
        Patch { files }
    }

    /// How many edges it holds.
    #[must_use]
    pub fn links(&self) -> usize {
        self.files.iter().map(|file| file.links.len()).sum()
    }

    /// The patch as bytes, for the graph with this sum.
    pub(crate) fn to_bytes(&self, base: u64, generation: u64) -> Vec<u8> {
        let body = postcard::to_allocvec(self).unwrap_or_default();
        let mut out = Vec::with_capacity(HEADER + body.len());
        out.extend(MAGIC);
        out.extend(base.to_le_bytes());
        out.extend(generation.to_le_bytes());
        out.extend((sum(&body) ^ base ^ generation.rotate_left(32)).to_le_bytes());
        out.extend(body);
        out
    }

    /// A patch for the graph with this sum, with the generation it leads to; none if the bytes are
    /// not whole, or belong to another graph.
    pub(crate) fn from_bytes(bytes: &[u8], base: u64) -> Option<(Patch, u64)> {
        let (head, body) = bytes.split_at_checked(HEADER)?;
        let number = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
        let generation = number(16)?;
        let sound = head.get(..8)? == MAGIC
            && number(8)? == base
            && number(24)? == sum(body) ^ base ^ generation.rotate_left(32);
        let patch = if sound { postcard::from_bytes(body).ok()? } else { return None };
        Some((patch, generation))
    }
}
