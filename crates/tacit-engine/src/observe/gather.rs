//! Gathering of a session's data and that of related sessions.

use std::path::Path;

use tacit_core::log::LogKind;
use tacit_core::{EventName, SessionId, WorkUnitRef};
use tacit_observer::application::AppTools;
use tacit_observer::log::{LogEntry, LogEvent, SessionNote};
use tacit_observer::session_tree::{SessionTree, last_unit, unit_states};
use tacit_observer::{MAX_TASK_FILE, TASK_FILES, TaskDefinitions};
use tacit_store::{Event, EventQuery, Note, Session};

use super::transcript::context_tokens;
use crate::engine::Engine;
use crate::error::{EngineError, EngineResult};
use crate::work::NO_SESSION;

/// The most events and notes of a session that are read.
const EVENTS: usize = 20_000;
const NOTES: usize = 1_000;
/// The most reports that are searched for units of work.
const REPORTS: usize = 5_000;

/// Events of the main conversation, which name its transcript.
const TOLD_OF: [EventName; 4] = [
    EventName::SessionStarted,
    EventName::PromptSubmitted,
    EventName::TurnStopped,
    EventName::SessionEnded,
];

/// A session tree and its sessions.
pub(super) struct GatheredTree {
    pub(super) tree: SessionTree,
    pub(super) sessions: Vec<Session>,
}

impl Engine<'_> {
    /// Gathers a session, the others on the same unit of work, and the reports about it.
    pub(super) fn gather(&self, session: &SessionId) -> EngineResult<GatheredTree> {
        let mut names = self.related_sessions(session)?;
        let mut log = Vec::new();
        for name in &names {
            log.extend(self.log_of(name)?);
        }
        let reports = EventQuery {
            kinds: vec![LogKind::Check, LogKind::WorkUnit],
            limit: REPORTS,
            ..EventQuery::default()
        };
        let reports: Vec<LogEntry> = entries(self.events(&reports)?);
        let unit = match last_unit(&log) {
            Some(unit) => Some(unit.clone()),
            None => self.inherited_unit(session)?,
        };
        if let Some(unit) = unit {
            let mut others: Vec<&SessionId> = reports
                .iter()
                .filter(|report| !names.contains(&report.session) && names_unit(report, &unit))
                .map(|report| &report.session)
                .collect();
            others.sort();
            others.dedup();
            for other in others {
                let theirs = self.log_of(other)?;
                // Reports outside any session have nothing in common but the unit that they name.
                if other.as_str() != NO_SESSION && last_unit(&theirs) == Some(&unit) {
                    names.push(other.clone());
                    log.extend(theirs);
                } else {
                    // A session on other work contributes only its reports about this unit.
                    log.extend(theirs.into_iter().filter(|entry| names_unit(entry, &unit)));
                }
            }
        }
        let mut sessions = Vec::new();
        let mut notes = Vec::new();
        for name in &names {
            sessions.extend(self.session(name)?);
            let noted = self.notes(name, &[], NOTES)?;
            notes.extend(noted.into_iter().rev().map(|note| {
                let Note { id, at, text, files, record, .. } = note;
                SessionNote { id, at, text, files, record }
            }));
        }
        if sessions.is_empty() {
            return Err(EngineError::NoSuchSession { text: session.to_string() });
        }
        let context_tokens = self.reported_tokens(&names)?;
        sessions.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
        let siblings = unit_states(&reports);
        let session = sessions[0].id.clone();
        let tasks = task_definitions(&self.paths.root);
        let app_tools = AppTools::from_setting(&self.config.capture_app_tools);
        let tree = SessionTree { session, log, notes, siblings, tasks, app_tools, context_tokens };
        Ok(GatheredTree { tree, sessions })
    }

    /// Returns the total context tokens of sessions as their clients reported them; `None` if one
    /// did not. A continued session is part of its continuation's context.
    pub(crate) fn reported_tokens(&self, sessions: &[SessionId]) -> EngineResult<Option<u64>> {
        let mut continued = Vec::new();
        for session in sessions {
            continued.extend(self.previous_session(session)?);
        }
        let mut sum = None;
        for session in sessions.iter().filter(|session| !continued.contains(session)) {
            let Some(tokens) = self.tokens_of_session(session)? else {
                return Ok(None);
            };
            sum = Some(sum.unwrap_or(0) + tokens);
        }
        Ok(sum)
    }

    fn tokens_of_session(&self, session: &SessionId) -> EngineResult<Option<u64>> {
        let last = EventQuery {
            session: Some(session.clone()),
            kinds: TOLD_OF.map(LogKind::Client).to_vec(),
            limit: 1,
            ..EventQuery::default()
        };
        let last = self.events(&last)?.pop();
        let path = last.and_then(|last| last.record.client()?.event().ok()?.transcript);
        Ok(path.and_then(|path| context_tokens(&path, session)))
    }

    pub(crate) fn log_of(&self, session: &SessionId) -> EngineResult<Vec<LogEntry>> {
        let query =
            EventQuery { session: Some(session.clone()), limit: EVENTS, ..EventQuery::default() };
        Ok(entries(self.events(&query)?))
    }
}

/// Reads the files in a worktree that define tasks. Missing, large and unreadable ones, and links,
/// are left out: the names of tasks tell enough.
pub(crate) fn task_definitions(worktree: &Path) -> TaskDefinitions {
    let read = |name: &&'static str| {
        let bytes = tacit_fs::read_nofollow(&worktree.join(name), MAX_TASK_FILE).ok()?;
        Some((*name, String::from_utf8(bytes).ok()?))
    };
    let files: Vec<(&str, String)> = TASK_FILES.iter().filter_map(read).collect();
    let root = worktree.to_string_lossy();
    TaskDefinitions::from_files(&root, files.iter().map(|(name, text)| (*name, text.as_str())))
}

/// Converts events, given newest first, to log entries.
pub(crate) fn entries(events: Vec<Event>) -> Vec<LogEntry> {
    let read = events.into_iter().rev().enumerate().filter_map(|(order, event)| {
        let Event { id, session, at, record } = event;
        LogEntry::new(id, session, at, order, record)
    });
    read.collect()
}

fn names_unit(report: &LogEntry, unit: &WorkUnitRef) -> bool {
    let named = match &report.event {
        LogEvent::Unit(report) => Some(&report.work_unit),
        LogEvent::Check(check) => check.work_unit.as_ref(),
        LogEvent::Client(_) => None,
    };
    named.is_some_and(|named| {
        named.methodology() == unit.methodology() && named.hierarchy() == unit.hierarchy()
    })
}
