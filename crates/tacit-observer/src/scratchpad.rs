//! Observations for the running session: an error that was just fixed. They are derived from the last
//! steps only, which costs next to nothing.
//!
//! Observations do not become memories: [`crate::learn`] concludes from the whole session once it
//! has ended.

use tacit_core::{FingerprintDigest, RepoPath, Timestamp};

use crate::application::AppTools;
use crate::digest::SessionDigest;
use crate::log::LogEntry;
use crate::promotion::Basis;
use crate::reverts::abandoned_approaches;
use crate::rules::{RuleInput, RuleOutput, error_fixes};
use crate::session_tree::SessionTree;
use crate::signals::SessionSignals;
use crate::tasks::TaskDefinitions;
use crate::timeline::Timeline;
use crate::validation::{CheckOutcome, evaluate_command, verdict};

/// Number of tool calls to search back for a failure that may have been fixed.
pub const FIX_WINDOW: usize = 100;
/// Number of calls to read before that failure: they show a test that was just written, or a flaky
/// command.
pub const BEFORE_FAILURE: usize = 10;

/// An observation in a running session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionObservation {
    /// The key that is equal for the same observation in the same session.
    pub key: String,
    /// The evidence.
    pub basis: Basis,
    /// The text for the agent.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// The fingerprint of the error it is about.
    pub error: Option<FingerprintDigest>,
    /// The subagent, or `None` in the main conversation.
    pub agent: Option<String>,
    /// The time at which it was complete.
    pub at: Timestamp,
}

/// Returns a key that is equal for command lines that do the same.
pub fn command_key(line: &str) -> String {
    evaluate_command(line, "", None).key
}

/// Returns true if a log entry reports a failed command.
pub fn is_failed_command(entry: &LogEntry) -> bool {
    let timeline = Timeline::from_log(std::slice::from_ref(entry));
    timeline.runs().any(|(_, run)| run.check.outcome == CheckOutcome::Failed)
}

/// Returns the observations since a time in the last entries of a session.
pub fn recent_observations(log: &[LogEntry], since: Timestamp) -> Vec<SessionObservation> {
    let Some(last) = log.last() else { return Vec::new() };
    let timeline = Timeline::from_log(log);
    let tree = SessionTree {
        session: last.session.clone(),
        log: Vec::new(),
        notes: Vec::new(),
        siblings: Vec::new(),
        tasks: TaskDefinitions::default(),
        app_tools: AppTools::default(),
        context_tokens: None,
    };
    let (signals, verdict) = (SessionSignals::default(), verdict(&timeline));
    let digest = SessionDigest::summarise(&tree, &timeline, &signals, &verdict);
    let input = RuleInput {
        tree: &tree,
        timeline: &timeline,
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
    all.retain(|one| one.at >= since);
    all
}
