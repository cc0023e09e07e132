//! The beginning of a transcript: its form, its session, and the project it belongs to. Enough to
//! choose transcripts without reading them.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tacit_core::{SessionId, Timestamp};

use super::TranscriptForm;
use super::lines::{text, time};

/// The lines that are looked at.
const LINES: usize = 60;

/// The project in which a session worked, as its transcript names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranscriptPlace {
    /// The working directory.
    Directory(String),
    /// The SHA-256 sum of the path of the project, in hexadecimal.
    PathHash(String),
    /// The transcript names none, or sessions of several projects.
    Unknown,
}

impl TranscriptPlace {
    /// Returns the place of a project by the hash of its path.
    pub fn hash_of(path: &Path) -> TranscriptPlace {
        TranscriptPlace::PathHash(sum(&path.to_string_lossy()))
    }

    /// Returns true if this is the hash of a path.
    pub fn is_hash_of(&self, path: &Path) -> bool {
        *self == TranscriptPlace::hash_of(path)
    }
}

/// Returns the SHA-256 sum of a text in hexadecimal.
pub(super) fn sum(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The beginning of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptHead {
    /// The form.
    pub form: TranscriptForm,
    /// The session; `None` for recorded payloads, which may be of several.
    pub session: Option<SessionId>,
    /// The time of the first line.
    pub at: Option<Timestamp>,
    /// The project.
    pub place: TranscriptPlace,
    /// True if the transcript is of a subagent, and is read together with that of its session.
    pub is_helper: bool,
    /// True if the transcript is one JSON document instead of lines.
    pub is_document: bool,
}

impl TranscriptHead {
    /// Reads the beginning of a transcript; `None` if its form is not known. The last line may be cut.
    pub fn read(start: &str) -> Option<TranscriptHead> {
        if let Some(head) = whole_document(start) {
            return Some(head);
        }
        let lines = start.lines().take(LINES);
        let values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut head: Option<TranscriptHead> = None;
        for value in values.filter(Value::is_object) {
            let Some(found) = of_line(&value) else { continue };
            let is_whole = found.place != TranscriptPlace::Unknown;
            match &mut head {
                // Claude Code begins with lines that name no directory.
                Some(head) if head.form == found.form => {
                    head.at = head.at.or(found.at);
                    head.place = found.place;
                }
                Some(_) => {}
                None => head = Some(found),
            }
            if is_whole {
                break;
            }
        }
        head
    }
}

/// Reads the head of a chat that is one JSON document, whose start may be all there is.
fn whole_document(start: &str) -> Option<TranscriptHead> {
    let trimmed = start.trim_start();
    if !trimmed.starts_with('{') || trimmed.lines().next()?.trim_end().ends_with('}') {
        return None;
    }
    let field = |name: &str| {
        let from = start.find(&format!("\"{name}\""))?;
        let rest = &start[from + name.len() + 2..];
        rest.split('"').nth(1).map(str::to_owned)
    };
    Some(TranscriptHead {
        form: TranscriptForm::Gemini,
        session: SessionId::new(field("sessionId")?).ok(),
        at: field("startTime").and_then(|at| at.parse().ok()),
        place: TranscriptPlace::PathHash(field("projectHash")?),
        is_helper: false,
        is_document: true,
    })
}

fn of_line(value: &Value) -> Option<TranscriptHead> {
    let session = |id: Option<&str>| id.and_then(|id| SessionId::new(id).ok());
    let directory = |found: Option<&str>| {
        found.map_or(TranscriptPlace::Unknown, |path| TranscriptPlace::Directory(path.to_owned()))
    };
    let kind = text(value, "/type");
    if text(value, "/event/hook_event_name").is_some() && text(value, "/at").is_some() {
        return Some(TranscriptHead {
            form: TranscriptForm::Recorded,
            session: None,
            at: time(value, "/at"),
            place: directory(text(value, "/event/cwd")),
            is_helper: false,
            is_document: false,
        });
    }
    if kind == Some("session_meta") {
        let parent = text(value, "/payload/source/subagent/thread_spawn/parent_thread_id");
        let own = text(value, "/payload/id").or(text(value, "/payload/session_id"));
        return Some(TranscriptHead {
            form: TranscriptForm::Codex,
            session: session(parent.or(own)),
            at: time(value, "/timestamp"),
            place: directory(text(value, "/payload/cwd")),
            is_helper: parent.is_some(),
            is_document: false,
        });
    }
    if kind == Some("session.start") {
        return Some(TranscriptHead {
            form: TranscriptForm::Copilot,
            session: session(text(value, "/data/sessionId")),
            at: time(value, "/timestamp"),
            place: directory(text(value, "/data/context/cwd")),
            is_helper: false,
            is_document: false,
        });
    }
    if let Some(hash) = text(value, "/projectHash") {
        return Some(TranscriptHead {
            form: TranscriptForm::Gemini,
            session: session(text(value, "/sessionId")),
            at: time(value, "/startTime"),
            place: TranscriptPlace::PathHash(hash.to_owned()),
            is_helper: text(value, "/kind") == Some("subagent"),
            is_document: false,
        });
    }
    let is_claude = text(value, "/sessionId").is_some() && kind.is_some();
    is_claude.then(|| TranscriptHead {
        form: TranscriptForm::Claude,
        session: session(text(value, "/sessionId")),
        at: time(value, "/timestamp"),
        place: directory(text(value, "/cwd")),
        is_helper: value.get("agentId").is_some()
            && value.get("isSidechain").and_then(Value::as_bool) == Some(true),
        is_document: false,
    })
}
