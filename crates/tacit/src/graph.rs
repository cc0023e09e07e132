//! The code graph as commands use it: built when it is first asked for, brought up to date where
//! files that matter have changed since.

use std::cell::RefCell;
use std::io::Write;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tacit_codebase::{Codebase, CodebaseError, OpenGraph, Options, Refreshed};
use tacit_core::{RepoPath, SymbolRef};
use tacit_engine::{KnownAbout, Needs, Shelf};
use tacit_graph::{NodeId, TargetError, find_target, split_target};

use crate::app::App;
use crate::error::{CliError, CliResult, Code};

/// How many memories are shown beside an answer.
const MEMORIES: usize = 10;

/// The code of the worktree we are in.
pub(crate) fn codebase(app: &App) -> Codebase {
    Codebase::new(app.worktree(), &app.places.project.join("graph"))
}

/// The code of the main worktree, which memories are held against: all worktrees share them.
pub(crate) fn main_codebase(app: &App) -> Codebase {
    Codebase::new(&app.places.root, &app.places.project.join("graph"))
}

/// Whether there is a place for a graph.
pub(crate) fn has_place(app: &App) -> CliResult<()> {
    if app.places.project.exists() {
        return Ok(());
    }
    let root = app.places.root.display();
    Err(CliError::new(Code::NotInitialised, format!("there is no memory at `{root}`"))
        .hint("run `tacit init` there"))
}

/// Does something with the graph, with a bar for whoever watches files being read.
pub(crate) fn watched<T>(
    app: &App,
    all: bool,
    quiet: bool,
    work: impl FnOnce(&Options<'_>) -> T,
) -> CliResult<T> {
    has_place(app)?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if quiet || !app.environment.stderr_is_terminal {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files, {eta} left") {
        bar.set_style(style);
    }
    let options = Options {
        threads: threads(),
        all,
        progress: &|done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        },
    };
    let done = work(&options);
    bar.finish_and_clear();
    Ok(done)
}

pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Brings the graph up to date, after whoever is at it, and the words of files with it.
pub(crate) fn refresh(app: &App, all: bool, quiet: bool) -> CliResult<Refreshed> {
    let refreshed = watched(app, all, quiet, |options| {
        let refreshed = codebase(app).refresh(options)?;
        codebase(app).refresh_words(options)?;
        Ok::<_, CodebaseError>(refreshed)
    })?;
    Ok(refreshed?)
}

/// Brings the graphs up to date that memories and answers need, where there are any.
pub(crate) fn refresh_known(app: &App, all: bool) -> CliResult<()> {
    if codebase(app).exists() {
        refresh(app, all, true)?;
        codebase(app).fold()?;
        codebase(app).drop_unused()?;
    }
    let main = main_codebase(app);
    if app.worktree() != app.places.root && main.exists() {
        watched(app, all, true, |options| main.refresh(options))??;
    }
    Ok(())
}

/// An answer from a graph that knows the files it names as they are. Where it cannot be brought up to
/// date, that is said beside the answer.
pub(crate) fn ask<T>(
    app: &App,
    answer: impl Fn(&OpenGraph) -> CliResult<T>,
    names: impl Fn(&T) -> Vec<String>,
) -> CliResult<T> {
    let absent = |error: &CliError| error.code == Code::NotFound;
    let behind = RefCell::new(None);
    let noting = |graph: &OpenGraph| {
        *behind.borrow_mut() = graph.behind().map(str::to_owned);
        answer(graph)
    };
    let answer =
        watched(app, false, app.json, |options| codebase(app).ask(options, noting, names, absent))?;
    if let Some(why) = behind.into_inner() {
        say_behind("the code graph", &why);
    }
    answer
}

/// An answer from the whole graph, as the code is.
pub(crate) fn ask_all<T>(app: &App, answer: impl Fn(&OpenGraph) -> CliResult<T>) -> CliResult<T> {
    let everything = |graph: &OpenGraph| {
        let packed = graph.packed();
        let paths = (0..packed.files()).map(|file| packed.path(file).to_owned());
        Ok((answer(graph)?, paths.collect()))
    };
    ask(app, everything, |(_, paths): &(T, Vec<String>)| paths.clone()).map(|(answer, _)| answer)
}

/// Says beside an answer that it may be old.
pub(crate) fn say_behind(what: &str, why: &str) {
    let why = crate::render::visible(why);
    let _ = writeln!(
        std::io::stderr(),
        "warning: {what} could not be brought up to date, so this may be old: {why}"
    );
}

/// A target as it is typed: a path, or `path::symbol`.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) path: RepoPath,
    pub(crate) symbol: Option<String>,
}

impl Target {
    pub(crate) fn parse(app: &App, typed: &str) -> CliResult<Target> {
        let is_there = |path: &str| {
            let path = app.repo_path(path);
            path.is_ok_and(|path| app.worktree().join(path.as_str()).exists())
        };
        let (path, symbol) = split_target(typed, is_there);
        Ok(Target { path: app.repo_path(path)?, symbol: symbol.map(str::to_owned) })
    }

    pub(crate) fn nodes(&self, graph: &OpenGraph) -> CliResult<Vec<NodeId>> {
        Ok(find_target(&graph.packed(), self.path.as_str(), self.symbol.as_deref())?)
    }

    pub(crate) fn label(&self) -> String {
        match &self.symbol {
            Some(symbol) => format!("{}::{symbol}", self.path),
            None => self.path.to_string(),
        }
    }
}

/// What is remembered about a target and the files that depend on it; nothing without a memory.
pub(crate) fn known_about(
    app: &App,
    target: &Target,
    affected: &[RepoPath],
) -> CliResult<KnownAbout> {
    if !app.places.database(Shelf::Project).exists() {
        return Ok(KnownAbout::default());
    }
    let symbols = match &target.symbol {
        None => Vec::new(),
        Some(_) => {
            let graph = codebase(app).open()?;
            let names = target.nodes(&graph)?.into_iter().map(|id| graph.packed().name(id));
            names.filter_map(|name| SymbolRef::of(target.path.as_str(), name).ok()).collect()
        }
    };
    let engine = app.engine(Needs::ReadBoth)?;
    Ok(engine.known_about(&target.path, &symbols, affected, MEMORIES)?)
}

impl From<CodebaseError> for CliError {
    fn from(error: CodebaseError) -> CliError {
        let (code, hint) = match &error {
            CodebaseError::Missing { .. } => (Code::NotFound, "`tacit graph build` makes it"),
            error if error.is_unwritable() => (
                Code::Failure,
                "check the permissions of `graph` in the store and of what is in it",
            ),
            CodebaseError::Damaged { .. } | CodebaseError::Database { .. } => (
                Code::Damaged,
                "remove `graph` in the store and run `tacit graph build`: all of it can be made again",
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
        CliError::new(code, error.to_string()).hint(hint)
    }
}

impl From<TargetError> for CliError {
    fn from(error: TargetError) -> CliError {
        let hint = match (&error, error.near()) {
            (TargetError::NoSuchFile { .. }, []) => {
                "only source files are in it, and no ignored ones; `tacit graph stats` counts them"
                    .to_owned()
            }
            (TargetError::NoSuchSymbol { .. }, []) => "the file defines nothing".to_owned(),
            (_, near) => format!(
                "there is {}",
                near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        CliError::new(Code::NotFound, error.to_string()).hint(hint)
    }
}
