//! Weighing everything that points to a file.

use std::collections::HashMap;

use crate::description::Description;
use crate::index::{FileAt, Index};
use crate::kind::FileKind;
use crate::messages;
use crate::named::{self, Files, Named};
use crate::pointer::{Answer, Located, Neighbour, Pointer, Source, Symbol};
use crate::score::{Scores, score};

/// What is lent to the ranking.
pub struct Lent<'l> {
    /// The text of a file, where it may be read.
    pub read: &'l dyn Fn(&str) -> Option<String>,
    /// The files that go with one, each with how closely.
    pub near: &'l dyn Fn(&str) -> Vec<Neighbour>,
}

/// So many files are looked into for messages.
const LOOKED_INTO: usize = 40;
/// So many of the best lend to those that go with them.
const LENDERS: usize = 8;
/// So many of the words that tell most are looked at for reasons, and so many are told.
const TELLING: usize = 16;
const WORDS: usize = 4;
/// So many tests are told.
const TESTS: usize = 3;
/// So many symbols of a file are told.
const SYMBOLS: usize = 3;

struct Ranking<'a> {
    index: Index<'a>,
    pointers: HashMap<FileAt, Vec<Pointer>>,
    symbols: HashMap<u32, f32>,
}

/// The files that a description is about, the surest first.
#[must_use]
pub fn locate(
    index: Index<'_>,
    description: &Description,
    elsewhere: &[(String, Pointer)],
    lent: &Lent<'_>,
    limit: usize,
) -> Answer {
    let scores = score(index, description);
    let mut ranking = Ranking { index, pointers: HashMap::new(), symbols: HashMap::new() };
    ranking.words(&scores);
    let files = Files::new(index);
    ranking.named(Source::Path, &named::places(index, &files, description, false));
    ranking.named(Source::Trace, &named::places(index, &files, description, true));
    ranking.named(Source::Definition, &named::defined(index, &files, description));
    ranking.named(Source::Module, &named::modules(&files, description));
    for (path, pointer) in elsewhere {
        if let Some(file) = index.find(path) {
            ranking.push(file, pointer.clone());
        }
    }
    if !description.messages.is_empty() {
        let paths: Vec<(FileAt, &str)> = ranking
            .order(description)
            .into_iter()
            .take(LOOKED_INTO)
            .map(|(file, _)| (file, index.path(file)))
            .collect();
        for (file, strength, what) in messages::find(&description.messages, &paths, lent.read) {
            ranking.push(file, Pointer { source: Source::Message, strength, what });
        }
    }
    ranking.lend(description, lent.near);
    let apart =
        |(file, _): &(FileAt, f32)| index.kind(*file) == FileKind::Test && !description.tests;
    let (tests, files): (Vec<_>, Vec<_>) = ranking.order(description).into_iter().partition(apart);
    let words = scores.telling(index, TELLING);
    let told = |order: Vec<(FileAt, f32)>, limit: usize| {
        let scored: Vec<f32> = order.iter().map(|(_, score)| *score).collect();
        let told = |(at, (file, score)): (usize, (FileAt, f32))| {
            let mut located = ranking.located(file, score, &scores);
            located.likely = likely(at, &scored);
            let has = |(_, files): &&(&str, Vec<FileAt>)| files.binary_search(&file).is_ok();
            let spelled =
                |word: &str| description.spelled.get(word).map_or(word, String::as_str).to_owned();
            let words = words.iter().filter(has).map(|(word, _)| spelled(word));
            located.words = words.take(WORDS).collect();
            located
        };
        order.into_iter().take(limit).enumerate().map(told).collect()
    };
    Answer { files: told(files, limit), tests: told(tests, limit.min(TESTS)), among: index.files() }
}

impl Ranking<'_> {
    fn push(&mut self, file: FileAt, pointer: Pointer) {
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

    /// Words count in relation to the file that has most of them.
    fn words(&mut self, scores: &Scores) {
        let index = self.index;
        let count = index.files();
        let plain = |file: FileAt| index.kind(file) == FileKind::Source;
        let summed = |file: FileAt| {
            let best = scores.best(index, file, 3);
            best.iter().zip([1.0, 0.3, 0.1]).map(|((_, score), share)| score * share).sum::<f32>()
        };
        let pieces: Vec<f32> = (0..count).map(summed).collect();
        for (source, values) in [
            (Source::Words, &scores.files),
            (Source::Piece, &pieces),
            (Source::PathWords, &scores.paths),
        ] {
            let most = (0..count)
                .filter(|file| plain(*file))
                .map(|file| values[file as usize])
                .fold(0.0, f32::max);
            let most = if most > 0.0 { most } else { values.iter().copied().fold(0.0, f32::max) };
            if most <= 0.0 {
                continue;
            }
            for file in 0..count {
                let strength = (values[file as usize] / most).min(1.2);
                if strength > 0.0 {
                    self.push(file, Pointer { source, strength, what: String::new() });
                }
            }
        }
    }

    fn named(&mut self, source: Source, found: &[Named]) {
        let mut by_file: HashMap<FileAt, Vec<(f32, &str)>> = HashMap::new();
        for named in found {
            by_file.entry(named.file).or_default().push((named.strength, &named.what));
            if let Some(piece) = named.piece {
                *self.symbols.entry(piece).or_default() += named.strength;
            }
        }
        for (file, mut whats) in by_file {
            let sum: f32 = whats.iter().map(|(strength, _)| strength).sum();
            whats.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
            whats.dedup_by_key(|(_, what)| *what);
            let what: Vec<&str> = whats.iter().take(3).map(|(_, what)| *what).collect();
            // Many names add up, less and less.
            let strength = if source == Source::Path { sum.min(1.0) } else { 1.0 - (-sum).exp() };
            self.push(file, Pointer { source, strength, what: what.join(", ") });
        }
    }

    /// The best lend to the files that go with them.
    fn lend(&mut self, description: &Description, near: &dyn Fn(&str) -> Vec<Neighbour>) {
        let best: Vec<(FileAt, f32)> = self.order(description).into_iter().take(LENDERS).collect();
        let Some(most) = best.first().map(|(_, score)| *score).filter(|score| *score > 0.0) else {
            return;
        };
        let mut sums: HashMap<(FileAt, Source), (f32, String)> = HashMap::new();
        for (file, score) in &best {
            let lender = self.index.path(*file);
            for (path, closeness, source) in near(lender) {
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

    fn order(&self, description: &Description) -> Vec<(FileAt, f32)> {
        let mut order: Vec<(FileAt, f32)> = self
            .pointers
            .iter()
            .map(|(file, pointers)| (*file, self.weigh(*file, pointers, description)))
            .collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order
    }

    fn weigh(&self, file: FileAt, pointers: &[Pointer], description: &Description) -> f32 {
        let sum: f32 =
            pointers.iter().map(|pointer| pointer.strength * pointer.source.weight()).sum();
        // Who names a file by its path means it, whatever it is.
        let named: f32 = pointers
            .iter()
            .filter(|pointer| pointer.source == Source::Path)
            .map(|pointer| pointer.strength * pointer.source.weight())
            .sum();
        let share = match self.index.kind(file) {
            FileKind::Source => 1.0,
            FileKind::Test if description.tests => 0.5,
            FileKind::Document if description.documents => 0.9,
            FileKind::Script => 0.5,
            FileKind::Test => 0.4,
            FileKind::Settings => 0.4,
            FileKind::Document => 0.3,
            FileKind::Aside => 0.2,
        };
        named + (sum - named) * share
    }

    fn located(&self, file: FileAt, score: f32, scores: &Scores) -> Located {
        let mut pointers = self.pointers.get(&file).cloned().unwrap_or_default();
        pointers.sort_by(|a, b| {
            let counts = |pointer: &Pointer| pointer.strength * pointer.source.weight();
            counts(b).total_cmp(&counts(a)).then_with(|| a.source.cmp(&b.source))
        });
        let index = self.index;
        let best = scores
            .best(index, file, 1)
            .first()
            .map_or(1.0, |(_, score)| *score)
            .max(f32::MIN_POSITIVE);
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
        symbols.truncate(SYMBOLS);
        Located {
            path: index.path(file).to_owned(),
            kind: index.kind(file),
            score,
            likely: 0.0,
            pointers,
            words: Vec::new(),
            symbols,
        }
    }
}

/// How likely the file at a place of the order is right: fitted to the places, scores and distances
/// of files that were right. `docs/locate.md` has how well it holds.
fn likely(at: usize, scores: &[f32]) -> f32 {
    let Some(score) = scores.get(at) else { return 0.0 };
    let next = scores.get(at + 1).copied().unwrap_or(0.0);
    let sum = 1.1 * score + 0.95 * (score - next) - 0.5 * at as f32 - 2.5;
    1.0 / (1.0 + (-sum).exp())
}
