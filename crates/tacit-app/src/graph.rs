//! The code graph for commands: built on first use, and refreshed when relevant files have changed.

use tacit_codebase::{Codebase, CodebaseError, OpenGraph, RefreshOptions, RefreshReport};
use tacit_core::RepoPath;
use tacit_graph::{NodeId, TargetError, find_target, split_target};

use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult, ErrorCode};

/// Returns the code of the current worktree.
pub fn codebase(app: &App) -> Codebase {
    Codebase::new(app.worktree(), &app.places.project.join("graph"))
}

/// Returns the code of the main worktree, which memories are compared with: all worktrees share
/// them.
pub fn main_codebase(app: &App) -> Codebase {
    Codebase::new(&app.places.root, &app.places.project.join("graph"))
}

/// Returns an error if the project has no store to put a graph in.
pub fn require_store(app: &App) -> AppResult<()> {
    if app.places.project.exists() {
        return Ok(());
    }
    let root = app.places.root.display();
    Err(AppError::new(ErrorCode::NotInitialised, format!("there is no store at `{root}`"))
        .hint("run `tacit init` there"))
}

/// Runs `work` with options that report how many files have been read.
pub fn with_progress<T>(
    app: &App,
    all: bool,
    work: impl FnOnce(&RefreshOptions<'_>) -> T,
) -> AppResult<T> {
    require_store(app)?;
    let progress = |done: usize, total: usize| {
        app.watcher.progress(ProgressKind::Files, done as u64, total as u64);
    };
    Ok(work(&RefreshOptions { threads: threads(), reread_all: all, progress: &progress }))
}

/// Returns the number of threads to read files with.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Refreshes the graph and the word index, waiting for other processes that do so.
pub fn refresh(app: &App, all: bool) -> AppResult<RefreshReport> {
    let refreshed = with_progress(app, all, |options| {
        let refreshed = codebase(app).refresh(options)?;
        codebase(app).refresh_words(options)?;
        Ok::<_, CodebaseError>(refreshed)
    })?;
    Ok(refreshed?)
}

/// Refreshes the graphs of this and the main worktree, if they exist.
pub fn refresh_existing(app: &App, all: bool) -> AppResult<()> {
    if codebase(app).exists() {
        refresh(app, all)?;
        codebase(app).drop_unused()?;
    }
    let main = main_codebase(app);
    if app.worktree() != app.places.root && main.exists() {
        with_progress(app, all, |options| main.refresh(options))??;
    }
    Ok(())
}

/// Answers from an up-to-date graph. `answer` also returns the files it names; if these or the
/// lookup of a name are outdated, the graph is refreshed and `answer` runs again. If the graph
/// cannot be refreshed, a warning is shown.
pub fn query_graph<T>(
    app: &App,
    answer: impl Fn(&OpenGraph) -> AppResult<(T, Vec<String>)>,
) -> AppResult<T> {
    with_progress(app, false, |options| {
        let codebase = codebase(app);
        let graph = codebase.open_or_build(options)?;
        let first = answer(&graph);
        let named = match &first {
            Ok((_, named)) => Some(named.as_slice()),
            Err(error) if error.code == ErrorCode::NotFound => None,
            Err(_) => return first,
        };
        let Some(newer) = codebase.refresh_if_stale(&graph, named, options)? else { return first };
        if let Some(why) = newer.stale_reason() {
            app.watcher.warn(&outdated_warning("the code graph", why));
        }
        answer(&newer)
    })?
    .map(|(answer, _)| answer)
}

/// Answers from the whole graph, with all files up to date.
pub fn query_whole_graph<T>(
    app: &App,
    answer: impl Fn(&OpenGraph) -> AppResult<T>,
) -> AppResult<T> {
    query_graph(app, |graph| {
        let packed = graph.packed();
        let paths = (0..packed.files()).map(|file| packed.path(file).to_owned());
        Ok((answer(graph)?, paths.collect()))
    })
}

/// Returns the warning for something that could not be refreshed.
pub fn outdated_warning(what: &str, why: impl std::fmt::Display) -> String {
    format!("{what} could not be refreshed, so this may be outdated: {why}")
}

/// A target as typed: `path` or `path::symbol`.
#[derive(Debug, Clone)]
pub struct CodeTarget {
    /// The path of the file.
    pub path: RepoPath,
    /// The symbol in the file, as typed.
    pub symbol: Option<String>,
}

impl CodeTarget {
    /// Parses `path` or `path::symbol`; the path is relative to the current directory.
    pub fn parse(app: &App, typed: &str) -> AppResult<CodeTarget> {
        let is_there = |path: &str| {
            let path = app.repo_path(path);
            path.is_ok_and(|path| app.worktree().join(path.as_str()).exists())
        };
        let (path, symbol) = split_target(typed, is_there);
        Ok(CodeTarget { path: app.repo_path(path)?, symbol: symbol.map(str::to_owned) })
    }

    /// Finds the nodes that the target names.
    pub fn nodes(&self, graph: &OpenGraph) -> AppResult<Vec<NodeId>> {
        Ok(find_target(&graph.packed(), self.path.as_str(), self.symbol.as_deref())?)
    }

    /// Formats the target as it can be typed.
    pub fn label(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{}::{symbol}", self.path),
            None => self.path.to_string(),
        }
    }
}

impl From<CodebaseError> for AppError {
    fn from(error: CodebaseError) -> AppError {
        let (code, hint) = match &error {
            CodebaseError::Missing { .. } => (ErrorCode::NotFound, "run `tacit code index`"),
            error if error.is_unwritable() => (
                ErrorCode::Failure,
                "check the permissions of `graph` in the store and of its contents",
            ),
            CodebaseError::Damaged { .. } | CodebaseError::Database { .. } => (
                ErrorCode::Damaged,
                "remove `graph` in the store and run `tacit code index`; nothing in it is lost for good",
            ),
            CodebaseError::PathBlocked { .. } => (
                ErrorCode::Failure,
                "move it away; `graph` in the store is rebuilt when it is needed",
            ),
            CodebaseError::Git(_) => {
                (ErrorCode::Failure, "check that git is installed and can read the repository")
            }
            CodebaseError::Io { .. } => {
                (ErrorCode::Failure, "check the permissions of the file and its directory")
            }
        };
        AppError::new(code, error.to_string()).hint(hint)
    }
}

impl From<TargetError> for AppError {
    fn from(error: TargetError) -> AppError {
        let hint = match (&error, error.suggestions()) {
            (TargetError::NoSuchFile { .. }, []) => {
                "the graph has only source files that git does not ignore; `tacit code index --stats` counts them"
                    .to_owned()
            }
            (TargetError::NoSuchSymbol { .. }, []) => "the file defines nothing".to_owned(),
            (_, near) => format!(
                "there is {}",
                near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        AppError::new(ErrorCode::NotFound, error.to_string()).hint(hint)
    }
}
