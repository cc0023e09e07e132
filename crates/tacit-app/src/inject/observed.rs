//! Notes of an event for the observer, whatever the agent is shown.

use std::path::Path;

use tacit_core::log::{CheckoutNote, ClientProcess, CommitNote, NoteRecord};
use tacit_core::{AgentEvent, EventKind, SessionId, Timestamp, ToolKind};
use tacit_observer::{GitCommit, git_commits};
use tacit_store::Note;

/// The maximum number of bytes noted of an MCP tool's result.
const OBSERVED_BYTES: usize = 1_000;

/// The circumstances of an event.
pub(crate) struct NoteContext<'c> {
    /// The identifier of the event.
    pub(crate) event_id: &'c str,
    /// The time of the event.
    pub(crate) now: Timestamp,
    /// The checked-out branch.
    pub(crate) branch: Option<&'c str>,
    /// The root of the worktree.
    pub(crate) root: &'c Path,
    /// The process of the client.
    pub(crate) client: Option<&'c ClientProcess>,
}

/// Returns the notes of an event: where a session begins and ends, what an MCP tool observed, and
/// commits.
pub(crate) fn notes(ctx: &NoteContext<'_>, event: &AgentEvent) -> Vec<Note> {
    match &event.kind {
        EventKind::SessionStarted { .. } | EventKind::SessionEnded { .. } => {
            vec![place(ctx, &event.session)]
        }
        EventKind::ToolFinished { tool, outcome, .. } => {
            let text = outcome.text.as_deref().unwrap_or_default();
            match &tool.kind {
                ToolKind::Mcp { server, tool, .. } => {
                    let cut = &text[..text.floor_char_boundary(OBSERVED_BYTES)];
                    let text = format!("{server} {tool}: {cut}");
                    vec![note(ctx, &event.session, text, NoteRecord::Observation)]
                }
                ToolKind::Shell { command, .. } => commits(ctx, &event.session, command, text),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn commits(ctx: &NoteContext<'_>, session: &SessionId, command: &str, text: &str) -> Vec<Note> {
    let found = git_commits(command, text).into_iter().enumerate();
    let noted = found.map(|(number, commit)| {
        let GitCommit { subject, sha, branch, dir, amend } = commit;
        let record = NoteRecord::Commit(CommitNote { sha, branch, dir, amend });
        let mut note = note(ctx, session, subject, record);
        note.id = format!("{}-{number}", note.id);
        note
    });
    noted.collect()
}

/// Returns a note of the session's branch, worktree and client.
fn place(ctx: &NoteContext<'_>, session: &SessionId) -> Note {
    let branch = ctx.branch.map(str::to_owned);
    let worktree = ctx.root.to_str().map(str::to_owned);
    let text = branch.clone().unwrap_or_default();
    let client = ctx.client.cloned();
    note(ctx, session, text, NoteRecord::Checkout(CheckoutNote { branch, worktree, client }))
}

fn note(ctx: &NoteContext<'_>, session: &SessionId, text: String, record: NoteRecord) -> Note {
    Note {
        id: format!("{}-{}", ctx.event_id, record.kind()),
        session: session.clone(),
        at: ctx.now,
        text,
        files: Vec::new(),
        record,
    }
}
