//! The rows of a transfer.

use serde::{Deserialize, Serialize};
use tacit_core::{
    Author, FieldError, Memory, MemoryId, MemoryRecord, Reasoning, RepoPath, SessionId, Timestamp,
};

use super::TransferTable;
use crate::activity::{Event, Injection, MemoryUses, Note, Session};
use crate::history::{Action, ActionKind, ChangeId, ChangeItem};
use crate::links::CodeLink;
use crate::observed::{ErrorOccurrences, LoggedSignal, ObservedState, TreeUsage};

/// A row to transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "table", content = "row", rename_all = "snake_case")]
pub enum TransferRow {
    /// A memory with its usage counters; the key is its identifier.
    Memory(Box<MemoryRow>),
    /// A change of the history; the key is its number.
    Change(ChangeRow),
    /// A claimed request; the key is its name.
    Request(RequestRow),
    /// The links of a memory; the key is the memory.
    Links(LinksRow),
    /// An embedding model; the key is its name with its dimensions.
    Model(ModelRow),
    /// The vectors of a memory; the key is the model with the memory.
    Vectors(VectorsRow),
    /// A session; the key is its identifier.
    Session(SessionRow),
    /// An event; the key is its identifier.
    Event(Event),
    /// An injection; see [`InjectionRow::nth`] for its key.
    Injection(InjectionRow),
    /// A note; the key is its identifier.
    Note(Note),
    /// The counted uses of a memory; the key is the memory.
    Uses(MemoryUses),
    /// An observed session; the key is the session.
    ObservedSession(ObservedSessionRow),
    /// The usage of a file; the key is the file.
    FileUsage(FileUsageRow),
    /// A pair of files; the key is both files with the source.
    FilePair(FilePairRow),
    /// An error; the key is its fingerprint with the tool.
    ErrorPattern(ErrorPatternRow),
    /// The signals of a session tree; the key is the tree.
    Signals(SignalsRow),
}

impl TransferRow {
    /// Returns the table of the row.
    pub fn table(&self) -> TransferTable {
        match self {
            TransferRow::Memory(_) => TransferTable::Memories,
            TransferRow::Change(_) => TransferTable::Changes,
            TransferRow::Request(_) => TransferTable::Requests,
            TransferRow::Links(_) => TransferTable::Links,
            TransferRow::Model(_) => TransferTable::Models,
            TransferRow::Vectors(_) => TransferTable::Vectors,
            TransferRow::Session(_) => TransferTable::Sessions,
            TransferRow::Event(_) => TransferTable::Events,
            TransferRow::Injection(_) => TransferTable::Injections,
            TransferRow::Note(_) => TransferTable::Notes,
            TransferRow::Uses(_) => TransferTable::Uses,
            TransferRow::ObservedSession(_) => TransferTable::ObservedSessions,
            TransferRow::FileUsage(_) => TransferTable::FileUsage,
            TransferRow::FilePair(_) => TransferTable::FilePairs,
            TransferRow::ErrorPattern(_) => TransferTable::ErrorPatterns,
            TransferRow::Signals(_) => TransferTable::Signals,
        }
    }
}

/// A memory, in its flat form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MemoryRecord", into = "MemoryRecord")]
pub struct MemoryRow {
    /// The memory with its usage counters.
    pub memory: Memory,
}

impl From<MemoryRow> for MemoryRecord {
    fn from(row: MemoryRow) -> MemoryRecord {
        row.memory.to_record()
    }
}

impl TryFrom<MemoryRecord> for MemoryRow {
    type Error = FieldError;

    fn try_from(record: MemoryRecord) -> Result<MemoryRow, FieldError> {
        Ok(MemoryRow { memory: Memory::try_from(record)? })
    }
}

/// A change of the history. The change that undid it follows from the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// The number of the change.
    pub id: ChangeId,
    /// The kind of action.
    pub kind: ActionKind,
    /// The time of the action.
    pub at: Timestamp,
    /// The person or program that acted.
    pub actor: Author,
    /// The reason for the action.
    pub reason: Option<Reasoning>,
    /// The change that it undid.
    pub reverts: Option<ChangeId>,
    /// The changed memories, in the order in which they were changed.
    pub items: Vec<ChangeItem>,
}

impl ChangeRow {
    /// Returns the action.
    pub fn action(&self) -> Action {
        Action {
            kind: self.kind,
            at: self.at,
            actor: self.actor.clone(),
            reason: self.reason.clone(),
            reverts: self.reverts,
        }
    }
}

/// A claimed request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRow {
    /// The name of the request.
    pub name: String,
    /// The time of the action that claimed it.
    pub at: Timestamp,
}

/// The links of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinksRow {
    /// The linked memory.
    pub memory: MemoryId,
    /// The `updated_at` of the memory when its links were computed; `None` if they are to be computed
    /// again.
    pub linked_at: Option<Timestamp>,
    /// The links, ordered by symbol.
    pub links: Vec<CodeLink>,
}

/// An embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRow {
    /// The name of the model.
    pub name: String,
    /// The length of its vectors.
    pub dims: usize,
    /// True if queries use this model. Storing an active model makes the others inactive.
    pub active: bool,
}

/// The vectors of a memory. Generations belong to a store: the target counts its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VectorsRow {
    /// The name of the model.
    pub model: String,
    /// The length of the vectors.
    pub dims: usize,
    /// The memory.
    pub memory: MemoryId,
    /// True if the memory waits for vectors: the ones here, if any, are of an earlier text.
    pub pending: bool,
    /// The vectors of pieces of the text, each with the index of the piece.
    pub pieces: Vec<(u8, Vec<f32>)>,
    /// The vectors of cues, each with the index of the cue.
    pub cues: Vec<(u8, Vec<f32>)>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The session.
    pub session: Session,
    /// The last activity up to which its injections were judged.
    pub judged_upto: Option<Timestamp>,
}

/// An injection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InjectionRow {
    /// The injection with its fate.
    pub injection: Injection,
    /// The number of earlier injections with the same session, event and memory. With these three it
    /// is the key: texts and fates may change later.
    pub nth: u32,
}

/// A session that was observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedSessionRow {
    /// The observed session.
    pub session: SessionId,
    /// The session that names its tree.
    pub tree: SessionId,
    /// The time up to which it was observed.
    pub upto: Timestamp,
    /// The state of the observation.
    pub state: ObservedState,
    /// The time of the last activity in the tree.
    pub at: Timestamp,
    /// The digest of the tree, in the row of the session that names it.
    pub digest: Option<String>,
    /// The tree's share in the usage counters, in the row of the session that names it.
    pub usage: Option<TreeUsage>,
}

/// The usage of a file in all sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileUsageRow {
    /// The used file.
    pub file: RepoPath,
    /// The number of uses.
    pub uses: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The time of the last use.
    pub last_at: Timestamp,
}

/// The evidence for a pair of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePairSource {
    /// Sessions in which both files were used.
    Sessions,
    /// Commits that changed both files.
    History,
}

impl FilePairSource {
    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            FilePairSource::Sessions => "sessions",
            FilePairSource::History => "history",
        }
    }

    /// Parses the stored word.
    pub fn from_word(word: &str) -> Option<FilePairSource> {
        [FilePairSource::Sessions, FilePairSource::History]
            .into_iter()
            .find(|source| source.as_str() == word)
    }
}

/// Two files that are used or changed together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilePairRow {
    /// The first file; the one whose name sorts first if sessions are the evidence.
    pub a: RepoPath,
    /// The other file.
    pub b: RepoPath,
    /// The evidence.
    pub source: FilePairSource,
    /// The weight, from 0 to 1.
    pub weight: f64,
    /// The number of sessions or commits with both files.
    pub count: u64,
    /// The number of sessions in which the first file was used first.
    pub forward: u64,
    /// The mean time between the two uses, in milliseconds.
    pub delta_ms: Option<f64>,
    /// True if the files are nearly always used in the same order.
    pub directional: bool,
    /// The time of the last observation.
    pub last_at: Timestamp,
}

/// An error that occurred in sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorPatternRow {
    /// The error.
    pub error: ErrorOccurrences,
    /// The time of the last occurrence.
    pub last_at: Timestamp,
}

/// The signals of a session tree, in the order in which they were considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalsRow {
    /// The session that names the tree.
    pub tree: SessionId,
    /// The signals.
    pub signals: Vec<TimedSignal>,
}

/// A signal with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimedSignal {
    /// The time of the last activity in the tree when the signal was considered.
    pub at: Timestamp,
    /// The signal.
    pub signal: LoggedSignal,
}
