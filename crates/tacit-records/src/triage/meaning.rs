//! Classifies lines by meaning: five linear classifiers on the vectors of the bundled model. Pure:
//! the caller provides the model.
//!
//! Phrases match only expected wording. The weights were fitted to labelled excerpts by `cargo run
//! --release -p tacit-records --example fit_meaning`, and work only with vectors of that model.

use super::{Speaker, TriageSession};
use crate::category::RecordCategory;

/// The number of dimensions of the vectors.
pub const DIMENSIONS: usize = 384;
/// The likelihood from which on a line belongs to a category.
pub const MIN_LIKELIHOOD: f32 = 0.5;
/// Shorter lines say too little.
const MIN_WORDS: usize = 3;
/// The number of bytes used of a line.
const MAX_BYTES: usize = 400;
/// The beginnings of lines in which agents narrate their work, which say nothing about the project.
const NARRATION: [&str; 14] = [
    "let me ",
    "let's look",
    "i'll ",
    "i will ",
    "i'm going to ",
    "now i",
    "now let",
    "looking at ",
    "checking ",
    "reading ",
    "running ",
    "next, ",
    "first, ",
    "done.",
];
/// The categories that are classified by meaning, in the order of the weights.
pub const CLASSIFIED_CATEGORIES: [RecordCategory; 5] = [
    RecordCategory::Decision,
    RecordCategory::Runbook,
    RecordCategory::Constraint,
    RecordCategory::TechDebt,
    RecordCategory::Preference,
];

/// Little-endian numbers: the mean of all vectors, then the weights and the bias of each category.
static WEIGHTS: &[u8; 4 * (DIMENSIONS + CLASSIFIED_CATEGORIES.len() * (DIMENSIONS + 1))] =
    include_bytes!("../../weights/meaning.f32");

/// Returns the most likely category of a line with this vector, if any is likely enough.
pub fn classify(vector: &[f32]) -> Option<RecordCategory> {
    let number = |at: usize| {
        let bytes = WEIGHTS.get(4 * at..4 * at + 4).and_then(|bytes| bytes.try_into().ok());
        f32::from_le_bytes(bytes.unwrap_or_default())
    };
    if vector.len() != DIMENSIONS {
        return None;
    }
    let centred: Vec<f32> = vector.iter().enumerate().map(|(at, x)| x - number(at)).collect();
    let length = centred.iter().map(|x| x * x).sum::<f32>().sqrt();
    let likelihood = |index: usize| {
        let start = DIMENSIONS + index * (DIMENSIONS + 1);
        let sum: f32 = centred.iter().enumerate().map(|(at, x)| x * number(start + at)).sum();
        1.0 / (1.0 + (-(sum / length + number(start + DIMENSIONS))).exp())
    };
    let best = (0..CLASSIFIED_CATEGORIES.len())
        .map(|index| (CLASSIFIED_CATEGORIES[index], likelihood(index)));
    best.filter(|(_, likely)| *likely >= MIN_LIKELIHOOD)
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(category, _)| category)
}

impl TriageSession {
    /// Classifies at most `max_lines` of the last lines. `embed` returns the vector of a text by
    /// the bundled model.
    pub fn classify_lines(&mut self, max_lines: usize, embed: &mut dyn FnMut(&str) -> Vec<f32>) {
        let is_statement = |line: &&mut super::SessionLine| {
            let begins = line.text.to_lowercase();
            let narrates = NARRATION.iter().any(|beginning| begins.starts_with(beginning));
            !narrates
                && line.speaker != Speaker::Tool
                && !line.text.ends_with('?')
                && line.text.split_whitespace().count() >= MIN_WORDS
        };
        for line in self.lines.iter_mut().rev().filter(is_statement).take(max_lines) {
            let text = &line.text[..line.text.floor_char_boundary(MAX_BYTES)];
            line.category = classify(&embed(text));
        }
    }
}
