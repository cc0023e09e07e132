//! Rules for text: cleaning, tokens, scores of words, similarity, showing.

pub(crate) mod bm25;
pub(crate) mod clean;
pub(crate) mod similarity;
mod stem;
pub(crate) mod tokens;
pub(crate) mod visible;
