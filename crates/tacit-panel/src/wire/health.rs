//! The health of the memory.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use tacit_app::health::{CoveredModule, HealthReason, MemoryTotals, Remedy};

use crate::phrase::Sentence;

/// The health of the memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthView {
    pub(crate) totals: Totals,
    /// The tokens that memories saved in the last 30 days while errors were fixed that earlier sessions
    /// met: for each such error, the mean number of tokens from the first failure to the pass in cases
    /// without a memory minus that in cases with one, times the number of these. What hooks showed is
    /// included, so it is negative if memories cost more. Null with fewer than 5 cases of the same errors
    /// on either side. `tacit report` shows the same number.
    pub(crate) tokens_saved: Option<i64>,
    /// From 0 to 100.
    pub(crate) score: u32,
    /// The reasons that lower the score, the weightiest first.
    pub(crate) reasons: Vec<ReasonView>,
    pub(crate) modules: Vec<Coverage>,
    pub(crate) methodology: ActiveMethodology,
    pub(crate) sessions: SessionMetrics,
    pub(crate) injections: Option<Injections>,
    pub(crate) problems: Vec<HealthProblem>,
}

/// The counts of memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Totals {
    all: u64,
    active: u64,
    stale: u64,
    retired: u64,
    archived: u64,
    needs_review: u64,
    auto_confirmed: u64,
}

impl From<MemoryTotals> for Totals {
    fn from(totals: MemoryTotals) -> Totals {
        let MemoryTotals { all, active, stale, retired, archived, needs_review, auto_confirmed } =
            totals;
        Totals { all, active, stale, retired, archived, needs_review, auto_confirmed }
    }
}

/// Something that lowers the score.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReasonView {
    id: &'static str,
    text: String,
    points: u32,
    count: u64,
    action: Option<HealthAction>,
}

/// The remedy.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum HealthAction {
    Open { view: &'static str, query: BTreeMap<&'static str, &'static str> },
    Job { job: &'static str },
    Command { command: &'static str },
}

impl From<HealthReason> for ReasonView {
    fn from(reason: HealthReason) -> ReasonView {
        let HealthReason { id, text, points, count, remedy } = reason;
        let open = |view, query: &[(&'static str, &'static str)]| HealthAction::Open {
            view,
            query: query.iter().copied().collect(),
        };
        let action = match remedy {
            Remedy::Review => open("review", &[]),
            Remedy::StaleMemories => open("memories", &[("stale", "true")]),
            Remedy::Modules => open("modules", &[]),
            Remedy::Job(kind) => HealthAction::Job { job: kind.as_str() },
            Remedy::Command(command) => HealthAction::Command { command },
        };
        ReasonView { id, text, points, count, action: Some(action) }
    }
}

/// The coverage of a module by memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Coverage {
    path: String,
    files: u64,
    memories: usize,
    e2e: usize,
    covered: f64,
}

impl From<&CoveredModule> for Coverage {
    fn from(module: &CoveredModule) -> Coverage {
        Coverage {
            path: module.module.path.clone(),
            files: module.module.files,
            memories: module.memories.memories,
            e2e: module.memories.e2e,
            covered: module.covered,
        }
    }
}

/// The methodology, and where the work is in it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActiveMethodology {
    pub(crate) id: String,
    pub(crate) name: Sentence,
    pub(crate) phase: Option<String>,
    pub(crate) unit: Option<String>,
}

/// Sessions, and what hooks did in them.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct SessionMetrics {
    pub(crate) total: usize,
    pub(crate) last: Option<LastSession>,
    pub(crate) injections_7_days: u64,
    pub(crate) tokens_7_days: u64,
    pub(crate) memories_7_days: u64,
}

/// The session with the latest activity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LastSession {
    pub(crate) id: String,
    pub(crate) client: String,
    pub(crate) at: String,
}

/// Injections and their fates by day.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Injections {
    /// The last 90 days in UTC from the first one with any, the oldest first.
    pub(crate) days: Vec<Day>,
    /// The share of judged injections of the last 30 days that helped, were acted on or cited; null if
    /// none was judged.
    pub(crate) precision: Option<f64>,
    /// The share of errors of the last 30 days, among those that earlier sessions met, with whose first
    /// failure a memory was shown; null if there was none.
    pub(crate) recall: Option<f64>,
}

/// A day.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct Day {
    pub(crate) day: String,
    pub(crate) shown: u64,
    /// Injections by fate. Those that were not judged are left out.
    pub(crate) fates: BTreeMap<&'static str, u64>,
    /// The errors that earlier sessions met.
    pub(crate) known_errors: u64,
    /// The number of these errors for which a memory was shown at the first failure.
    pub(crate) answered: u64,
}

/// A finding about the store.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthProblem {
    pub(crate) what: Sentence,
    /// ok, wrong, mended or note.
    pub(crate) state: String,
    pub(crate) note: Sentence,
}
