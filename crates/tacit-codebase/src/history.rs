//! The git history of files: their identity across renames, and co-changes.
//!
//! Values in, values out, except for `read.rs`, which runs git through `tacit-git` and stores what
//! was read.

mod commits;
mod estimate;
mod log;
mod names;
pub(crate) mod read;
mod structure;
mod weights;

pub use commits::{AppendedCommit, BULK_COMMIT_FILES, CommitSummary, History};
pub use estimate::{CoChangeReason, Estimator, Partner, SessionCoUse};
pub use log::{CommittedChange, LoggedCommit, parse_log};
pub use names::{FileNameHistory, NameEvent, TrackedFileId};
pub use structure::{Structure, stem_of};
pub use weights::EstimateWeights;
