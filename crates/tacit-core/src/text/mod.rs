//! Rules for text: cleaning, tokens, scores of words, similarity, showing.

pub(crate) mod bm25;
pub(crate) mod clean;
pub(crate) mod markdown;
pub(crate) mod similarity;
pub(crate) mod slash;
mod stem;
pub(crate) mod tokens;
pub(crate) mod visible;
