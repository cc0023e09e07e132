//! Ranking: what answers a question best, and why.
//!
//! Values in, values out: whoever calls fetches candidates from a store, and gets them back in
//! order with every contribution to their place. There is no database here, no clock, no model.
//!
//! A question is read once ([`Query`]); each candidate gets a score for its words and one for its
//! meaning; the two are put on one scale and joined ([`fuse`]); what was learnt together lends
//! each other weight; then age, use, phase and trust reorder near-equals ([`rank()`]), near-twins
//! are folded, and what is not about the question at all is left out.

mod floor;
mod fuse;
mod phase;
mod query;
mod rank;
mod time_words;
mod words;

pub use floor::{Strictness, likelihood};
pub use fuse::{Fused, MatchSignals, fuse};
pub use phase::PhaseWeights;
pub use query::{Query, QueryTerm};
pub use rank::{
    FileLink, RankProfile, RankSettings, Ranked, Ranking, RecallCandidate, RemovalReason, Removed,
    is_proven, rank, standing,
};
pub use time_words::time_window;
pub use words::{FieldTokens, LexicalScore, halves, lexical, nearest_word};
