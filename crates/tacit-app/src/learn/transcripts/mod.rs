//! `tacit learn transcripts`: past sessions of this repository, read from the transcripts of clients,
//! are learnt from like live ones.
//!
//! `sources.rs` and `entire.rs` find transcripts, `tacit_agents::transcripts` turns them into the
//! events that hooks report, and `replay.rs` sends these through the same cleaning, log, observer and
//! write gate, at their own times. No text model is asked.

mod candidate;
mod entire;
mod replay;
mod report;
mod sources;

use std::path::PathBuf;
use std::time::Duration;

use tacit_core::Timestamp;
use tacit_engine::{Engine, StoreAccess, StoreScope};

pub use report::{CheckCounts, DropReason, SkippedTranscript, TranscriptCounts, TranscriptReport};

use super::about;
use crate::app::{App, attach_embedder};
use crate::error::{AppError, AppResult, ErrorCode};
use crate::graph::require_store;
use crate::maintain::{MAX_AGE_DAYS, lock};
use candidate::{Candidate, ProjectRoots};
use replay::{PastClock, Replay};
use sources::FoundTranscripts;

/// The most sessions of a run: the newest ones.
const SESSIONS: usize = 2_000;
/// The bytes of transcripts that are learnt from in a second, about, for estimates.
const BYTES_PER_SECOND: u64 = 6_000_000;

/// A place where past sessions are kept. Of copies of a session, the first in this order is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TranscriptSource {
    /// The folder of Claude Code.
    Claude,
    /// The folder of Codex CLI.
    Codex,
    /// The folder of Gemini CLI.
    Gemini,
    /// The folder of Copilot CLI.
    Copilot,
    /// Checkpoints of the tool Entire, in git.
    Entire,
    /// Given files and folders.
    Given,
}

impl TranscriptSource {
    /// The sources that are searched if no files are given.
    pub const SEARCHED: [TranscriptSource; 5] = [
        TranscriptSource::Claude,
        TranscriptSource::Codex,
        TranscriptSource::Gemini,
        TranscriptSource::Copilot,
        TranscriptSource::Entire,
    ];

    /// Returns the name of the source.
    pub fn as_str(self) -> &'static str {
        match self {
            TranscriptSource::Claude => "claude",
            TranscriptSource::Codex => "codex",
            TranscriptSource::Gemini => "gemini",
            TranscriptSource::Copilot => "copilot",
            TranscriptSource::Entire => "entire",
            TranscriptSource::Given => "given",
        }
    }
}

/// The transcripts to learn from.
#[derive(Debug, Clone, Default)]
pub struct TranscriptRequest {
    /// Files and folders; if there are none, the sources are searched.
    pub paths: Vec<PathBuf>,
    /// The sources to search; all if none are given.
    pub from: Vec<TranscriptSource>,
    /// Sessions that ended before are left out.
    pub since: Option<Timestamp>,
    /// True to learn nothing, and only tell what there is.
    pub dry_run: bool,
}

/// The past sessions of a project, and how long it would take to learn from them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TranscriptEstimate {
    /// The number of sessions, about: those that are known already count, too.
    pub sessions: usize,
    /// The size of their transcripts in bytes.
    pub bytes: u64,
    /// The time that learning from them would take, about.
    pub time: Duration,
}

impl TranscriptEstimate {
    /// Returns the time in words, such as `about 2 s`.
    #[must_use]
    pub fn in_words(&self) -> String {
        about(self.time)
    }
}

/// Counts the past sessions of this project. Reads only the beginnings of transcripts.
pub fn estimate(app: &App) -> TranscriptEstimate {
    let found = find(app, &TranscriptRequest::default(), &project_roots(app));
    let bytes = found.candidates.iter().map(|candidate| candidate.bytes).sum();
    let sessions = found.candidates.len();
    let seconds = bytes / BYTES_PER_SECOND + sessions as u64 / 20 + u64::from(sessions > 0);
    TranscriptEstimate { sessions, bytes, time: Duration::from_secs(seconds) }
}

/// Learns from the past sessions of this project.
pub fn learn_transcripts(app: &App, request: &TranscriptRequest) -> AppResult<TranscriptReport> {
    require_store(app)?;
    if app.config().capture_paused || app.config().capture_extractor == "off" {
        let key = if app.config().capture_paused { "capture.paused" } else { "capture.extractor" };
        let message = format!("learning from sessions is turned off by `{key}`");
        return Err(AppError::new(ErrorCode::Refused, message)
            .hint(format!("`tacit config set` changes `{key}`")));
    }
    let roots = project_roots(app);
    let mut found = find(app, request, &roots);
    let sources = report::count_sources(&found.candidates);
    // Nothing else learns while the clock shows the past.
    let _lock =
        if request.dry_run { None } else { lock(app, StoreScope::Project, &mut || Ok(true))? };
    let clock = PastClock::at(app.now());
    let ids = app.environment.ids.as_ref();
    let access = match request.dry_run {
        true => StoreAccess::Read(StoreScope::Project),
        false => StoreAccess::Write(StoreScope::Project),
    };
    let engine =
        Engine::open(app.places.clone(), app.config().clone(), access, &clock, ids, app.actor())?;
    let mut engine = attach_embedder(engine, app.embedder()).as_tacit();
    if !request.dry_run {
        engine.flush_events()?;
    }
    let before = report::learnt_before(&engine)?;
    let mut replay = Replay::new(app, &mut engine, &clock, &roots, request.since, request.dry_run);
    replay.run(&found.candidates)?;
    let Replay { counts, skipped, taken, .. } = replay;
    found.skipped.extend(skipped);
    let mut report = TranscriptReport {
        dry_run: request.dry_run,
        sources,
        sessions: counts,
        skipped: found.skipped,
        ..TranscriptReport::default()
    };
    if !request.dry_run {
        report.add_results(&engine, &taken, &before)?;
        engine.delete_events(app.now().plus_days(-MAX_AGE_DAYS))?;
    }
    Ok(report)
}

fn project_roots(app: &App) -> ProjectRoots {
    let worktrees = app.repository.as_ref().map(tacit_git::Repository::worktrees);
    let own = [app.worktree().to_owned(), app.places.root.clone()];
    ProjectRoots::new(own.into_iter().chain(worktrees.unwrap_or_default()))
}

/// Finds the transcripts to read, oldest first.
fn find(app: &App, request: &TranscriptRequest, roots: &ProjectRoots) -> FoundTranscripts {
    let mut found = FoundTranscripts::default();
    if request.paths.is_empty() {
        let from = match request.from.as_slice() {
            [] => &TranscriptSource::SEARCHED[..],
            from => from,
        };
        for source in from {
            let one = match source {
                TranscriptSource::Entire => entire::find(app, roots),
                source => sources::of_client(app, *source, roots),
            };
            found.candidates.extend(one.candidates);
            found.skipped.extend(one.skipped);
        }
    } else {
        found = sources::given(&request.paths, roots);
        let is_meant = |candidate: &Candidate| {
            let client = candidate.form.client();
            request.from.is_empty()
                || client.is_some_and(|client| {
                    request.from.iter().any(|from| from.as_str() == client.as_str())
                })
        };
        found.candidates.retain(is_meant);
    }
    let mut candidates = sources::without_copies(std::mem::take(&mut found.candidates));
    sources::newest_first(&mut candidates);
    candidates.truncate(SESSIONS);
    candidates.reverse();
    found.candidates = candidates;
    found
}
