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
use tacit_core::{Draft, MemoryId, Timestamp};

pub use commits::{Commit, link_commit};
pub use complexity::{gate, infer_complexity};
pub use frequency::is_frequent;
pub use novelty::{Near, Novelty, SAME, novelty};
pub use scoring::{DEAD_END_THRESHOLD, THRESHOLD, score, threshold};
pub use trace::{Considered, Fate, Stage};
pub use validated::is_validated;

use crate::observe::Observation;

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

/// What becomes of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It becomes a memory.
    Keep(Box<Candidate>),
    /// It is known, and confirms this memory.
    Reinforce(MemoryId, Box<Candidate>),
}

/// What comes of a tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Promotion {
    /// What becomes a memory or confirms one.
    pub decisions: Vec<Decision>,
    /// What was considered, and why it was kept or dropped.
    pub trace: Vec<Considered>,
}

/// Takes the candidates of a tree through the stages behind the first two. `near` has for each the
/// nearest memory about the same, if there is one.
pub fn promote(observation: &Observation, near: &[Option<Near>], now: Timestamp) -> Promotion {
    let mut promotion = Promotion { trace: observation.trace.clone(), ..Promotion::default() };
    let mut scored: Vec<(f64, Candidate)> = Vec::new();
    for (at, candidate) in observation.candidates.iter().enumerate() {
        let near = near.get(at).copied().flatten();
        let new = match novelty(near) {
            Novelty::Known(id) if !candidate.replaces => {
                let why = format!("known already as {}; confirms it", id.short());
                promotion.trace.push(Considered::kept(candidate, Stage::Novelty, None, why));
                promotion.decisions.push(Decision::Reinforce(id, Box::new(candidate.clone())));
                continue;
            }
            // What is known better than before is as good as new.
            Novelty::Known(_) => 1.0,
            Novelty::New(share) => share,
        };
        let score = score(candidate, new, now);
        let least = threshold(candidate.basis);
        if score > least {
            scored.push((score, candidate.clone()));
        } else {
            let why = format!("a score of {score:.2} is not above {least}");
            promotion.trace.push(Considered::dropped(candidate, Stage::Scoring, Some(score), why));
        }
    }
    let (kept, cut) = gate(scored, observation.complexity);
    for (score, candidate) in cut {
        let why = format!(
            "beyond the {} memories of a {} task",
            complexity::most(observation.complexity),
            observation.complexity.as_str()
        );
        promotion.trace.push(Considered::dropped(&candidate, Stage::Complexity, Some(score), why));
    }
    for (score, mut candidate) in kept {
        link_commit(&mut candidate.draft, candidate.at, &observation.commits);
        let why = match &candidate.draft.commit {
            Some(sha) => format!("passed every stage; commit {}", &sha[..sha.len().min(8)]),
            None => "passed every stage".to_owned(),
        };
        promotion.trace.push(Considered::kept(&candidate, Stage::Kept, Some(score), why));
        promotion.decisions.push(Decision::Keep(Box::new(candidate)));
    }
    promotion
}
