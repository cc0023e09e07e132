//! Ranking of recall candidates: pure functions without database, clock or model.
//!
//! The caller fetches candidates from a store and gets them back in order, with every contribution
//! to their scores.
//!
//! The query is parsed once ([`Query`]). Each candidate gets a score for its words and one for its
//! meaning, which are fused on one scale ([`fuse`]). Age, use, phase and trust then reorder
//! near-equals ([`rank()`]), near-duplicates are folded, and irrelevant candidates are removed.

mod context;
mod estimator;
mod fuse;
mod language;
mod phase;
mod query;
mod rank;
mod time_words;
mod words;

pub use estimator::{CLEAR, Meaning, PromptTraits, Similarity, Strictness, likelihood};
pub use fuse::{Fused, MatchSignals, fuse};
pub use phase::PhaseWeights;
pub use query::{Query, QueryTerm};
pub use rank::{
    FileLink, RankProfile, RankSettings, Ranked, Ranking, RecallCandidate, RemovalReason, Removed,
    baseline_score, is_proven, rank,
};
pub use time_words::{SOON_AFTER_DAYS, time_window};
pub use words::{FieldTokens, LexicalScore, lexical, nearest_word, word_splits};
