//! The fuzzy engine that resolving, checking and compressing share. Pure functions.
//!
//! A query is a list of words. A candidate matches if every word can be read in it, letter by
//! letter and in order; what it scores is the sum over the words of their best alignments. An
//! alignment is optimal, found by dynamic programming and not by taking the first letter that
//! fits. Words that stand in the candidate whole break ties.
//!
//! After the first few comparisons a [`Matcher`] has all the memory it needs and allocates no
//! more.

use std::ops::Range;

use crate::fold;

/// What a letter that is found is worth.
pub const SCORE_MATCH: i32 = 16;
/// For a letter after white space, or at the beginning.
pub const BONUS_WHITESPACE: i32 = 10;
/// For a letter after punctuation.
pub const BONUS_DELIMITER: i32 = 9;
/// For a capital after a small letter, and a digit after something else.
pub const BONUS_CAMEL_CASE: i32 = 7;
/// For a letter right after the one before it.
pub const BONUS_CONSECUTIVE: i32 = 4;
/// How much more the bonus of a word's first letter counts.
pub const FIRST_CHARACTER_MULTIPLIER: i32 = 2;
/// For the first letter that is passed over between two that are found.
pub const GAP_START: i32 = -3;
/// For each further one.
pub const GAP_EXTENSION: i32 = -1;
/// What each letter of a word must score on average: letters strewn over a candidate score less,
/// so that short words do not match everything.
pub const MINIMUM_PER_CHARACTER: i32 = 18;

/// How many matches are shown unless somebody asks for more.
pub const DEFAULT_LIMIT: usize = 5;

/// Longer queries and candidates are compared by their beginnings.
const LONGEST: usize = 1_024;
/// Less than any alignment can score, with room to subtract from.
const NEVER: i32 = i32::MIN / 2;

/// How well a candidate matches. Greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// The sum of the alignments.
    pub points: i32,
    /// The share of words, of both together, that are whole words of both; in thousandths.
    pub overlap: u32,
}

/// Many candidates, made ready once to be compared with many queries.
#[derive(Debug, Default)]
pub struct CandidatePool {
    letters: Vec<char>,
    bonuses: Vec<i32>,
    candidates: Vec<(Range<usize>, u64)>,
}

impl CandidatePool {
    /// Adds a candidate; its number is how many there were before.
    pub fn push(&mut self, candidate: &str) {
        let start = self.letters.len();
        fold::letters(candidate, LONGEST, &mut self.letters, &mut self.bonuses);
        let mask = mask(&self.letters[start..]);
        self.candidates.push((start..self.letters.len(), mask));
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.bonuses.clear();
        self.candidates.clear();
    }
}

/// A query, and the memory that comparing it takes.
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
    /// A matcher for a query.
    pub fn new(query: &str) -> Matcher {
        let mut matcher = Matcher::default();
        matcher.set_query(query);
        matcher
    }

    /// Takes another query and keeps the memory.
    pub fn set_query(&mut self, query: &str) {
        self.query.clear();
        self.unused.clear();
        self.words.clear();
        fold::letters(query, LONGEST, &mut self.query, &mut self.unused);
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

    /// How well a candidate matches; `None` if it does not.
    pub fn score(&mut self, candidate: &str) -> Option<Score> {
        let mut pool = std::mem::take(&mut self.one);
        pool.clear();
        pool.push(candidate);
        let score = self.score_in(&pool, 0);
        self.one = pool;
        score
    }

    /// How well the candidate of a number matches; `None` if it does not, or if there is none.
    pub fn score_in(&mut self, pool: &CandidatePool, number: usize) -> Option<Score> {
        let (range, mask) = pool.candidates.get(number)?;
        // A letter that the candidate lacks altogether: most are turned away here.
        if self.words.is_empty() || self.mask & !mask != 0 {
            return None;
        }
        let (letters, bonuses) = (&pool.letters[range.clone()], &pool.bonuses[range.clone()]);
        if !self.words.iter().all(|word| is_read_in(&self.query[word.clone()], letters)) {
            return None;
        }
        let mut points = 0;
        for word in &self.words {
            points += self.rows.align(&self.query[word.clone()], letters, bonuses)?;
        }
        Some(Score { points, overlap: self.overlap(letters) })
    }

    /// How near a candidate is that need not match: what those of the words score that can be read
    /// in it. Nothing is 0.
    pub fn closeness(&mut self, candidate: &str) -> i32 {
        let mut pool = std::mem::take(&mut self.one);
        pool.clear();
        pool.push(candidate);
        let (letters, bonuses) = (&pool.letters, &pool.bonuses);
        let points = self.words.iter().map(|word| {
            let word = &self.query[word.clone()];
            let read = is_read_in(word, letters);
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

/// How well a candidate matches a query; `None` if it does not.
pub fn score_match(query: &str, candidate: &str) -> Option<Score> {
    Matcher::new(query).score(candidate)
}

/// The candidates that match, by number, the best first; of equals, the earlier.
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

/// A bit for each letter and digit; what is neither has none.
fn mask(letters: &[char]) -> u64 {
    letters.iter().fold(0, |mask, letter| match letter {
        'a'..='z' => mask | 1 << (*letter as u32 - 'a' as u32),
        '0'..='9' => mask | 1 << (26 + *letter as u32 - '0' as u32),
        _ => mask,
    })
}

fn is_read_in(word: &[char], letters: &[char]) -> bool {
    let mut rest = letters.iter();
    word.iter().all(|letter| rest.any(|other| other == letter))
}

/// The rows of the table of alignments: the best score of the word so far, ending at a letter.
#[derive(Debug, Default)]
struct Rows {
    last: Vec<i32>,
    this: Vec<i32>,
}

impl Rows {
    /// The score of the best alignment of a word, if it is good enough.
    fn align(&mut self, word: &[char], letters: &[char], bonuses: &[i32]) -> Option<i32> {
        let (first, rest) = word.split_first()?;
        self.last.clear();
        self.last.extend(letters.iter().zip(bonuses).map(|(letter, bonus)| {
            let score = SCORE_MATCH + bonus * FIRST_CHARACTER_MULTIPLIER;
            if letter == first { score } else { NEVER }
        }));
        for wanted in rest {
            self.this.clear();
            // The best score of an alignment that ended before the letter before this one, less
            // what the gap up to here costs.
            let mut gapped = NEVER;
            let mut before = NEVER;
            for ((letter, bonus), last) in letters.iter().zip(bonuses).zip(&self.last) {
                let score = if letter == wanted {
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
