//! The weight of meaning against words.

use super::RecallCandidate;
use crate::query::Query;

/// The length of a text, in tokens, above which the vector of a piece says less about the whole.
const SHORT_TEXT: f64 = 200.0;
/// The share of brackets and other marks of code up to which texts are prose that names code.
const PROSE_MARKS: f64 = 0.03;
/// The share of marks from which on texts are code.
const CODE_MARKS: f64 = 0.05;
/// The BM25 score of the best candidate from which on words have their full weight. It is a sum of
/// information, in nats: below, the match is of one or two words that many memories have.
const TELLING_WORDS: f64 = 8.0;

/// Returns the weight of meaning for a query. Words get the rest in full only if some candidate
/// matches enough of them: the best of several chance matches stands out as far as a real one.
pub(super) fn meaning_share(query: &Query, candidates: &[RecallCandidate]) -> f64 {
    let best = candidates.iter().map(|candidate| candidate.lexical.score).fold(0.0, f64::max);
    1.0 - (1.0 - usual_meaning_share(query, candidates)) * (best / TELLING_WORDS).min(1.0)
}

/// Returns the weight of meaning if words match well: less if the texts are long, because the
/// vector of a piece says little about the whole, and more if they are code, which shares few words
/// with a question and many by chance. A long query has enough words of its own.
fn usual_meaning_share(query: &Query, candidates: &[RecallCandidate]) -> f64 {
    let share = query.meaning_share();
    if query.is_long() {
        return share;
    }
    let mean = |of: fn(&RecallCandidate) -> f64| {
        candidates.iter().map(of).sum::<f64>() / candidates.len().max(1) as f64
    };
    let length = mean(|candidate| candidate.tokens.text.iter().len() as f64);
    let marks = mean(|candidate| code_marks(candidate.memory.body.content.as_str()));
    let long = ((length - SHORT_TEXT) / (3.0 * SHORT_TEXT)).clamp(0.0, 1.0);
    let code = ((marks - PROSE_MARKS) / (CODE_MARKS - PROSE_MARKS)).clamp(0.0, 1.0);
    share - 0.2 * long + 0.2 * code
}

/// Returns the share of a text's bytes that are brackets and other marks of code.
fn code_marks(text: &str) -> f64 {
    let marks = text.bytes().filter(|byte| b"(){}[]=<>;_".contains(byte)).count();
    marks as f64 / text.len().max(1) as f64
}
