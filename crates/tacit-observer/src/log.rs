//! What the log says, as values: events that clients told, and what was reported by hand.
//!
//! How the log is kept is not known here. A line that cannot be read is passed over.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacit_core::log::{Complexity, UnitStatus};
use tacit_core::{AgentEvent, CommitSha, RepoPath, SessionId, Timestamp, WorkUnitRef};

/// The kind of a line in which somebody reported the result of a check.
pub const VALIDATION: &str = "validation";
/// The kind of a line in which somebody reported how a unit of work goes.
pub const WORK_UNIT: &str = "work_unit";

/// A line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// Names it.
    pub id: String,
    /// The session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
    /// Its place among the lines of its session, which decides where times are equal.
    pub order: usize,
    /// The file it is about, as memories name it, or the command.
    pub subject: Option<String>,
    /// What happened.
    pub what: Logged,
}

impl LogEntry {
    /// By which lines are put in the order in which things happened.
    pub(crate) fn moment(&self) -> (Timestamp, usize, &str) {
        (self.at, self.order, &self.id)
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Logged {
    /// A client told it.
    Told(Box<AgentEvent>),
    /// Somebody reported the result of a check.
    Check(ReportedCheck),
    /// Somebody reported how a unit of work goes.
    Unit(ReportedUnit),
}

/// The result of a check, as somebody reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportedCheck {
    /// Whether it passed.
    pub passed: bool,
    /// The command that checked.
    #[serde(default)]
    pub command: Option<String>,
    /// What was checked, or what failed.
    #[serde(default)]
    pub summary: Option<String>,
    /// The unit of work it is about; the session's own, if it is not said.
    #[serde(default)]
    pub work_unit: Option<WorkUnitRef>,
}

/// How a unit of work goes, as somebody reported it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportedUnit {
    /// Which.
    pub work_unit: WorkUnitRef,
    /// What became of it.
    pub status: UnitStatus,
    /// What was done, decided, or went wrong.
    #[serde(default)]
    pub summary: Option<String>,
    /// How large it is, if somebody said so.
    #[serde(default)]
    pub complexity: Option<Complexity>,
}

/// Reads a line; none if it says nothing that is known here.
pub fn read_entry(
    id: String,
    session: SessionId,
    at: Timestamp,
    order: usize,
    kind: &str,
    subject: Option<String>,
    body: &str,
) -> Option<LogEntry> {
    let what = match kind {
        VALIDATION => Logged::Check(serde_json::from_str(body).ok()?),
        WORK_UNIT => Logged::Unit(serde_json::from_str(body).ok()?),
        _ => Logged::Told(serde_json::from_str(body).ok()?),
    };
    Some(LogEntry { id, session, at, order, subject, what })
}

/// Something noted in a session, before it is known to be true.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    /// Names it.
    pub id: String,
    /// When.
    pub at: Timestamp,
    /// What kind of note.
    pub kind: NoteKind,
    /// What was noted.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
}

/// What kind of note it is.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteKind {
    /// An agent said it; the type of memory it should become.
    Agent(String),
    /// A commit was made.
    Commit(CommitSha),
    /// Anything else: it is not for promotion.
    Other(String),
}

/// The kind of a note that an agent made.
pub const AGENT_NOTE: &str = "agent";
/// The kind of a note that says where a session takes place.
pub const PLACE_NOTE: &str = "place";
/// The kind of a note of something that was noticed on the way.
pub const INFERRED_NOTE: &str = "inferred";
/// The kind of a note of a commit.
pub const COMMIT_NOTE: &str = "commit";

/// Reads a note.
pub fn read_note(
    id: String,
    at: Timestamp,
    kind: &str,
    text: String,
    files: Vec<RepoPath>,
    body: &str,
) -> Noted {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let said = |name: &str| body[name].as_str().map(str::to_owned);
    let kind = match kind {
        AGENT_NOTE => NoteKind::Agent(said("type").unwrap_or_else(|| "module_insight".into())),
        COMMIT_NOTE => match body["sha"].as_str().and_then(|sha| CommitSha::new(sha).ok()) {
            Some(sha) => NoteKind::Commit(sha),
            None => NoteKind::Other(kind.into()),
        },
        other => NoteKind::Other(other.into()),
    };
    Noted { id, at, kind, text, files }
}
