//! How well words fit: BM25 over pieces, over files, and over paths. Long files do not win by their
//! length, because their pieces are compared with pieces.

use tacit_core::Bm25;

use super::description::Description;
use super::index::{FileNumber, WordIndex, WordRow};

/// A word in a name that is defined counts as so many in the text.
const NAME_WEIGHT: f32 = 4.0;
const WORDS: Bm25 = Bm25 { k1: 1.2, b: 0.6 };
/// A word below the first line that nothing is named by is one of prose, and counts so much; one
/// that a tenth of its pieces or more are named by counts in full.
const MIN_CODE_SHARE: f32 = 0.4;
const NAMED_FACTOR: f32 = 10.0;
/// A word in more of the files than this says nothing.
const COMMON_SHARE: f32 = 0.5;

/// What the words of a description give.
pub(crate) struct Scores {
    /// By piece.
    pub(crate) pieces: Vec<f32>,
    /// By file: its words as a whole.
    pub(crate) files: Vec<f32>,
    /// By file: the words in its path.
    pub(crate) paths: Vec<f32>,
    /// The words that are known, those that count most first, with the files that have them, in
    /// order.
    top_words: Vec<(String, Vec<FileNumber>)>,
}

/// Scores everything by the words of a description.
pub(crate) fn score(index: WordIndex<'_>, description: &Description) -> Scores {
    let mut scores = Scores {
        pieces: vec![0.0; index.pieces() as usize],
        files: vec![0.0; index.files() as usize],
        paths: vec![0.0; index.files() as usize],
        top_words: Vec::new(),
    };
    let (of_piece, of_file) = (index.piece_length().max(1.0), index.file_length().max(1.0));
    let mut top_words: Vec<(f32, &str, Vec<FileNumber>)> = Vec::new();
    for (word, weight) in &description.words {
        let Some(row) = index.word(word) else { continue };
        let in_paths: Vec<FileNumber> = row.paths().collect();
        let distinct = in_paths.chunk_by(|a, b| a == b).count() as u32;
        let rarity = rarity(index.files(), distinct);
        for file in in_paths {
            if let Some(path) = scores.paths.get_mut(file as usize) {
                *path += weight * rarity;
            }
        }
        if row.files as f32 > COMMON_SHARE * index.files() as f32 && index.files() > 20 {
            continue;
        }
        let weight = weight * description.code_share(word, &row, distinct);
        let by_piece = weight * self::rarity(index.pieces(), row.pieces);
        let by_file = weight * self::rarity(index.files(), row.files);
        let mut files: Vec<FileNumber> = Vec::with_capacity(row.files.min(index.files()) as usize);
        let mut current: (FileNumber, f32) = (u32::MAX, 0.0);
        for posting in row.postings() {
            let count = posting.text as f32 + NAME_WEIGHT * posting.name as f32;
            let length = index.length_of(posting.piece) as f32;
            if let Some(piece) = scores.pieces.get_mut(posting.piece as usize) {
                *piece += bm25(by_piece, count, length, of_piece);
            }
            let file = index.file_of(posting.piece);
            if file != current.0 {
                scores.add_file_score(index, current, by_file, of_file);
                current = (file, 0.0);
                files.push(file);
            }
            current.1 += count;
        }
        scores.add_file_score(index, current, by_file, of_file);
        top_words.push((by_file, word, files));
    }
    top_words.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scores.top_words =
        top_words.into_iter().map(|(_, word, files)| (word.to_owned(), files)).collect();
    scores
}

impl Description {
    /// How far a word is one of this code, and not only one of the language people write.
    fn code_share(&self, word: &str, row: &WordRow<'_>, paths: u32) -> f32 {
        if self.title.binary_search_by(|known| known.as_str().cmp(word)).is_ok() {
            return 1.0;
        }
        let share =
            NAMED_FACTOR * row.named.saturating_add(paths) as f32 / row.pieces.max(1) as f32;
        MIN_CODE_SHARE + (1.0 - MIN_CODE_SHARE) * share.min(1.0)
    }
}

impl Scores {
    fn add_file_score(
        &mut self,
        index: WordIndex<'_>,
        (file, count): (FileNumber, f32),
        weight: f32,
        average: f32,
    ) {
        if let Some(score) = self.files.get_mut(file as usize) {
            *score += bm25(weight, count, index.words_of(file) as f32, average);
        }
    }

    /// The words that count most, of those that a file has.
    pub(crate) fn top_words(&self, file: FileNumber, total: usize) -> impl Iterator<Item = &str> {
        let has = move |(_, files): &&(String, Vec<FileNumber>)| files.binary_search(&file).is_ok();
        self.top_words.iter().take(total).filter(has).map(|(word, _)| word.as_str())
    }

    /// What the best pieces of each file give: the best one all of its score, two more a share.
    pub(crate) fn best_per_file(&self, index: WordIndex<'_>) -> Vec<f32> {
        let mut best: Vec<[f32; 3]> = vec![[0.0; 3]; index.files() as usize];
        for (piece, score) in self.pieces.iter().enumerate().filter(|(_, score)| **score > 0.0) {
            let Some(best) = best.get_mut(index.file_of(piece as u32) as usize) else { continue };
            if *score > best[0] {
                *best = [*score, best[0], best[1]];
            } else if *score > best[1] {
                *best = [best[0], *score, best[1]];
            } else if *score > best[2] {
                best[2] = *score;
            }
        }
        best.into_iter().map(|[first, second, third]| first + 0.3 * second + 0.1 * third).collect()
    }

    /// The score of the best piece of a file.
    pub(crate) fn best(&self, index: WordIndex<'_>, file: FileNumber) -> f32 {
        let score = |piece: u32| self.pieces.get(piece as usize).copied().unwrap_or(0.0);
        index.pieces_of(file).map(score).fold(0.0, f32::max)
    }
}

fn bm25(weight: f32, count: f32, length: f32, average: f32) -> f32 {
    let [weight, count, length, average] = [weight, count, length, average].map(f64::from);
    WORDS.score(weight, count, length, average) as f32
}

/// How much it tells that one of so many has a word that so many have.
pub(crate) fn rarity(total: u32, containing: u32) -> f32 {
    tacit_core::rarity(total.into(), containing.into()) as f32
}
