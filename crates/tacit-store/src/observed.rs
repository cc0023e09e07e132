//! Storage of what the observer learnt from sessions.

use serde::{Deserialize, Serialize};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::activity::Session;
use crate::error::StoreResult;

/// The share of sessions in which two files must be used in the same order to count as directional.
pub const DIRECTION_SHARE: f64 = 0.8;
/// The least number of such sessions.
pub const DIRECTION_SESSIONS: u32 = 3;

/// The part of a store that the observer uses.
pub trait ObserverStore {
    /// Returns sessions to observe, longest idle first, then by name: those that ended, were idle
    /// since `silent` or have a report on their work, and that had activity since they were last
    /// observed or are waiting.
    fn sessions_to_observe(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>>;

    /// Returns the sessions with the latest activity, then by name, each with the result of its
    /// observation if that covers all activity.
    fn latest_sessions(&self, limit: usize) -> StoreResult<Vec<(Session, Option<ObservedState>)>>;

    /// Returns the digests of session trees, newest first, then by the session that names the tree.
    fn digests(&self, limit: usize) -> StoreResult<Vec<String>>;

    /// Returns the tree of an observed session.
    fn tree_of(&self, session: &SessionId) -> StoreResult<Option<SessionId>>;

    /// Returns the signals considered in the last observation of a tree.
    fn signals(&self, tree: &SessionId) -> StoreResult<Vec<LoggedSignal>>;

    /// Saves the observation of a tree in place of an earlier one, so that each session counts
    /// once.
    fn save_observed_tree(&mut self, observed: &ObservedTree) -> StoreResult<()>;

    /// Returns how often two files are used together, in either order.
    fn file_affinity(&self, one: &RepoPath, other: &RepoPath) -> StoreResult<Option<FileAffinity>>;

    /// Returns the count of an error and its last resolution, with the tool that failed last, or the
    /// first of them by name.
    fn error_occurrences(&self, fingerprint: &str) -> StoreResult<Option<ErrorOccurrences>>;
}

/// The state of an observed session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedState {
    /// The observer has drawn all conclusions.
    Done,
    /// The session waits for other sessions.
    Waits,
}

impl ObservedState {
    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            ObservedState::Done => "done",
            ObservedState::Waits => "waits",
        }
    }
}

/// The observation of a session tree.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedTree {
    /// The session that names the tree.
    pub tree: SessionId,
    /// The sessions of the tree, each with the time up to which it was observed.
    pub sessions: Vec<(SessionId, Timestamp)>,
    /// The time of the last activity in the tree.
    pub at: Timestamp,
    /// The state of the observation.
    pub state: ObservedState,
    /// The digest of the tree, as JSON.
    pub digest: String,
    /// The signals that were considered.
    pub signals: Vec<LoggedSignal>,
    /// The tree's share in the usage counters.
    pub usage: TreeUsage,
}

/// A signal that the observer considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedSignal {
    /// The kind of signal.
    pub kind: String,
    /// The whole signal, as JSON.
    pub body: String,
    /// The score, if the signal was scored.
    pub score: Option<f64>,
}

/// The share of a session tree in the usage counters over all sessions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TreeUsage {
    /// Files and their number of uses.
    pub files: Vec<(RepoPath, u32)>,
    /// Pairs of files used together.
    pub pairs: Vec<FilePairUse>,
    /// Errors that occurred.
    pub errors: Vec<ErrorOccurrences>,
}

/// Two files that were used together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilePairUse {
    /// The file whose name sorts first.
    pub a: RepoPath,
    /// The other file.
    pub b: RepoPath,
    /// True if `a` was used first.
    pub a_first: bool,
    /// The time between the two uses, in milliseconds.
    pub delta_ms: f64,
}

/// The occurrences of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorOccurrences {
    /// The fingerprint of the error.
    pub fingerprint: String,
    /// The tool that failed.
    pub tool: String,
    /// The error message.
    pub message: String,
    /// The number of occurrences.
    pub count: u32,
    /// The last resolution.
    pub resolved_how: Option<String>,
}

/// The usage of two files together.
#[derive(Debug, Clone, PartialEq)]
pub struct FileAffinity {
    /// The share of sessions with both files among the sessions with either.
    pub weight: f64,
    /// The number of sessions with both files.
    pub sessions: u32,
    /// The mean time between the two uses, in milliseconds.
    pub delta_ms: f64,
    /// True if the files are nearly always used in the same order.
    pub directional: bool,
}
