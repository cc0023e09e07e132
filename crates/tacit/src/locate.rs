//! Which files a task is about, as commands use it: commits that are new are read first, and
//! memories that are like the text are asked.

use tacit_codebase::locate::{Answer, Description, Elsewhere, Pointer, Source};
use tacit_codebase::{CodebaseError, Depth};
use tacit_core::RepoPath;
use tacit_engine::{Needs, Shelf};

use crate::app::App;
use crate::error::CliResult;
use crate::graph::{codebase, has_place, say_behind, watched};

/// The files that a text is about.
pub(crate) fn locate(
    app: &App,
    description: &Description,
    text: &str,
    limit: usize,
) -> CliResult<Answer> {
    has_place(app)?;
    if app.repository.is_some() {
        read_commits(app)?;
    }
    let remembered = remembered(app, text)?;
    let located = watched(app, false, app.json, |options| {
        let behind = |why: &CodebaseError| say_behind("what is known of files", &why.to_string());
        codebase(app).locate_now(description, &remembered, limit, options, &behind)
    })?;
    Ok(located?)
}

/// Reads new commits. Where that cannot be written, there is an answer without them.
fn read_commits(app: &App) -> CliResult<()> {
    match codebase(app).refresh_history() {
        Err(error) if error.is_unwritable() => {
            say_behind("the history", &error.to_string());
            Ok(())
        }
        read => Ok(read.map(drop)?),
    }
}

/// How many files are looked at for those that are sure.
const LOOKED_AT: usize = 5;

/// The files that a text is surely about, as far as files were indexed.
pub(crate) fn sure(app: &App, text: &str) -> Vec<RepoPath> {
    let (codebase, description) = (codebase(app), Description::read(text));
    let answer = codebase
        .words(Depth::Thorough)
        .and_then(|words| codebase.locate(&words, &description, &[], Depth::Thorough, LOOKED_AT));
    match answer {
        Ok(answer) => {
            answer.sure().filter_map(|file| RepoPath::new(file.path.as_str()).ok()).collect()
        }
        // It is an addition to what was asked for.
        Err(_) => Vec::new(),
    }
}

/// The files of memories that are like a text.
fn remembered(app: &App, text: &str) -> CliResult<Elsewhere> {
    if !app.places.database(Shelf::Project).exists() {
        return Ok(Vec::new());
    }
    let engine = app.engine(Needs::Read(Shelf::Project))?;
    let files = engine.files_about(text)?;
    let pointer = |(path, strength, id): (String, f32, String)| {
        (path, Pointer { source: Source::Memory, strength, what: id })
    };
    Ok(files.into_iter().map(pointer).collect())
}
