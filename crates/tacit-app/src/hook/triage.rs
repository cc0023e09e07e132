//! At the end of a turn: whether what was said since the agent was last asked is worth records.

use std::path::Path;

use tacit_core::{AgentEvent, Config, EventKind};
use tacit_records::triage::Session;

use crate::environment::Environment;
use crate::inject::Wanted;
use crate::records::{
    Excerpts, Seen, Triage, name_of, private_directory_of, read_end, settings, understand,
};

/// The most bytes that are read of the end of a transcript: the agent waits.
const MAX_TAIL: u64 = 512 * 1024;
/// The most lines whose meaning is looked at, for the same reason.
const MOST_LINES: usize = 16;
/// What the agent is asked to do.
const TASK: &str = include_str!("records_task.md");

/// What the agent should do before it stops. What was said is looked at once: an agent that goes on
/// because it was asked is not asked about what it says meanwhile.
pub(super) fn wanted(
    event: &AgentEvent,
    config: &Config,
    environment: &Environment,
    root: &Path,
) -> Wanted {
    let EventKind::TurnStopped { stop_hook_active, .. } = event.kind else {
        return Wanted::Nothing;
    };
    if config.capture_extractor != "agent" || event.agent.is_some() {
        return Wanted::Nothing;
    }
    let directory = private_directory_of(environment, root);
    let seen = Seen::of(&directory, event.session.as_str());
    let read = |path: &Path| read_end(path, root, seen.offset(), Some(MAX_TAIL)).ok();
    let Some((mut session, length)) = event.transcript.as_deref().and_then(read) else {
        return Wanted::Anything;
    };
    if session == Session::default() && seen.offset() == 0 && length > 0 {
        // The transcript of a client whose form is not known.
        return Wanted::Anything;
    }
    if stop_hook_active {
        let _ = seen.note(length);
        return Wanted::Nothing;
    }
    understand(&mut session, config, MOST_LINES);
    let excerpts =
        Excerpts { directory: &directory, mark: Some(name_of(Path::new(event.session.as_str()))) };
    let triage = Triage::of(&session, &settings(config), &config.records, Some(&excerpts));
    // Where it cannot be noted that the agent was asked, it would be asked for ever.
    if triage.found.is_empty() || seen.note(length).is_err() {
        return Wanted::Nothing;
    }
    let names: Vec<String> = triage.lines().collect();
    Wanted::This(format!("{TASK}\n{}\n\n{}", names.join("\n"), triage.block()))
}
