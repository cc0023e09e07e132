//! Which files change together, as commands use it: new commits are read first, and what recall
//! needs of it is kept with the memories.

use tacit_codebase::Follows;
use tacit_codebase::history::{Estimator, FileId, History, Partner};
use tacit_core::RepoPath;
use tacit_engine::{Engine, MAX_LINKED_FILES, MIN_LINK_WEIGHT};
use tacit_store::CoChange;

use crate::app::App;
use crate::error::{AppError, AppResult, Code};
use crate::graph::{codebase, has_place, old};

/// Reads new commits. Where that cannot be written, those that were read before have to do.
pub fn refresh(app: &App) -> AppResult<()> {
    has_place(app)?;
    if app.repository.is_none() {
        let root = app.places.root.display();
        return Err(AppError::new(Code::NotFound, format!("`{root}` is not in a git repository"))
            .hint("what changes together is read from commits"));
    }
    let codebase = codebase(app);
    match codebase.refresh_history() {
        Err(error) if error.is_unwritable() && codebase.has_history() => {
            app.watcher.warn(&old("the history", &error));
            Ok(())
        }
        read => Ok(read.map(drop)?),
    }
}

/// Answers a question about what changes together, from all commits that are there.
pub fn ask<T>(
    app: &App,
    answer: impl FnOnce(&History, &Estimator<'_>) -> AppResult<T>,
) -> AppResult<T> {
    refresh(app)?;
    codebase(app).estimate(answer)?
}

/// Keeps with the memories which files surely change together, if commits say anything new.
pub fn learn(app: &App, engine: &mut Engine<'_>, again: bool) -> AppResult<()> {
    if app.repository.is_none() {
        return Ok(());
    }
    refresh(app)?;
    if codebase(app).is_done(Follows::Ties)? && !again {
        return Ok(());
    }
    let ties = ask(app, |history, estimator| {
        let living = history.names.living();
        Ok(living.flat_map(|(file, path)| sure(history, estimator, file, path)).collect())
    })?;
    let ties: Vec<CoChange> = ties;
    engine.set_co_changes(&ties)?;
    Ok(codebase(app).note_done(Follows::Ties)?)
}

/// The files that so surely change with one that what is known of them is worth telling.
fn sure(history: &History, estimator: &Estimator<'_>, file: FileId, path: &str) -> Vec<CoChange> {
    let tie = |partner: Partner| {
        // What commits say nothing of is no tie, however likely it is.
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
