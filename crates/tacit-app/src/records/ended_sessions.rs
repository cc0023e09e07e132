//! Captures the records of ended sessions, for `tacit maintain`.

use std::path::PathBuf;

use tacit_core::EventName;
use tacit_core::log::ClientRecord;
use tacit_engine::{CaptureState, Engine};
use tacit_records::RecordAction;
use tacit_records::triage::TriageSession;
use tacit_store::{Event, EventQuery};

use super::capture::{Drafter, RecordCapture};
use super::{
    MAX_CLASSIFIED_LINES, TranscriptOffset, classify_lines, folder, private_directory, read_tail,
    session_from_events,
};
use crate::app::App;
use crate::error::AppResult;

/// The maximum number of ended sessions examined.
const SESSIONS: usize = 20;
/// The maximum number of events read of a session.
const EVENTS: usize = 5_000;

/// Drafts and saves the records of ended sessions, each once. Projects without records are skipped,
/// unless the configuration names a model as extractor. Returns the number of records written.
pub fn capture_ended(app: &App, engine: &mut Engine<'_>) -> AppResult<usize> {
    if app.config().capture_paused {
        return Ok(0);
    }
    let has_records = folder(app).root().is_dir();
    let drafter = match app.config().capture_extractor.as_str() {
        "model" => Drafter::Model,
        "auto" if has_records && app.has_generator() => Drafter::Model,
        "auto" | "rules" if has_records => Drafter::Rules,
        _ => return Ok(0),
    };
    let only_seen = app.config().capture_extractor == "auto";
    let query = EventQuery {
        kinds: vec![EventName::SessionEnded.into()],
        limit: SESSIONS,
        ..EventQuery::default()
    };
    let mut written = 0;
    for end in engine.events(&query)?.into_iter().rev() {
        let Some(Ok(event)) = end.record.client().map(ClientRecord::event) else { continue };
        // Sessions of another worktree are captured there.
        let is_here = event.cwd.as_deref().and_then(tacit_git::discover);
        let is_here = is_here.is_none_or(|repository| repository.worktree == app.worktree());
        if !is_here || !engine.claim(&format!("records {}", end.id))? {
            continue;
        }
        let offset = TranscriptOffset::of(&private_directory(app), event.session.as_str());
        let read = |path: &PathBuf| read_tail(path, app.worktree(), offset.get(), None).ok();
        // A transcript also has what was said while Tacit was off in the session.
        let whole = app.places.capture_switch(&event.session).state() == CaptureState::On;
        let read = event.transcript.as_ref().filter(|_| whole).and_then(read);
        let read =
            read.filter(|(session, _)| *session != TriageSession::default() || offset.get() > 0);
        let (mut session, length) = match read {
            Some((session, length)) => (session, Some(length)),
            None => (session_from_events(&since_last_end(engine, &end)?, app.worktree()), None),
        };
        classify_lines(&mut session, app.config(), MAX_CLASSIFIED_LINES);
        let capture = RecordCapture { app, drafter, only_seen, save: true };
        let done = capture.run(&session, None)?;
        written += done.iter().filter(|one| one.action != RecordAction::Noop).count();
        if let Some(length) = length {
            offset.set(length)?;
        }
    }
    Ok(written)
}

/// Returns the events of a session before this end and after the previous one.
fn since_last_end(engine: &Engine<'_>, end: &Event) -> AppResult<Vec<Event>> {
    let query =
        EventQuery { session: Some(end.session.clone()), limit: EVENTS, ..EventQuery::default() };
    let newest_first = engine.events(&query)?;
    let earlier = newest_first.into_iter().skip_while(|event| event.id != end.id).skip(1);
    let mut events: Vec<Event> =
        earlier.take_while(|event| !event.record.is_event(EventName::SessionEnded)).collect();
    events.reverse();
    Ok(events)
}
