//! Reading a question: which words carry it, and whether they are words of prose or of code.

use tacit_core::{rarity, tokenize};

use crate::floor::Strictness;

/// What comes first carries a long question; the weight of a word halves after this many.
const HALF_WEIGHT_AFTER: f64 = 20.0;
/// A word that comes back weighs more, up to this.
const MOST_WEIGHT: f64 = 1.5;
/// The weight of a word that stands for one that nobody has used.
const EXPANDED_WEIGHT: f64 = 0.6;
/// No more words than this are looked up and counted.
pub(crate) const MOST_TERMS: usize = 32;
/// A question with more distinct words than this is a pasted text, in which single words say
/// little.
const LONG: usize = 40;
/// How many bytes of a long question are given to a model where somebody waits for the answer,
/// about as many as it reads.
const FOCUS_BYTES: usize = 2_400;
/// The same where nobody asked and a hook must be quick.
const QUICK_FOCUS_BYTES: usize = 480;

/// The share of meaning, as opposed to words, in the score of a plain question.
const MEANING_SHARE: f64 = 0.6;
/// The same for a long question.
const MEANING_SHARE_LONG: f64 = 0.7;
/// The same for one that names identifiers, paths, flags or error codes.
const MEANING_SHARE_CODE: f64 = 0.5;

/// A question, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    text: String,
    terms: Vec<QueryTerm>,
    meaning_share: f64,
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The token.
    pub token: String,
    /// How much it carries, from its place and its repetition.
    pub weight: f64,
}

impl Query {
    /// Reads a question.
    pub fn read(text: &str) -> Query {
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
        Query { text: text.to_owned(), terms, meaning_share }
    }

    /// The words, in order of their first place.
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    /// Adds words that were not asked for but probably meant, at a part of a word's weight. Those
    /// that are there already stay as they are.
    pub fn add(&mut self, tokens: impl IntoIterator<Item = String>) {
        for token in tokens {
            if self.terms.iter().all(|term| term.token != token) {
                self.terms.push(QueryTerm { token, weight: EXPANDED_WEIGHT });
            }
        }
    }

    /// Takes out words that nobody has used, for which others were found.
    pub fn remove(&mut self, tokens: &[String]) {
        self.terms.retain(|term| !tokens.contains(&term.token));
    }

    /// How much meaning counts against words, from 0 to 1.
    pub fn meaning_share(&self) -> f64 {
        self.meaning_share
    }

    /// What a model is asked: the whole of a short question; of a long one, its beginning and its
    /// end, where people say what they want around what they paste.
    pub fn focus(&self, strictness: Strictness) -> String {
        let most = match strictness {
            Strictness::Proactive | Strictness::Occasion => QUICK_FOCUS_BYTES,
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

    /// The words worth looking up, given in how many of `memories` each occurs: those that carry
    /// most, and of those the rarest first, until looking at all their memories would take longer
    /// than `budget` look-ups. The rarest word is always taken.
    pub fn select(&self, memories: u64, documents: &[u64], budget: u64) -> Vec<&str> {
        let mut chosen: Vec<(f64, u64, &str)> = self
            .terms
            .iter()
            .zip(documents)
            .filter(|(_, documents)| **documents > 0)
            .map(|(term, documents)| {
                (term.weight * rarity(memories, *documents), *documents, term.token.as_str())
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

/// Whether a text names things of code: identifiers with inner capitals or underscores, paths,
/// flags, calls, error codes.
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
    fn what_comes_first_and_what_comes_back_carries() {
        let query = Query::read("lock timeout in the writer, lock again");
        let weight = |token: &str| {
            query.terms().iter().find(|term| term.token == token).map(|term| term.weight)
        };
        assert_eq!(weight("lock"), Some(MOST_WEIGHT));
        assert!(weight("timeout") > weight("again"));
        assert_eq!(weight("the"), None);
    }

    #[test]
    fn words_of_code_lean_on_words() {
        for (text, share) in [
            ("how do we close the pool", MEANING_SHARE),
            ("why does tokenRefresh fail", MEANING_SHARE_CODE),
            ("error E0308 again", MEANING_SHARE_CODE),
            ("what about src/pool.rs", MEANING_SHARE_CODE),
            ("pass --no-verify", MEANING_SHARE_CODE),
            ("and/or", MEANING_SHARE_CODE),
            ("yes or no", MEANING_SHARE),
        ] {
            assert_eq!(Query::read(text).meaning_share(), share, "{text}");
        }
        let long: String = (0..60)
            .map(|n| {
                format!(
                    "word{} ",
                    char::from(b'a' + n % 26).to_string().repeat(n as usize / 26 + 2)
                )
            })
            .collect();
        assert_eq!(Query::read(&long).meaning_share(), MEANING_SHARE_LONG);
    }

    #[test]
    fn rare_words_are_chosen_within_the_budget() {
        let query = Query::read("alpha beta gamma delta");
        let documents = [5, 900, 0, 40];
        assert_eq!(query.select(1_000, &documents, 10_000), ["alpha", "delta", "beta"]);
        assert_eq!(query.select(1_000, &documents, 100), ["alpha", "delta"]);
        assert_eq!(query.select(1_000, &[900, 950, 0, 0], 10), ["alpha"]);
        assert!(query.select(1_000, &[0; 4], 10).is_empty());
    }

    #[test]
    fn a_long_question_is_cut_in_its_middle() {
        let text = format!("Why? {} That is what I want.", "é".repeat(5_000));
        for (strictness, most) in
            [(Strictness::Explicit, FOCUS_BYTES), (Strictness::Proactive, QUICK_FOCUS_BYTES)]
        {
            let focus = Query::read(&text).focus(strictness);
            assert!(focus.len() <= most + 8);
            assert!(focus.starts_with("Why?") && focus.ends_with("what I want."));
        }
        assert_eq!(Query::read(" short ").focus(Strictness::Explicit), "short");
    }
}
