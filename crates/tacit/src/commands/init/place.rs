//! Checks the folder that gets a memory.

use std::fs;
use std::path::Path;

use tacit_app::{AppError, AppResult, ErrorCode, Obstacle};
use tacit_core::visible_line;
use tacit_engine::{RelocateError, StoreScope};

use super::InitArgs;
use crate::app::CliApp;

impl InitArgs {
    /// Refuses folders that cannot have a memory. Returns a remark about places where one is rarely
    /// intended, to confirm.
    pub(super) fn check_place(&self, app: &CliApp) -> AppResult<Option<String>> {
        match &app.obstacle {
            // Starts a new store; the old one in the worktree is not touched.
            Some(obstacle @ Obstacle::NotMoved(RelocateError::Untrusted { .. })) => {
                app.watcher.warn(&AppError::from(obstacle).message);
            }
            Some(obstacle) => return Err(obstacle.into()),
            None => {}
        }
        let root = &app.places.root;
        let is_home = app.environment.home.canonicalize().is_ok_and(|home| home == *root);
        if is_home && app.repository.is_none() {
            let message = format!("`{}` is your home folder, not a project", root.display());
            return Err(AppError::usage(message).hint(
                "run it in a project; `tacit init --global` sets up hooks for all of them, and \
                 `tacit remember --global` stores a memory for all of them",
            ));
        }
        for problem in &app.loaded.ignored {
            app.watcher.warn(problem);
        }
        match self.yes || self.dry_run || app.places.database(StoreScope::Project).exists() {
            true => Ok(None),
            false => remark(app, is_home),
        }
    }
}

/// Returns a remark about a place where a memory is rarely intended. Without a terminal, a repository
/// in the home folder needs `--yes`, because all folders below would share its memory. An empty folder
/// only gets a note, so that scripts can begin with one.
fn remark(app: &CliApp, is_home: bool) -> AppResult<Option<String>> {
    let root = visible_line(&app.places.root.display().to_string());
    let remark = if is_home {
        format!("`{root}` is your home folder: every folder below would share this memory")
    } else if app.repository.is_none() && is_empty(&app.places.root) {
        format!("`{root}` is empty and in no git repository; the memory is for it alone")
    } else {
        return Ok(None);
    };
    if !app.json && app.ui.interactive && app.terminal.stdin_is_terminal {
        return Ok(Some(remark));
    }
    if is_home {
        return Err(AppError::new(ErrorCode::Refused, remark)
            .hint("add `--yes` if you mean it; `tacit init --global` sets up hooks for all"));
    }
    app.watcher.note(&remark);
    Ok(None)
}

/// Returns true if a folder is empty except for `.tacit`.
fn is_empty(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.all(|entry| entry.file_name() == ".tacit")
}

/// Creates the folder of a store for this user alone, and closes one that others can read.
pub(super) fn create_private(directory: &Path) -> AppResult<()> {
    let fail = AppError::cannot("create", directory);
    tacit_fs::create_folder(directory).map_err(fail)?;
    tacit_fs::platform::set_mode(directory, 0o700).map_err(fail)
}

/// Creates the folder for shared settings and for requests of agents in a sandbox. Git does not see
/// it while it is empty, and nothing depends on it.
pub(super) fn create_shared(worktree: &Path) {
    let _ = fs::create_dir(worktree.join(".tacit"));
}
