//! Storage of session activity: events, injections and notes.

use serde::{Deserialize, Serialize};
use tacit_core::log::{LogKind, LogRecord, NoteRecord};
use tacit_core::{Fate, MemoryId, RepoPath, SessionId, Timestamp, Usefulness};

use crate::error::StoreResult;

/// The part of a store that records sessions.
pub trait ActivityStore {
    /// Writes batches in one short transaction without waiting for the disk. A batch whose events
    /// are all stored already is skipped.
    fn record_all(&mut self, records: &[ActivityBatch]) -> StoreResult<()>;

    /// Like [`ActivityStore::record_all`], for one batch.
    fn record(&mut self, record: &ActivityBatch) -> StoreResult<()> {
        self.record_all(std::slice::from_ref(record))
    }

    /// Returns a session.
    fn session(&self, id: &SessionId) -> StoreResult<Option<Session>>;

    /// Returns the sessions that last produced memories, newest first, then by name. Only the newest
    /// 5,000 memories are looked at.
    fn recent_sessions(&self, limit: usize) -> StoreResult<Vec<SessionId>>;

    /// Returns events, the last stored one first. Unreadable rows are skipped.
    fn events(&self, query: &EventQuery) -> StoreResult<Vec<Event>>;

    /// Returns the number of events that match a query, regardless of its limit.
    fn count_events(&self, query: &EventQuery) -> StoreResult<usize>;

    /// Returns injections, the last stored one first.
    fn injections(&self, query: &InjectionQuery) -> StoreResult<Vec<Injection>>;

    /// Saves the fates of injections in place of earlier ones. Unknown injections are skipped.
    fn set_fates(&mut self, fates: &[InjectionFate]) -> StoreResult<()>;

    /// Returns sessions whose injections are to be judged, longest idle first, then by name: those
    /// that ended or were idle since `silent`, that were shown a memory, and that had activity since
    /// they were last judged.
    fn sessions_to_judge(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>>;

    /// Saves the judgement of a session up to a time. Injections of these events lose the fates that
    /// they had; those of other events keep them.
    fn save_judgement(
        &mut self,
        session: &SessionId,
        upto: Timestamp,
        events: &[String],
        fates: &[InjectionFate],
    ) -> StoreResult<()>;

    /// Replaces the counts of all memories.
    fn set_memory_uses(&mut self, uses: &[MemoryUses]) -> StoreResult<()>;

    /// Returns the counts of all memories that were judged, ordered by memory.
    fn memory_uses(&self) -> StoreResult<Vec<MemoryUses>>;

    /// Returns how often each memory was shown, or each of these, ordered by memory; memories that
    /// never were are left out.
    fn injection_counts(&self, only: Option<&[MemoryId]>) -> StoreResult<Vec<(MemoryId, u64)>>;

    /// Returns the notes of a session, the last stored one first; given files, only those about one of
    /// them. Unreadable rows are skipped.
    fn notes(
        &self,
        session: &SessionId,
        files: &[RepoPath],
        limit: usize,
    ) -> StoreResult<Vec<Note>>;

    /// Returns files that are used or changed together with one of these with a weight above
    /// `least`, strongest first, then by name.
    fn linked_files(
        &self,
        files: &[RepoPath],
        least: f64,
        limit: usize,
    ) -> StoreResult<Vec<RepoPath>>;

    /// Replaces the co-changes from the git history. Usage observed in sessions is not affected.
    fn set_co_changes(&mut self, ties: &[CoChange], at: Timestamp) -> StoreResult<()>;

    /// Blanks the texts of a memory's injections. Returns their number.
    fn blank_injections(&mut self, id: &MemoryId) -> StoreResult<u64>;

    /// Returns the paths of the transcripts that clients named with their events, sorted.
    fn transcripts(&self) -> StoreResult<Vec<String>>;

    /// Deletes events before a time, except those of open sessions with activity since. Returns their
    /// number. The scan ends at the first stored event that is new enough, but all events of sessions
    /// without activity since are deleted. Paths of sessions without events and signals before the
    /// time go with them.
    fn delete_events(&mut self, before: Timestamp) -> StoreResult<u64>;
}

/// Session activity that is written together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ActivityBatch {
    /// Updates of sessions.
    pub sessions: Vec<SessionUpdate>,
    /// New events.
    pub events: Vec<Event>,
    /// New injections.
    pub injections: Vec<Injection>,
    /// New notes.
    pub notes: Vec<Note>,
}

/// An update of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionUpdate {
    /// The updated session.
    pub id: SessionId,
    /// The agent client.
    pub client: String,
    /// The time of the update.
    pub at: Timestamp,
    /// The change.
    pub change: SessionChange,
    /// The group of a session that this update creates (see [`Session::held_out`]). The group of a
    /// known session never changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<bool>,
}

/// The change of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SessionChange {
    /// The session was active.
    Seen,
    /// The context was compacted, which discards earlier injections.
    Compacted,
    /// The agent was asked what it learnt, or to write it down.
    Asked,
    /// The session ended, for this reason.
    Ended(String),
}

/// A session of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The client's identifier.
    pub id: SessionId,
    /// The agent client.
    pub client: String,
    /// The time of the first activity.
    pub started_at: Timestamp,
    /// The time of the last activity.
    pub last_at: Timestamp,
    /// The reason for its end; `None` while it is open.
    pub ended: Option<String>,
    /// The number of compactions.
    pub context: u32,
    /// True if the agent was ever asked what it learnt, or to write it down.
    pub asked: bool,
    /// True if everything is withheld from it to measure the benefit, false if it is one of those
    /// that are compared with it; `None` if nothing was measured when it began.
    pub held_out: Option<bool>,
}

/// An event in the session log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The unique identifier; an event with a known identifier is not stored again.
    pub id: String,
    /// The session of the event.
    pub session: SessionId,
    /// The time of the event.
    pub at: Timestamp,
    /// The logged record.
    #[serde(flatten)]
    pub record: LogRecord,
}

/// A query for events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventQuery {
    /// Events of this session.
    pub session: Option<SessionId>,
    /// Events of one of these kinds; empty for any.
    pub kinds: Vec<LogKind>,
    /// Events about this file or command.
    pub subject: Option<String>,
    /// Events stored before the one with this identifier; none if it is unknown.
    pub before: Option<String>,
    /// The most events to return.
    pub limit: usize,
}

/// A memory or note that a hook showed to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    /// The session that saw it.
    pub session: SessionId,
    /// The subagent that saw it; `None` for the main conversation.
    pub agent: Option<String>,
    /// The number of compactions before it.
    pub context: u32,
    /// The time it was shown.
    pub at: Timestamp,
    /// The name of the event that caused it.
    pub layer: String,
    /// The identifier of that event.
    pub event: String,
    /// The memory; `None` for anything else, such as a note of the same session.
    pub memory: Option<MemoryId>,
    /// The shown text, shortened.
    pub text: String,
    /// The approximate number of tokens.
    pub tokens: u32,
    /// The reason for which it was chosen.
    pub why: String,
    /// True if it was chosen but not shown, to measure the benefit of showing.
    #[serde(default)]
    pub withheld: bool,
    /// The fate; `None` until the session was judged.
    #[serde(default)]
    pub fate: Option<JudgedFate>,
}

/// A fate and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFate {
    /// The fate.
    pub fate: Fate,
    /// The event that decided it, in words.
    pub why: String,
}

/// The fate of an injection, which its event, memory and text identify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectionFate {
    /// The identifier of the event that caused the injection.
    pub event: String,
    /// The memory; `None` for anything else.
    pub memory: Option<MemoryId>,
    /// The shown text.
    pub text: String,
    /// The fate.
    pub judged: JudgedFate,
}

/// The counted uses of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUses {
    /// The memory.
    pub memory: MemoryId,
    /// The counts.
    pub counts: Usefulness,
}

/// A query for injections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InjectionQuery {
    /// Injections in this session.
    pub session: Option<SessionId>,
    /// Injections after this many compactions.
    pub context: Option<u32>,
    /// Injections caused by one of these events.
    pub events: Vec<String>,
    /// Injections of this memory.
    pub memory: Option<MemoryId>,
    /// Injections at or after this time.
    pub since: Option<Timestamp>,
    /// The most injections to return.
    pub limit: usize,
}

/// An observation in a session, not yet a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The unique identifier; a note with a known identifier is not stored again.
    pub id: String,
    /// The session of the note.
    pub session: SessionId,
    /// The time of the note.
    pub at: Timestamp,
    /// The observation.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// The kind-specific fields.
    #[serde(flatten)]
    pub record: NoteRecord,
}

/// Two files that the git history changes together.
#[derive(Debug, Clone, PartialEq)]
pub struct CoChange {
    /// The file that changes.
    pub file: RepoPath,
    /// A file that is likely to change with it.
    pub other: RepoPath,
    /// The probability, from 0 to 1.
    pub weight: f64,
    /// The number of commits that changed both.
    pub count: u32,
}
