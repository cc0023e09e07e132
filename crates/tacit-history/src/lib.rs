//! What commits say about files: who a file is through its renames, and which files change
//! together.
//!
//! Values in, values out: git is run by `tacit-git`, and what was read is kept by
//! `tacit-codebase`.

mod estimate;
mod history;
mod log;
mod names;
mod structure;
mod weigh;

pub use estimate::{Estimator, Partner, Reason, UsedTogether};
pub use history::{Appended, BULK, History, Past};
pub use log::{Change, Commit, parse_log};
pub use names::{FileId, NameEvent, Names};
pub use structure::{Structure, stem_of};
pub use weigh::Weights;
