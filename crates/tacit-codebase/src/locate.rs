//! Search for the files that a description of a task is about: an index of the words in sources,
//! the names in the description, and the weighing of everything that points to a file.
//!
//! Values in, values out, except in `ask.rs`, which brings the words, the graph and the history of a
//! worktree together. Memories are looked up by those who have them.

pub(crate) mod ask;
mod defined;
mod description;
mod excerpt;
mod form;
mod imports;
mod index;
mod kind;
mod messages;
mod named;
mod names;
mod pack;
mod pointer;
mod rank;
mod report;
mod score;
mod show;
mod similar;
mod spelling;
mod words;
mod zones;

pub use description::{Description, Name, Place};
pub use index::{FileAt, Index, PieceRow};
pub use kind::FileKind;
pub use pack::{Packer, Stamp};
pub use pointer::{Answer, Elsewhere, Located, Neighbour, Pointer, Source, Symbol};
pub use rank::{Lent, locate};
pub use similar::{Told, similar};
pub use words::{FileWords, WORDS_VERSION};
