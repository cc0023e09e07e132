//! A digest of a session tree: just enough to find what repeats across sessions.

use serde::{Deserialize, Serialize};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::files::main_module;
use crate::log::LogEntry;
use crate::session_tree::SessionTree;
use crate::signals::{CoAccess, ErrorRetry, FileAccess, SequenceStep, SessionSignals, TwinValue};
use crate::timeline::{StepKind, Timeline};
use crate::validation::SessionVerdict;

/// Limits on the files, pairs and steps in a digest; the most used come first.
const MAX_FILES: usize = 300;
const MAX_PAIRS: usize = 600;
const MAX_STEPS: usize = 60;
/// Maximum length of a task, in characters.
const MAX_TASK: usize = 300;
/// Average number of bytes per token.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;

/// Estimates the number of tokens in the conversations of a log.
pub fn estimate_tokens(log: &[LogEntry]) -> u64 {
    Timeline::from_log(log).bytes / BYTES_PER_TOKEN
}

/// A digest of one session tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionDigest {
    /// The session that names the tree.
    pub session: SessionId,
    /// The time of its last step.
    pub at: Timestamp,
    /// True if its work was checked and passed.
    pub validated: bool,
    /// True if its work was checked and failed.
    #[serde(default)]
    pub failed: bool,
    /// The module that holds more than half of its files.
    pub module: Option<String>,
    /// The methodology of its unit of work, or `native`.
    pub methodology: String,
    /// The first prompt of the user, shortened.
    pub task: String,
    /// The files that were read or changed.
    pub files: Vec<FileAccess>,
    /// Pairs of files that were used within a few steps.
    pub pairs: Vec<CoAccess>,
    /// The errors that occurred.
    pub errors: Vec<ErrorRetry>,
    /// Values that were replaced in several files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<TwinValue>,
    /// The edits and checks in order.
    pub sequence: Vec<SequenceStep>,
    /// The estimated number of tokens.
    pub tokens: u64,
    /// The number of tokens that the client reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_tokens: Option<u64>,
    /// The number of items in the first and in the last plan.
    pub plan: Option<(u32, u32)>,
    /// Tests that failed and passed with nothing changed in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// Rules of checkers that were violated and satisfied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lint_rules: Vec<LintRule>,
}

/// A rule of a checker that was violated and satisfied in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintRule {
    /// The checker, such as `golangci-lint`.
    pub tool: String,
    /// The name or code of the rule.
    pub rule: String,
    /// A description of what it asks for; empty if unknown.
    pub message: String,
    /// The number of places that violated it.
    pub places: u32,
    /// A description of what satisfied it, if the change is clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The comment that switches it off where it does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<String>,
}

impl SessionDigest {
    /// Summarises a tree.
    pub(crate) fn summarise(
        tree: &SessionTree,
        timeline: &Timeline,
        signals: &SessionSignals,
        verdict: &SessionVerdict,
    ) -> SessionDigest {
        let mut files = signals.file_accesses.clone();
        files.sort_by_key(|used| (std::cmp::Reverse(used.reads + used.changes), used.file.clone()));
        files.truncate(MAX_FILES);
        let mut pairs = signals.co_accesses.clone();
        pairs.sort_by(|x, y| (x.step_delta, &x.a, &x.b).cmp(&(y.step_delta, &y.a, &y.b)));
        pairs.truncate(MAX_PAIRS);
        let mut sequence = signals.sequence.clone();
        sequence.truncate(MAX_STEPS);
        let changed = timeline.changed_files();
        let touched: Vec<&RepoPath> = if changed.is_empty() {
            files.iter().map(|used| &used.file).collect()
        } else {
            changed.iter().collect()
        };
        SessionDigest {
            session: tree.session.clone(),
            at: timeline.steps.last().map_or(Timestamp::MIN, |step| step.at),
            validated: verdict.passed(),
            failed: matches!(verdict, SessionVerdict::Failed { .. }),
            module: main_module(touched),
            methodology: methodology(timeline),
            task: task(timeline),
            files,
            pairs,
            errors: signals.error_retries.clone(),
            twins: signals.twins.clone(),
            sequence,
            tokens: timeline.bytes / BYTES_PER_TOKEN,
            reported_tokens: tree.context_tokens,
            plan: plan(timeline),
            flaky: Vec::new(),
            lint_rules: Vec::new(),
        }
    }

    /// Returns the files that were changed.
    pub fn changed(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.iter().filter(|used| used.changes > 0).map(|used| &used.file)
    }
}

/// Returns the task of the first prompt that states one.
fn task(timeline: &Timeline) -> String {
    let task = timeline.task().and_then(tacit_core::task_of_prompt);
    crate::text::one_line(task.as_deref().unwrap_or_default(), MAX_TASK)
}

fn methodology(timeline: &Timeline) -> String {
    let unit = timeline.steps.iter().rev().find_map(|step| match &step.kind {
        StepKind::UnitReport(unit) => Some(unit.work_unit.methodology().to_owned()),
        _ => None,
    });
    unit.unwrap_or_else(|| "native".to_owned())
}

fn plan(timeline: &Timeline) -> Option<(u32, u32)> {
    let mut plans = timeline.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Plan(items) if *items > 0 => u32::try_from(*items).ok(),
        _ => None,
    });
    let first = plans.next()?;
    Some((first, plans.next_back().unwrap_or(first)))
}
