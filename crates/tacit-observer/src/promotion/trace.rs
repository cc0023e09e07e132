//! The trace of promotion: every candidate and signal with the reason for its fate.

use serde::{Deserialize, Serialize};

use super::{Basis, MemoryCandidate};

/// The stage that decided about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromotionStage {
    /// Seen, but no rule uses it.
    Signal,
    /// Rejected by a rule.
    Rule,
    /// The work was not checked or did not pass.
    Validation,
    /// Seen too rarely.
    Frequency,
    /// Already known.
    Novelty,
    /// The score was too low.
    Scoring,
    /// Over the limit for the size of the task.
    Complexity,
    /// Passed every stage.
    Kept,
}

impl PromotionStage {
    /// Returns the name in JSON.
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

/// The fate of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Became a memory or confirmed one.
    Kept,
    /// Rejected by a rule.
    Dropped,
    /// Waits until the rest of its unit of work is done.
    Waits,
}

/// An entry of the trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// The evidence.
    pub basis: Basis,
    /// A short description.
    pub about: String,
    /// The type of the memory it would be.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The number of occurrences.
    pub occurrences: u32,
    /// The stage that decided.
    pub stage: PromotionStage,
    /// The score, if it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The fate.
    pub fate: Fate,
    /// The reason in words.
    pub why: String,
}

impl TraceEntry {
    /// Records a signal or candidate that was dropped before promotion.
    pub fn dropped(
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

    /// Records the fate of a candidate at a stage.
    pub(crate) fn for_candidate(
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
