//! Age, use, phase and trust of a memory, apart from its relevance.

use tacit_core::{Memory, Timestamp, UniversalPhase, Usefulness};

use crate::phase::PhaseWeights;

/// The number of days in which recency falls to a third.
const RECENCY_DAYS: f64 = 30.0;
/// The factor of a stale memory's score.
const STALE: f64 = 0.5;

/// The greatest influence of the usefulness on the score without a query, as a share of it.
const MOST_USEFUL: f64 = 0.2;
/// The part of the usefulness in the influence on the score with a query.
const USEFUL_PART: f64 = 0.5;

/// Scores a memory without a query: by phase, age, use and trust, and by how often it was of use to
/// agents that were shown it.
pub fn baseline_score(
    memory: &Memory,
    uses: &Usefulness,
    phase: Option<UniversalPhase>,
    weights: &PhaseWeights,
    most_used: u64,
    now: Timestamp,
) -> f64 {
    let lively = 0.25 * recency(memory, now) + 0.15 * frequency(memory, most_used);
    let useful = 1.0 + MOST_USEFUL * uses.influence();
    (0.6 + lively) * factor(memory, phase, weights, now) * useful
}

/// Returns 1 for a memory that was just used, decaying towards 0.
pub(super) fn recency(memory: &Memory, now: Timestamp) -> f64 {
    let last = memory.usage.last_accessed_at.max(memory.created_at);
    (-now.days_since(last).max(0.0) / RECENCY_DAYS).exp()
}

/// Returns 0 for a memory that was never used, up to 1 for the most used one.
pub(super) fn frequency(memory: &Memory, most: u64) -> f64 {
    if most == 0 {
        return 0.0;
    }
    (1.0 + memory.usage.access_count as f64).ln() / (1.0 + most as f64).ln()
}

/// Returns the product of phase, confidence, decay and staleness.
pub(super) fn factor(
    memory: &Memory,
    phase: Option<UniversalPhase>,
    weights: &PhaseWeights,
    now: Timestamp,
) -> f64 {
    let phase = phase.map_or(1.0, |phase| weights.weight(phase, &memory.memory_type()));
    let stale = if memory.body.trust.stale_at.is_some() { STALE } else { 1.0 };
    phase * memory.body.effective_confidence().value() * memory.decay(now) * stale
}

/// Returns the combined influence of everything but relevance, from -1 to 1.
pub(super) fn influence(recency: f64, frequency: f64, factor: f64, uses: &Usefulness) -> f64 {
    let lively = (0.25 * recency + 0.15 * frequency) / 0.4;
    let known = 0.5 * (lively * 2.0 - 1.0) + 0.5 * (factor.min(1.5) / 0.75 - 1.0);
    (known + USEFUL_PART * uses.influence()).clamp(-1.0, 1.0)
}
