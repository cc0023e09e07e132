//! Recall by trigger: an index of `/when` and `/how` lines, and the decision files they open.
//!
//! An agent reads the index, sees `/when writing mock tests`, and asks for it. The answer is the
//! section `When Writing Mock Tests` of a decision file, with links to its parents and siblings.
//! Everything here is pure, except [`files`] and [`commit`], which read and write files.

pub mod add;
pub mod commit;
pub mod compress;
pub mod corpus;
pub mod files;
pub mod fix;
mod fold;
pub mod fuzzy;
pub mod index;
pub mod install;
pub mod invocation;
mod lines;
pub mod markdown;
pub mod measure;
pub mod migrate;
pub mod naming;
pub mod navigate;
pub mod offer;
pub mod operator;
mod recall_report;
pub mod resolve;
mod resolve_error;
pub mod sections;
pub mod stats;
pub mod transcript;
pub mod validate;

pub use corpus::{Corpus, Document, Expansion, HeadingId, HeadingIndex, IndexFile};
pub use index::{LineError, TriggerEntry, TriggerIndex, parse_index};
pub use operator::Operator;
pub use resolve::{QueryKind, ResolveError, ResolvedSection, resolve};
