//! Statistics: the token cost of indexes, and sections so short that they could always be loaded.

use serde::Serialize;

use crate::corpus::{Corpus, HeadingIndex};
use crate::fuzzy::Matcher;
use crate::operator::Operator;

/// The token budget of all indexes, because they are loaded into every session.
pub const TOKEN_BUDGET: usize = 5_000;
/// The tokens of an entry beside its words: the slash and the newline.
pub const PROMOTION_MARGIN: usize = 2;

/// The statistics of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TriggerStats {
    /// The number of entries.
    pub entries: usize,
    /// The number of `/when` entries.
    pub when: usize,
    /// The number of `/how` entries.
    pub how: usize,
    /// The number of additional triggers.
    pub extra_triggers: usize,
    /// The number of decision files.
    pub files: usize,
    /// Each index with its tokens.
    pub indexes: Vec<IndexSize>,
    /// The tokens of all indexes.
    pub tokens: usize,
    /// The token budget.
    pub budget: usize,
    /// Sections that cost no more than their entries.
    pub promotions: Vec<PromotionCandidate>,
}

/// The token cost of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexSize {
    /// The path of the index.
    pub path: String,
    /// The number of tokens.
    pub tokens: usize,
}

/// A section that could always be loaded instead of its entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromotionCandidate {
    /// The entry.
    pub entry: String,
    /// The file of the section.
    pub file: String,
    /// The line of its heading.
    pub line: usize,
    /// The tokens of the entry.
    pub entry_tokens: usize,
    /// The tokens of the section.
    pub content_tokens: usize,
}

/// Returns true if content costs no more than its entry.
pub fn is_promoted(content_tokens: usize, entry_tokens: usize) -> bool {
    content_tokens <= entry_tokens + PROMOTION_MARGIN
}

/// Computes the statistics; `count_tokens` is the tokenizer.
pub fn stats(corpus: &Corpus, count_tokens: &dyn Fn(&str) -> usize) -> TriggerStats {
    let headings = HeadingIndex::of(corpus);
    let mut matcher = Matcher::default();
    let count = |operator| corpus.entries().filter(|(_, entry)| entry.operator == operator).count();
    let indexes: Vec<IndexSize> = corpus
        .indexes
        .iter()
        .map(|file| IndexSize {
            path: file.path.clone(),
            tokens: count_tokens(&String::from_utf8_lossy(&file.bytes)),
        })
        .collect();
    let promotions = corpus.entries().filter_map(|(index, entry)| {
        let place = headings.locate(&mut matcher, index, entry)?;
        let (document, heading) = (corpus.document(place), corpus.heading(place));
        let content = String::from_utf8_lossy(document.slice(heading.body.clone()));
        let content = content.trim();
        let entry_tokens = count_tokens(&entry.to_string());
        let content_tokens = count_tokens(content);
        (!content.is_empty() && is_promoted(content_tokens, entry_tokens)).then(|| {
            PromotionCandidate {
                entry: entry.name(),
                file: document.path.clone(),
                line: heading.line,
                entry_tokens,
                content_tokens,
            }
        })
    });
    let promotions = promotions.collect();
    TriggerStats {
        entries: corpus.entries().count(),
        when: count(Operator::When),
        how: count(Operator::How),
        extra_triggers: corpus.entries().map(|(_, entry)| entry.extra_triggers.len()).sum(),
        files: corpus.documents.len(),
        tokens: indexes.iter().map(|index| index.tokens).sum(),
        indexes,
        budget: TOKEN_BUDGET,
        promotions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_cost_no_more_than_their_entry_are_promoted() {
        for (content, entry, promoted) in [(5, 3, true), (6, 3, false), (0, 0, true), (3, 9, true)]
        {
            assert_eq!(is_promoted(content, entry), promoted, "{content} {entry}");
        }
    }
}
