//! What an index costs, and what is so short that it need not be looked up.

use serde::Serialize;

use crate::corpus::{Corpus, HeadingIndex};
use crate::fuzzy::Matcher;
use crate::operator::Operator;

/// How many tokens an index may take: it is loaded into every session.
pub const TOKEN_BUDGET: usize = 5_000;
/// What an entry costs beside its words: the slash and the line.
pub const PROMOTION_MARGIN: usize = 2;

/// The numbers of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TriggerStats {
    /// How many entries there are.
    pub entries: usize,
    /// Those of `/when`.
    pub when: usize,
    /// Those of `/how`.
    pub how: usize,
    /// Triggers beside the primary ones.
    pub extra_triggers: usize,
    /// The decision files.
    pub files: usize,
    /// Each index with its tokens.
    pub indexes: Vec<IndexSize>,
    /// The tokens of all indexes.
    pub tokens: usize,
    /// What they may be.
    pub budget: usize,
    /// Sections that cost no more to load than their entries.
    pub promotions: Vec<PromotionCandidate>,
}

/// An index and what it costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexSize {
    /// The index.
    pub path: String,
    /// Its tokens.
    pub tokens: usize,
}

/// A section that is better loaded always.
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

/// Whether content costs no more than the entry that leads to it.
pub fn is_promoted(content_tokens: usize, entry_tokens: usize) -> bool {
    content_tokens <= entry_tokens + PROMOTION_MARGIN
}

/// Counts everything, with a tokenizer of the caller's.
pub fn stats(corpus: &Corpus, count_tokens: &dyn Fn(&str) -> usize) -> TriggerStats {
    let headings = HeadingIndex::of(corpus);
    let mut matcher = Matcher::default();
    let of = |operator| corpus.entries().filter(|(_, entry)| entry.operator == operator).count();
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
        when: of(Operator::When),
        how: of(Operator::How),
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
    fn what_costs_the_same_is_promoted() {
        for (content, entry, promoted) in [(5, 3, true), (6, 3, false), (0, 0, true), (3, 9, true)]
        {
            assert_eq!(is_promoted(content, entry), promoted, "{content} {entry}");
        }
    }
}
