//! Text processing: cleaning, tokens, scoring, similarity and display.

pub(crate) mod bm25;
pub(crate) mod clean;
pub(crate) mod markdown;
pub(crate) mod open_points;
pub(crate) mod prompt;
pub(crate) mod quotation;
pub(crate) mod sentences;
pub(crate) mod similarity;
pub(crate) mod slash;
mod stem;
pub(crate) mod tokens;
pub(crate) mod visible;
