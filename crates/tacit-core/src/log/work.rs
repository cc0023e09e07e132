//! Log records about units of work.

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
    /// All states.
    pub const ALL: &'static [UnitStatus] =
        &[UnitStatus::Started, UnitStatus::Succeeded, UnitStatus::Failed];

    /// Returns the stored word.
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
    /// The reported unit.
    pub work_unit: WorkUnitRef,
    /// The state of the unit.
    pub status: UnitStatus,
    /// A summary of the work or of the problem.
    #[serde(default)]
    pub summary: Option<String>,
    /// Decisions made during the work.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// Files that the work changed, in addition to those seen in events.
    #[serde(default, deserialize_with = "codec::files")]
    pub files: Vec<RepoPath>,
    /// The declared size of the unit.
    #[serde(default, deserialize_with = "codec::known_word")]
    pub complexity: Option<Complexity>,
    /// The branch from which it was reported.
    #[serde(default)]
    pub branch: Option<String>,
    /// The client or person that reported it.
    #[serde(default)]
    pub by: Option<String>,
    /// The tool or command that reported it.
    #[serde(skip)]
    pub tool: Option<String>,
}

impl WorkUnitRecord {
    /// Creates a record with only a state.
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

/// A report of the current phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PhaseFields", into = "PhaseFields")]
pub struct PhaseRecord {
    /// The phase; `None` ends the phase.
    pub phase: Option<DeclaredPhase>,
    /// The methodology that defines the phase.
    pub methodology: Option<String>,
    /// The branch from which it was reported.
    pub branch: Option<String>,
    /// The client or person that reported it.
    pub by: Option<String>,
    /// The tool or command that reported it.
    pub tool: Option<String>,
}

/// A phase in the terms of a methodology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredPhase {
    /// The methodology's name of the phase.
    pub own: String,
    /// The universal phase it corresponds to.
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

/// A QA report. Severe failures are kept as notes, see [`QaFailureNote`](super::QaFailureNote).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QaReportRecord {
    /// The tested unit of work.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
    /// True if the work passed.
    pub passed: bool,
    /// The number of issues.
    #[serde(default)]
    pub issues: usize,
    /// The number of severe issues.
    #[serde(default)]
    pub severe: usize,
    /// The branch from which it was reported.
    #[serde(default)]
    pub branch: Option<String>,
    /// The client or person that reported it.
    #[serde(default)]
    pub by: Option<String>,
    /// The tool or command that reported it.
    #[serde(skip)]
    pub tool: Option<String>,
}
