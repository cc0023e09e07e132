//! The records of sessions that are over, for `tacit maintain`.

use std::path::PathBuf;

use tacit_core::EventName;
use tacit_core::log::ClientRecord;
use tacit_engine::{CaptureState, Engine};
use tacit_records::Cud;
use tacit_records::triage::Session;
use tacit_store::{Event, EventQuery};

use super::capture::{Capture, Drafter};
use super::{MOST_LINES, Seen, folder, private_directory, read_end, session_of_events, understand};
use crate::app::App;
use crate::error::AppResult;

/// How many sessions that ended are looked at.
const SESSIONS: usize = 20;
/// How many events of one are.
const EVENTS: usize = 5_000;

/// Drafts and saves the records of sessions that are over, each once. A project without records is
/// left alone, unless a model was chosen for it. Returns how many were written.
pub fn capture_ended(app: &App, engine: &mut Engine<'_>) -> AppResult<usize> {
    if app.config().capture_paused {
        return Ok(0);
    }
    let there = folder(app).root().is_dir();
    let drafter = match app.config().capture_extractor.as_str() {
        "model" => Drafter::Model,
        "auto" if there && app.has_generator() => Drafter::Model,
        "auto" | "rules" if there => Drafter::Rules,
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
        // The records of another worktree are written there.
        let here = event.cwd.as_deref().and_then(tacit_git::discover);
        let here = here.is_none_or(|repository| repository.worktree == app.worktree());
        if !here || !engine.claim(&format!("records {}", end.id))? {
            continue;
        }
        let seen = Seen::of(&private_directory(app), event.session.as_str());
        let read = |path: &PathBuf| read_end(path, app.worktree(), seen.offset(), None).ok();
        // A transcript has what was said while the session was switched off, too.
        let whole = app.places.capture_switch(&event.session).state() == CaptureState::On;
        let read = event.transcript.as_ref().filter(|_| whole).and_then(read);
        let read = read.filter(|(session, _)| *session != Session::default() || seen.offset() > 0);
        let (mut session, length) = match read {
            Some((session, length)) => (session, Some(length)),
            None => (session_of_events(&since_last_end(engine, &end)?, app.worktree()), None),
        };
        understand(&mut session, app.config(), MOST_LINES);
        let capture = Capture { app, drafter, only_seen, save: true };
        let done = capture.run(&session, None)?;
        written += done.iter().filter(|one| one.action != Cud::Noop).count();
        if let Some(length) = length {
            seen.note(length)?;
        }
    }
    Ok(written)
}

/// What happened in a session until it ended, since it last ended before.
fn since_last_end(engine: &Engine<'_>, end: &Event) -> AppResult<Vec<Event>> {
    let query =
        EventQuery { session: Some(end.session.clone()), limit: EVENTS, ..EventQuery::default() };
    let newest_first = engine.events(&query)?;
    let before = newest_first.into_iter().skip_while(|event| event.id != end.id).skip(1);
    let mut events: Vec<Event> =
        before.take_while(|event| !event.record.is_event(EventName::SessionEnded)).collect();
    events.reverse();
    Ok(events)
}
