//! Search words for benchmarks, by their frequency in the realistic memories.

use std::collections::{BTreeMap, BTreeSet};

use tacit_core::{Draft, tokenize};

/// The words of some drafts.
#[derive(Debug)]
pub(crate) struct Words {
    drafts: Vec<BTreeSet<String>>,
    counts: BTreeMap<String, usize>,
}

impl Words {
    /// Collects the searchable words of the drafts.
    pub(crate) fn of<'a>(drafts: impl IntoIterator<Item = &'a Draft>) -> Words {
        let drafts: Vec<BTreeSet<String>> = drafts.into_iter().map(words).collect();
        let mut counts = BTreeMap::new();
        for word in drafts.iter().flatten() {
            *counts.entry(word.clone()).or_default() += 1;
        }
        Words { drafts, counts }
    }

    /// Returns the rarest word of the draft in the middle.
    pub(crate) fn rare(&self) -> &str {
        let middle = self.drafts.get(self.drafts.len() / 2);
        let rarest = middle.into_iter().flatten().min_by_key(|word| self.counts[*word]);
        rarest.map_or("", String::as_str)
    }

    /// Returns the word that most drafts have.
    pub(crate) fn common(&self) -> &str {
        self.counts.iter().max_by_key(|(_, count)| **count).map_or("", |(word, _)| word)
    }

    /// Counts the drafts that contain any of the words.
    pub(crate) fn matching(&self, words: &[&str]) -> usize {
        self.drafts.iter().filter(|draft| words.iter().any(|word| draft.contains(*word))).count()
    }
}

fn words(draft: &Draft) -> BTreeSet<String> {
    draft
        .content
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !tokenize(word).is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_ranked_by_document_frequency() {
        let draft = |content: &str| Draft { content: content.into(), ..Draft::default() };
        let drafts = [draft("Retry the lock"), draft("Retry: `karoMin` the lock"), draft("retry")];
        let words = Words::of(&drafts);
        assert_eq!(words.common(), "retry");
        assert_eq!(words.rare(), "karomin");
        assert_eq!(words.matching(&["lock", "karomin"]), 2);
    }
}
