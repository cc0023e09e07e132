//! Parsing of queries: the weight of words, and whether they are prose or code.

use tacit_core::{inverse_document_frequency, tokenize};

use crate::estimator::Strictness;
use crate::language::{is_foreign, is_name};

/// The number of words after which the weight of a word halves: the start carries a long query.
const HALF_WEIGHT_AFTER: f64 = 20.0;
/// The greatest weight of a repeated word.
const MOST_WEIGHT: f64 = 1.5;
/// The weight of a word that replaces an unknown one.
const EXPANDED_WEIGHT: f64 = 0.6;
/// The most words that are looked up and counted.
pub(crate) const MOST_TERMS: usize = 32;
/// The number of distinct words above which a query counts as pasted text, in which single words
/// say little.
const LONG: usize = 40;
/// The most bytes of a query that are embedded for an explicit query, about as many as the model
/// reads.
const FOCUS_BYTES: usize = 2_400;
/// The most bytes of a query that are embedded in a hook, which must be quick.
const QUICK_FOCUS_BYTES: usize = 480;

/// The share of meaning, as opposed to words, in the score of a plain query.
const MEANING_SHARE: f64 = 0.6;
/// The share of meaning for a long query.
const MEANING_SHARE_LONG: f64 = 0.7;
/// The share of meaning for a query that names identifiers, paths, flags or error codes.
const MEANING_SHARE_CODE: f64 = 0.5;

/// A parsed query.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    text: String,
    terms: Vec<QueryTerm>,
    meaning_share: f64,
    /// The names, if the query is not in English.
    foreign_names: Vec<ForeignName>,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The normalised token.
    pub token: String,
    /// The weight, from its position and repetition.
    pub weight: f64,
}

/// An identifier, path, flag or error code in a query that is not in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignName {
    /// The token of the whole name.
    pub(crate) token: String,
    /// The weight: 2 for a compound, 1 for a word or a number, which two texts may share by chance.
    pub(crate) weight: usize,
}

impl Query {
    /// Parses a query.
    pub fn parse(text: &str) -> Query {
        let tokens = tokenize(text);
        let mut terms: Vec<QueryTerm> = Vec::new();
        for (place, token) in tokens.iter().enumerate() {
            let weight = HALF_WEIGHT_AFTER / (HALF_WEIGHT_AFTER + place as f64);
            match terms.iter_mut().find(|term| term.token == token) {
                Some(term) => term.weight = (term.weight + weight).min(MOST_WEIGHT),
                None => terms.push(QueryTerm { token: token.to_owned(), weight }),
            }
        }
        let meaning_share = if terms.len() > LONG {
            MEANING_SHARE_LONG
        } else if names_code(text) {
            MEANING_SHARE_CODE
        } else {
            MEANING_SHARE
        };
        let foreign_names = if is_foreign(text) { names(text) } else { Vec::new() };
        Query { text: text.to_owned(), terms, meaning_share, foreign_names }
    }

    /// Returns the words, in order of first occurrence.
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    /// Returns the names in a query that is not in English, which the model does not understand.
    pub(crate) fn foreign_names(&self) -> &[ForeignName] {
        &self.foreign_names
    }

    /// Adds words that were probably meant, with a reduced weight. Existing words keep theirs.
    pub fn add(&mut self, tokens: impl IntoIterator<Item = String>) {
        for token in tokens {
            if self.terms.iter().all(|term| term.token != token) {
                self.terms.push(QueryTerm { token, weight: EXPANDED_WEIGHT });
            }
        }
    }

    /// Removes unknown words that were replaced by known ones.
    pub fn remove(&mut self, tokens: &[String]) {
        self.terms.retain(|term| !tokens.contains(&term.token));
    }

    /// Returns true for pasted text rather than a question.
    pub fn is_long(&self) -> bool {
        self.terms.len() > LONG
    }

    /// Returns the weight of meaning against words, from 0 to 1.
    pub fn meaning_share(&self) -> f64 {
        self.meaning_share
    }

    /// Returns the text to embed: a short query as a whole; of a long one the start and the end,
    /// where people say what they want around pasted text.
    pub fn embedding_text(&self, strictness: Strictness) -> String {
        let most = match strictness {
            Strictness::Proactive | Strictness::Event => QUICK_FOCUS_BYTES,
            Strictness::Explicit | Strictness::Everything => FOCUS_BYTES,
        };
        let text = self.text.trim();
        if text.len() <= most {
            return text.to_owned();
        }
        let (head, tail) = (most * 7 / 8, most / 8);
        let start = text.floor_char_boundary(head);
        let end = text.ceil_char_boundary(text.len() - tail);
        format!("{}\n{}", &text[..start], &text[end..])
    }

    /// Selects the words to look up, given the number of `memories` that contain each: those with
    /// the most weight, rarest first, until all their matches would exceed `budget` lookups. The
    /// rarest word is always included.
    pub fn select(&self, memories: u64, documents: &[u64], budget: u64) -> Vec<&str> {
        let mut chosen: Vec<(f64, u64, &str)> = self
            .terms
            .iter()
            .zip(documents)
            .filter(|(_, documents)| **documents > 0)
            .map(|(term, documents)| {
                (
                    term.weight * inverse_document_frequency(memories, *documents),
                    *documents,
                    term.token.as_str(),
                )
            })
            .collect();
        chosen.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(b.2)));
        chosen.truncate(MOST_TERMS);
        chosen.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.2.cmp(b.2)));
        let mut spent = 0;
        chosen
            .into_iter()
            .enumerate()
            .take_while(|(index, (_, documents, _))| {
                spent += documents;
                *index == 0 || spent <= budget
            })
            .map(|(_, (.., token))| token)
            .collect()
    }
}

/// Returns the names in a text, each once.
fn names(text: &str) -> Vec<ForeignName> {
    let mut names: Vec<ForeignName> = Vec::new();
    for word in text.split_whitespace().filter(|word| is_name(word)) {
        let tokens = tokenize(word);
        // The first token is the whole name; its parts follow.
        let Some(token) = tokens.iter().next() else { continue };
        let is_simple = tokens.iter().len() == 1
            && (token.bytes().all(|byte| byte.is_ascii_digit())
                || token.bytes().all(|byte| byte.is_ascii_alphabetic()));
        if names.iter().all(|name| name.token != token) {
            names.push(ForeignName { token: token.to_owned(), weight: 2 - usize::from(is_simple) });
        }
    }
    names
}

/// Returns true if a text names code: identifiers, paths, flags, calls or error codes.
fn names_code(text: &str) -> bool {
    text.split_whitespace().take(200).any(|word| {
        let word =
            word.trim_matches(|c: char| matches!(c, ',' | '.' | '?' | '!' | ':' | ';' | '"'));
        let inner = word.as_bytes();
        let camel = inner
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        let digits = inner.iter().filter(|byte| byte.is_ascii_digit()).count();
        let code = digits >= 2 && inner.first().is_some_and(u8::is_ascii_uppercase);
        camel
            || code
            || word.contains("::")
            || word.contains('_')
            || word.contains("()")
            || word.starts_with("--")
            || word.starts_with('`')
            || (word.contains('/') && word.len() > 3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_and_repeated_words_weigh_more() {
        let query = Query::parse("lock timeout in the writer, lock again");
        let weight = |token: &str| {
            query.terms().iter().find(|term| term.token == token).map(|term| term.weight)
        };
        assert_eq!(weight("lock"), Some(MOST_WEIGHT));
        assert!(weight("timeout") > weight("again"));
        assert_eq!(weight("the"), None);
    }

    #[test]
    fn code_in_a_query_favours_words() {
        for (text, share) in [
            ("how do we close the pool", MEANING_SHARE),
            ("why does tokenRefresh fail", MEANING_SHARE_CODE),
            ("error E0308 again", MEANING_SHARE_CODE),
            ("what about src/pool.rs", MEANING_SHARE_CODE),
            ("pass --no-verify", MEANING_SHARE_CODE),
            ("and/or", MEANING_SHARE_CODE),
            ("yes or no", MEANING_SHARE),
        ] {
            assert_eq!(Query::parse(text).meaning_share(), share, "{text}");
        }
        let long: String = (0..60)
            .map(|n| {
                format!(
                    "word{} ",
                    char::from(b'a' + n % 26).to_string().repeat(n as usize / 26 + 2)
                )
            })
            .collect();
        assert_eq!(Query::parse(&long).meaning_share(), MEANING_SHARE_LONG);
    }

    #[test]
    fn rare_words_are_selected_within_the_budget() {
        let query = Query::parse("alpha beta gamma delta");
        let documents = [5, 900, 0, 40];
        assert_eq!(query.select(1_000, &documents, 10_000), ["alpha", "delta", "beta"]);
        assert_eq!(query.select(1_000, &documents, 100), ["alpha", "delta"]);
        assert_eq!(query.select(1_000, &[900, 950, 0, 0], 10), ["alpha"]);
        assert!(query.select(1_000, &[0; 4], 10).is_empty());
    }

    #[test]
    fn long_queries_are_cut_in_the_middle() {
        let text = format!("Why? {} That is what I want.", "é".repeat(5_000));
        for (strictness, most) in
            [(Strictness::Explicit, FOCUS_BYTES), (Strictness::Proactive, QUICK_FOCUS_BYTES)]
        {
            let focus = Query::parse(&text).embedding_text(strictness);
            assert!(focus.len() <= most + 8);
            assert!(focus.starts_with("Why?") && focus.ends_with("what I want."));
        }
        assert_eq!(Query::parse(" short ").embedding_text(Strictness::Explicit), "short");
    }
}
