//! What was considered, and why it was kept or dropped.

use serde::{Deserialize, Serialize};

use super::{Basis, MemoryCandidate};

/// How far something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromotionStage {
    /// It was seen; no rule concludes anything from it.
    Signal,
    /// A rule looked at it and was not sure.
    Rule,
    /// Whether the work it comes from was checked and passed.
    Validation,
    /// Whether it was seen often enough.
    Frequency,
    /// Whether it is known already.
    Novelty,
    /// Whether it is frequent, recent and new enough together.
    Scoring,
    /// Whether there is room for it.
    Complexity,
    /// It passed them all.
    Kept,
}

impl PromotionStage {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            PromotionStage::Signal => "signal",
            PromotionStage::Rule => "rule",
            PromotionStage::Validation => "validation",
            PromotionStage::Frequency => "frequency",
            PromotionStage::Novelty => "novelty",
            PromotionStage::Scoring => "scoring",
            PromotionStage::Complexity => "complexity",
            PromotionStage::Kept => "kept",
        }
    }
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It became a memory, or confirmed one.
    Kept,
    /// It did not.
    Dropped,
    /// It waits until more is known.
    Waits,
}

/// Something that was considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// What it rests on.
    pub basis: Basis,
    /// What it is about.
    pub about: String,
    /// The type of memory it would be.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How often it was seen.
    pub occurrences: u32,
    /// How far it came.
    pub stage: PromotionStage,
    /// Its score, if it came that far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What became of it.
    pub fate: Fate,
    /// Why.
    pub why: String,
}

impl TraceEntry {
    /// What was seen and leads to nothing.
    pub fn seen(
        basis: Basis,
        about: impl Into<String>,
        occurrences: u32,
        stage: PromotionStage,
        why: impl Into<String>,
    ) -> TraceEntry {
        TraceEntry {
            basis,
            about: about.into(),
            kind: None,
            occurrences,
            stage,
            score: None,
            fate: Fate::Dropped,
            why: why.into(),
        }
    }

    /// Records the fate of a candidate, and its stage.
    pub(crate) fn of(
        candidate: &MemoryCandidate,
        stage: PromotionStage,
        score: Option<f64>,
        fate: Fate,
        why: impl Into<String>,
    ) -> TraceEntry {
        TraceEntry {
            basis: candidate.basis,
            about: candidate.about.clone(),
            kind: candidate.draft.kind.clone(),
            occurrences: candidate.occurrences,
            stage,
            score: score.map(|score| (score * 1000.0).round() / 1000.0),
            fate,
            why: why.into(),
        }
    }
}
