//! Search with a hypothetical answer (hypothetical document embeddings, HyDE).
//!
//! A query and its answer often share neither words nor form. If a query finds little, a model
//! writes the memory that would answer it. Right or wrong, that text resembles a memory, and its
//! neighbours may be the answer. It is only used as a vector: it is never stored, followed or
//! returned as a result.

use tacit_core::{MemoryId, clean};
use tacit_models::{Prompt, TextKind};
use tacit_recall::{PromptTraits, Query, RecallCandidate, likelihood};

use crate::engine::Engine;
use crate::generation::GenerationPurpose;
use crate::recall::{RecallRequest, SearchVector};
use crate::semantic::dot;

/// The number of likely candidates below which a hypothetical answer is generated.
const MIN_LIKELY: usize = 3;
/// The least likelihood of a likely candidate.
const LIKELY_FLOOR: f64 = 0.5;
/// The weight of the query in the search vector.
const QUERY_SHARE: f32 = 0.4;
/// The weight of the hypothetical answer in the search vector.
const ANSWER_SHARE: f32 = 0.6;
/// The difference between passage and query cosines of the bundled model. Passages are closer to
/// each other than queries are to passages; without this offset, a hypothetical answer would match
/// unrelated memories.
const PASSAGE_OFFSET: f64 = 0.2;
/// The most neighbours of the search vector that become candidates.
const MAX_NEIGHBOURS: usize = 10;
/// The most tokens of a hypothetical answer.
const MAX_TOKENS: u32 = 150;
/// The most bytes of a hypothetical answer; longer text is cut.
const MAX_BYTES: usize = 2_000;

const TASK: &str = "You help to search the notes that developers keep about one code base. Given a \
                    question, write the note that would settle it: two or three plain sentences \
                    that name concrete things such as files, functions, settings, commands, errors \
                    and reasons. Make up what you do not know. Write the note alone, without an \
                    introduction, a heading or a list.";

/// A hypothetical answer that was searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HypotheticalAnswer {
    /// The text of the model. Untrusted: show it as data, never to a model that could follow it.
    pub text: String,
    /// The generator of the text.
    pub by: String,
    /// The results that only this search found.
    pub found: Vec<MemoryId>,
}

impl Engine<'_> {
    /// Returns true for an explicit query with few likely candidates, if a generator is configured.
    pub(crate) fn should_try_hyde(
        &self,
        recall: &RecallRequest,
        query: &Query,
        candidates: &[RecallCandidate],
    ) -> bool {
        let likely = |candidate: &&RecallCandidate| {
            let RecallCandidate { lexical, meaning, .. } = candidate;
            let traits = PromptTraits::default();
            likelihood(query, recall.strictness, traits, lexical.coverage, *meaning) >= LIKELY_FLOOR
        };
        self.generator.is_some()
            && self.config.recall_hyde
            && !recall.strictness.is_proactive()
            && candidates.iter().filter(likely).count() < MIN_LIKELY
    }

    /// Generates a hypothetical answer and its search vector. The error says why there is none.
    pub(crate) fn hypothetical_answer(
        &self,
        recall: &RecallRequest,
        query: &Query,
        question: &SearchVector,
    ) -> Result<(HypotheticalAnswer, SearchVector), String> {
        let (Some(generator), Some(embedder)) = (&self.generator, &self.embedder) else {
            return Err("no generator or embedder is configured".into());
        };
        let focus = query.embedding_text(recall.strictness);
        let prompt = Prompt {
            system: TASK.to_owned(),
            user: format!("Question: {}", tacit_redact::redact(&focus).text),
            max_tokens: MAX_TOKENS,
            temperature: Some(0.0),
        };
        let body =
            self.generate(GenerationPurpose::Hyde, &prompt).map_err(|error| error.to_string())?;
        let text = clean(&body.text).text;
        let text = text[..text.floor_char_boundary(MAX_BYTES)].trim().to_owned();
        let vectors = embedder
            .embed(&[&text], TextKind::Passage, None)
            .map_err(|error| format!("cannot embed the hypothetical answer: {error}"))?;
        let vector = vectors.into_iter().next().unwrap_or_default();
        let probe =
            mix_vectors(question, &vector).ok_or("the hypothetical answer has no vector")?;
        Ok((HypotheticalAnswer { text, by: generator.name().to_owned(), found: Vec::new() }, probe))
    }
}

/// Mixes the query and the hypothetical answer into a unit vector.
fn mix_vectors(question: &SearchVector, hypothetical: &[f32]) -> Option<SearchVector> {
    let mix = |one: &[f32], other: &[f32]| -> Vec<f32> {
        one.iter().zip(other).map(|(a, b)| QUERY_SHARE * a + ANSWER_SHARE * b).collect()
    };
    let mixed = mix(&question.vector, hypothetical);
    let length = dot(&mixed, &mixed).sqrt();
    if !length.is_normal() {
        return None;
    }
    // For other models the difference is unknown, and their neighbours are not judged by distance.
    let is_calibrated = question.is_calibrated;
    Some(SearchVector {
        vector: mixed.into_iter().map(|value| value / length).collect(),
        is_calibrated,
        limit: MAX_NEIGHBOURS,
        cosine_offset: if is_calibrated { PASSAGE_OFFSET } else { 0.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_vector_leans_towards_the_hypothetical_answer() {
        let question = SearchVector {
            vector: vec![1.0, 0.0],
            is_calibrated: false,
            limit: 40,
            cosine_offset: 0.0,
        };
        let probe = mix_vectors(&question, &[0.0, 1.0]).unwrap();
        let length = dot(&probe.vector, &probe.vector);
        assert!((length - 1.0).abs() < 1e-6);
        assert!((probe.vector[1] / probe.vector[0] - 1.5).abs() < 1e-6);
        assert_eq!((probe.limit, probe.cosine_offset), (10, 0.0));
        assert!(mix_vectors(&question, &[]).is_none());
        assert!(mix_vectors(&question, &[f32::NAN, 0.0]).is_none());
    }
}
