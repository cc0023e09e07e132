//! Log records that do not come from a client's event: checks, verdicts on memories and
//! continuations of sessions.

use serde::{Deserialize, Serialize};

use super::codec;
use crate::domain::values::{RepoPath, SessionId};
use crate::domain::work_unit::WorkUnitRef;
use crate::id::MemoryId;

/// The result of a check that somebody reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// True if the check passed.
    pub passed: bool,
    /// The command line of the check.
    #[serde(default)]
    pub command: Option<String>,
    /// A description of the check, or of the failure.
    #[serde(default)]
    pub summary: Option<String>,
    /// The files that were checked.
    #[serde(default, deserialize_with = "codec::files")]
    pub files: Vec<RepoPath>,
    /// The unit of work; `None` for that of the session.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
    /// The client or person that reported it.
    #[serde(default)]
    pub by: Option<String>,
    /// The tool or command that reported it.
    #[serde(skip)]
    pub tool: Option<String>,
}

/// The earlier session that a session continues. Writing this record does not count as activity of
/// the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// The earlier session.
    pub session: SessionId,
}

/// An agent's verdict on a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackRecord {
    /// The judged memory.
    pub memory: MemoryId,
    /// The verdict.
    pub verdict: MemoryVerdict,
    /// The reason, or what is true instead.
    #[serde(default)]
    pub note: Option<String>,
    /// The tool that reported it.
    #[serde(skip)]
    pub tool: Option<String>,
}

/// An agent's verdict on a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryVerdict {
    /// The memory helped.
    Used,
    /// The memory misled the agent.
    Wrong,
    /// The memory is out of date.
    Outdated,
}

impl MemoryVerdict {
    /// All verdicts.
    pub const ALL: &'static [MemoryVerdict] =
        &[MemoryVerdict::Used, MemoryVerdict::Wrong, MemoryVerdict::Outdated];

    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            MemoryVerdict::Used => "used",
            MemoryVerdict::Wrong => "wrong",
            MemoryVerdict::Outdated => "outdated",
        }
    }
}
