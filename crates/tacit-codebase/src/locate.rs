//! Finds the files that the description of a task is about: an index of the words in sources, the
//! names in the description, and the ranking of all evidence.
//!
//! Values in, values out, except for `search.rs`, which combines the words, the graph and the
//! history of a worktree. Callers that have memories pass them as external evidence.

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
mod shown_text;
mod similar;
mod spelling;
mod words;
mod zones;

pub use description::{CodeName, Description, PathMention};
pub use index::{FileNumber, PieceRow, WordIndex};
pub use kind::FileKind;
pub use pack::{FileVersion, IndexPacker};
pub use pointer::{
    ExternalEvidence, LocateAnswer, LocatedFile, Pointer, PointerSource, RelatedFile, Symbol,
};
pub use rank::{Callbacks, locate};
pub use similar::{PastText, similar};
pub use words::{FileWords, WORDS_VERSION};
