//! Which files a task is about, as commands use it: commits that are new are read first, and
//! memories that are like the text are asked.

use std::cell::RefCell;

use tacit_codebase::locate::{Answer, Description, Elsewhere, Pointer, Source};
use tacit_codebase::{CodebaseError, Depth};
use tacit_core::RepoPath;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::{codebase, outdated_warning, require_store, with_progress};

/// The files that a text is about.
#[derive(Debug)]
pub struct LocatedFiles {
    /// The files, the likeliest first.
    pub answer: Answer,
    /// Reasons for which the files may be out of date.
    pub behind: Vec<String>,
}

/// Finds the files that a text is about.
pub fn locate(app: &App, text: &str, limit: usize) -> AppResult<LocatedFiles> {
    require_store(app)?;
    let mut behind = Vec::new();
    if app.repository.is_some() {
        match codebase(app).refresh_history() {
            // There is an answer without new commits.
            Err(error) if error.is_unwritable() => {
                behind.push(outdated_warning("the history", &error))
            }
            read => drop(read?),
        }
    }
    let remembered = remembered(app, text)?;
    let description = Description::read(text);
    let unread = RefCell::new(None);
    let answer = with_progress(app, false, |options| {
        let note = |why: &CodebaseError| {
            *unread.borrow_mut() = Some(outdated_warning("what is known of files", why))
        };
        codebase(app).locate_now(&description, &remembered, limit, options, &note)
    })??;
    behind.extend(unread.into_inner());
    Ok(LocatedFiles { answer, behind })
}

/// How many files are looked at for those that are sure.
const LOOKED_AT: usize = 5;

/// The files that a text is surely about, as far as files were indexed.
pub fn certain_files(app: &App, text: &str) -> Vec<RepoPath> {
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
fn remembered(app: &App, text: &str) -> AppResult<Elsewhere> {
    if !app.places.database(StoreScope::Project).exists() {
        return Ok(Vec::new());
    }
    let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
    let files = engine.files_about(text)?;
    let pointer = |(path, strength, id): (String, f32, String)| {
        (path, Pointer { source: Source::Memory, strength, what: id })
    };
    Ok(files.into_iter().map(pointer).collect())
}
