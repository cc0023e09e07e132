//! The records of sessions that are over, for `tacit maintain`.

use tacit_core::{AgentEvent, Moment};
use tacit_engine::Engine;
use tacit_records::Cud;
use tacit_store::EventQuery;

use super::capture::{Capture, Drafter};
use super::{MOST_LINES, Seen, folder, private_directory, read_end, understand};
use crate::app::App;
use crate::error::CliResult;

/// How many sessions that ended are looked at.
const SESSIONS: usize = 20;

/// Drafts and saves the records of sessions that are over, each once. A project without records is
/// left alone, unless a model was chosen for it. Returns how many were written.
pub(crate) fn capture_ended(app: &App, engine: &mut Engine<'_>) -> CliResult<usize> {
    let there = folder(app).root().is_dir();
    let drafter = match app.config().capture_extractor.as_str() {
        "model" => Drafter::Model,
        "auto" if there && app.has_generator() => Drafter::Model,
        "auto" | "rules" if there => Drafter::Rules,
        _ => return Ok(0),
    };
    let query = EventQuery {
        kinds: vec![Moment::SessionEnded.to_string()],
        limit: SESSIONS,
        ..EventQuery::default()
    };
    let mut written = 0;
    for end in engine.events(&query)?.into_iter().rev() {
        let Ok(event) = serde_json::from_str::<AgentEvent>(&end.body) else { continue };
        let Some(transcript) = event.transcript.filter(|path| path.is_file()) else { continue };
        // The records of another worktree are written there.
        let here = event.cwd.as_deref().and_then(tacit_git::discover);
        let here = here.is_none_or(|repository| repository.worktree == app.worktree());
        if !here || !engine.claim(&format!("records {}", end.id))? {
            continue;
        }
        let seen = Seen::of(&private_directory(app), event.session.as_str());
        let (mut session, length) = read_end(&transcript, app.worktree(), seen.offset(), None)?;
        understand(&mut session, app.config(), MOST_LINES);
        let capture = Capture { app, drafter, save: true };
        let done = capture.run(&session, None)?;
        written += done.iter().filter(|one| one.action != Cud::Noop).count();
        seen.note(length)?;
    }
    Ok(written)
}
