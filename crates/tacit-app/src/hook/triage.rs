//! At the end of a turn: decides whether to ask the agent to write records of what was said since
//! it was last asked.

use std::path::Path;

use tacit_core::{AgentEvent, Config, EventKind};
use tacit_records::files::RecordsFolder;

use crate::environment::Environment;
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

/// Returns the task to write records. Each part of a transcript is examined once: what the agent
/// says while it follows a request does not lead to another.
pub(super) fn records_task(
    event: &AgentEvent,
    config: &Config,
    environment: &Environment,
    root: &Path,
) -> Option<String> {
    let EventKind::TurnStopped { stop_hook_active, .. } = event.kind else { return None };
    if !RecordsFolder::at(root).root().is_dir() {
        return None;
    }
    let directory = private_directory_of(environment, root);
    let offset = TranscriptOffset::of(&directory, event.session.as_str());
    let transcript = event.transcript.as_deref()?;
    let (mut session, length) = read_tail(transcript, root, offset.get(), Some(MAX_TAIL)).ok()?;
    if stop_hook_active {
        let _ = offset.set(length);
        return None;
    }
    classify_lines(&mut session, config, CLASSIFIED_LINES);
    let excerpts = ExcerptDirectory {
        directory: &directory,
        suffix: Some(short_hash(Path::new(event.session.as_str()))),
    };
    let triage = TriageResult::of(&session, &settings(config), &config.records, Some(&excerpts));
    // If the offset cannot be saved, the agent would be asked again and again.
    if triage.found.is_empty() || offset.set(length).is_err() {
        return None;
    }
    let names: Vec<String> = triage.lines().collect();
    Some(format!("{TASK}\n{}\n\n{}", names.join("\n"), triage.block()))
}
