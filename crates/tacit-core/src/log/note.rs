//! Something noted in a session, beside its text and its files.

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

/// Something noted in a session, before it is known to be true.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteRecord {
    /// An agent said it.
    Agent(AgentNote),
    /// A commit was made.
    Commit(CommitNote),
    /// The session takes place there.
    Checkout(CheckoutNote),
    /// A conclusion drawn while events were written.
    Inferred(InferredNote),
    /// A tool of an MCP server answered.
    Observation,
    /// QA found a failure, which is held until the work succeeds.
    QaFailure(Box<QaFailureNote>),
}

/// A note that an agent made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentNote {
    /// The type of memory it should become.
    #[serde(rename = "type", default = "insight")]
    pub memory_type: MemoryType,
    /// The client.
    #[serde(default)]
    pub by: Option<String>,
}

/// A commit that an agent made; the text of the note is its subject line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNote {
    /// The commit.
    pub sha: CommitSha,
    /// The branch it was made on.
    #[serde(default)]
    pub branch: Option<String>,
    /// The directory git was run in, if the command named one.
    #[serde(default)]
    pub dir: Option<String>,
    /// True if it replaced the commit before it.
    #[serde(default)]
    pub amend: bool,
}

/// The place of a session; the text of the note is its branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutNote {
    /// The branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// The worktree.
    #[serde(default)]
    pub worktree: Option<String>,
}

/// Something that was noticed while events were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferredNote {
    /// The word for the signal it rests on.
    #[serde(default)]
    pub basis: Option<String>,
    /// The error it is about, as a word.
    #[serde(default)]
    pub error: Option<String>,
    /// The subagent that did it; none in the main conversation.
    #[serde(default)]
    pub agent: Option<String>,
    /// Number of times the context had been summarised.
    #[serde(default)]
    pub context: u32,
}

/// A failure that QA found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QaFailureNote {
    /// The memory that it becomes when the work succeeds.
    pub draft: Draft,
    /// The unit of work it was found in.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
    /// The failure as it was reported.
    #[serde(default)]
    pub issue: Option<QaFinding>,
}

/// A failure as QA reported it. A model reads it in this form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QaFinding {
    /// The problem.
    pub issue: String,
    /// The file it is about.
    #[serde(default)]
    pub file: Option<RepoPath>,
    /// The module it is about.
    #[serde(default)]
    pub module: Option<String>,
    /// The attempts so far.
    #[serde(default)]
    pub what_was_tried: Option<String>,
    /// The recommended fix.
    #[serde(default)]
    pub what_should_be_done: Option<String>,
}

/// A note without anything but its text.
#[derive(Serialize, Deserialize)]
struct Nothing {}

impl NoteRecord {
    /// Reads a note of any version.
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

    /// The JSON for the column `body`, in the newest version.
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

    /// The kind of note.
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

    /// Returns true if the note says something to learn from, and not only what happened.
    pub fn is_learning(&self) -> bool {
        matches!(self.kind(), NoteKind::Agent | NoteKind::Inferred | NoteKind::QaFailure)
    }

    /// Visits every text of the note but that of its own column. An error if what is left can be no
    /// note.
    pub fn visit_texts(&mut self, visit: &mut VisitText<'_>) -> Result<(), Problem> {
        *self = NoteRecord::decode(self.kind().as_str(), &codec::visit(&self.encode()?, visit)?)?;
        Ok(())
    }
}

/// A note as its own columns.
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
