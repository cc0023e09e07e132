//! History of files in commits: the identity of a file through its renames, and the files that
//! change together.
//!
//! Values in, values out, except in `read.rs`, which has git run by `tacit-git` and keeps what was
//! read.

mod estimate;
mod log;
mod names;
mod past;
pub(crate) mod read;
mod structure;
mod weigh;

pub use estimate::{Estimator, Partner, Reason, UsedTogether};
pub use log::{Change, Commit, parse_log};
pub use names::{FileId, NameEvent, Names};
pub use past::{Appended, BULK, History, Past};
pub use structure::{Structure, stem_of};
pub use weigh::Weights;
