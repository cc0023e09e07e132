//! Scans the modules of a new project.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::graph::{self, codebase, threads};
use tacit_app::scan::{self, CardReport};
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::CliApp;
use crate::commands::count;
use crate::render::visible;

/// A project with more source files than this is not scanned unasked: it would take too long.
const MOST_SCANNED: usize = 2_000;

/// The result of scanning the modules of a new project.
pub(super) enum Looked {
    /// No modules, or the scan is turned off.
    Nothing,
    /// Too many source files to scan unasked, with their number.
    Much(usize),
    /// The number of files, and the outcome of each module.
    Modules(usize, CardReport),
}

impl Looked {
    pub(super) fn in_words(&self) -> Option<String> {
        match self {
            Looked::Nothing => None,
            Looked::Much(files) => Some(format!(
                "There are {files} source files; `tacit code map --remember` scans them."
            )),
            Looked::Modules(files, kept) => {
                let looked = format!(
                    "Scanned {} with {}; `tacit code map` describes them.",
                    count(kept.outcomes.len(), "module", "modules"),
                    count(*files, "source file", "source files"),
                );
                let why = kept.failure.as_deref().map(visible);
                let why = why.map(|why| format!("\nNot described by the text model: {why}"));
                Some(looked + &why.unwrap_or_default())
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        match self {
            Looked::Nothing | Looked::Much(_) => json!([]),
            Looked::Modules(_, kept) => kept
                .outcomes
                .iter()
                .map(|(name, kept)| json!({"name": name, "outcome": kept.as_str()}))
                .collect(),
        }
    }
}

/// Scans the modules of a new project. Files that cannot be read are skipped.
pub(super) fn look_through(app: &CliApp) -> AppResult<Looked> {
    if !app.config().modules_scan {
        return Ok(Looked::Nothing);
    }
    let files = codebase(app).count_sources(threads());
    match files {
        0 => return Ok(Looked::Nothing),
        files if files > MOST_SCANNED => return Ok(Looked::Much(files)),
        _ => {}
    }
    if graph::refresh(app, false).is_err() {
        return Ok(Looked::Nothing);
    }
    let mut engine =
        app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?).as_tacit();
    let kept = scan::store_all_cards(app, &mut engine, &scan::scan(app)?)?;
    Ok(Looked::Modules(files, kept))
}
