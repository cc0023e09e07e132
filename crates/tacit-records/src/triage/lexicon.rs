//! Finds many phrases in a line at once. Phrases are indexed by their first words, so the cost
//! depends on the length of the line, not on the number of phrases.

use std::collections::HashMap;
use std::ops::Range;

use super::phrases::{Phrases, split_phrases};

/// The role of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Sufficient,
    Primary,
    Booster,
}

/// A phrase without its marker.
#[derive(Debug, Clone, Copy)]
struct Entry {
    role: Role,
    text: &'static str,
    /// True if it matches only at the beginning of a sentence.
    first: bool,
}

/// The phrases of a category, by their first words.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    by_word: HashMap<&'static str, Vec<Entry>>,
    /// Phrases that match the end of a word.
    endings: Vec<Entry>,
}

/// The phrases found in a line.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PhraseMatches {
    /// True if a phrase is sufficient by itself.
    pub(super) sufficient: bool,
    pub(super) primary: Vec<Range<usize>>,
    pub(super) boosters: Vec<Range<usize>>,
}

impl Lexicon {
    pub(super) fn of(phrases: &Phrases) -> Lexicon {
        let mut lexicon = Lexicon::default();
        let lists = [
            (Role::Sufficient, phrases.strong),
            (Role::Primary, phrases.primary),
            (Role::Booster, phrases.boosters),
        ];
        for (role, list) in lists {
            for phrase in split_phrases(list) {
                let text = phrase.trim_start_matches(['^', '*']);
                let entry = Entry { role, text, first: phrase.starts_with('^') };
                if phrase.starts_with('*') {
                    lexicon.endings.push(entry);
                } else {
                    let end = text.find(|c| !is_word_character(c)).unwrap_or(text.len());
                    lexicon.by_word.entry(&text[..end]).or_default().push(entry);
                }
            }
        }
        lexicon
    }

    /// Finds the phrases that occur in a line as whole words.
    pub(super) fn find_phrases(&self, line: &str) -> PhraseMatches {
        let mut found = PhraseMatches::default();
        for word in words(line) {
            let (start, end) = (word.start, word.end);
            for entry in self.by_word.get(&line[word]).into_iter().flatten() {
                let until = start + entry.text.len();
                let occurs = line[start..].starts_with(entry.text)
                    && !line[until..].starts_with(is_word_character)
                    && (!entry.first || begins_sentence(&line[..start]));
                if occurs {
                    found.note(entry.role, start..until);
                }
            }
            for entry in self.endings.iter().filter(|e| line[start..end].ends_with(e.text)) {
                found.note(entry.role, end - entry.text.len()..end);
            }
        }
        found
    }
}

impl PhraseMatches {
    fn note(&mut self, role: Role, place: Range<usize>) {
        match role {
            Role::Sufficient => self.sufficient = true,
            Role::Primary => self.primary.push(place),
            Role::Booster => self.boosters.push(place),
        }
    }
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with(['.', '!', ':', ';'])
}

fn words(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(is_word_character)?;
        let end = line[start..]
            .find(|c| !is_word_character(c))
            .map_or(line.len(), |length| start + length);
        at = end;
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words() {
        let phrases = Phrases {
            strong: "from now on",
            primary: "decided, we'll, *error, ^use, err!",
            boosters: "because",
        };
        let lexicon = Lexicon::of(&phrases);
        for (line, primary, boosters, sufficient) in [
            ("we decided, because", &["decided"][..], &["because"][..], false),
            ("undecided decidedly", &[], &[], false),
            ("a typeerror: we'll see", &["error", "we'll"], &[], false),
            ("errors", &[], &[], false),
            ("use it. use that; we use", &["use", "use"], &[], false),
            ("npm err! x", &["err!"], &[], false),
            ("from now on", &[], &[], true),
            ("from now only", &[], &[], false),
            ("é decided", &["decided"], &[], false),
            ("", &[], &[], false),
        ] {
            let found = lexicon.find_phrases(line);
            let said = |places: Vec<Range<usize>>| -> Vec<&str> {
                places.into_iter().map(|place| &line[place]).collect()
            };
            assert_eq!(said(found.primary), primary, "{line}");
            assert_eq!(said(found.boosters), boosters, "{line}");
            assert_eq!(found.sufficient, sufficient, "{line}");
        }
    }
}
