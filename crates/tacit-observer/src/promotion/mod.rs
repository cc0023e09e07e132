//! From what was inferred to what is kept: each stage a function of values, with a trace.
//!
//! `validation → frequency → novelty → scoring → text → vectors → commit → complexity`. The text is
//! written by the rules, before novelty is judged by it; vectors are made by the write gate for what
//! is kept. What is not new is never dropped: it reinforces what is known.

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

/// What a conclusion rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Which files were used.
    FileAccess,
    /// Which files were used together.
    CoAccess,
    /// An error that came up, and what ended it.
    ErrorRetry,
    /// An edit that was corrected at once.
    Backtrack,
    /// Steps that were taken in the same order.
    Sequence,
    /// A file that held somebody up.
    TimeAnomaly,
    /// An approach that was given up.
    DeadEnd,
    /// What an agent noted.
    Note,
    /// What the running application was seen to do.
    Observation,
    /// What the user said.
    Correction,
}

impl Basis {
    /// The word for it.
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
        }
    }
}

/// Something that may become a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryCandidate {
    /// What it rests on.
    pub basis: Basis,
    /// The same for the same conclusion from the same tree, so that it is drawn once.
    pub key: String,
    /// What it is about, in a few words.
    pub about: String,
    /// How often it was seen.
    pub occurrences: u32,
    /// When it was last seen.
    pub at: Timestamp,
    /// The place in the tree at which it was complete; none for what does not depend on the work.
    pub step_index: Option<usize>,
    /// What would be remembered.
    pub draft: Draft,
    /// Whether it takes the place of what is known of the same type and module.
    pub replaces: bool,
}

impl MemoryCandidate {
    /// The fingerprint of the error it is about.
    pub fn fingerprint(&self) -> Option<FingerprintDigest> {
        let details = self.draft.details.clone()?;
        serde_json::from_value::<ErrorPattern>(details).ok().map(|error| error.fingerprint)
    }
}

/// What becomes of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum PromotionDecision {
    /// It becomes a memory.
    Keep(Box<MemoryCandidate>),
    /// It is known, and confirms this memory.
    Reinforce(MemoryId, Box<MemoryCandidate>),
}

/// Takes candidates through the first two stages: they come from work that passed, and were seen often
/// enough. Each conclusion stays once, in the order of the steps.
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
                trace.push(TraceEntry::of(&candidate, PromotionStage::Validation, None, fate, why));
            }
            Ok(()) if !is_frequent(candidate.basis, candidate.occurrences) => {
                let (count, least) = (candidate.occurrences, candidate.basis.min_occurrences());
                let why = format!("seen {count} of {least} times");
                let dropped = Fate::Dropped;
                trace.push(TraceEntry::of(
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

/// Takes candidates through the other stages, each with the nearest memory about the same.
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
                let why = format!("known already as {}; confirms it", id.short());
                trace.push(TraceEntry::of(
                    &candidate,
                    PromotionStage::Novelty,
                    None,
                    Fate::Kept,
                    why,
                ));
                decisions.push(PromotionDecision::Reinforce(id, Box::new(candidate)));
                continue;
            }
            // What is known better than before is as good as new.
            Novelty::Known(_) => 1.0,
            Novelty::New(share) => share,
        };
        let score = score(&candidate, new, now);
        let least = threshold(candidate.basis);
        if score > least {
            scored.push((score, candidate));
        } else {
            let why = format!("a score of {score:.2} is not above {least}");
            trace.push(TraceEntry::of(
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
        let why = format!("beyond the {max_memories} memories of a {size} task");
        trace.push(TraceEntry::of(
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
        trace.push(TraceEntry::of(&candidate, PromotionStage::Kept, Some(score), Fate::Kept, why));
        decisions.push(PromotionDecision::Keep(Box::new(candidate)));
    }
    decisions
}
