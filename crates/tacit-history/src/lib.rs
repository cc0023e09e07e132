//! Concludes memories from the history of a repository and from its files: approaches that were
//! reverted, files with fixes of one kind, conventions, and the commands that check the project.
//!
//! The crate is pure: its input is commits and the text of files, its output is lessons. It runs no
//! git, opens no file, and knows no store. Start reading in `learn.rs`.

pub mod build;
pub mod ci;
mod commit;
mod conventions;
mod fixes;
mod learn;
mod lesson;
mod message;
mod reverts;
mod stated;
mod text;

pub use commit::{Past, PastCommit};
pub use learn::{MAX_LESSONS, learn};
pub use lesson::{Lesson, LessonKind};
pub use stated::StatedTexts;
