//! History of files in commits: the identity of a file through its renames, and the files that
//! change together.
//!
//! Values in, values out, except in `read.rs`, which has git run by `tacit-git` and keeps what was
//! read.

mod commits;
mod estimate;
mod log;
mod names;
pub(crate) mod read;
mod structure;
mod weights;

pub use commits::{AppendedCommit, BULK_COMMIT_FILES, CommitSummary, History};
pub use estimate::{CoChangeReason, Estimator, Partner, SessionCoUse};
pub use log::{FileChange, LoggedCommit, parse_log};
pub use names::{FileNames, NameEvent, TrackedFileId};
pub use structure::{Structure, stem_of};
pub use weights::EstimateWeights;
