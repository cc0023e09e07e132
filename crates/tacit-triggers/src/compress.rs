//! Finds the shortest trigger that matches only one heading.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::corpus::{Corpus, HeadingIndex};
use crate::fold;
use crate::fuzzy::Matcher;
use crate::naming::USUAL_WORDS;
use crate::operator::{Operator, strip};

/// Words that a trigger does not need.
const FILLERS: &[&str] = &[
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "is", "it", "its", "of", "on",
    "or", "that", "the", "their", "this", "to", "with", "your",
];
/// The maximum number of words tried of a heading, because triggers are short.
const MAX_WORDS: usize = 10;
/// The maximum number of near misses shown.
const MISSES_SHOWN: usize = 3;

/// The shortest trigger of a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompressedTrigger {
    /// The heading.
    pub heading: String,
    /// The shortest unique trigger; `None` if even the whole heading is ambiguous.
    pub unique: Option<String>,
    /// Shorter triggers that match several headings.
    pub near_misses: Vec<NearMiss>,
}

/// A trigger that also matches other headings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NearMiss {
    /// The trigger.
    pub query: String,
    /// The other headings it matches.
    pub also_matches: Vec<String>,
}

/// Finds the shortest trigger for a heading, which may be a new one.
pub fn compress(corpus: &Corpus, heading: &str) -> CompressedTrigger {
    let headings = HeadingIndex::of(corpus);
    let heading = heading.trim().trim_start_matches('#').trim();
    let operator = Operator::of_heading(heading);
    let text = operator.map_or(heading, |operator| strip(operator, heading));
    let own = fold::key(heading);
    let mut matcher = Matcher::default();
    let mut others = |query: &str, operator: Option<Operator>| -> Option<Vec<String>> {
        matcher.set_query(query);
        matcher.score(heading)?;
        let found = headings.matching(&mut matcher, operator, query);
        let titles = found.into_iter().map(|(place, _)| corpus.heading(place).title.clone());
        // The heading itself does not count, but a second one with the same words does.
        let mut seen = false;
        let mut is_own =
            |title: &String| fold::key(title) == own && !std::mem::replace(&mut seen, true);
        Some(titles.filter(|title| !is_own(title)).collect())
    };
    let mut misses: Vec<NearMiss> = Vec::new();
    let mut unique = None;
    for words in choices(text) {
        let plain = words.join(" ");
        let query = operator.map_or_else(|| plain.clone(), |operator| operator.query(&plain));
        let Some(also) = others(&query, operator) else { continue };
        if !also.is_empty() {
            misses.push(NearMiss { query, also_matches: also });
            continue;
        }
        if operator.is_some()
            && let Some(also) = others(&plain, None).filter(|also| !also.is_empty())
        {
            misses.insert(0, NearMiss { query: plain, also_matches: also });
        }
        unique = Some(query);
        break;
    }
    // The exact words of a heading are unique even if other headings match, unless there is a
    // duplicate.
    if let Some(operator) = operator.filter(|_| unique.is_none() && !text.is_empty())
        && headings.exact_matches(operator, text).nth(1).is_none()
    {
        unique = Some(operator.query(&text.to_lowercase()));
    }
    misses.truncate(MISSES_SHOWN);
    CompressedTrigger { heading: heading.to_owned(), unique, near_misses: misses }
}

/// Returns selections of words in their order, the shortest first and the whole text last.
fn choices(text: &str) -> Vec<Vec<String>> {
    let all: Vec<String> =
        text.split_whitespace().map(shortened).filter(|w| !w.is_empty()).collect();
    let mut words: Vec<&String> =
        all.iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    if words.len() < *USUAL_WORDS.start() {
        words = all.iter().collect();
    }
    words.truncate(MAX_WORDS);
    let fewest = (*USUAL_WORDS.start()).min(words.len()).max(1);
    let mut choices: Vec<Vec<String>> = (1_u32..1 << words.len())
        .filter(|bits| {
            let count = bits.count_ones() as usize;
            (fewest..=*USUAL_WORDS.end()).contains(&count)
        })
        .map(|bits| {
            let chosen = words.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
            chosen.map(|(_, word)| (*word).clone()).collect()
        })
        .collect();
    choices.push(all);
    let length = |words: &[String]| words.iter().map(|word| word.chars().count()).sum::<usize>();
    choices.sort_by_key(|words| (words.len(), length(words)));
    let mut seen = BTreeSet::new();
    choices.retain(|words| seen.insert(words.clone()));
    choices
}

/// Returns a word in lower case, without punctuation, and in the singular if that is a prefix.
fn shortened(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    match word.strip_suffix('s') {
        Some(one)
            if one.chars().count() >= 3
                && one.is_ascii()
                && !one.ends_with(['s', 'u', 'i', 'e', '\'']) =>
        {
            one.to_owned()
        }
        _ => word,
    }
}
