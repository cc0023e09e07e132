//! Rules for text: cleaning, tokens, similarity.

pub(crate) mod clean;
pub(crate) mod similarity;
mod stem;
pub(crate) mod tokens;
