//! The words of a question: the score they give by BM25, the same whichever store candidates come
//! from, and words that nobody has used, led back to words that somebody has.
//!
//! A question may spell a name otherwise than the project does: with a typing error, in one word
//! instead of two, or cut short. What the project calls things is known from its memories, so no
//! model is needed to find what was probably meant.

use std::collections::HashMap;

use strsim::osa_distance;
use tacit_core::{Bm25, Tokens, rarity};

use crate::query::{MOST_TERMS, Query};

const WORDS: Bm25 = Bm25 { k1: 1.2, b: 0.75 };
/// How much a word counts in the heading.
const TITLE: f64 = 2.0;
/// The shortest word that is compared letter by letter.
const SHORTEST: usize = 5;
/// From this length on, two letters may differ.
const LONG: usize = 9;
/// Number of letters by which a word may exceed its typed beginning.
const MOST_MORE: usize = 4;
/// The shortest half of a word that was written as one.
const SHORTEST_HALF: usize = 3;

/// The tokens of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTokens {
    /// Of its heading.
    pub title: Tokens,
    /// Of its text.
    pub text: Tokens,
    /// Of its tags, files and modules.
    pub labels: Tokens,
}

/// How well a candidate's words match.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LexicalScore {
    /// BM25.
    pub score: f64,
    /// The share of what the question's words tell that the candidate has, from 0 to 1.
    pub coverage: f64,
}

/// Scores every candidate. `documents` tells in how many of `memories` each term of the question
/// occurs.
pub fn lexical(
    query: &Query,
    memories: u64,
    documents: &[u64],
    candidates: &[FieldTokens],
) -> Vec<LexicalScore> {
    let mut telling: Vec<(&str, f64)> = query
        .terms()
        .iter()
        .zip(documents)
        .map(|(term, documents)| (term.token.as_str(), term.weight * rarity(memories, *documents)))
        .collect();
    // In a long question most words are there by chance; those that tell most decide.
    telling.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    telling.truncate(MOST_TERMS);
    let weights: HashMap<&str, f64> = telling.into_iter().collect();
    let told: f64 = query.terms().iter().filter_map(|term| weights.get(term.token.as_str())).sum();
    let lengths: Vec<f64> = candidates.iter().map(FieldTokens::length).collect();
    let average = (lengths.iter().sum::<f64>() / lengths.len().max(1) as f64).max(1.0);
    candidates
        .iter()
        .zip(lengths)
        .map(|(candidate, length)| {
            let mut counts: HashMap<&str, f64> = HashMap::new();
            for (tokens, factor) in
                [(&candidate.title, TITLE), (&candidate.text, 1.0), (&candidate.labels, 1.0)]
            {
                for token in tokens.iter().filter(|token| weights.contains_key(token)) {
                    *counts.entry(token).or_default() += factor;
                }
            }
            // In the order of the question, so that the sum is the same to the bit every time.
            let mut lexical = LexicalScore::default();
            for term in query.terms() {
                if let Some(count) = counts.get(term.token.as_str()) {
                    let weight = weights[term.token.as_str()];
                    lexical.score += WORDS.score(weight, *count, length, average);
                    lexical.coverage += weight;
                }
            }
            lexical.coverage = if told > 0.0 { lexical.coverage / told } else { 0.0 };
            lexical
        })
        .collect()
}

impl FieldTokens {
    fn length(&self) -> f64 {
        (self.title.iter().len() + self.text.iter().len() + self.labels.iter().len()) as f64
    }
}

/// The ways to read an unknown word as two.
pub fn halves(token: &str) -> Vec<(&str, &str)> {
    if !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Vec::new();
    }
    (SHORTEST_HALF..(token.len() + 1).saturating_sub(SHORTEST_HALF))
        .map(|at| token.split_at(at))
        .collect()
}

/// The known word that an unknown one most likely stands for: one letter away (two, in a long
/// word), or begun by it. Of several, the commonest.
pub fn nearest_word<'a>(token: &str, known: &'a [(String, u64)]) -> Option<&'a str> {
    let length = token.chars().count();
    if length < SHORTEST || token.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let allowed = if length >= LONG { 2 } else { 1 };
    known
        .iter()
        .filter_map(|(word, documents)| {
            let begun = word.starts_with(token) && word.chars().count() <= length + MOST_MORE;
            let away = || {
                let near = word.chars().count().abs_diff(length) <= allowed;
                near.then(|| osa_distance(token, word)).filter(|away| *away <= allowed)
            };
            let away = if begun { 1 } else { away()? };
            Some((away, std::cmp::Reverse(*documents), word.as_str()))
        })
        .min()
        .map(|(.., word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_core::tokenize;

    fn fields(title: &str, body: &str) -> FieldTokens {
        FieldTokens { title: tokenize(title), text: tokenize(body), labels: tokenize("") }
    }

    fn scores(question: &str, documents: &[u64], candidates: &[FieldTokens]) -> Vec<f64> {
        let query = Query::read(question);
        lexical(&query, 100, documents, candidates).iter().map(|l| l.score).collect()
    }

    #[test]
    fn rarer_words_shorter_texts_and_headings_count_more() {
        let texts = [fields("", "lock and other words"), fields("", "writer and other words")];
        let found = scores("lock writer", &[2, 50], &texts);
        assert!(found[0] > found[1], "{found:?}");
        let texts = [fields("", "lock"), fields("", &format!("lock {}", "filler ".repeat(50)))];
        let found = scores("lock", &[2], &texts);
        assert!(found[0] > found[1], "{found:?}");
        let texts = [fields("lock", "text"), fields("text", "lock")];
        let found = scores("lock", &[2], &texts);
        assert!(found[0] > found[1], "{found:?}");
    }

    #[test]
    fn coverage_is_a_share() {
        let query = Query::read("lock writer");
        let texts = [fields("", "lock writer"), fields("", "lock"), fields("", "nothing")];
        let found = lexical(&query, 100, &[5, 5], &texts);
        assert!((found[0].coverage - 1.0).abs() < 1e-9);
        assert!(found[1].coverage > 0.4 && found[1].coverage < 0.6);
        assert_eq!(found[2], LexicalScore::default());
        assert!(lexical(&query, 0, &[0, 0], &[]).is_empty());
    }

    #[test]
    fn unknown_words_lead_to_known_ones() {
        let known: Vec<(String, u64)> = [
            ("webhook", 9),
            ("worker", 3),
            ("migration", 5),
            ("migrations", 1),
            ("pool", 7),
            ("websocket", 2),
            ("timeout", 4),
        ]
        .map(|(word, count)| (word.to_owned(), count))
        .to_vec();
        for (token, found) in [
            ("webhok", Some("webhook")),
            ("wokrer", Some("worker")),
            ("migratoin", Some("migration")),
            ("migra", Some("migration")),
            ("migr", None),
            ("migrat", Some("migration")),
            ("timeuot", Some("timeout")),
            ("pol", None),
            ("sockets", None),
            ("e0308x", None),
        ] {
            assert_eq!(nearest_word(token, &known), found, "{token}");
        }
    }

    #[test]
    fn a_word_can_be_two() {
        assert_eq!(halves("webhook").len(), 2);
        assert!(halves("webhook").contains(&("web", "hook")));
        assert!(halves("pool").is_empty() && halves("").is_empty() && halves("größer").is_empty());
    }
}
