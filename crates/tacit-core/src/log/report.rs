//! Lines of the log that somebody or something else than a client wrote: checks, judgements of
//! memories, and which session goes on from which.

use serde::{Deserialize, Serialize};

use super::codec;
use crate::domain::values::{RepoPath, SessionId};
use crate::domain::work_unit::WorkUnitRef;
use crate::id::MemoryId;

/// The result of a check, as somebody reported it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// True if the check passed.
    pub passed: bool,
    /// The command that checked.
    #[serde(default)]
    pub command: Option<String>,
    /// A description of the check, or of the failure.
    #[serde(default)]
    pub summary: Option<String>,
    /// The files it is about.
    #[serde(default, deserialize_with = "codec::files")]
    pub files: Vec<RepoPath>,
    /// The unit of work it is about; the session's own, if none is named.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
    /// The client or person that reported it.
    #[serde(default)]
    pub by: Option<String>,
    /// The tool or command by which it was reported.
    #[serde(skip)]
    pub tool: Option<String>,
}

/// The session that one goes on from: nothing happens in a session when this is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// The earlier session.
    pub session: SessionId,
}

/// The judgement of a memory by an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackRecord {
    /// The memory.
    pub memory: MemoryId,
    /// The judgement.
    pub verdict: MemoryVerdict,
    /// The reason, or what holds instead.
    #[serde(default)]
    pub note: Option<String>,
    /// The tool by which it was reported.
    #[serde(skip)]
    pub tool: Option<String>,
}

/// A judgement of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryVerdict {
    /// The memory helped.
    Used,
    /// The memory misled.
    Wrong,
    /// The memory no longer holds.
    Outdated,
}

impl MemoryVerdict {
    /// Every verdict.
    pub const ALL: &'static [MemoryVerdict] =
        &[MemoryVerdict::Used, MemoryVerdict::Wrong, MemoryVerdict::Outdated];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            MemoryVerdict::Used => "used",
            MemoryVerdict::Wrong => "wrong",
            MemoryVerdict::Outdated => "outdated",
        }
    }
}
