//! What was considered, and why it was kept or dropped.

use serde::{Deserialize, Serialize};

use super::{Basis, Candidate};

/// How far something came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
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

impl Stage {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Signal => "signal",
            Stage::Rule => "rule",
            Stage::Validation => "validation",
            Stage::Frequency => "frequency",
            Stage::Novelty => "novelty",
            Stage::Scoring => "scoring",
            Stage::Complexity => "complexity",
            Stage::Kept => "kept",
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
pub struct Considered {
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
    pub stage: Stage,
    /// Its score, if it came that far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What became of it.
    pub fate: Fate,
    /// Why.
    pub why: String,
}

impl Considered {
    /// What was seen and leads to nothing.
    pub fn seen(
        basis: Basis,
        about: impl Into<String>,
        occurrences: u32,
        stage: Stage,
        why: impl Into<String>,
    ) -> Considered {
        Considered {
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
        candidate: &Candidate,
        stage: Stage,
        score: Option<f64>,
        fate: Fate,
        why: impl Into<String>,
    ) -> Considered {
        Considered {
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
