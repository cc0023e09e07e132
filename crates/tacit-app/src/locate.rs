//! Finds the files that a task is about, for commands: reads new commits first, and uses similar
//! memories as evidence.

use std::cell::RefCell;

use tacit_codebase::locate::{Description, ExternalEvidence, LocateAnswer, Pointer, PointerSource};
use tacit_codebase::{CodebaseError, SearchDepth};
use tacit_core::RepoPath;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::{codebase, outdated_warning, require_store, with_progress};

/// The files that a text is about, with warnings.
#[derive(Debug)]
pub struct LocatedFiles {
    /// The files, the most likely first.
    pub answer: LocateAnswer,
    /// Warnings that the result may be outdated.
    pub warnings: Vec<String>,
}

/// Finds the files that a text is about.
pub fn locate(app: &App, text: &str, limit: usize) -> AppResult<LocatedFiles> {
    require_store(app)?;
    let mut warnings = Vec::new();
    if app.repository.is_some() {
        match codebase(app).refresh_history() {
            // The search works without new commits.
            Err(error) if error.is_unwritable() => {
                warnings.push(outdated_warning("the history", &error));
            }
            read => drop(read?),
        }
    }
    let memory_evidence = memory_evidence(app, text)?;
    let description = Description::read(text);
    let outdated = RefCell::new(None);
    let answer = with_progress(app, false, |options| {
        let note = |why: &CodebaseError| {
            *outdated.borrow_mut() = Some(outdated_warning("the file index", why));
        };
        codebase(app).locate_now(&description, &memory_evidence, limit, options, &note)
    })??;
    warnings.extend(outdated.into_inner());
    Ok(LocatedFiles { answer, warnings })
}

/// The maximum number of files ranked to find the certain ones.
const RANKED: usize = 5;

/// Returns the files that a text points to with certainty, as far as they are indexed.
pub fn certain_files(app: &App, text: &str) -> Vec<RepoPath> {
    let (codebase, description) = (codebase(app), Description::read(text));
    let answer = codebase.words(SearchDepth::Thorough).and_then(|words| {
        codebase.locate(&words, &description, &[], SearchDepth::Thorough, RANKED)
    });
    match answer {
        Ok(answer) => answer
            .proactive_files()
            .filter_map(|file| RepoPath::new(file.path.as_str()).ok())
            .collect(),
        // The result is optional for the callers.
        Err(_) => Vec::new(),
    }
}

/// Returns the files of memories similar to a text, as evidence.
fn memory_evidence(app: &App, text: &str) -> AppResult<ExternalEvidence> {
    if !app.places.database(StoreScope::Project).exists() {
        return Ok(Vec::new());
    }
    let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
    let files = engine.files_about(text)?;
    let pointer = |(path, strength, id): (String, f32, String)| {
        (path, Pointer { source: PointerSource::Memory, strength, what: id })
    };
    Ok(files.into_iter().map(pointer).collect())
}
