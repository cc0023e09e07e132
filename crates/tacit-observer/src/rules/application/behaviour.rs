//! Finds the sentences with which an agent says how a part of the application behaves.

use std::collections::BTreeSet;

/// Bounds on the number of words in a sentence.
const MIN_WORDS: usize = 6;
const MAX_WORDS: usize = 40;
/// Maximum number of sentences from one message.
const MAX_SENTENCES: usize = 2;
/// Phrases that tell under which condition something happens, or that it is meant.
const BEHAVES: [&str; 15] = [
    " while ",
    " until ",
    " unless ",
    " only when ",
    " only if ",
    " only after ",
    " as long as ",
    " by design",
    " is intended",
    " is expected",
    " is correct",
    " is right",
    " not a bug",
    " not a defect",
    " on purpose",
];
/// Words of reports, plans and questions, which are about the work and not about the application.
const ABOUT_WORK: [&str; 18] = [
    "i",
    "i'll",
    "i've",
    "we",
    "we'll",
    "you",
    "your",
    "should",
    "fixed",
    "added",
    "changed",
    "updated",
    "verified",
    "confirmed",
    "tested",
    "now",
    "next",
    "let",
];

/// Returns the sentences that name a part of the application which the agent used, and tell how it
/// behaves.
pub(super) fn behaviours(sentences: &[String], targets: &BTreeSet<&str>) -> Vec<String> {
    let tells = |sentence: &&String| {
        let lower = format!(" {} ", sentence.to_lowercase().trim_end_matches('.'));
        let words: Vec<&str> = lower
            .split(|c: char| c.is_whitespace() || ",;:()".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        (MIN_WORDS..=MAX_WORDS).contains(&words.len())
            && !sentence.trim_end().ends_with('?')
            && BEHAVES.iter().any(|phrase| lower.contains(phrase))
            && !words.iter().any(|word| ABOUT_WORK.contains(word))
            && quoted(sentence).any(|name| targets.contains(name))
    };
    sentences.iter().filter(tells).take(MAX_SENTENCES).cloned().collect()
}

/// Iterates over what stands between marks of quotation, code or emphasis.
fn quoted(sentence: &str) -> impl Iterator<Item = &str> {
    const MARKS: [char; 5] = ['"', '“', '”', '`', '*'];
    sentence.split(MARKS).skip(1).map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conditions_of_a_used_part_are_behaviour() {
        let targets = BTreeSet::from(["Save", "Paused"]);
        for (sentence, expected) in [
            ("The \"Save\" button stays disabled until a name is entered.", true),
            ("Cards under **Paused** are yellow, which is by design.", true),
            ("`Save` is greyed out while the upload runs.", true),
            ("The button stays disabled until a name is entered.", false),
            ("The \"Cancel\" button stays disabled until a name is entered.", false),
            ("The \"Save\" button is blue and stands at the right.", false),
            ("I waited until \"Save\" was enabled and clicked it.", false),
            ("You should wait until \"Save\" is enabled there.", false),
            ("Is \"Save\" disabled until a name is entered?", false),
            ("\"Save\" waits until done.", false),
        ] {
            let found = behaviours(&[sentence.to_owned()], &targets);
            assert_eq!(!found.is_empty(), expected, "{sentence}");
        }
    }
}
