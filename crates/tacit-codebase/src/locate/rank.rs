//! Ranks files by all evidence.

use std::collections::{HashMap, HashSet};

use super::definitions::definition_mentions;
use super::description::Description;
use super::index::{FileNumber, WordIndex};
use super::kind::FileKind;
use super::mentions::{self, FileMention};
use super::messages;
use super::pointer::{LocateAnswer, LocatedFile, Pointer, PointerSource, RelatedFile, Symbol};
use super::score::{Scores, score};
use super::spelling::spellings;

/// Functions that the ranking calls for more data.
pub struct Callbacks<'l> {
    /// Returns the text of a file, if it may be read.
    pub read: &'l dyn Fn(&str) -> Option<String>,
    /// Returns the related files of a file.
    pub neighbours: &'l dyn Fn(&str) -> Vec<RelatedFile>,
}

/// Number of best files to search for messages.
const MESSAGE_SEARCH_FILES: usize = 40;
/// Number of best files that pass evidence on to related files.
const SPREADING_FILES: usize = 8;
/// Number of most significant words to consider, and number of words to show.
const CANDIDATE_WORDS: usize = 16;
const SHOWN_WORDS: usize = 4;
/// Number of tests to show.
const SHOWN_TESTS: usize = 3;
/// Minimum probability of a file whose path is in the title.
const TITLED_PROBABILITY: f32 = 0.8;
/// Number of symbols to show per file.
const SHOWN_SYMBOLS: usize = 3;

/// Kinds of evidence from words, in the order of [`Ranking::word_strengths`].
const WORD_SOURCES: [PointerSource; 3] =
    [PointerSource::Words, PointerSource::SymbolWords, PointerSource::PathWords];

struct Ranking<'a> {
    index: WordIndex<'a>,
    /// The strength of word evidence per file: nearly every file has some.
    word_strengths: Vec<[f32; WORD_SOURCES.len()]>,
    /// Other evidence, which only few files have.
    pointers: HashMap<FileNumber, Vec<Pointer>>,
    symbols: HashMap<u32, f32>,
    /// The files whose paths are in the title.
    in_title: HashSet<FileNumber>,
}

/// Finds the files that a description is about, best first.
#[must_use]
pub fn locate(
    index: WordIndex<'_>,
    description: &Description,
    external: &[(String, Pointer)],
    callbacks: &Callbacks<'_>,
    limit: usize,
) -> LocateAnswer {
    let scores = score(index, description);
    let mut ranking = Ranking {
        index,
        word_strengths: word_strengths(index, &scores),
        pointers: HashMap::new(),
        symbols: HashMap::new(),
        in_title: HashSet::new(),
    };
    ranking.add_mentions(PointerSource::Path, &mentions::path_mentions(index, description, false));
    ranking.add_mentions(PointerSource::Trace, &mentions::path_mentions(index, description, true));
    ranking.add_mentions(PointerSource::Definition, &definition_mentions(index, description));
    ranking.add_mentions(PointerSource::Module, &mentions::module_mentions(index, description));
    for (path, pointer) in external {
        if let Some(file) = index.find(path) {
            ranking.push(file, pointer.clone());
        }
    }
    if !description.messages.is_empty() {
        let paths: Vec<(FileNumber, &str)> = ranking
            .best(description, MESSAGE_SEARCH_FILES, |_| true)
            .into_iter()
            .map(|(file, _)| (file, index.path(file)))
            .collect();
        for (file, strength, what) in messages::find(&description.messages, &paths, callbacks.read)
        {
            ranking.push(file, Pointer { source: PointerSource::Message, strength, what });
        }
    }
    ranking.spread_to_neighbours(description, callbacks.neighbours);
    let is_separate_test =
        |file: FileNumber| index.kind(file) == FileKind::Test && !description.tests;
    let top_files = |limit: usize, of: &dyn Fn(FileNumber) -> bool| {
        let matching = ranking.matching(description, of);
        let total = matching.len();
        // The probability of a file depends on the score of the next.
        let order = best_of(matching, limit.saturating_add(1));
        let scored: Vec<f32> = order.iter().map(|(_, score)| *score).collect();
        let to_located = |(at, (file, score)): (usize, (FileNumber, f32))| {
            let mut located = ranking.located(file, score, &scores);
            located.kind_weight = ranking.kind_weight(file, description);
            located.probability = probability(at, &scored);
            if ranking.in_title.contains(&file) {
                located.probability = located.probability.max(TITLED_PROBABILITY);
            }
            located.words = scores
                .top_words(file, CANDIDATE_WORDS)
                .take(SHOWN_WORDS)
                .map(str::to_owned)
                .collect();
            located
        };
        let located: Vec<LocatedFile> =
            order.into_iter().take(limit).enumerate().map(to_located).collect();
        (located, total)
    };
    let (mut files, matching_files) = top_files(limit, &|file| !is_separate_test(file));
    let is_listed = |file: FileNumber| files.iter().any(|listed| listed.path == index.path(file));
    let is_other = |file: FileNumber| index.kind(file) == FileKind::Test && !is_listed(file);
    let (mut tests, _) = top_files(limit.min(SHOWN_TESTS), &is_other);
    spell(description, files.iter_mut().chain(&mut tests));
    LocateAnswer { files, matching_files, tests, searched_files: index.files() }
}

/// Returns the `most` best files, in order.
fn best_of(mut files: Vec<(FileNumber, f32)>, most: usize) -> Vec<(FileNumber, f32)> {
    let by_score =
        |a: &(FileNumber, f32), b: &(FileNumber, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if most < files.len() {
        files.select_nth_unstable_by(most, by_score);
        files.truncate(most);
    }
    files.sort_unstable_by(by_score);
    files
}

/// Replaces stems by the words as the description writes them.
fn spell<'l>(description: &Description, located: impl Iterator<Item = &'l mut LocatedFile>) {
    let words: Vec<&mut String> = located.flat_map(|file| &mut file.words).collect();
    let stems: HashSet<String> = words.iter().map(|word| (*word).clone()).collect();
    let spellings = spellings(&description.text, &stems);
    for word in words {
        if let Some(written) = spellings.get(word) {
            word.clone_from(written);
        }
    }
}

/// Computes word evidence relative to the file that has most of it.
fn word_strengths(index: WordIndex<'_>, scores: &Scores) -> Vec<[f32; WORD_SOURCES.len()]> {
    let plain: Vec<bool> =
        (0..index.files()).map(|file| index.kind(file) == FileKind::Source).collect();
    let pieces = scores.best_per_file(index);
    let mut strengths = vec![[0.0; WORD_SOURCES.len()]; index.files() as usize];
    for (source, values) in [&scores.files, &pieces, &scores.paths].into_iter().enumerate() {
        let of_plain = values.iter().zip(&plain).filter(|(_, plain)| **plain);
        let most = of_plain.map(|(value, _)| *value).fold(0.0, f32::max);
        let most = if most > 0.0 { most } else { values.iter().copied().fold(0.0, f32::max) };
        if most > 0.0 {
            for (strength, value) in strengths.iter_mut().zip(values) {
                strength[source] = (value / most).min(1.0);
            }
        }
    }
    strengths
}

impl Ranking<'_> {
    fn push(&mut self, file: FileNumber, pointer: Pointer) {
        if pointer.strength <= 0.0 {
            return;
        }
        let pointers = self.pointers.entry(file).or_default();
        match pointers.iter_mut().find(|known| known.source == pointer.source) {
            Some(known) if known.strength >= pointer.strength => {}
            Some(known) => *known = pointer,
            None => pointers.push(pointer),
        }
    }

    fn add_mentions(&mut self, source: PointerSource, mentions: &[FileMention]) {
        let mut by_file: HashMap<FileNumber, Vec<(f32, &str)>> = HashMap::new();
        for mention in mentions {
            by_file.entry(mention.file).or_default().push((mention.strength, &mention.what));
            if let Some(piece) = mention.piece {
                *self.symbols.entry(piece).or_default() += mention.strength;
            }
            if mention.in_title {
                self.in_title.insert(mention.file);
            }
        }
        for (file, mut whats) in by_file {
            let sum: f32 = whats.iter().map(|(strength, _)| strength).sum();
            whats.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
            whats.dedup_by_key(|(_, what)| *what);
            let what: Vec<&str> = whats.iter().take(3).map(|(_, what)| *what).collect();
            // Several names add up with diminishing returns.
            let strength =
                if source == PointerSource::Path { sum.min(1.0) } else { 1.0 - (-sum).exp() };
            self.push(file, Pointer { source, strength, what: what.join(", ") });
        }
    }

    /// Passes evidence from the best files on to related files.
    fn spread_to_neighbours(
        &mut self,
        description: &Description,
        neighbours: &dyn Fn(&str) -> Vec<RelatedFile>,
    ) {
        let best = self.best(description, SPREADING_FILES, |_| true);
        let Some(most) = best.first().map(|(_, score)| *score).filter(|score| *score > 0.0) else {
            return;
        };
        let mut sums: HashMap<(FileNumber, PointerSource), (f32, String)> = HashMap::new();
        for (file, score) in &best {
            let lender = self.index.path(*file);
            for (path, closeness, source) in neighbours(lender) {
                if let Some(other) = self.index.find(&path).filter(|other| other != file) {
                    let sum =
                        sums.entry((other, source)).or_insert_with(|| (0.0, lender.to_owned()));
                    sum.0 += closeness * score / most;
                }
            }
        }
        for ((file, source), (sum, what)) in sums {
            self.push(file, Pointer { source, strength: 1.0 - (-sum).exp(), what });
        }
    }

    /// Returns the `most` best of the files accepted by `of`, in order.
    fn best(
        &self,
        description: &Description,
        most: usize,
        of: impl Fn(FileNumber) -> bool,
    ) -> Vec<(FileNumber, f32)> {
        best_of(self.matching(description, of), most)
    }

    /// Returns the files accepted by `of` for which there is any evidence, with their scores.
    fn matching(
        &self,
        description: &Description,
        of: impl Fn(FileNumber) -> bool,
    ) -> Vec<(FileNumber, f32)> {
        (0..self.index.files())
            .map(|file| (file, self.weigh(file, description)))
            .filter(|(file, score)| *score > 0.0 && of(*file))
            .collect()
    }

    fn weigh(&self, file: FileNumber, description: &Description) -> f32 {
        let pointers = self.pointers.get(&file).map(Vec::as_slice).unwrap_or_default();
        let counts = |pointer: &Pointer| pointer.strength * pointer.source.weight();
        let words = self.word_strengths.get(file as usize).copied().unwrap_or_default();
        let words: f32 = words
            .iter()
            .zip(WORD_SOURCES)
            .map(|(strength, source)| strength * source.weight())
            .sum();
        let sum = words + pointers.iter().map(counts).sum::<f32>();
        let kind = self.index.kind(file);
        let named = pointers.iter().filter(|pointer| pointer.source.names(kind));
        let named: f32 = named.map(counts).sum();
        named + (sum - named) * self.kind_weight(file, description)
    }

    /// Returns the factor for evidence that does not name a file directly: a question about code
    /// rarely means its documentation.
    fn kind_weight(&self, file: FileNumber, description: &Description) -> f32 {
        let kind = self.index.kind(file);
        let mut pointers = self.pointers.get(&file).into_iter().flatten();
        let mut is_named = || pointers.any(|pointer| pointer.source.names(kind));
        if self.in_title.contains(&file) {
            return 1.0;
        }
        match kind {
            FileKind::Source => 1.0,
            FileKind::Test if description.tests => {
                if is_named() {
                    1.0
                } else {
                    0.5
                }
            }
            FileKind::Document if description.documents => 0.9,
            FileKind::Script => 0.5,
            FileKind::Test => 0.4,
            FileKind::Settings => 0.4,
            FileKind::Document => 0.3,
            FileKind::Peripheral => 0.2,
        }
    }

    fn located(&self, file: FileNumber, score: f32, scores: &Scores) -> LocatedFile {
        let mut pointers = self.pointers.get(&file).cloned().unwrap_or_default();
        let words = self.word_strengths.get(file as usize).copied().unwrap_or_default();
        pointers.extend(
            words
                .into_iter()
                .zip(WORD_SOURCES)
                .filter(|(strength, _)| *strength > 0.0)
                .map(|(strength, source)| Pointer { source, strength, what: String::new() }),
        );
        pointers.sort_by(|a, b| {
            let counts = |pointer: &Pointer| pointer.strength * pointer.source.weight();
            counts(b).total_cmp(&counts(a)).then_with(|| a.source.cmp(&b.source))
        });
        let index = self.index;
        let best = scores.best(index, file).max(f32::MIN_POSITIVE);
        let mut symbols: Vec<Symbol> = Vec::new();
        for piece in index.pieces_of(file) {
            let words = scores.pieces.get(piece as usize).copied().unwrap_or(0.0) / best;
            let named = self.symbols.get(&piece).copied().unwrap_or(0.0);
            let Some(row) = index.piece(piece).filter(|row| !row.name.is_empty()) else { continue };
            if words > 0.5 || named > 0.0 {
                let symbol = Symbol {
                    name: row.name.to_owned(),
                    line: row.line,
                    end_line: row.end_line,
                    score: words + named,
                };
                symbols.push(symbol);
            }
        }
        symbols.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.line.cmp(&b.line)));
        symbols.truncate(SHOWN_SYMBOLS);
        LocatedFile {
            path: index.path(file).to_owned(),
            kind: index.kind(file),
            score,
            kind_weight: 1.0,
            probability: 0.0,
            pointers,
            words: Vec::new(),
            symbols,
        }
    }
}

/// Returns the probability that the file at a rank is right, fitted to ranks, scores and score
/// differences of past results. `docs/locate.md` has the calibration.
fn probability(at: usize, scores: &[f32]) -> f32 {
    let Some(score) = scores.get(at) else { return 0.0 };
    let next = scores.get(at + 1).copied().unwrap_or(0.0);
    let sum = 1.1 * score + 0.95 * (score - next) - 0.5 * at as f32 - 2.5;
    1.0 / (1.0 + (-sum).exp())
}
