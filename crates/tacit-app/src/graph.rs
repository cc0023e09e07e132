//! The code graph as commands use it: built when it is first asked for, brought up to date where
//! files that matter have changed since.

use tacit_codebase::{Codebase, CodebaseError, OpenGraph, Options, Refreshed};
use tacit_core::RepoPath;
use tacit_graph::{NodeId, TargetError, find_target, split_target};

use crate::app::App;
use crate::environment::Work;
use crate::error::{AppError, AppResult, Code};

/// The code of the worktree we are in.
pub fn codebase(app: &App) -> Codebase {
    Codebase::new(app.worktree(), &app.places.project.join("graph"))
}

/// The code of the main worktree, which memories are held against: all worktrees share them.
pub fn main_codebase(app: &App) -> Codebase {
    Codebase::new(&app.places.root, &app.places.project.join("graph"))
}

/// Checks that there is a place for a graph.
pub fn has_place(app: &App) -> AppResult<()> {
    if app.places.project.exists() {
        return Ok(());
    }
    let root = app.places.root.display();
    Err(AppError::new(Code::NotInitialised, format!("there is no memory at `{root}`"))
        .hint("run `tacit init` there"))
}

/// Does something with the graph, while whoever watches is told how many files are read.
pub fn watched<T>(app: &App, all: bool, work: impl FnOnce(&Options<'_>) -> T) -> AppResult<T> {
    has_place(app)?;
    let progress =
        |done: usize, total: usize| app.watcher.progress(Work::Files, done as u64, total as u64);
    Ok(work(&Options { threads: threads(), all, progress: &progress }))
}

/// Number of threads that read files.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Brings the graph up to date, after whoever is at it, and the words of files with it.
pub fn refresh(app: &App, all: bool) -> AppResult<Refreshed> {
    let refreshed = watched(app, all, |options| {
        let refreshed = codebase(app).refresh(options)?;
        codebase(app).refresh_words(options)?;
        Ok::<_, CodebaseError>(refreshed)
    })?;
    Ok(refreshed?)
}

/// Brings the graphs up to date that memories and answers need, where there are any.
pub fn refresh_known(app: &App, all: bool) -> AppResult<()> {
    if codebase(app).exists() {
        refresh(app, all)?;
        codebase(app).drop_unused()?;
    }
    let main = main_codebase(app);
    if app.worktree() != app.places.root && main.exists() {
        watched(app, all, |options| main.refresh(options))??;
    }
    Ok(())
}

/// An answer from a graph that knows the files as they are. `answer` tells the files it names as
/// well; it is asked again if a newer graph may tell more. Where none can be made, that is said
/// beside the answer.
pub fn ask<T>(
    app: &App,
    answer: impl Fn(&OpenGraph) -> AppResult<(T, Vec<String>)>,
) -> AppResult<T> {
    watched(app, false, |options| {
        let codebase = codebase(app);
        let graph = codebase.open_or_build(options)?;
        let first = answer(&graph);
        let named = match &first {
            Ok((_, named)) => Some(named.as_slice()),
            Err(error) if error.code == Code::NotFound => None,
            Err(_) => return first,
        };
        let Some(newer) = codebase.renewed(&graph, named, options)? else { return first };
        if let Some(why) = newer.behind() {
            app.watcher.warn(&old("the code graph", why));
        }
        answer(&newer)
    })?
    .map(|(answer, _)| answer)
}

/// An answer from the whole graph, as the code is.
pub fn ask_all<T>(app: &App, answer: impl Fn(&OpenGraph) -> AppResult<T>) -> AppResult<T> {
    ask(app, |graph| {
        let packed = graph.packed();
        let paths = (0..packed.files()).map(|file| packed.path(file).to_owned());
        Ok((answer(graph)?, paths.collect()))
    })
}

/// Says that something may be old, and why.
pub fn old(what: &str, why: impl std::fmt::Display) -> String {
    format!("{what} could not be brought up to date, so this may be old: {why}")
}

/// A target as it is typed: a path, or `path::symbol`.
#[derive(Debug, Clone)]
pub struct Target {
    /// The file.
    pub path: RepoPath,
    /// The symbol in it, as it is typed.
    pub symbol: Option<String>,
}

impl Target {
    /// Reads `path` or `path::symbol`, from where we are.
    pub fn parse(app: &App, typed: &str) -> AppResult<Target> {
        let is_there = |path: &str| {
            let path = app.repo_path(path);
            path.is_ok_and(|path| app.worktree().join(path.as_str()).exists())
        };
        let (path, symbol) = split_target(typed, is_there);
        Ok(Target { path: app.repo_path(path)?, symbol: symbol.map(str::to_owned) })
    }

    /// The nodes it means.
    pub fn nodes(&self, graph: &OpenGraph) -> AppResult<Vec<NodeId>> {
        Ok(find_target(&graph.packed(), self.path.as_str(), self.symbol.as_deref())?)
    }

    /// Writes the target as it is typed.
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
            CodebaseError::Missing { .. } => (Code::NotFound, "`tacit code index` makes it"),
            error if error.is_unwritable() => (
                Code::Failure,
                "check the permissions of `graph` in the store and of what is in it",
            ),
            CodebaseError::Damaged { .. } | CodebaseError::Database { .. } => (
                Code::Damaged,
                "remove `graph` in the store and run `tacit code index`: all of it can be made again",
            ),
            CodebaseError::InTheWay { .. } => (
                Code::Failure,
                "move it away; everything in `graph` in the store is made again when it is asked for",
            ),
            CodebaseError::Git(_) => {
                (Code::Failure, "check that git is installed and can read the repository")
            }
            CodebaseError::Io { .. } => {
                (Code::Failure, "check the permissions of the file and its directory")
            }
        };
        AppError::new(code, error.to_string()).hint(hint)
    }
}

impl From<TargetError> for AppError {
    fn from(error: TargetError) -> AppError {
        let hint = match (&error, error.near()) {
            (TargetError::NoSuchFile { .. }, []) => {
                "only source files are in it, and no ignored ones; `tacit code index --stats` counts them"
                    .to_owned()
            }
            (TargetError::NoSuchSymbol { .. }, []) => "the file defines nothing".to_owned(),
            (_, near) => format!(
                "there is {}",
                near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        AppError::new(Code::NotFound, error.to_string()).hint(hint)
    }
}
