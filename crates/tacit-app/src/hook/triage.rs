//! At the end of a turn: whether what was said since the agent was last asked is worth records.

use std::path::Path;

use tacit_core::{AgentEvent, Config, EventKind};
use tacit_records::triage::TriageSession;

use crate::environment::Environment;
use crate::inject::StopRequest;
use crate::records::{
    ExcerptDirectory, TranscriptOffset, TriageResult, classify_lines, private_directory_of,
    read_tail, settings, short_hash,
};

/// The most bytes that are read of the end of a transcript: the agent waits.
const MAX_TAIL: u64 = 512 * 1024;
/// The most lines whose meaning is looked at, for the same reason.
const MAX_CLASSIFIED_LINES: usize = 16;
/// What the agent is asked to do.
const TASK: &str = include_str!("records_task.md");

/// What the agent should do before it stops. What was said is looked at once: an agent that goes on
/// because it was asked is not asked about what it says meanwhile.
pub(super) fn stop_request(
    event: &AgentEvent,
    config: &Config,
    environment: &Environment,
    root: &Path,
) -> StopRequest {
    let EventKind::TurnStopped { stop_hook_active, .. } = event.what else {
        return StopRequest::None;
    };
    if config.capture_extractor != "agent" || event.agent.is_some() {
        return StopRequest::None;
    }
    let directory = private_directory_of(environment, root);
    let seen = TranscriptOffset::of(&directory, event.session.as_str());
    let read = |path: &Path| read_tail(path, root, seen.offset(), Some(MAX_TAIL)).ok();
    let Some((mut session, length)) = event.transcript.as_deref().and_then(read) else {
        return StopRequest::AnyLearnings;
    };
    if session == TriageSession::default() && seen.offset() == 0 && length > 0 {
        // The transcript of a client whose form is not known.
        return StopRequest::AnyLearnings;
    }
    if stop_hook_active {
        let _ = seen.note(length);
        return StopRequest::None;
    }
    classify_lines(&mut session, config, MAX_CLASSIFIED_LINES);
    let excerpts = ExcerptDirectory {
        directory: &directory,
        mark: Some(short_hash(Path::new(event.session.as_str()))),
    };
    let triage = TriageResult::of(&session, &settings(config), &config.records, Some(&excerpts));
    // Where it cannot be noted that the agent was asked, it would be asked for ever.
    if triage.found.is_empty() || seen.note(length).is_err() {
        return StopRequest::None;
    }
    let names: Vec<String> = triage.lines().collect();
    StopRequest::Task(format!("{TASK}\n{}\n\n{}", names.join("\n"), triage.block()))
}
