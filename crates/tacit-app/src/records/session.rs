//! Reads a session for triage, from a transcript or from recorded events.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use tacit_core::{Config, EventKind, FailureCause, RepoPath, is_client_note};
use tacit_models::TextKind;
use tacit_models::bundled::BundledModel;
use tacit_observer::findings::findings;
use tacit_observer::validation::{CheckOutcome, evaluate_command, is_trial};
use tacit_observer::{error_lines, shown_checks};
use tacit_records::triage::{Activity, Speaker, TriageSession};
use tacit_redact::{redact, without_private};
use tacit_store::Event;
use tacit_triggers::transcript::{TranscriptEvent, read_steps};

use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};

/// The most bytes of one message that are used.
const MAX_MESSAGE: usize = 64 * 1024;
/// The most bytes of a finding.
const MAX_FINDING: usize = 300;
/// The most lines of a session that are classified by meaning in the background: some
/// seconds' work.
pub const MAX_CLASSIFIED_LINES: usize = 400;

/// Reads the transcript at a path; `-` is standard input.
pub fn read_session(app: &App, path: &str) -> AppResult<TriageSession> {
    let (root, from) = (app.worktree(), app.directory.as_path());
    let understood = |mut session: TriageSession| {
        classify_lines(&mut session, app.config(), MAX_CLASSIFIED_LINES);
        session
    };
    if path == "-" {
        return Ok(understood(session_from_transcript(BufReader::new(io::stdin()), root, from)?));
    }
    let file = tacit_fs::open_user_path(&app.directory.join(path)).map_err(|error| {
        AppError::new(ErrorCode::Failure, format!("cannot read `{path}`: {error}"))
            .hint("name a session transcript with one JSON object per line")
    })?;
    Ok(understood(session_from_transcript(BufReader::new(file), root, from)?))
}

/// Reads a transcript from an offset, at most its last `max_bytes` bytes. Returns the session and
/// the length of the whole file.
pub fn read_tail(
    path: &Path,
    root: &Path,
    offset: u64,
    max_bytes: Option<u64>,
) -> io::Result<(TriageSession, u64)> {
    let mut file = tacit_fs::open_following(path)?;
    let length = file.metadata()?.len();
    // A file shorter than the offset has been replaced.
    let offset = if offset > length { 0 } else { offset };
    let start = offset.max(length.saturating_sub(max_bytes.unwrap_or(length)));
    file.seek(SeekFrom::Start(start))?;
    let mut reader = BufReader::new(file.take(length - start));
    if start > offset {
        // Skips the line that the limit has cut.
        reader.skip_until(b'\n')?;
    }
    Ok((session_from_transcript(reader, root, root)?, length))
}

/// Classifies the last lines of a session by meaning, unless embedding is turned off.
pub fn classify_lines(session: &mut TriageSession, config: &Config, max_bytes: usize) {
    if config.embedding_provider != "off" {
        let model = BundledModel::load();
        session
            .classify_lines(max_bytes, &mut |text| model.embed(text, TextKind::Passage).to_vec());
    }
}

fn session_from_transcript(
    reader: impl BufRead,
    root: &Path,
    from: &Path,
) -> io::Result<TriageSession> {
    let mut session = TriageSession::default();
    let mut tools = BTreeSet::new();
    let mut commands: BTreeMap<String, String> = BTreeMap::new();
    read_steps(reader, &mut |step| match step.what {
        TranscriptEvent::Prompt(text) => session.add_prompt(&cleaned(&text)),
        TranscriptEvent::AgentMessage(text) => session.add_last_message(&cleaned(&text)),
        TranscriptEvent::Tool { id, name, input } => {
            session.activity.tool_uses += 1;
            let changes = matches!(name.as_str(), "Edit" | "Write" | "MultiEdit" | "NotebookEdit");
            tools.insert(name);
            let changed = input["file_path"].as_str().filter(|_| changes);
            if let Some(file) = changed.and_then(|file| inside(root, from, file)) {
                session.activity.record_change(&redact(&file).text);
            }
            if let (Some(id), Some(command)) = (id, input["command"].as_str()) {
                commands.insert(id, cleaned(command));
            }
        }
        // A tool that the user did not allow did not run.
        TranscriptEvent::ToolResult { id, error: Some(text) } if is_client_note(&text) => {
            id.map(|id| commands.remove(&id));
        }
        TranscriptEvent::ToolResult { id, error } => {
            let error = error.map(|text| cleaned(&text));
            if let Some(command) = id.and_then(|id| commands.remove(&id)) {
                record_command(&mut session.activity, &command, error.is_none(), error.as_deref());
            }
            if let Some(text) = error {
                session.add_message(Speaker::Tool, &text);
            }
        }
        TranscriptEvent::Injected(_) => {}
    })?;
    session.activity.distinct_tools = tools.len();
    Ok(session)
}

/// Builds a session from recorded events, for clients whose transcripts cannot be read.
pub fn session_from_events(events: &[Event], root: &Path) -> TriageSession {
    let mut session = TriageSession::default();
    let mut tools = BTreeSet::new();
    let parse = |event: &Event| event.record.client()?.event().ok();
    for event in events.iter().filter_map(parse).filter(|event| event.agent.is_none()) {
        let from = event.cwd.as_deref().unwrap_or(root);
        let (tool, error) = match &event.kind {
            EventKind::PromptSubmitted { prompt, automatic: false, .. } => {
                session.add_prompt(start(prompt));
                continue;
            }
            EventKind::TurnStopped { last_message: Some(text), .. } => {
                session.add_last_message(start(text));
                continue;
            }
            EventKind::ToolFinished { tool, outcome, .. } if !outcome.interrupted => {
                let failed = outcome.exit_code.is_some_and(|code| code != 0);
                (tool, failed.then(|| outcome.text.clone().unwrap_or_default()))
            }
            EventKind::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
                (tool, Some(failure.error.clone()))
            }
            _ => continue,
        };
        session.activity.tool_uses += 1;
        tools.insert(tool.name.clone());
        if error.is_none() && tool.kind.changes_files() {
            let files = tool.kind.files().iter().filter_map(|file| inside(root, from, file));
            files.for_each(|file| session.activity.record_change(&file));
        }
        if let Some(command) = tool.kind.command() {
            let output = error.as_deref().or(match &event.kind {
                EventKind::ToolFinished { outcome, .. } => outcome.text.as_deref(),
                _ => None,
            });
            record_command(&mut session.activity, command, error.is_none(), output);
        }
        if let Some(text) = error {
            session.add_message(Speaker::Tool, start(&text));
        }
    }
    session.activity.distinct_tools = tools.len();
    session
}

/// Records a command: as a check with its finding, or as a step if it succeeded.
fn record_command(activity: &mut Activity, command: &str, succeeded: bool, output: Option<&str>) {
    let output = output.unwrap_or_default();
    let result = evaluate_command(command, output, Some(succeeded));
    let check = || shown_checks(command, &result.checks);
    match result.outcome {
        _ if result.checks.is_empty() => {
            if succeeded {
                activity.record_step(command);
            }
        }
        CheckOutcome::Passed => activity.record_check(&check(), true, None),
        CheckOutcome::Failed if !is_trial(command, output, &result, None) => {
            activity.record_check(&check(), false, finding_line(output).as_deref());
        }
        CheckOutcome::Failed | CheckOutcome::Unknown => {}
    }
}

/// Returns the first finding of a check as one line, else the line that tells its error.
fn finding_line(output: &str) -> Option<String> {
    let found = findings(output).into_iter().find(|found| !found.message.is_empty());
    let line = found.map(|found| {
        let rule = found.rule.map_or_else(String::new, |rule| format!(" ({rule})"));
        let place =
            found.test.or(found.file).map_or_else(String::new, |place| format!("{place}: "));
        format!("{place}{}{rule}", found.message)
    });
    let mut line = line.or_else(|| error_lines(output, 1).pop())?;
    line.truncate(line.floor_char_boundary(MAX_FINDING));
    Some(line)
}

fn inside(root: &Path, from: &Path, file: &str) -> Option<String> {
    let inside = crate::path_in_project(root, from, file)?;
    let path = RepoPath::new(inside.to_str()?.replace('\\', "/")).ok()?;
    Some(path.to_string())
}

/// Returns a message without private text and secrets. Both may span lines, so they are removed
/// before the text is cut.
fn cleaned(text: &str) -> String {
    let public = without_private(text);
    let public = &public[..public.floor_char_boundary(2 * MAX_MESSAGE)];
    start(&redact(public).text).to_owned()
}

fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MESSAGE)]
}
