//! What an edit changed in a graph, as it is made by linking and kept beside the packed graph.

use serde::{Deserialize, Serialize};

use crate::graph::{Computed, EdgeKind, Node, Origin};
use crate::project::FileId;
use crate::sum::sum;

const MAGIC: &[u8; 8] = b"TACITED2";
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
    /// The names that it may look up, as short sums, in order.
    pub mentions: Vec<u32>,
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
    /// Imports of which only the program knows what they mean.
    pub computed: Computed,
    /// The file and what it defines.
    pub nodes: Vec<Node>,
    /// Which of the nodes it had are still there.
    pub kept: KeptNodes,
}

/// Which nodes of a file whose text changed are those it had, for edges of others that lead there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum KeptNodes {
    /// All, in their places.
    All,
    /// The file itself; nobody who was not linked again leads to a symbol of it.
    File,
    /// For each that was there, its place now. They are in the same order.
    These(Vec<Option<u32>>),
}

impl KeptNodes {
    /// Where a node is now.
    pub(crate) fn now(&self, place: u32) -> Option<u32> {
        match self {
            KeptNodes::All => Some(place),
            KeptNodes::File => (place == 0).then_some(0),
            KeptNodes::These(now) => *now.get(place as usize)?,
        }
    }

    /// Where a node was.
    pub(crate) fn before(&self, place: u32) -> Option<u32> {
        match self {
            KeptNodes::All => Some(place),
            KeptNodes::File => (place == 0).then_some(0),
            KeptNodes::These(now) => {
                now.iter().position(|now| *now == Some(place)).map(|was| was as u32)
            }
        }
    }

    /// These, after another edit.
    fn then(self, later: KeptNodes) -> KeptNodes {
        match (self, later) {
            (KeptNodes::All, later) => later,
            (earlier, KeptNodes::All) => earlier,
            (KeptNodes::File, _) | (_, KeptNodes::File) => KeptNodes::File,
            (KeptNodes::These(now), later) => {
                KeptNodes::These(now.iter().map(|now| later.now((*now)?)).collect())
            }
        }
    }
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
    /// This patch with one that was made after it. None if they do not fit: an edge leads to a symbol
    /// that is gone.
    #[must_use]
    pub fn then(mut self, later: Patch) -> Option<Patch> {
        self.follow(&later)?;
        let mut files = Vec::with_capacity(self.files.len() + later.files.len());
        let mut earlier = self.files.into_iter().peekable();
        for mut one in later.files {
            while let Some(before) = earlier.next_if(|before| before.file < one.file) {
                files.push(before);
            }
            if let Some(before) = earlier.next_if(|before| before.file == one.file) {
                one.text = match (before.text, one.text) {
                    (Some(before), Some(now)) => {
                        Some(Text { kept: before.kept.then(now.kept), ..now })
                    }
                    (before, now) => now.or(before),
                };
            }
            files.push(one);
        }
        files.extend(earlier);
        Some(Patch { files })
    }

    /// Lets the edges of files that a later patch does not link again lead to where the symbols are
    /// then.
    fn follow(&mut self, later: &Patch) -> Option<()> {
        let place = |file: FileId| later.files.binary_search_by_key(&file, |one| one.file).ok();
        for one in self.files.iter_mut().filter(|one| place(one.file).is_none()) {
            for link in &mut one.links {
                let text = place(link.to_file).and_then(|at| later.files[at].text.as_ref());
                if let Some(text) = text {
                    link.to = text.kept.now(link.to)?;
                }
            }
        }
        Some(())
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
