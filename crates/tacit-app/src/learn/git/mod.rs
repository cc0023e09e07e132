//! `tacit learn git`: reads the new commits, draws lessons from all, and settles their memories.

mod committed;
mod draft;
mod estimate;
mod settle;
mod state;

use tacit_codebase::history::History;
use tacit_codebase::{CodebaseError, HistoryConsumer, StoredCommit};
use tacit_core::Timestamp;
use tacit_engine::{Engine, StoreAccess, StoreScope};
use tacit_git::head_commit;
use tacit_history::build::build_lesson;
use tacit_history::{Past, PastCommit};

use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::graph::{main_codebase, require_store};
pub use estimate::{LearnEstimate, estimate};
pub use settle::{LessonOutcome, SettledLesson};
use settle::{apply, plan};
use state::{LearntState, key};

/// The most commits from which lessons are drawn, the newest ones.
const MAX_COMMITS: usize = 100_000;

/// The options of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct LearnRequest {
    /// Only commits since this time.
    pub since: Option<Timestamp>,
    /// Store nothing.
    pub dry_run: bool,
}

/// The result of a run.
#[derive(Debug, Clone, Default)]
pub struct LearnReport {
    /// The number of commits that were new.
    pub read: usize,
    /// The number of commits from which lessons were drawn.
    pub commits: usize,
    /// The lessons, most valuable first.
    pub lessons: Vec<SettledLesson>,
}

impl LearnReport {
    /// Returns the number of lessons with an outcome.
    #[must_use]
    pub fn count(&self, outcome: LessonOutcome) -> usize {
        self.lessons.iter().filter(|settled| settled.outcome == outcome).count()
    }
}

/// Returns true if the project has learnt from git before, so that it is kept current.
#[must_use]
pub fn has_learnt(app: &App) -> bool {
    LearntState::path(&app.places.project).exists()
}

/// Learns from the commits of the main worktree, whose memories all worktrees share.
pub fn learn(app: &App, request: LearnRequest) -> AppResult<LearnReport> {
    require_store(app)?;
    let access = match request.dry_run {
        true => StoreAccess::Read(StoreScope::Project),
        false => StoreAccess::Write(StoreScope::Project),
    };
    let engine = app.engine_with_embedder(access)?;
    // The team and the history say it, not the user who runs this.
    let mut engine = engine.as_tacit();
    learn_with(app, &mut engine, request)
}

/// Learns from new commits if the project has learnt before. Returns `None` if there are none.
pub fn keep_current(
    app: &App,
    engine: &mut Engine<'_>,
    again: bool,
) -> AppResult<Option<LearnReport>> {
    if !has_learnt(app) || app.repository.is_none() || app.worktree() != app.places.root {
        return Ok(None);
    }
    let codebase = main_codebase(app);
    codebase.refresh_history()?;
    if codebase.is_up_to_date(HistoryConsumer::Lessons)? && !again {
        return Ok(None);
    }
    let since = LearntState::read(&app.places.project).and_then(|state| state.since);
    learn_with(app, engine, LearnRequest { since, dry_run: false }).map(Some)
}

fn learn_with(app: &App, engine: &mut Engine<'_>, request: LearnRequest) -> AppResult<LearnReport> {
    let root = &app.places.root;
    if app.repository.is_none() {
        let message = format!("`{}` is not in a git repository", root.display());
        return Err(AppError::new(ErrorCode::NotFound, message)
            .hint("`tacit learn git` reads the commits of a repository"));
    }
    let codebase = main_codebase(app);
    let progress = |done: usize, total: usize| {
        app.watcher.progress(ProgressKind::Commits, done as u64, total as u64);
    };
    let read = codebase.refresh_history_with(&progress)?;
    let Some(head) = head_commit(root).map_err(CodebaseError::from)? else {
        return Ok(LearnReport::default());
    };
    let history = codebase.history()?;
    let files = committed::read(root, &head, &history)?;
    let past = past(codebase.stored_commits(MAX_COMMITS)?, &history, request.since);
    drop(history);
    let mut state = LearntState::read(&app.places.project).unwrap_or_default();
    let is_known = |kind, name: &str| state.lessons.contains_key(&key(kind, name));
    let build =
        app.config().learn_build.then(|| build_lesson(&files.build, &files.root, &files.stated));
    let mut lessons: Vec<_> = build.flatten().into_iter().collect();
    lessons.extend(tacit_history::learn(&past, &files.stated, is_known));
    let is_whole = request.since == state.since || request.since.is_none();
    let mut planned = plan(engine, lessons, &state, is_whole)?;
    if !request.dry_run {
        apply(engine, &mut planned, &mut state)?;
        state.since = request.since;
        state.write(&app.places.project)?;
        codebase.mark_up_to_date(HistoryConsumer::Lessons)?;
    }
    Ok(LearnReport { read: read.read, commits: past.commits.len(), lessons: planned })
}

/// Returns the commits since a time, with the current paths of their files.
fn past(commits: Vec<StoredCommit>, history: &History, since: Option<Timestamp>) -> Past {
    let since = since.map_or(i64::MIN, |since| since.as_millis().div_euclid(1_000));
    let commits = commits.into_iter().filter(|commit| commit.at >= since).map(|commit| {
        let StoredCommit { id, at, message, files, added } = commit;
        PastCommit { id, at, message, files, added }
    });
    let count = u32::try_from(history.names.len()).unwrap_or(u32::MAX);
    let files = (0..count).map(|file| history.names.path(file).map(str::to_owned)).collect();
    Past { commits: commits.collect(), files }
}
