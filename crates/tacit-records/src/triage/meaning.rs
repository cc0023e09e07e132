//! What a line means, beside the words it is said in: five weighings of the vector that the bundled
//! model makes of it. Pure: whoever has the model lends it.
//!
//! Phrases know only what somebody thought of. The weights were fitted to labelled excerpts by
//! `cargo run --release -p tacit-records --example fit_meaning`, and are of no use with vectors of
//! another model.

use super::{Speaker, TriageSession};
use crate::category::RecordCategory;

/// How many numbers the vectors have.
pub const DIMENSIONS: usize = 384;
/// From which likelihood on a line means a category.
pub const MIN_LIKELIHOOD: f32 = 0.5;
/// Fewer words say too little.
const FEWEST_WORDS: usize = 3;
/// So much of a line is looked at.
const MAX_BYTES: usize = 400;
/// How an agent begins to tell what it is doing, which is no statement about the project.
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
/// The categories that are told by what is said, in the order of the weights.
pub const CLASSIFIED_CATEGORIES: [RecordCategory; 5] = [
    RecordCategory::Decision,
    RecordCategory::Runbook,
    RecordCategory::Constraint,
    RecordCategory::TechDebt,
    RecordCategory::Preference,
];

/// Little-endian numbers: what vectors have in common, then for each category its weights and what
/// is added to their sum.
static WEIGHTS: &[u8; 4 * (DIMENSIONS + CLASSIFIED_CATEGORIES.len() * (DIMENSIONS + 1))] =
    include_bytes!("../../weights/meaning.f32");

/// The category that a line with this vector means, if it likely means one.
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
    /// Notes what the last lines mean, as many as there is time for. `embed` gives the vector of a
    /// text as the bundled model makes it.
    pub fn classify_lines(&mut self, most: usize, embed: &mut dyn FnMut(&str) -> Vec<f32>) {
        let said = |line: &&mut super::SessionLine| {
            let begins = line.text.to_lowercase();
            let tells = NARRATION.iter().any(|beginning| begins.starts_with(beginning));
            !tells
                && line.speaker != Speaker::Tool
                && !line.text.ends_with('?')
                && line.text.split_whitespace().count() >= FEWEST_WORDS
        };
        for line in self.lines.iter_mut().rev().filter(said).take(most) {
            let text = &line.text[..line.text.floor_char_boundary(MAX_BYTES)];
            line.category = classify(&embed(text));
        }
    }
}
