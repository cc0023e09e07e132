//! At the end of a turn: decides whether to ask the agent to write records of what was said since
//! it was last asked.

use std::path::Path;

use tacit_core::{AgentEvent, Config, EventKind};
use tacit_records::triage::TriageSession;

use crate::environment::Environment;
use crate::inject::StopRequest;
use crate::records::{
    ExcerptDirectory, TranscriptOffset, TriageResult, classify_lines, private_directory_of,
    read_tail, settings, short_hash,
};

/// The number of bytes read at the end of a transcript: the agent waits.
const MAX_TAIL: u64 = 512 * 1024;
/// The maximum number of lines classified by meaning, for the same reason.
const CLASSIFIED_LINES: usize = 16;
/// The instructions for the agent.
const TASK: &str = include_str!("records_task.md");

/// Returns the request to make before the agent stops. Each part of a transcript is examined once:
/// what the agent says while it follows the request does not lead to another.
pub(super) fn stop_request(
    event: &AgentEvent,
    config: &Config,
    environment: &Environment,
    root: &Path,
) -> StopRequest {
    let EventKind::TurnStopped { stop_hook_active, .. } = event.kind else {
        return StopRequest::None;
    };
    if config.capture_extractor != "agent" || event.agent.is_some() {
        return StopRequest::None;
    }
    let directory = private_directory_of(environment, root);
    let offset = TranscriptOffset::of(&directory, event.session.as_str());
    let read = |path: &Path| read_tail(path, root, offset.get(), Some(MAX_TAIL)).ok();
    let Some((mut session, length)) = event.transcript.as_deref().and_then(read) else {
        return StopRequest::AnyLearnings;
    };
    if session == TriageSession::default() && offset.get() == 0 && length > 0 {
        // A transcript in an unknown format.
        return StopRequest::AnyLearnings;
    }
    if stop_hook_active {
        let _ = offset.set(length);
        return StopRequest::None;
    }
    classify_lines(&mut session, config, CLASSIFIED_LINES);
    let excerpts = ExcerptDirectory {
        directory: &directory,
        suffix: Some(short_hash(Path::new(event.session.as_str()))),
    };
    let triage = TriageResult::of(&session, &settings(config), &config.records, Some(&excerpts));
    // If the offset cannot be saved, the agent would be asked again and again.
    if triage.found.is_empty() || offset.set(length).is_err() {
        return StopRequest::None;
    }
    let names: Vec<String> = triage.lines().collect();
    StopRequest::Task(format!("{TASK}\n{}\n\n{}", names.join("\n"), triage.block()))
}
