//! What is kept of a session tree for the sessions that come after it: enough to see what happens
//! again and again, and no more.

use serde::{Deserialize, Serialize};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::files::main_module;
use crate::log::LogEntry;
use crate::session_tree::SessionTree;
use crate::signals::{Backtrack, CoAccess, ErrorRetry, FileAccess, SequenceStep, SessionSignals};
use crate::timeline::{StepKind, Timeline};
use crate::validation::SessionVerdict;

/// The most files, pairs and steps that are kept of a tree, those first that were used most.
const MOST_FILES: usize = 300;
const MOST_PAIRS: usize = 600;
const MOST_STEPS: usize = 60;
/// The longest task that is kept, in characters.
const LONGEST_TASK: usize = 300;
/// So many bytes of a conversation are about one token.
const BYTES_PER_TOKEN: u64 = 4;

/// About how many tokens went through the conversations of a log.
pub fn estimated_tokens(log: &[LogEntry]) -> u64 {
    Timeline::of(log).bytes / BYTES_PER_TOKEN
}

/// What is kept of a session tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionDigest {
    /// The session that the tree is named by.
    pub session: SessionId,
    /// When something last happened in it.
    pub at: Timestamp,
    /// Whether its work was checked and passed.
    pub validated: bool,
    /// Whether its work was checked and failed.
    #[serde(default)]
    pub failed: bool,
    /// The module in which most of it happened.
    pub module: Option<String>,
    /// The methodology of the unit of work, or `native`.
    pub methodology: String,
    /// What the user first asked for.
    pub task: String,
    /// The files that were used.
    pub files: Vec<FileAccess>,
    /// The files that were used together.
    pub pairs: Vec<CoAccess>,
    /// The errors that came up.
    pub errors: Vec<ErrorRetry>,
    /// The edits that were corrected at once.
    pub backtracks: Vec<Backtrack>,
    /// The files that held somebody up.
    pub confusing: Vec<RepoPath>,
    /// The shape of the work.
    pub sequence: Vec<SequenceStep>,
    /// About how many tokens it took, estimated from the log.
    pub tokens: u64,
    /// How many it took, where the client reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_tokens: Option<u64>,
    /// How many items the plan had at first and at last.
    pub plan: Option<(u32, u32)>,
}

impl SessionDigest {
    /// What is kept of a tree.
    pub(crate) fn of(
        tree: &SessionTree,
        timeline: &Timeline,
        signals: &SessionSignals,
        verdict: &SessionVerdict,
    ) -> SessionDigest {
        let confusing = signals.file_accesses.iter().filter(|used| used.is_confusing());
        let confusing = confusing.map(|used| used.file.clone()).collect();
        let mut files = signals.file_accesses.clone();
        files.sort_by_key(|used| (std::cmp::Reverse(used.reads + used.changes), used.file.clone()));
        files.truncate(MOST_FILES);
        let mut pairs = signals.co_accesses.clone();
        pairs.sort_by(|x, y| (x.step_delta, &x.a, &x.b).cmp(&(y.step_delta, &y.a, &y.b)));
        pairs.truncate(MOST_PAIRS);
        let mut sequence = signals.sequence.clone();
        sequence.truncate(MOST_STEPS);
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
            task: crate::text::one_line(timeline.task().unwrap_or_default(), LONGEST_TASK),
            files,
            pairs,
            errors: signals.error_retries.clone(),
            backtracks: signals.backtracks.clone(),
            confusing,
            sequence,
            tokens: timeline.bytes / BYTES_PER_TOKEN,
            reported_tokens: tree.context_tokens,
            plan: plan(timeline),
        }
    }

    /// The files that were changed.
    pub fn changed(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.iter().filter(|used| used.changes > 0).map(|used| &used.file)
    }
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
