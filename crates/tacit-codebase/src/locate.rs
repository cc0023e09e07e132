//! Search for the files that a description of a task is about: an index of the words in sources,
//! the names in the description, and the weighing of everything that points to a file.
//!
//! Values in, values out, except in `ask.rs`, which brings the words, the graph and the history of a
//! worktree together. Memories are looked up by those who have them.

mod definitions;
mod description;
mod excerpt;
mod imports;
mod index;
mod kind;
mod mentions;
mod messages;
mod names;
mod pack;
mod pointer;
mod rank;
mod render;
mod report_form;
mod report_words;
mod score;
pub(crate) mod search;
mod similar;
mod spelling;
mod words;
mod zones;

pub use description::{CodeName, Description, PathMention};
pub use index::{FileNumber, PieceRow, WordIndex};
pub use kind::FileKind;
pub use pack::{FileVersion, IndexPacker};
pub use pointer::{
    ExternalEvidence, LocateAnswer, LocatedFile, Neighbour, Pointer, PointerSource, Symbol,
};
pub use rank::{Callbacks, locate};
pub use similar::{PastText, similar};
pub use words::{FileWords, WORDS_VERSION};
