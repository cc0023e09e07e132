//! What was concluded from sessions, and what is kept of them for those that come after.

use serde::{Deserialize, Serialize};
use tacit_core::{RepoPath, SessionId, Timestamp};

use crate::activity::Session;
use crate::error::StoreResult;

/// Two files are nearly always used in one order if they were in this share of sessions, and in at
/// least this many.
pub const DIRECTION_SHARE: f64 = 0.8;
/// See [`DIRECTION_SHARE`].
pub const DIRECTION_SESSIONS: u32 = 3;

/// The part of a store that remembers what agents were seen to do.
pub trait ObserverStore {
    /// Sessions to look at, those first that were silent longest: they are over, nothing happened in
    /// them since `silent`, or somebody reported how their work goes; and something happened since
    /// they were last looked at, or they wait.
    fn sessions_to_observe(&self, silent: Timestamp, limit: usize) -> StoreResult<Vec<Session>>;

    /// The sessions in which something last happened, each with what became of it when it was looked
    /// at.
    fn latest_sessions(&self, limit: usize) -> StoreResult<Vec<(Session, Option<ObservedState>)>>;

    /// What is kept of session trees, the newest first.
    fn digests(&self, limit: usize) -> StoreResult<Vec<String>>;

    /// The tree a session belongs to, if it was looked at.
    fn tree_of(&self, session: &SessionId) -> StoreResult<Option<SessionId>>;

    /// What was considered when a tree was last looked at.
    fn signals(&self, tree: &SessionId) -> StoreResult<Vec<LoggedSignal>>;

    /// Keeps what a look at a tree showed, in place of what an earlier one did: each session counts
    /// once, however often it is looked at.
    fn keep_observed(&mut self, observed: &ObservedTree) -> StoreResult<()>;

    /// How strongly two files belong together, in either order.
    fn tie(&self, one: &RepoPath, other: &RepoPath) -> StoreResult<Option<FileAffinity>>;

    /// How often an error was met, and what last put an end to it.
    fn error_seen(&self, fingerprint: &str) -> StoreResult<Option<ErrorOccurrences>>;
}

/// What became of a session when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedState {
    /// All that can be concluded from it was.
    Done,
    /// It waits for others.
    Waits,
}

impl ObservedState {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            ObservedState::Done => "done",
            ObservedState::Waits => "waits",
        }
    }
}

/// What a look at a session tree showed.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedTree {
    /// The session it is named by.
    pub tree: SessionId,
    /// Its sessions, each with the moment up to which it was looked at.
    pub sessions: Vec<(SessionId, Timestamp)>,
    /// When something last happened in it.
    pub at: Timestamp,
    /// What became of it.
    pub state: ObservedState,
    /// What is kept of it, as JSON.
    pub digest: String,
    /// What was considered.
    pub signals: Vec<LoggedSignal>,
    /// What it adds to what is counted over all sessions.
    pub uses: TreeUsage,
}

/// Something that was considered.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedSignal {
    /// What kind of signal.
    pub kind: String,
    /// Everything about it, as JSON.
    pub body: String,
    /// Its score, if it came that far.
    pub score: Option<f64>,
}

/// What a session tree adds to what is counted over all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TreeUsage {
    /// Files, and how often each was used.
    pub files: Vec<(RepoPath, u32)>,
    /// Files that were used together.
    pub pairs: Vec<FilePairUse>,
    /// Errors that were met.
    pub errors: Vec<ErrorOccurrences>,
}

/// Two files that were used together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilePairUse {
    /// The one whose name comes first.
    pub a: RepoPath,
    /// The other.
    pub b: RepoPath,
    /// Whether `a` was used first.
    pub a_first: bool,
    /// How long after, in milliseconds.
    pub delta_ms: f64,
}

/// An error that was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorOccurrences {
    /// The same for the same error.
    pub fingerprint: String,
    /// The tool that met it.
    pub tool: String,
    /// What it says.
    pub message: String,
    /// How often.
    pub count: u32,
    /// What put an end to it.
    pub resolved_how: Option<String>,
}

/// How strongly two files belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct FileAffinity {
    /// Of the sessions in which either was used, the share in which both were used together.
    pub weight: f64,
    /// In how many sessions they were.
    pub sessions: u32,
    /// How long lay between, on average, in milliseconds.
    pub delta_ms: f64,
    /// Whether the first of the two names is nearly always used first, or last.
    pub directional: bool,
}
