//! BM25 scores of a query's words, and corrections of unknown words.
//!
//! A query may spell a name differently from the project: with a typo, as one word instead of two,
//! or abbreviated. The project's vocabulary is known from its memories, so no model is needed to
//! find the intended word.

use std::collections::HashMap;

use strsim::osa_distance;
use tacit_core::{Bm25, Tokens, inverse_document_frequency};

use crate::query::{ForeignName, MOST_TERMS, Query};

const WORDS: Bm25 = Bm25 { k1: 1.2, b: 0.75 };
/// The weight of a word in the title.
const TITLE: f64 = 2.0;
/// The weight of a word in a cue.
const CUE: f64 = 1.0;
/// The number of memories up to which a name is rare in a small store; in a large one it is one
/// memory in fifty.
const RARE_NAME: u64 = 3;
/// The shortest word that is corrected, in characters.
const SHORTEST: usize = 5;
/// The length from which on two letters may differ.
const LONG: usize = 9;
/// The most letters by which a known word may exceed its typed prefix.
const MOST_MORE: usize = 4;
/// The shortest half of a split word.
const SHORTEST_HALF: usize = 3;

/// The tokens of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTokens {
    /// Tokens of the title.
    pub title: Tokens,
    /// Tokens of the text.
    pub text: Tokens,
    /// Tokens of the tags, files and modules.
    pub labels: Tokens,
    /// Tokens of the cues.
    pub cues: Tokens,
}

/// The match of a candidate's words.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LexicalScore {
    /// The BM25 score.
    pub score: f64,
    /// The weighted share of the query's words that the candidate contains, from 0 to 1.
    pub coverage: f64,
    /// The weight of the names that it has in common with a query that is not in English, and few
    /// other memories have.
    pub names: usize,
}

/// Scores every candidate. `documents` has the number of `memories` that contain each term of the
/// query.
pub fn lexical(
    query: &Query,
    memories: u64,
    documents: &[u64],
    candidates: &[FieldTokens],
) -> Vec<LexicalScore> {
    let mut weighted: Vec<(&str, f64)> = query
        .terms()
        .iter()
        .zip(documents)
        .map(|(term, documents)| {
            (term.token.as_str(), term.weight * inverse_document_frequency(memories, *documents))
        })
        .collect();
    // Most words of a long query are there by chance; the most significant ones decide.
    weighted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    weighted.truncate(MOST_TERMS);
    let weights: HashMap<&str, f64> = weighted.into_iter().collect();
    let total_weight: f64 =
        query.terms().iter().filter_map(|term| weights.get(term.token.as_str())).sum();
    let rare = RARE_NAME.max(memories / 50);
    let names: Vec<&ForeignName> = (query.foreign_names().iter())
        .filter(|name| {
            let mut terms = query.terms().iter().zip(documents);
            terms.any(|(term, documents)| term.token == name.token && *documents <= rare)
        })
        .collect();
    let lengths: Vec<f64> = candidates.iter().map(FieldTokens::length).collect();
    let average = (lengths.iter().sum::<f64>() / lengths.len().max(1) as f64).max(1.0);
    candidates
        .iter()
        .zip(lengths)
        .map(|(candidate, length)| {
            let mut counts: HashMap<&str, f64> = HashMap::new();
            for (tokens, factor) in [
                (&candidate.title, TITLE),
                (&candidate.text, 1.0),
                (&candidate.labels, 1.0),
                (&candidate.cues, CUE),
            ] {
                for token in tokens.iter().filter(|token| weights.contains_key(token)) {
                    *counts.entry(token).or_default() += factor;
                }
            }
            // Summed in the order of the query, so that the result is always the same to the bit.
            let mut lexical = LexicalScore::default();
            for term in query.terms() {
                if let Some(count) = counts.get(term.token.as_str()) {
                    let weight = weights[term.token.as_str()];
                    lexical.score += WORDS.score(weight, *count, length, average);
                    lexical.coverage += weight;
                }
            }
            lexical.coverage =
                if total_weight > 0.0 { lexical.coverage / total_weight } else { 0.0 };
            let has_name = |name: &&&ForeignName| counts.contains_key(name.token.as_str());
            lexical.names = names.iter().filter(has_name).map(|name| name.weight).sum();
            lexical
        })
        .collect()
}

impl FieldTokens {
    fn length(&self) -> f64 {
        [&self.title, &self.text, &self.labels, &self.cues]
            .map(|field| field.iter().len())
            .iter()
            .sum::<usize>() as f64
    }
}

/// Returns the ways to split an unknown word into two.
pub fn word_splits(token: &str) -> Vec<(&str, &str)> {
    if !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Vec::new();
    }
    (SHORTEST_HALF..(token.len() + 1).saturating_sub(SHORTEST_HALF))
        .map(|at| token.split_at(at))
        .collect()
}

/// Returns the known word that an unknown one most likely means: one letter away (two in a long
/// word), or starting with it. Among several, the most frequent.
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
        let none = Tokens::default;
        FieldTokens { title: tokenize(title), text: tokenize(body), labels: none(), cues: none() }
    }

    fn scores(question: &str, documents: &[u64], candidates: &[FieldTokens]) -> Vec<f64> {
        let query = Query::parse(question);
        lexical(&query, 100, documents, candidates).iter().map(|l| l.score).collect()
    }

    #[test]
    fn rare_words_short_texts_and_titles_score_higher() {
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
    fn coverage_is_the_share_of_matched_words() {
        let query = Query::parse("lock writer");
        let texts = [fields("", "lock writer"), fields("", "lock"), fields("", "nothing")];
        let found = lexical(&query, 100, &[5, 5], &texts);
        assert!((found[0].coverage - 1.0).abs() < 1e-9);
        assert!(found[1].coverage > 0.4 && found[1].coverage < 0.6);
        assert_eq!(found[2], LexicalScore::default());
        assert!(lexical(&query, 0, &[0, 0], &[]).is_empty());
    }

    #[test]
    fn rare_names_of_queries_in_other_languages_are_weighed() {
        let names = |question: &str, documents: u64, text: &str| {
            let query = Query::parse(question);
            let counts = vec![documents; query.terms().len()];
            lexical(&query, 100, &counts, &[fields("", text)])[0].names
        };
        let german = "warum kommt der Fehler ErrStaleRate nach dem Feiertag";
        assert_eq!(names(german, 1, "ErrStaleRate is expected"), 2, "a compound");
        assert_eq!(names(german, 9, "ErrStaleRate is expected"), 0, "a common name");
        assert_eq!(names(german, 1, "the rate is stale"), 0, "parts of it");
        assert_eq!(names("was ist das für ein SQLSTATE", 1, "SQLSTATE 40001"), 1, "a word");
        assert_eq!(names("why is it ErrStaleRate again", 1, "ErrStaleRate"), 0, "English");
    }

    #[test]
    fn unknown_words_are_corrected() {
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
    fn words_split_into_two() {
        assert_eq!(word_splits("webhook").len(), 2);
        assert!(word_splits("webhook").contains(&("web", "hook")));
        assert!(
            word_splits("pool").is_empty()
                && word_splits("").is_empty()
                && word_splits("größer").is_empty()
        );
    }
}
