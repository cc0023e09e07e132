//! The fuzzy matcher shared by resolving, validating and compressing. Pure functions.
//!
//! A query is a list of words. A candidate matches if it contains the letters of every word in
//! order. Its score is the sum of the best alignment of each word, found by dynamic programming.
//! Whole words in common break ties.
//!
//! A [`Matcher`] reuses its memory and does not allocate after the first few comparisons.

use std::ops::Range;

use crate::fold;

/// The score of a matching letter.
pub const SCORE_MATCH: i32 = 16;
/// The bonus for a letter at the beginning or after white space.
pub const BONUS_WHITESPACE: i32 = 10;
/// The bonus for a letter after punctuation.
pub const BONUS_DELIMITER: i32 = 9;
/// The bonus for a capital after a small letter, or a digit after a letter.
pub const BONUS_CAMEL_CASE: i32 = 7;
/// The bonus for a letter directly after the previous match.
pub const BONUS_CONSECUTIVE: i32 = 4;
/// The factor for the bonus of a word's first letter.
pub const FIRST_CHARACTER_MULTIPLIER: i32 = 2;
/// The penalty for the first skipped letter between two matches.
pub const GAP_START: i32 = -3;
/// The penalty for each further skipped letter.
pub const GAP_EXTENSION: i32 = -1;
/// The least average score per letter. Scattered letters score less, so that short words do not
/// match everything.
pub const MINIMUM_PER_CHARACTER: i32 = 18;

/// The default number of matches to show.
pub const DEFAULT_LIMIT: usize = 5;

/// The number of characters compared of queries and candidates.
const MAX_CHARS: usize = 1_024;
/// A score below any alignment, with room to subtract from.
const NEVER: i32 = i32::MIN / 2;

/// The quality of a match. Greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// The sum of the alignments.
    pub points: i32,
    /// The share of whole words in common among all words of both, in thousandths.
    pub overlap: u32,
}

/// Candidates that are prepared once for many queries.
#[derive(Debug, Default)]
pub struct CandidatePool {
    letters: Vec<char>,
    bonuses: Vec<i32>,
    candidates: Vec<(Range<usize>, u64)>,
}

impl CandidatePool {
    /// Adds a candidate; its number is the count before.
    pub fn push(&mut self, candidate: &str) {
        let start = self.letters.len();
        fold::letters(candidate, MAX_CHARS, &mut self.letters, &mut self.bonuses);
        let mask = mask(&self.letters[start..]);
        self.candidates.push((start..self.letters.len(), mask));
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.bonuses.clear();
        self.candidates.clear();
    }
}

/// A query, with reusable memory for comparisons.
#[derive(Debug, Default)]
pub struct Matcher {
    query: Vec<char>,
    unused: Vec<i32>,
    words: Vec<Range<usize>>,
    mask: u64,
    rows: Rows,
    one: CandidatePool,
}

impl Matcher {
    /// Creates a matcher for a query.
    pub fn new(query: &str) -> Matcher {
        let mut matcher = Matcher::default();
        matcher.set_query(query);
        matcher
    }

    /// Sets another query, reusing the memory.
    pub fn set_query(&mut self, query: &str) {
        self.query.clear();
        self.unused.clear();
        self.words.clear();
        fold::letters(query, MAX_CHARS, &mut self.query, &mut self.unused);
        let mut start = None;
        for at in 0..=self.query.len() {
            let inside = self.query.get(at).is_some_and(|letter| !letter.is_whitespace());
            match (start, inside) {
                (None, true) => start = Some(at),
                (Some(begin), false) => {
                    self.words.push(begin..at);
                    start = None;
                }
                _ => {}
            }
        }
        self.mask = mask(&self.query);
    }

    /// Scores a candidate; `None` if it does not match.
    pub fn score(&mut self, candidate: &str) -> Option<Score> {
        let mut pool = std::mem::take(&mut self.one);
        pool.clear();
        pool.push(candidate);
        let score = self.score_in(&pool, 0);
        self.one = pool;
        score
    }

    /// Scores a prepared candidate; `None` if it does not match or exist.
    pub fn score_in(&mut self, pool: &CandidatePool, number: usize) -> Option<Score> {
        let (range, mask) = pool.candidates.get(number)?;
        // Most candidates lack a letter of the query and are rejected here.
        if self.words.is_empty() || self.mask & !mask != 0 {
            return None;
        }
        let (letters, bonuses) = (&pool.letters[range.clone()], &pool.bonuses[range.clone()]);
        if !self.words.iter().all(|word| contains_in_order(&self.query[word.clone()], letters)) {
            return None;
        }
        let mut points = 0;
        for word in &self.words {
            points += self.rows.align(&self.query[word.clone()], letters, bonuses)?;
        }
        Some(Score { points, overlap: self.overlap(letters) })
    }

    /// Returns how similar a candidate is that need not match: the score of the words it contains,
    /// or 0.
    pub fn closeness(&mut self, candidate: &str) -> i32 {
        let mut pool = std::mem::take(&mut self.one);
        pool.clear();
        pool.push(candidate);
        let (letters, bonuses) = (&pool.letters, &pool.bonuses);
        let points = self.words.iter().map(|word| {
            let word = &self.query[word.clone()];
            let read = contains_in_order(word, letters);
            read.then(|| self.rows.align(word, letters, bonuses)).flatten().unwrap_or(0)
        });
        let points = points.sum();
        self.one = pool;
        points
    }

    fn overlap(&self, letters: &[char]) -> u32 {
        let (mut shared, mut there) = (0, 0);
        for word in letters.split(|letter| !letter.is_alphanumeric()).filter(|w| !w.is_empty()) {
            there += 1;
            shared += u32::from(self.words.iter().any(|own| self.query[own.clone()] == *word));
        }
        let own = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let shared = shared.min(own);
        1_000 * shared / (own + there - shared).max(1)
    }
}

/// Scores a candidate for a query; `None` if it does not match.
pub fn score_match(query: &str, candidate: &str) -> Option<Score> {
    Matcher::new(query).score(candidate)
}

/// Returns the numbers and scores of matching candidates, the best first; equal ones keep their
/// order.
pub fn rank_matches<'a>(
    query: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<(usize, Score)> {
    let mut matcher = Matcher::new(query);
    let mut found: Vec<(usize, Score)> = candidates
        .into_iter()
        .enumerate()
        .filter_map(|(number, candidate)| Some((number, matcher.score(candidate)?)))
        .collect();
    found.sort_by_key(|(number, score)| (std::cmp::Reverse(*score), *number));
    found.truncate(limit);
    found
}

/// Returns a bit set of the letters and digits.
fn mask(letters: &[char]) -> u64 {
    letters.iter().fold(0, |mask, letter| match letter {
        'a'..='z' => mask | 1 << (*letter as u32 - 'a' as u32),
        '0'..='9' => mask | 1 << (26 + *letter as u32 - '0' as u32),
        _ => mask,
    })
}

fn contains_in_order(word: &[char], letters: &[char]) -> bool {
    let mut rest = letters.iter();
    word.iter().all(|letter| rest.any(|other| other == letter))
}

/// Two rows of the alignment table: the best score of the word so far, ending at each letter.
#[derive(Debug, Default)]
struct Rows {
    last: Vec<i32>,
    this: Vec<i32>,
}

impl Rows {
    /// Returns the score of the best alignment of a word, if it is good enough.
    fn align(&mut self, word: &[char], letters: &[char], bonuses: &[i32]) -> Option<i32> {
        let (first, rest) = word.split_first()?;
        self.last.clear();
        self.last.extend(letters.iter().zip(bonuses).map(|(letter, bonus)| {
            let score = SCORE_MATCH + bonus * FIRST_CHARACTER_MULTIPLIER;
            if letter == first { score } else { NEVER }
        }));
        for wanted_letter in rest {
            self.this.clear();
            // The best score of an alignment that ended earlier, minus the cost of the gap.
            let mut gapped = NEVER;
            let mut before = NEVER;
            for ((letter, bonus), last) in letters.iter().zip(bonuses).zip(&self.last) {
                let score = if letter == wanted_letter {
                    let next = before + (*bonus).max(BONUS_CONSECUTIVE);
                    SCORE_MATCH + next.max(gapped + bonus)
                } else {
                    NEVER
                };
                self.this.push(score.max(NEVER));
                gapped = (gapped + GAP_EXTENSION).max(before + GAP_START).max(NEVER);
                before = *last;
            }
            std::mem::swap(&mut self.last, &mut self.this);
        }
        let best = self.last.iter().copied().max()?;
        let least = i32::try_from(word.len()).ok()?.checked_mul(MINIMUM_PER_CHARACTER)?;
        (best >= least).then_some(best)
    }
}
