//! Promotion: decides which candidates become memories. Each stage is a function of values and
//! extends the trace.
//!
//! `validation → frequency → novelty → scoring → text → vectors → commit → complexity`. Rules write
//! the text before novelty compares it; the write gate computes vectors for what is kept. A
//! candidate that is already known is not dropped: it reinforces the memory.

mod commits;
mod complexity;
mod frequency;
mod novelty;
mod scoring;
mod trace;
mod validation;

use serde::{Deserialize, Serialize};
use tacit_core::log::Complexity;
use tacit_core::{Draft, ErrorPattern, FingerprintDigest, MemoryId, Timestamp};

pub(crate) use commits::commit_memories;
pub use commits::{SessionCommit, link_commit};
pub use complexity::{infer_complexity, limit_to_complexity};
pub use frequency::is_frequent;
pub use novelty::{NearestMemory, Novelty, SAME_SIMILARITY, novelty};
pub use scoring::{DEAD_END_THRESHOLD, THRESHOLD, score, threshold};
pub use trace::{Fate, PromotionStage, TraceEntry};
pub use validation::check_validated;

use crate::reverts::AbandonedApproach;
use crate::session_tree::Release;
use crate::validation::SessionVerdict;

/// The evidence for a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Files that were read or changed.
    FileAccess,
    /// Files that were used together.
    CoAccess,
    /// An error and its resolution.
    ErrorRetry,
    /// An edit that was corrected within a few steps.
    Backtrack,
    /// Steps repeated in the same order.
    Sequence,
    /// A file that was read repeatedly and never changed.
    TimeAnomaly,
    /// An approach that was given up.
    DeadEnd,
    /// A note of an agent.
    Note,
    /// A behaviour of the running application.
    Observation,
    /// A correction by the user.
    Correction,
    /// A command that failed because of the environment, and the variant that worked.
    Variant,
    /// Rules of a checker that were violated and satisfied.
    HouseRule,
    /// The agent's own account of a cause, a rule or a lesson.
    Account,
    /// A lesson that a text model wrote about turns that taught something.
    Lesson,
}

impl Basis {
    /// Returns the name in the log and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Basis::FileAccess => "file_access",
            Basis::CoAccess => "co_access",
            Basis::ErrorRetry => "error_retry",
            Basis::Backtrack => "backtrack",
            Basis::Sequence => "sequence",
            Basis::TimeAnomaly => "time_anomaly",
            Basis::DeadEnd => "dead_end",
            Basis::Note => "note",
            Basis::Observation => "observation",
            Basis::Correction => "correction",
            Basis::Variant => "variant",
            Basis::HouseRule => "house_rule",
            Basis::Account => "account",
            Basis::Lesson => "lesson",
        }
    }
}

/// A candidate for a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryCandidate {
    /// The evidence.
    pub basis: Basis,
    /// The key that is equal for the same conclusion from the same tree, so that it is drawn once.
    pub key: String,
    /// A short description for the trace.
    pub about: String,
    /// The number of occurrences.
    pub occurrences: u32,
    /// The time of the last occurrence.
    pub at: Timestamp,
    /// The step that completed it, or `None` if it does not depend on the work.
    pub step_index: Option<usize>,
    /// The draft of the memory.
    pub draft: Draft,
    /// True if it replaces the memory of the same type and module.
    pub replaces: bool,
}

impl MemoryCandidate {
    /// Returns the fingerprint of the error it is about.
    pub fn fingerprint(&self) -> Option<FingerprintDigest> {
        let details = self.draft.details.clone()?;
        serde_json::from_value::<ErrorPattern>(details).ok().map(|error| error.fingerprint)
    }
}

/// The decision about a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum PromotionDecision {
    /// Store it as a new memory.
    Keep(Box<MemoryCandidate>),
    /// Confirm the memory that already says it.
    Reinforce(MemoryId, Box<MemoryCandidate>),
}

/// Applies the first two stages, validation and frequency. Each conclusion remains once, ordered by
/// step.
pub(crate) fn filter_candidates(
    candidates: Vec<MemoryCandidate>,
    verdict: &SessionVerdict,
    release: &Release,
    abandoned_approaches: &[AbandonedApproach],
    trace: &mut Vec<TraceEntry>,
) -> Vec<MemoryCandidate> {
    let mut kept = Vec::new();
    for candidate in candidates {
        match check_validated(&candidate, verdict, release, abandoned_approaches) {
            Err(why) => {
                let waits = matches!(release, Release::Wait(_));
                let fate = if waits { Fate::Waits } else { Fate::Dropped };
                trace.push(TraceEntry::for_candidate(
                    &candidate,
                    PromotionStage::Validation,
                    None,
                    fate,
                    why,
                ));
            }
            Ok(()) if !is_frequent(candidate.basis, candidate.occurrences) => {
                let (count, least) = (candidate.occurrences, candidate.basis.min_occurrences());
                let why = format!("seen {count} of {least} times");
                let dropped = Fate::Dropped;
                trace.push(TraceEntry::for_candidate(
                    &candidate,
                    PromotionStage::Frequency,
                    None,
                    dropped,
                    why,
                ));
            }
            Ok(()) => kept.push(candidate),
        }
    }
    kept.sort_by(|a, b| (a.step_index, &a.key).cmp(&(b.step_index, &b.key)));
    kept.dedup_by(|a, b| a.key == b.key);
    kept
}

/// Applies the remaining stages to candidates with their nearest memories.
pub(crate) fn decide(
    candidates: Vec<(MemoryCandidate, Option<NearestMemory>)>,
    complexity: Complexity,
    commits: &[SessionCommit],
    now: Timestamp,
    trace: &mut Vec<TraceEntry>,
) -> Vec<PromotionDecision> {
    let mut decisions = Vec::new();
    let mut scored: Vec<(f64, MemoryCandidate)> = Vec::new();
    for (candidate, near) in candidates {
        let new = match novelty(near) {
            Novelty::Known(id) if !candidate.replaces => {
                let why = format!("already known as {}, which it confirms", id.short());
                trace.push(TraceEntry::for_candidate(
                    &candidate,
                    PromotionStage::Novelty,
                    None,
                    Fate::Kept,
                    why,
                ));
                decisions.push(PromotionDecision::Reinforce(id, Box::new(candidate)));
                continue;
            }
            // A better value of a known quantity counts as new.
            Novelty::Known(_) => 1.0,
            Novelty::New(share) => share,
        };
        let score = score(&candidate, new, now);
        let least = threshold(candidate.basis);
        if score > least {
            scored.push((score, candidate));
        } else {
            let why = format!("a score of {score:.2} does not exceed {least}");
            trace.push(TraceEntry::for_candidate(
                &candidate,
                PromotionStage::Scoring,
                Some(score),
                Fate::Dropped,
                why,
            ));
        }
    }
    let (kept, cut) = limit_to_complexity(scored, complexity);
    for (score, candidate) in cut {
        let (max_memories, size) = (complexity::max_memories(complexity), complexity.as_str());
        let why = format!("over the limit of {max_memories} memories for a {size} task");
        trace.push(TraceEntry::for_candidate(
            &candidate,
            PromotionStage::Complexity,
            Some(score),
            Fate::Dropped,
            why,
        ));
    }
    for (score, mut candidate) in kept {
        link_commit(&mut candidate.draft, candidate.at, commits);
        let why = match &candidate.draft.commit {
            Some(sha) => format!("passed every stage; commit {}", &sha[..sha.len().min(8)]),
            None => "passed every stage".to_owned(),
        };
        trace.push(TraceEntry::for_candidate(
            &candidate,
            PromotionStage::Kept,
            Some(score),
            Fate::Kept,
            why,
        ));
        decisions.push(PromotionDecision::Keep(Box::new(candidate)));
    }
    decisions
}
