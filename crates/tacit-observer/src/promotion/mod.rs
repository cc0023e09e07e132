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
mod validated;

use serde::{Deserialize, Serialize};
use tacit_core::log::Complexity;
use tacit_core::{Draft, ErrorPattern, FingerprintDigest, MemoryId, Timestamp};

pub use commits::{Commit, link_commit};
pub use complexity::{gate, infer_complexity};
pub use frequency::is_frequent;
pub use novelty::{Near, Novelty, SAME, novelty};
pub use scoring::{DEAD_END_THRESHOLD, THRESHOLD, score, threshold};
pub use trace::{Considered, Fate, Stage};
pub use validated::is_validated;

use crate::reverts::Abandoned;
use crate::session_tree::Release;
use crate::validation::Verdict;

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
pub struct Candidate {
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
    pub place: Option<usize>,
    /// What would be remembered.
    pub draft: Draft,
    /// Whether it takes the place of what is known of the same type and module.
    pub replaces: bool,
}

impl Candidate {
    /// The fingerprint of the error it is about.
    pub fn fingerprint(&self) -> Option<FingerprintDigest> {
        let details = self.draft.details.clone()?;
        serde_json::from_value::<ErrorPattern>(details).ok().map(|error| error.fingerprint)
    }
}

/// What becomes of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It becomes a memory.
    Keep(Box<Candidate>),
    /// It is known, and confirms this memory.
    Reinforce(MemoryId, Box<Candidate>),
}

/// Takes candidates through the first two stages: they come from work that passed, and were seen often
/// enough. Each conclusion stays once, in the order of the steps.
pub(crate) fn checked(
    candidates: Vec<Candidate>,
    verdict: &Verdict,
    release: &Release,
    abandoned: &[Abandoned],
    trace: &mut Vec<Considered>,
) -> Vec<Candidate> {
    let mut kept = Vec::new();
    for candidate in candidates {
        match is_validated(&candidate, verdict, release, abandoned) {
            Err(why) => {
                let waits = matches!(release, Release::Wait(_));
                let fate = if waits { Fate::Waits } else { Fate::Dropped };
                trace.push(Considered::of(&candidate, Stage::Validation, None, fate, why));
            }
            Ok(()) if !is_frequent(candidate.basis, candidate.occurrences) => {
                let (count, least) = (candidate.occurrences, candidate.basis.least());
                let why = format!("seen {count} of {least} times");
                let dropped = Fate::Dropped;
                trace.push(Considered::of(&candidate, Stage::Frequency, None, dropped, why));
            }
            Ok(()) => kept.push(candidate),
        }
    }
    kept.sort_by(|a, b| (a.place, &a.key).cmp(&(b.place, &b.key)));
    kept.dedup_by(|a, b| a.key == b.key);
    kept
}

/// Takes candidates through the other stages, each with the nearest memory about the same.
pub(crate) fn decide(
    candidates: Vec<(Candidate, Option<Near>)>,
    complexity: Complexity,
    commits: &[Commit],
    now: Timestamp,
    trace: &mut Vec<Considered>,
) -> Vec<Decision> {
    let mut decisions = Vec::new();
    let mut scored: Vec<(f64, Candidate)> = Vec::new();
    for (candidate, near) in candidates {
        let new = match novelty(near) {
            Novelty::Known(id) if !candidate.replaces => {
                let why = format!("known already as {}; confirms it", id.short());
                trace.push(Considered::of(&candidate, Stage::Novelty, None, Fate::Kept, why));
                decisions.push(Decision::Reinforce(id, Box::new(candidate)));
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
            trace.push(Considered::of(&candidate, Stage::Scoring, Some(score), Fate::Dropped, why));
        }
    }
    let (kept, cut) = gate(scored, complexity);
    for (score, candidate) in cut {
        let (most, size) = (complexity::most(complexity), complexity.as_str());
        let why = format!("beyond the {most} memories of a {size} task");
        trace.push(Considered::of(&candidate, Stage::Complexity, Some(score), Fate::Dropped, why));
    }
    for (score, mut candidate) in kept {
        link_commit(&mut candidate.draft, candidate.at, commits);
        let why = match &candidate.draft.commit {
            Some(sha) => format!("passed every stage; commit {}", &sha[..sha.len().min(8)]),
            None => "passed every stage".to_owned(),
        };
        trace.push(Considered::of(&candidate, Stage::Kept, Some(score), Fate::Kept, why));
        decisions.push(Decision::Keep(Box::new(candidate)));
    }
    decisions
}
