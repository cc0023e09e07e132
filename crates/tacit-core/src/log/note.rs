//! Notes: observations in a session, beside their text and files.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use super::codec;
use super::kind::NoteKind;
use crate::domain::draft::Draft;
use crate::domain::kind::{BuiltinType, MemoryType};
use crate::domain::values::{CommitSha, RepoPath};
use crate::domain::work_unit::WorkUnitRef;
use crate::event::VisitText;
use crate::field::Problem;

/// An observation in a session, not yet a memory.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteRecord {
    /// A note that an agent made.
    Agent(AgentNote),
    /// A commit that an agent made.
    Commit(CommitNote),
    /// The branch and worktree of the session.
    Checkout(CheckoutNote),
    /// An observation inferred while events were written.
    Inferred(InferredNote),
    /// The answer of an MCP server.
    Observation,
    /// A failure that QA found, held until the work succeeds.
    QaFailure(Box<QaFailureNote>),
}

/// A note that an agent made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentNote {
    /// The type of memory that the note should become.
    #[serde(rename = "type", default = "insight")]
    pub memory_type: MemoryType,
    /// The client of the agent.
    #[serde(default)]
    pub by: Option<String>,
}

/// A commit that an agent made. The note's text is the subject line of the commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNote {
    /// The hash of the commit.
    pub sha: CommitSha,
    /// The branch of the commit.
    #[serde(default)]
    pub branch: Option<String>,
    /// The directory in which git ran, if the command named one.
    #[serde(default)]
    pub dir: Option<String>,
    /// True if the commit amended the one before it.
    #[serde(default)]
    pub amend: bool,
}

/// The branch, worktree and client of a session. The note's text is the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutNote {
    /// The name of the branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// The path of the worktree.
    #[serde(default)]
    pub worktree: Option<String>,
    /// The process of the client, which ends without a word if it is killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientProcess>,
}

/// The process of an agent client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientProcess {
    /// The number of the process.
    pub pid: u32,
    /// The time at which it started, in ticks since the machine started.
    #[serde(default)]
    pub started: Option<u64>,
    /// The namespace in which the number counts.
    #[serde(default)]
    pub namespace: Option<String>,
}

/// An observation inferred while events were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferredNote {
    /// The name of the signal it is based on.
    #[serde(default)]
    pub basis: Option<String>,
    /// The fingerprint of the error it is about.
    #[serde(default)]
    pub error: Option<String>,
    /// The subagent that acted; `None` in the main conversation.
    #[serde(default)]
    pub agent: Option<String>,
    /// The number of compactions before it.
    #[serde(default)]
    pub context: u32,
}

/// A failure that QA found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QaFailureNote {
    /// The memory that the failure becomes once the work succeeds.
    pub draft: Draft,
    /// The unit of work it was found in.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
    /// The failure as QA reported it.
    #[serde(default)]
    pub issue: Option<QaFinding>,
}

/// A failure as QA reported it, in the form that a model reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QaFinding {
    /// A description of the problem.
    pub issue: String,
    /// The file with the problem.
    #[serde(default)]
    pub file: Option<RepoPath>,
    /// The module with the problem.
    #[serde(default)]
    pub module: Option<String>,
    /// The attempts so far.
    #[serde(default)]
    pub what_was_tried: Option<String>,
    /// The recommended fix.
    #[serde(default)]
    pub what_should_be_done: Option<String>,
}

/// The body of a note that has only its text.
#[derive(Serialize, Deserialize)]
struct Nothing {}

impl NoteRecord {
    /// Decodes a note of any version.
    pub fn decode(kind: &str, body: &str) -> Result<NoteRecord, Problem> {
        Ok(match kind.parse()? {
            NoteKind::Agent => NoteRecord::Agent(codec::read(body)?),
            NoteKind::Commit => NoteRecord::Commit(codec::read(body)?),
            NoteKind::Checkout => NoteRecord::Checkout(codec::read(body)?),
            NoteKind::Inferred => NoteRecord::Inferred(codec::read(body)?),
            NoteKind::Observation => {
                codec::read::<Nothing>(body)?;
                NoteRecord::Observation
            }
            NoteKind::QaFailure => NoteRecord::QaFailure(codec::read(body)?),
        })
    }

    /// Encodes the column `body` in the newest version.
    pub fn encode(&self) -> Result<String, Problem> {
        match self {
            NoteRecord::Agent(note) => codec::write(note),
            NoteRecord::Commit(note) => codec::write(note),
            NoteRecord::Checkout(note) => codec::write(note),
            NoteRecord::Inferred(note) => codec::write(note),
            NoteRecord::Observation => codec::write(&Nothing {}),
            NoteRecord::QaFailure(note) => codec::write(note),
        }
    }

    /// Returns the kind of note.
    pub fn kind(&self) -> NoteKind {
        match self {
            NoteRecord::Agent(_) => NoteKind::Agent,
            NoteRecord::Commit(_) => NoteKind::Commit,
            NoteRecord::Checkout(_) => NoteKind::Checkout,
            NoteRecord::Inferred(_) => NoteKind::Inferred,
            NoteRecord::Observation => NoteKind::Observation,
            NoteRecord::QaFailure(_) => NoteKind::QaFailure,
        }
    }

    /// Returns true if the note can become a memory; the others only record facts.
    pub fn is_learning(&self) -> bool {
        matches!(self.kind(), NoteKind::Agent | NoteKind::Inferred | NoteKind::QaFailure)
    }

    /// Visits every text of the note except its own column `text`. Fails if the changed texts do
    /// not form a valid note.
    pub fn visit_texts(&mut self, visit: &mut VisitText<'_>) -> Result<(), Problem> {
        *self = NoteRecord::decode(self.kind().as_str(), &codec::visit(&self.encode()?, visit)?)?;
        Ok(())
    }
}

/// The columns of a note.
#[derive(Serialize, Deserialize)]
struct NoteRow<'r> {
    kind: Cow<'r, str>,
    body: Cow<'r, str>,
}

impl Serialize for NoteRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.encode().map_err(ser::Error::custom)?.into();
        NoteRow { kind: self.kind().as_str().into(), body }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NoteRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NoteRecord, D::Error> {
        let NoteRow { kind, body } = NoteRow::deserialize(deserializer)?;
        NoteRecord::decode(&kind, &body).map_err(de::Error::custom)
    }
}

fn insight() -> MemoryType {
    BuiltinType::ModuleInsight.into()
}
