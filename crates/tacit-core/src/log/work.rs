//! Lines of the log about units of work.

use serde::{Deserialize, Serialize};

use super::codec;
use crate::domain::values::{RepoPath, UniversalPhase};
use crate::domain::words::word_enum;
use crate::domain::work_unit::WorkUnitRef;
use crate::field::Problem;

/// The state of a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitStatus {
    /// Work began.
    Started,
    /// Work is done.
    Succeeded,
    /// Work did not succeed.
    Failed,
}

impl UnitStatus {
    /// Every state.
    pub const ALL: &'static [UnitStatus] =
        &[UnitStatus::Started, UnitStatus::Succeeded, UnitStatus::Failed];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            UnitStatus::Started => "started",
            UnitStatus::Succeeded => "succeeded",
            UnitStatus::Failed => "failed",
        }
    }
}

word_enum! {
    /// The size of a task.
    Complexity, "a complexity" {
        /// A few lines in one place.
        Trivial = "trivial",
        /// Most tasks.
        Standard = "standard",
        /// Many files, many lines or many modules.
        Complex = "complex",
    }
}

/// A report on the progress of a unit of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkUnitRecord {
    /// The unit.
    pub work_unit: WorkUnitRef,
    /// The state of the unit.
    pub status: UnitStatus,
    /// A summary of the work, or of the problem.
    #[serde(default)]
    pub summary: Option<String>,
    /// Decisions that were made on the way.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// Files that it changed, beside those that were seen to change.
    #[serde(default, deserialize_with = "codec::files")]
    pub files: Vec<RepoPath>,
    /// The size of the unit, if somebody declared it.
    #[serde(default, deserialize_with = "codec::known_word")]
    pub complexity: Option<Complexity>,
    /// The branch it was reported from.
    #[serde(default)]
    pub branch: Option<String>,
    /// The client or person that reported it.
    #[serde(default)]
    pub by: Option<String>,
    /// The tool or command by which it was reported.
    #[serde(skip)]
    pub tool: Option<String>,
}

impl WorkUnitRecord {
    /// The record of a unit's state alone.
    pub fn new(work_unit: WorkUnitRef, status: UnitStatus) -> WorkUnitRecord {
        WorkUnitRecord {
            work_unit,
            status,
            summary: None,
            decisions: Vec::new(),
            files: Vec::new(),
            complexity: None,
            branch: None,
            by: None,
            tool: None,
        }
    }
}

/// The phase of the work, as somebody reported it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PhaseFields", into = "PhaseFields")]
pub struct PhaseRecord {
    /// The phase; none if it is over.
    pub phase: Option<DeclaredPhase>,
    /// The methodology whose word it is.
    pub methodology: Option<String>,
    /// The branch it was reported from.
    pub branch: Option<String>,
    /// The client or person that reported it.
    pub by: Option<String>,
    /// The tool or command by which it was reported.
    pub tool: Option<String>,
}

/// A phase in the words of a methodology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPhase {
    /// The methodology's own word.
    pub own: String,
    /// The universal phase that it is.
    pub universal: UniversalPhase,
}

#[derive(Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
struct PhaseFields {
    phase: Option<String>,
    universal: Option<UniversalPhase>,
    methodology: Option<String>,
    branch: Option<String>,
    by: Option<String>,
}

impl TryFrom<PhaseFields> for PhaseRecord {
    type Error = Problem;

    fn try_from(fields: PhaseFields) -> Result<PhaseRecord, Problem> {
        let PhaseFields { phase, universal, methodology, branch, by } = fields;
        let phase = match (phase, universal) {
            (Some(own), Some(universal)) => Some(DeclaredPhase { own, universal }),
            (Some(_), None) => return Err(Problem::rule("names a phase without its meaning")),
            (None, _) => None,
        };
        Ok(PhaseRecord { phase, methodology, branch, by, tool: None })
    }
}

impl From<PhaseRecord> for PhaseFields {
    fn from(record: PhaseRecord) -> PhaseFields {
        let PhaseRecord { phase, methodology, branch, by, tool: _ } = record;
        let (phase, universal) = phase.map(|phase| (phase.own, phase.universal)).unzip();
        PhaseFields { phase, universal, methodology, branch, by }
    }
}

/// A report of QA findings. Severe failures are notes beside it, see
/// [`QaFailureNote`](super::QaFailureNote).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QaReportRecord {
    /// The unit of work it is about.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
    /// True if the work passed.
    pub passed: bool,
    /// The number of issues.
    #[serde(default)]
    pub issues: usize,
    /// The number of severe ones among them.
    #[serde(default)]
    pub severe: usize,
    /// The branch it was reported from.
    #[serde(default)]
    pub branch: Option<String>,
    /// The client or person that reported it.
    #[serde(default)]
    pub by: Option<String>,
    /// The tool or command by which it was reported.
    #[serde(skip)]
    pub tool: Option<String>,
}
