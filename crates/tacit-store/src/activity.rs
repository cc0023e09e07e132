//! What agents did and what they were shown: the log of their sessions, what was put before them,
//! and what they noted on the way.

use serde::{Deserialize, Serialize};
use tacit_core::log::{LogKind, LogRecord, NoteRecord};
use tacit_core::{MemoryId, RepoPath, SessionId, Timestamp};

use crate::error::StoreResult;

/// The part of a store that remembers sessions.
pub trait ActivityStore {
    /// Writes what happened, in one short transaction that does not wait for the disk. A record
    /// whose events are all there already, by their identifiers, was written before: nothing of it
    /// is written twice.
    fn record_all(&mut self, records: &[ActivityBatch]) -> StoreResult<()>;

    /// As [`ActivityStore::record_all`], for one.
    fn record(&mut self, record: &ActivityBatch) -> StoreResult<()> {
        self.record_all(std::slice::from_ref(record))
    }

    /// A session.
    fn session(&self, id: &SessionId) -> StoreResult<Option<Session>>;

    /// The sessions in which something was last learnt, the newest first.
    fn recent_sessions(&self, limit: usize) -> StoreResult<Vec<SessionId>>;

    /// Events, the newest first. A row that cannot be read is passed over.
    fn events(&self, query: &EventQuery) -> StoreResult<Vec<Event>>;

    /// What was put before agents, the newest first.
    fn injections(&self, query: &InjectionQuery) -> StoreResult<Vec<Injection>>;

    /// Lists the notes of a session, newest first; given files, only those about one of them. A row
    /// that cannot be read is passed over.
    fn notes(
        &self,
        session: &SessionId,
        files: &[RepoPath],
        limit: usize,
    ) -> StoreResult<Vec<Note>>;

    /// Files that are used or changed together with one of these so often that the weight of it is
    /// above `least`, the strongest first.
    fn linked_files(
        &self,
        files: &[RepoPath],
        least: f64,
        limit: usize,
    ) -> StoreResult<Vec<RepoPath>>;

    /// Sets how likely files change with others, in place of all that was set before. What sessions
    /// showed stays beside it.
    fn tie_files(&mut self, ties: &[CoChange], at: Timestamp) -> StoreResult<()>;

    /// Blanks what is kept of how a memory was shown. Returns how often it was.
    fn forget_shown(&mut self, id: &MemoryId) -> StoreResult<u64>;

    /// Removes events before a moment, except of sessions that are not over. Returns how many.
    fn drop_events(&mut self, before: Timestamp) -> StoreResult<u64>;
}

/// What happened, to be written together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ActivityBatch {
    /// What became of sessions.
    pub sessions: Vec<SessionUpdate>,
    /// Events.
    pub events: Vec<Event>,
    /// What was put before the agent.
    pub injections: Vec<Injection>,
    /// What was noted.
    pub notes: Vec<Note>,
}

/// What became of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionUpdate {
    /// The session.
    pub id: SessionId,
    /// The agent client.
    pub client: String,
    /// When.
    pub at: Timestamp,
    /// What changed.
    pub change: SessionChange,
}

/// A change of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SessionChange {
    /// Something happened in it.
    Seen,
    /// Its context was summarised: what was put before the agent is gone.
    Compacted,
    /// The agent was asked to write down what it learnt, which happens once.
    Asked,
    /// It ended, for this reason.
    Ended(String),
}

/// A session of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Which.
    pub id: SessionId,
    /// The agent client.
    pub client: String,
    /// When it was first seen.
    pub started_at: Timestamp,
    /// When it was last seen.
    pub last_at: Timestamp,
    /// Why it ended, if it did.
    pub ended: Option<String>,
    /// How often its context was summarised.
    pub context: u32,
    /// Whether the agent was asked to write down what it learnt.
    pub asked: bool,
}

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Names it; the same event is kept once.
    pub id: String,
    /// The session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
    /// Everything about it.
    #[serde(flatten)]
    pub record: LogRecord,
}

/// Which events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventQuery {
    /// Of this session.
    pub session: Option<SessionId>,
    /// Of one of these kinds; of any, if there is none.
    pub kinds: Vec<LogKind>,
    /// About this file or command.
    pub subject: Option<String>,
    /// How many at most.
    pub limit: usize,
}

/// A memory that was put before an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    /// In which session.
    pub session: SessionId,
    /// In which subagent of it; none in the main conversation.
    pub agent: Option<String>,
    /// How often its context had been summarised.
    pub context: u32,
    /// When.
    pub at: Timestamp,
    /// On what occasion: the kind of event.
    pub layer: String,
    /// The event's identifier.
    pub event: String,
    /// The memory, or none for what is not one, such as a note of the same session.
    pub memory: Option<MemoryId>,
    /// What was shown, in short.
    pub text: String,
    /// About how many tokens it took.
    pub tokens: u32,
    /// Why it was chosen.
    pub why: String,
}

/// Which injections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InjectionQuery {
    /// In this session.
    pub session: Option<SessionId>,
    /// Since its context was summarised this often.
    pub context: Option<u32>,
    /// Caused by one of these events.
    pub events: Vec<String>,
    /// How many at most.
    pub limit: usize,
}

/// Something noted in a session, before it is known to be true.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Names it; the same note is kept once.
    pub id: String,
    /// The session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
    /// What was noted.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// Everything else about it.
    #[serde(flatten)]
    pub record: NoteRecord,
}

/// What the history of the repository says about two files.
#[derive(Debug, Clone, PartialEq)]
pub struct CoChange {
    /// A file.
    pub file: RepoPath,
    /// One that is likely to change when it does.
    pub other: RepoPath,
    /// How likely, from 0 to 1.
    pub weight: f64,
    /// In how many commits both did.
    pub count: u32,
}
