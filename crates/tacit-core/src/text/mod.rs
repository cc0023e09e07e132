//! Rules for text: cleaning, tokens, similarity, showing.

pub(crate) mod clean;
pub(crate) mod markdown;
pub(crate) mod similarity;
pub(crate) mod slash;
mod stem;
pub(crate) mod tokens;
pub(crate) mod visible;
