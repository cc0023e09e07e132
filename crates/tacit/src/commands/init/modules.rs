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
pub(super) enum ModuleScan {
    /// No modules, or the scan is turned off.
    Nothing,
    /// Too many source files to scan unasked, with their number.
    TooMany(usize),
    /// The number of files, and the outcome of each module.
    Modules(usize, CardReport),
}

impl ModuleScan {
    pub(super) fn in_words(&self) -> Option<String> {
        match self {
            ModuleScan::Nothing => None,
            ModuleScan::TooMany(files) => Some(format!(
                "There are {files} source files; `tacit code map --remember` scans them."
            )),
            ModuleScan::Modules(files, report) => {
                let scanned = format!(
                    "Scanned {} with {}; `tacit code map` describes them.",
                    count(report.outcomes.len(), "module", "modules"),
                    count(*files, "source file", "source files"),
                );
                let why = report.failure.as_deref().map(visible);
                let why = why.map(|why| format!("\nNot described by the text model: {why}"));
                Some(scanned + &why.unwrap_or_default())
            }
        }
    }

    pub(super) fn to_json(&self) -> Value {
        match self {
            ModuleScan::Nothing | ModuleScan::TooMany(_) => json!([]),
            ModuleScan::Modules(_, report) => report
                .outcomes
                .iter()
                .map(|(name, outcome)| json!({"name": name, "outcome": outcome.as_str()}))
                .collect(),
        }
    }
}

/// Scans the modules of a new project. If the code cannot be read, nothing is scanned, so that `init`
/// still succeeds.
pub(super) fn scan_modules(app: &CliApp) -> AppResult<ModuleScan> {
    if !app.config().modules_scan {
        return Ok(ModuleScan::Nothing);
    }
    let files = codebase(app).count_sources(threads());
    match files {
        0 => return Ok(ModuleScan::Nothing),
        files if files > MOST_SCANNED => return Ok(ModuleScan::TooMany(files)),
        _ => {}
    }
    if graph::refresh(app, false).is_err() {
        return Ok(ModuleScan::Nothing);
    }
    let mut engine =
        app.with_generator(app.engine(StoreAccess::Write(StoreScope::Project))?).as_tacit();
    let report = scan::store_all_cards(app, &mut engine, &scan::scan(app)?)?;
    Ok(ModuleScan::Modules(files, report))
}
