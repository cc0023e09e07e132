//! Past texts that are like a description, by the words they share, rare ones counting more.

use std::collections::{HashMap, HashSet};

use tacit_core::tokenize;

use super::description::Description;
use super::score::rarity;
use super::words::is_word;

/// A text with its age, in as many others that came after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastText<'t> {
    /// The text.
    pub text: &'t str,
    /// How many files it is about.
    pub files: usize,
}

/// After so many others, a text counts half.
const HALF_LIFE: f32 = 2_000.0;
/// What is shared less than this is chance.
const MIN_SIMILARITY: f32 = 0.12;

/// The texts most like a description, the newest given first; each with how like it is, less for
/// what is old and what is about many files.
#[must_use]
pub fn similar(
    description: &Description,
    past: &[PastText<'_>],
    limit: usize,
) -> Vec<(usize, f32)> {
    let wanted: HashMap<&str, f32> =
        description.words.iter().map(|(word, weight)| (word.as_str(), *weight)).collect();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let read: Vec<(Vec<&str>, usize)> = past
        .iter()
        .map(|one| {
            let tokens = tokenize(one.text);
            let distinct: HashSet<&str> = tokens.iter().filter(|token| is_word(token)).collect();
            let shared: Vec<&str> = distinct
                .iter()
                .filter_map(|word| wanted.get_key_value(*word).map(|(word, _)| *word))
                .collect();
            shared.iter().for_each(|word| *counts.entry(word).or_default() += 1);
            (shared, distinct.len())
        })
        .collect();
    let total = past.len() as u32;
    let counted = |word: &str| {
        wanted.get(word).copied().unwrap_or(0.0)
            * rarity(total, counts.get(word).copied().unwrap_or(0))
    };
    // What no text has cannot be shared with any.
    let whole: f32 = counts.keys().map(|word| counted(word)).sum();
    let mut found: Vec<(usize, f32)> = read
        .iter()
        .enumerate()
        .filter(|(_, (shared, _))| shared.len() > 1)
        .map(|(at, (shared, length))| {
            let common: f32 = shared.iter().map(|word| counted(word)).sum();
            // What else a text says takes away from it, a little.
            let rest = 0.5 * (length - shared.len()) as f32;
            let like = common / (whole + rest).max(f32::MIN_POSITIVE);
            let young = HALF_LIFE / (HALF_LIFE + at as f32);
            let few = 1.0 / (past[at].files.max(1) as f32).sqrt();
            (at, like, like * young * few)
        })
        .filter(|(_, like, _)| *like >= MIN_SIMILARITY)
        .map(|(at, _, counts)| (at, counts))
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    found.truncate(limit);
    found
}
