//! Finds entries to offer to an agent that did not ask, only for clear matches.
//!
//! An entry is offered if the text has every significant word of one of its triggers, close
//! together, and there are at least two. A single word is enough only if it is a name that prose
//! does not contain, such as `ECONNREFUSED` or `busy_timeout`.

use std::collections::{HashMap, HashSet};

use tacit_core::tokenize;

use crate::index::TriggerEntry;

/// The greatest distance between the words of a trigger, in words.
const NEAR: usize = 12;
/// The number of bytes searched of a text: what comes later is output, not intention.
const MAX_TEXT: usize = 16 * 1024;
/// Common words that say little by themselves.
const VAGUE: &str = "add code file fix make new run set thing use work write";

/// An entry to offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer<'a> {
    /// The entry.
    pub entry: &'a TriggerEntry,
    /// The weight of the match; more is better.
    pub weight: f64,
}

/// The triggers of an index, prepared for many texts.
#[derive(Debug)]
pub struct Offers<'a> {
    entries: Vec<&'a TriggerEntry>,
    /// For each trigger: its entry, its significant words, and whether it is a name.
    triggers: Vec<(usize, Vec<String>, bool)>,
    /// The number of triggers with each word.
    counts: HashMap<String, usize>,
    vague: HashSet<String>,
}

impl<'a> Offers<'a> {
    /// Prepares entries.
    pub fn of(entries: impl IntoIterator<Item = &'a TriggerEntry>) -> Offers<'a> {
        let entries: Vec<&TriggerEntry> = entries.into_iter().collect();
        let mut triggers = Vec::new();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            for trigger in entry.triggers() {
                let words = significant_words(trigger);
                for word in &words {
                    *counts.entry(word.clone()).or_default() += 1;
                }
                triggers.push((at, words, is_name(trigger)));
            }
        }
        let vague = significant_words(VAGUE).into_iter().collect();
        Offers { entries, triggers, counts, vague }
    }

    /// Returns the entries that clearly match a prompt, command or error, the best first.
    pub fn matching(&self, text: &str, limit: usize) -> Vec<Offer<'a>> {
        let end = (0..=MAX_TEXT.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let text = without_exit_code(&text[..end.unwrap_or(0)]);
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, word) in tokenize(text).iter().enumerate() {
            places.entry(word.to_owned()).or_default().push(at);
        }
        let mut best: HashMap<usize, f64> = HashMap::new();
        for (entry, words, is_name) in &self.triggers {
            if let Some(weight) = self.weigh(words, *is_name, &places) {
                let known = best.entry(*entry).or_insert(weight);
                *known = known.max(weight);
            }
        }
        let mut offers: Vec<(usize, f64)> = best.into_iter().collect();
        offers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        offers.truncate(limit);
        offers
            .iter()
            .map(|(at, weight)| Offer { entry: self.entries[*at], weight: *weight })
            .collect()
    }

    /// Returns the weight of a trigger, if all its words are in the text and close together.
    fn weigh(
        &self,
        words: &[String],
        is_name: bool,
        places: &HashMap<String, Vec<usize>>,
    ) -> Option<f64> {
        let significant_words = words.iter().filter(|word| !self.vague.contains(*word)).count();
        if significant_words == 0 || (words.len() < 2 && !is_name) {
            return None;
        }
        let lists: Vec<&Vec<usize>> =
            words.iter().map(|word| places.get(word)).collect::<Option<_>>()?;
        let near = lists[0].iter().any(|at| {
            lists[1..].iter().all(|list| list.iter().any(|other| other.abs_diff(*at) <= NEAR))
        });
        let total = self.triggers.len() as f64;
        let rarity =
            |word: &String| (1.0 + total / self.counts.get(word).map_or(1.0, |n| *n as f64)).ln();
        near.then(|| words.iter().map(rarity).sum())
    }
}

/// Removes the exit-code line that clients put before an error: it is not the subject.
fn without_exit_code(text: &str) -> &str {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim();
    let code = first.strip_prefix("Error: ").unwrap_or(first).strip_prefix("Exit code ");
    let is_code =
        code.is_some_and(|code| !code.is_empty() && code.bytes().all(|b| b.is_ascii_digit()));
    if is_code { rest } else { text }
}

/// Returns the significant words of a trigger, each once, in order.
pub(crate) fn significant_words(trigger: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let tokens = tokenize(trigger);
    tokens.iter().filter(|word| seen.insert((*word).to_owned())).map(str::to_owned).collect()
}

/// Returns true if a trigger is a name that prose does not contain.
fn is_name(trigger: &str) -> bool {
    let word = trigger.trim();
    let inner_capital = word.chars().skip(1).any(char::is_uppercase);
    !word.contains(char::is_whitespace)
        && word.chars().count() >= 4
        && (inner_capital || word.contains(['_', ':', '.']) || word.contains(char::is_numeric))
}
