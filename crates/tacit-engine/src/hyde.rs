//! Searching by way of a supposed answer (hypothetical document embeddings, HyDE).
//!
//! A question and its answer often share neither words nor shape. Where a question finds little, a
//! model writes the memory that would answer it; right or wrong, that text has the shape of a
//! memory, and what is near to it may be what was meant. It is used for its place among vectors and
//! for nothing else: it is not kept, not followed, and never an answer itself.

use tacit_core::{MemoryId, clean};
use tacit_models::bundled::{PASSAGE_CENTRE, QUERY_CENTRE};
use tacit_models::{Prompt, TextKind};
use tacit_recall::{Query, RecallCandidate, likelihood};

use crate::engine::Engine;
use crate::generation::GenerationPurpose;
use crate::recall::{RecallRequest, SearchVector};
use crate::semantic::dot;

/// As many answers must be likely; with fewer, a supposed one is asked for.
const ENOUGH: usize = 3;
/// How likely an answer must be to count.
const LIKELY: f64 = 0.5;
/// What the question has of the vector that is searched by.
const QUESTION_SHARE: f32 = 0.4;
/// What the supposed answer has.
const SUPPOSED_SHARE: f32 = 0.6;
/// Texts of the bundled model lie nearer to each other than questions lie to texts: so much that
/// without taking this off, a supposed answer is near to memories that have nothing to do with it.
/// With it, wrong memories are taken for answers nearly as rarely as by the question alone.
const EXCESS: f64 = 0.2;
/// How many memories near that vector join the candidates.
const JOINING: usize = 10;
/// How many tokens a supposed answer may have.
const MOST_TOKENS: u32 = 150;
/// A longer text than that many tokens can be is cut.
const MOST_BYTES: usize = 2_000;

const TASK: &str = "You help to search the notes that developers keep about one code base. Given a \
                    question, write the note that would settle it: two or three plain sentences \
                    that name concrete things such as files, functions, settings, commands, errors \
                    and reasons. Make up what you do not know. Write the note alone, without an \
                    introduction, a heading or a list.";

/// A supposed answer that was searched by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HypotheticalAnswer {
    /// What it says: text from outside, to be shown as such and to nobody who would obey it.
    pub text: String,
    /// Who wrote it.
    pub by: String,
    /// The answers that were found only by way of it.
    pub found: Vec<MemoryId>,
}

impl Engine<'_> {
    /// Whether somebody asked, few candidates are likely, and somebody can suppose an answer.
    pub(crate) fn should_suppose(
        &self,
        recall: &RecallRequest,
        query: &Query,
        candidates: &[RecallCandidate],
    ) -> bool {
        let likely = |candidate: &&RecallCandidate| {
            let RecallCandidate { lexical, cosine, centred, .. } = candidate;
            likelihood(query, recall.strictness, lexical.coverage, *cosine, *centred) >= LIKELY
        };
        self.generator.is_some()
            && self.config.recall_hyde
            && !recall.strictness.is_uninvited()
            && candidates.iter().filter(likely).count() < ENOUGH
    }

    /// A supposed answer and what to search by; or, in words, why there is none.
    pub(crate) fn suppose(
        &self,
        recall: &RecallRequest,
        query: &Query,
        question: &SearchVector,
    ) -> Result<(HypotheticalAnswer, SearchVector), String> {
        let (Some(generator), Some(embedder)) = (&self.generator, &self.embedder) else {
            return Err("nobody can suppose an answer".into());
        };
        let focus = query.focus(recall.strictness);
        let prompt = Prompt {
            system: TASK.to_owned(),
            user: format!("Question: {}", tacit_redact::redact(&focus).text),
            max_tokens: MOST_TOKENS,
            temperature: Some(0.0),
        };
        let body =
            self.generate(GenerationPurpose::Hyde, &prompt).map_err(|error| error.to_string())?;
        let text = clean(&body.text).text;
        let text = text[..text.floor_char_boundary(MOST_BYTES)].trim().to_owned();
        let vectors = embedder
            .embed(&[&text], TextKind::Passage, None)
            .map_err(|error| format!("the supposed answer cannot be embedded: {error}"))?;
        let vector = vectors.into_iter().next().unwrap_or_default();
        let probe = ensemble(question, &vector).ok_or("the supposed answer has no vector")?;
        Ok((HypotheticalAnswer { text, by: generator.name().to_owned(), found: Vec::new() }, probe))
    }
}

/// The question and the supposed answer as one vector of length one, with what all such vectors
/// share where that is known of each.
fn ensemble(question: &SearchVector, supposed: &[f32]) -> Option<SearchVector> {
    let mix = |one: &[f32], other: &[f32]| -> Vec<f32> {
        one.iter().zip(other).map(|(a, b)| QUESTION_SHARE * a + SUPPOSED_SHARE * b).collect()
    };
    let mixed = mix(&question.vector, supposed);
    let length = dot(&mixed, &mixed).sqrt();
    if !length.is_normal() {
        return None;
    }
    let scaled = |vector: Vec<f32>| vector.into_iter().map(|value| value / length).collect();
    let centre = question.centre.as_ref().map(|_| scaled(mix(&QUERY_CENTRE, &PASSAGE_CENTRE)));
    // Of other models it is not known, and what they find is not judged by nearness.
    let excess = if centre.is_some() { EXCESS } else { 0.0 };
    Some(SearchVector { vector: scaled(mixed), centre, wanted: JOINING, excess })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ensemble_leans_towards_what_is_supposed() {
        let question =
            SearchVector { vector: vec![1.0, 0.0], centre: None, wanted: 40, excess: 0.0 };
        let probe = ensemble(&question, &[0.0, 1.0]).unwrap();
        let length = dot(&probe.vector, &probe.vector);
        assert!((length - 1.0).abs() < 1e-6);
        assert!((probe.vector[1] / probe.vector[0] - 1.5).abs() < 1e-6);
        assert_eq!((probe.wanted, &probe.centre), (10, &None));
        assert!(ensemble(&question, &[]).is_none());
        assert!(ensemble(&question, &[f32::NAN, 0.0]).is_none());
    }
}
