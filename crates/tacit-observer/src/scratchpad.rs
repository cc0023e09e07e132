//! What is noticed while a session goes on, for the session itself: an error that was just ended, an
//! edit that was just corrected. Told by the last steps alone, so that it costs next to nothing.
//!
//! Nothing here is for keeping. What is learnt from a session is told by all of it, once it is over.

use tacit_core::{FingerprintDigest, RepoPath, Timestamp};

use crate::digest::SessionDigest;
use crate::files::is_checked;
use crate::log::LogEntry;
use crate::promotion::Basis;
use crate::reverts::abandoned_approaches;
use crate::rules::{RuleInput, RuleOutput, error_fixes};
use crate::session_tree::SessionTree;
use crate::signals::{Backtrack, LikelyCause, SessionSignals, backtracks};
use crate::text::{counted, quoted_list, stable_key};
use crate::timeline::Timeline;
use crate::validation::{CheckOutcome, evaluate_command, verdict};

/// How far back a failure is looked for that may have been ended, in calls of tools.
pub const FIX_WINDOW: usize = 100;
/// How many calls before that failure are looked at: they tell a test that was just written, or a
/// command that fails now and then.
pub const BEFORE_FAILURE: usize = 10;
/// How many when an edit may have been corrected: some of others come between.
pub const CORRECTED_WINDOW: usize = 12;

/// Something that was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionObservation {
    /// The same for the same thing in the same session.
    pub key: String,
    /// What it rests on.
    pub basis: Basis,
    /// What it says.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// The fingerprint of the error it is about.
    pub error: Option<FingerprintDigest>,
    /// The subagent that did it; none in the main conversation.
    pub agent: Option<String>,
    /// When it was complete.
    pub at: Timestamp,
}

/// What is the same for command lines that do the same, told by the line alone.
pub fn command_key(line: &str) -> String {
    evaluate_command(line, "", None).key
}

/// Whether a line tells of a command that failed.
pub fn is_failed_command(entry: &LogEntry) -> bool {
    let timeline = Timeline::of(std::slice::from_ref(entry));
    timeline.runs().any(|(_, run)| run.check.outcome == CheckOutcome::Failed)
}

/// What was noticed since a moment in the last lines of a session.
pub fn recent_observations(log: &[LogEntry], since: Timestamp) -> Vec<SessionObservation> {
    let Some(last) = log.last() else { return Vec::new() };
    let timeline = Timeline::of(log);
    let tree = SessionTree {
        session: last.session.clone(),
        log: Vec::new(),
        notes: Vec::new(),
        siblings: Vec::new(),
        context_tokens: None,
    };
    let (signals, verdict) = (SessionSignals::default(), verdict(&timeline));
    let digest = SessionDigest::of(&tree, &timeline, &signals, &verdict);
    let input = RuleInput {
        tree: &tree,
        timeline: &timeline,
        signals: &signals,
        verdict: &verdict,
        abandoned_approaches: &abandoned_approaches(&timeline),
        digest: &digest,
        past_digests: &[],
        recipes: &[],
    };
    let mut results = RuleOutput::default();
    error_fixes(&input, &mut results);
    let agent =
        |step_index: usize| timeline.steps.get(step_index).and_then(|step| step.agent.clone());
    let mut all = Vec::new();
    for candidate in results.candidates {
        let Some(step_index) = candidate.step_index else { continue };
        let error = candidate.fingerprint();
        let named = candidate.draft.related_files.iter();
        all.push(SessionObservation {
            basis: candidate.basis,
            text: candidate.draft.content,
            files: named.filter_map(|file| RepoPath::new(file.as_str()).ok()).collect(),
            error,
            agent: agent(step_index),
            at: candidate.at,
            key: candidate.key,
        });
    }
    let corrected = backtracks(&timeline).into_iter();
    for backtrack in corrected.filter(|one| is_checked(&one.file)) {
        all.push(SessionObservation {
            key: stable_key(&["backtrack", backtrack.file.as_str(), &backtrack.correction]),
            basis: Basis::Backtrack,
            text: describe_backtrack(&backtrack),
            agent: agent(backtrack.step_index),
            at: input.time_of(backtrack.step_index),
            files: [vec![backtrack.file], backtrack.between].concat(),
            error: None,
        });
    }
    all.retain(|one| one.at >= since);
    all
}

fn describe_backtrack(backtrack: &Backtrack) -> String {
    let cause = match backtrack.likely_cause {
        LikelyCause::WrongAssumption => "the first assumption was wrong".to_owned(),
        LikelyCause::MissingContext => "something that was read in between told better".to_owned(),
        LikelyCause::CascadingChange => {
            let between: Vec<&str> = backtrack.between.iter().map(RepoPath::as_str).collect();
            let was = if between.len() == 1 { "was" } else { "were" };
            format!("{} {was} changed in between", quoted_list(&between))
        }
    };
    format!(
        "What was written in `{}` was corrected {} later: {}. Likely cause: {cause}.",
        backtrack.file,
        counted(backtrack.within_steps, "step", "steps"),
        backtrack.correction
    )
}
