//! Long work that a person starts and may stop: what the commands of the same names do.

use std::collections::BTreeMap;

use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::embed::embed_waiting;
use crate::error::{AppError, AppResult, did_you_mean};
use crate::maintain::{MaintenanceRequest, maintain};
use crate::{cochange, graph, review, scan};

const SCOPES: [StoreScope; 2] = [StoreScope::Project, StoreScope::Global];

/// The kinds of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Everything that `tacit maintain` does.
    Maintain,
    /// Embeds what has no vectors of the present model, and builds the files of vectors anew.
    Reindex,
    /// Reads the code and the history.
    Index,
    /// Stores a card for each module.
    Scan,
    /// Compares memories with the code.
    Compare,
}

impl JobKind {
    /// All kinds.
    pub const ALL: [JobKind; 5] =
        [JobKind::Maintain, JobKind::Reindex, JobKind::Index, JobKind::Scan, JobKind::Compare];

    /// Returns the word for the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            JobKind::Maintain => "maintain",
            JobKind::Reindex => "reindex",
            JobKind::Index => "index",
            JobKind::Scan => "scan",
            JobKind::Compare => "compare",
        }
    }

    /// Finds the kind for a word.
    pub fn find(word: &str) -> AppResult<JobKind> {
        JobKind::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or_else(|| {
            let words = JobKind::ALL.iter().map(|kind| kind.as_str());
            AppError::usage(format!("`{word}` is not a job")).hint(did_you_mean(word, words))
        })
    }
}

/// The result of long work.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JobReport {
    /// The result in words.
    pub message: String,
    /// The result in numbers.
    pub counts: BTreeMap<String, u64>,
    /// True if it stopped because it was asked to. What was done stays.
    pub was_cancelled: bool,
}

/// Does long work. It stops at the next step once `is_cancelled` returns true.
pub fn run(app: &App, kind: JobKind, is_cancelled: &dyn Fn() -> bool) -> AppResult<JobReport> {
    let mut report = JobReport::default();
    match kind {
        JobKind::Maintain => maintain_all(app, is_cancelled, &mut report)?,
        JobKind::Reindex => reindex(app, is_cancelled, &mut report)?,
        JobKind::Index => {
            let read = graph::refresh(app, false)?;
            drop(read);
            if !is_cancelled() && app.repository.is_some() {
                let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
                cochange::store_co_changes(app, &mut engine, false)?;
            }
            report.message = "the code graph is up to date".to_owned();
        }
        JobKind::Scan => {
            graph::refresh(app, false)?;
            if !is_cancelled() {
                let cards = scan::store_cards(app, &scan::scan(app)?)?;
                report.counts.insert("modules".to_owned(), cards.outcomes.len() as u64);
                report.message = format!("cards stored: {}", cards.outcomes.len());
            }
        }
        JobKind::Compare => {
            review::compare_with_code(app)?;
            report.message = "memories were compared with the code".to_owned();
        }
    }
    report.was_cancelled = is_cancelled();
    if report.was_cancelled {
        report.message = "stopped; what was done stays".to_owned();
    }
    Ok(report)
}

fn maintain_all(
    app: &App,
    is_cancelled: &dyn Fn() -> bool,
    report: &mut JobReport,
) -> AppResult<()> {
    let mut failed = Vec::new();
    for scope in SCOPES.into_iter().filter(|scope| app.places.database(*scope).exists()) {
        let wait = &mut || Ok(!is_cancelled());
        let mut request = MaintenanceRequest { rebuild: false, wait, is_cancelled };
        if is_cancelled() {
            break;
        }
        let Some(done) = maintain(app, scope, &mut request)? else { continue };
        *report.counts.entry("embedded".to_owned()).or_default() += done.embedded as u64;
        for (name, number) in done.run.iter().flat_map(|run| run.counts()) {
            *report.counts.entry(name.to_owned()).or_default() += number;
        }
        failed.extend(
            done.failed.into_iter().map(|(step, error)| format!("{step}: {}", error.message)),
        );
    }
    report.message = match failed.as_slice() {
        [] => "everything is up to date".to_owned(),
        failed => format!("failed: {}", failed.join("; ")),
    };
    Ok(())
}

fn reindex(app: &App, is_cancelled: &dyn Fn() -> bool, report: &mut JobReport) -> AppResult<()> {
    let mut embedded = 0;
    for scope in SCOPES.into_iter().filter(|scope| app.places.database(*scope).exists()) {
        let mut engine = app.engine_with_embedder(StoreAccess::Write(scope))?;
        engine.queue_missing_vectors(scope)?;
        embedded += embed_waiting(app, &mut engine, scope, is_cancelled)? as u64;
        if !is_cancelled() {
            engine.rebuild_vectors(scope)?;
        }
    }
    report.counts.insert("embedded".to_owned(), embedded);
    report.message = format!("memories embedded: {embedded}");
    Ok(())
}
