//! The result of learning from transcripts: which sessions were read, what they taught, and why not
//! more.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_core::{MemoryId, SessionId, Source, Timestamp};
use tacit_engine::{Engine, Fate, PromotionStage, StoreScope, StoredMemory, TraceEntry};
use tacit_store::{Filter, ListOrder};

use super::candidate::Candidate;
use crate::error::AppResult;

/// The most reasons that are listed.
const REASONS: usize = 12;

/// The result of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TranscriptReport {
    /// True if nothing was learnt because only a preview was asked for.
    pub dry_run: bool,
    /// The number of transcripts of this project by source.
    pub sources: BTreeMap<&'static str, usize>,
    /// The sessions in them.
    pub sessions: TranscriptCounts,
    /// The results of the checks in the sessions that were read.
    pub checks: CheckCounts,
    /// The new memories.
    #[serde(skip)]
    pub learnt: Vec<StoredMemory>,
    /// The number of earlier memories that sessions confirmed or changed.
    pub confirmed: usize,
    /// The reasons why observations did not become memories, most frequent first.
    pub dropped: Vec<DropReason>,
    /// The transcripts that could not be read.
    pub skipped: Vec<SkippedTranscript>,
}

/// Numbers of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TranscriptCounts {
    /// Sessions that were read for the first time.
    pub new: usize,
    /// Sessions of which a part was read before.
    pub continued: usize,
    /// Sessions that were read before and have not changed.
    pub unchanged: usize,
    /// Sessions that hooks reported when they happened.
    pub known: usize,
    /// Sessions that may still go on.
    pub open: usize,
    /// Sessions that ended before the given time.
    pub before: usize,
    /// Events of the sessions that were read.
    pub events: usize,
    /// Lines that could not be read.
    pub unread_lines: usize,
}

/// Numbers of sessions by the result of their checks. Sessions on the same work count once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckCounts {
    /// The checks passed in the end.
    pub passed: usize,
    /// A check failed in the end.
    pub failed: usize,
    /// Nothing was checked.
    pub unchecked: usize,
}

/// A reason why observations did not become memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DropReason {
    /// The reason.
    pub why: String,
    /// The number of observations.
    pub count: usize,
}

/// A transcript that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedTranscript {
    /// The path or name.
    pub name: String,
    /// The reason.
    pub why: String,
}

/// Counts transcripts by source.
pub(super) fn count_sources(candidates: &[Candidate]) -> BTreeMap<&'static str, usize> {
    let mut sources = BTreeMap::new();
    for candidate in candidates {
        *sources.entry(candidate.source.as_str()).or_default() += 1;
    }
    sources
}

/// Returns the memories that the observer has concluded so far, with the times of their last changes.
pub(super) fn learnt_before(engine: &Engine<'_>) -> AppResult<BTreeMap<MemoryId, Timestamp>> {
    let known = observed(engine)?;
    Ok(known.into_iter().map(|found| (found.memory.id, found.memory.updated_at)).collect())
}

fn observed(engine: &Engine<'_>) -> AppResult<Vec<StoredMemory>> {
    let sources = vec![Source::ObserverInferred, Source::CommitAuto];
    let filter = Filter { sources, ..Filter::default() };
    let project = Some(StoreScope::Project);
    Ok(engine.list(project, &filter, ListOrder::Oldest, usize::MAX, 0)?)
}

impl TranscriptReport {
    /// Adds what sessions taught, and why not more.
    pub(super) fn add_results(
        &mut self,
        engine: &Engine<'_>,
        taken: &BTreeSet<SessionId>,
        before: &BTreeMap<MemoryId, Timestamp>,
    ) -> AppResult<()> {
        for found in observed(engine)? {
            match before.get(&found.memory.id) {
                None => self.learnt.push(found),
                Some(known) => self.confirmed += usize::from(*known != found.memory.updated_at),
            }
        }
        let mut trees = BTreeSet::new();
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for session in taken {
            // A session of which nothing was recorded has no explanation.
            let Ok(explained) = engine.explain_session(session) else { continue };
            if !trees.insert(explained.session.clone()) {
                continue;
            }
            let verdict = explained.verdict.split(':').next().unwrap_or_default();
            match verdict {
                "passed" => self.checks.passed += 1,
                "failed" => self.checks.failed += 1,
                _ => self.checks.unchecked += 1,
            }
            for entry in explained.considered.iter().filter(|entry| entry.fate == Fate::Dropped) {
                *reasons.entry(reason(entry)).or_default() += 1;
            }
        }
        let reasons = reasons.into_iter().map(|(why, count)| DropReason { why, count });
        self.dropped = reasons.collect();
        self.dropped.sort_by(|a, b| (b.count, &a.why).cmp(&(a.count, &b.why)));
        self.dropped.truncate(REASONS);
        Ok(())
    }
}

/// Returns the reason of a drop in general words: those of the stage, and for a rule its own, without
/// what differs from one observation to the next.
fn reason(entry: &TraceEntry) -> String {
    match entry.stage {
        PromotionStage::Signal => "noted, for comparison with later sessions".to_owned(),
        PromotionStage::Validation => "the work was not checked, or a check failed".to_owned(),
        PromotionStage::Frequency => "seen too rarely".to_owned(),
        PromotionStage::Novelty => "known already".to_owned(),
        PromotionStage::Scoring => "worth too little".to_owned(),
        PromotionStage::Complexity => "more than the size of the task allows".to_owned(),
        PromotionStage::Kept => "refused by the write gate".to_owned(),
        PromotionStage::Rule => rule_reason(&entry.why),
    }
}

fn rule_reason(why: &str) -> String {
    let starts_with_digit = |word: &&str| word.starts_with(|digit: char| digit.is_ascii_digit());
    if why.split_whitespace().next().is_some_and(|word| starts_with_digit(&word)) {
        return "seen too rarely".to_owned();
    }
    let end = why.find([':', '(', '`', ';']).unwrap_or(why.len());
    let words = why[..end].split_whitespace();
    let words = words.map(|word| if starts_with_digit(&word) { "some" } else { word });
    let words: Vec<&str> = words.collect();
    // The beginning of a name says nothing.
    if words.len() < 3 {
        return "a rule did not apply".to_owned();
    }
    words.join(" ").trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_do_not_differ_by_their_numbers_and_names() {
        for (why, expected) in [
            ("it never passed", "it never passed"),
            ("2 of 5 sessions", "seen too rarely"),
            ("the write gate refused it: too long", "the write gate refused it"),
            ("not repeated within 30 days", "not repeated within some days"),
            ("only `a.rs` changed", "a rule did not apply"),
            ("", "a rule did not apply"),
        ] {
            assert_eq!(rule_reason(why), expected, "{why}");
        }
    }
}
