//! Co-change for commands: reads new commits, answers questions about the history, and stores
//! strong co-changes with the memories, where recall uses them.

use tacit_codebase::HistoryConsumer;
use tacit_codebase::history::{Estimator, History, Partner, TrackedFileId};
use tacit_core::RepoPath;
use tacit_engine::{Engine, MAX_LINKED_FILES, MIN_LINK_WEIGHT};
use tacit_store::CoChange;

use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::graph::{codebase, outdated_warning, require_store};
use crate::recent_files;

/// Reads new commits. If the result cannot be written, warns and uses the commits read before.
pub fn refresh_history(app: &App) -> AppResult<()> {
    require_store(app)?;
    if app.repository.is_none() {
        let root = app.places.root.display();
        return Err(AppError::new(
            ErrorCode::NotFound,
            format!("`{root}` is not in a git repository"),
        )
        .hint("co-change is computed from git commits"));
    }
    let codebase = codebase(app);
    let progress = |done: usize, total: usize| {
        app.watcher.progress(ProgressKind::Commits, done as u64, total as u64);
    };
    match codebase.refresh_history_with(&progress) {
        Err(error) if error.is_unwritable() && codebase.has_history() => {
            app.watcher.warn(&outdated_warning("the history", &error));
            Ok(())
        }
        read => Ok(read.map(drop)?),
    }
}

/// Reads new commits, then runs `answer` on the whole history.
pub fn query_history<T>(
    app: &App,
    answer: impl FnOnce(&History, &Estimator<'_>) -> AppResult<T>,
) -> AppResult<T> {
    refresh_history(app)?;
    codebase(app).estimate(answer)?
}

/// Stores strong co-changes with the memories, if there are new commits or `again` is set.
pub fn store_co_changes(app: &App, engine: &mut Engine<'_>, again: bool) -> AppResult<()> {
    if app.repository.is_none() {
        return Ok(());
    }
    refresh_history(app)?;
    if codebase(app).is_up_to_date(HistoryConsumer::CoChanges)? && !again {
        return Ok(());
    }
    let ties = query_history(app, |history, estimator| {
        let written = recent_files::write(&app.places.project, app.worktree(), history);
        if let Err(error) = written {
            app.watcher.warn(&format!("cannot note the files of the last commits: {error}"));
        }
        let existing = history.names.existing();
        Ok(existing
            .flat_map(|(file, path)| strong_co_changes(history, estimator, file, path))
            .collect())
    })?;
    let ties: Vec<CoChange> = ties;
    engine.set_co_changes(&ties)?;
    Ok(codebase(app).mark_up_to_date(HistoryConsumer::CoChanges)?)
}

/// Returns the files that change with `file` so often that their memories are worth showing.
fn strong_co_changes(
    history: &History,
    estimator: &Estimator<'_>,
    file: TrackedFileId,
    path: &str,
) -> Vec<CoChange> {
    let tie = |partner: Partner| {
        // The estimator also predicts pairs that never changed together.
        if partner.together == 0 {
            return None;
        }
        Some(CoChange {
            file: RepoPath::new(path).ok()?,
            other: RepoPath::new(history.names.path(partner.file)?).ok()?,
            weight: partner.probability,
            count: partner.together,
        })
    };
    let partners = estimator.partners(file, &[], MAX_LINKED_FILES).into_iter();
    partners.filter(|partner| partner.probability > MIN_LINK_WEIGHT).filter_map(tie).collect()
}
