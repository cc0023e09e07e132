//! The steps of `tacit maintain`. Steps are independent: one that fails or panics is logged, listed
//! until it succeeds, and does not stop the others.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use tacit_engine::{Engine, FailedStep, StoreAccess, StoreScope};
use tacit_fs::{LockMode, Wait, failpoint};
use tacit_store::ActivityBatch;

use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::{AppError, AppResult};
use crate::files::sync;
use crate::hook::log;
use crate::records::{capture_ended, private_directory, remove_old_files};
use crate::review::{note_waiting, review_queue};
use crate::{cochange, code, graph, panics, scan};

/// The age at which session events and quarantined files are deleted, in days.
const MAX_AGE_DAYS: f64 = 90.0;
/// The number of memories from which on the most common words are noted.
const MANY_MEMORIES: u64 = 1_000;
/// The name of the log beside the store.
const LOG: &str = "maintain.log";
/// The step that all others depend on.
const OPEN: &str = "open the store";

/// A step: its name, as users see it, and its function.
type Step = (&'static str, fn(&mut MaintenanceRun<'_>) -> AppResult<()>);

/// Steps for the project store that learn from sessions.
const SESSIONS: &[Step] = &[
    ("record waiting events", record_events),
    // Before learning, which may take long: the session that started this may be about to ask.
    ("index files", |work| sync(work.app, false).map(drop)),
    ("drop old events", drop_old_events),
    ("learn from sessions", learn),
    ("capture records", capture_records),
];

/// Steps for the project store about work and code.
const PROJECT: &[Step] = &[
    ("note reflexions", |work| Ok(work.engine.promote_passed_reflexions().map(drop)?)),
    ("note work states", note_work_states),
    // A project without a graph does not get one here.
    ("refresh the code graph", |work| graph::refresh_existing(work.app, work.rebuild)),
    ("read the history", |work| {
        cochange::store_co_changes(work.app, &mut work.engine, work.rebuild)
    }),
    ("follow renamed files", |work| code::follow_renames(work.app, &mut work.engine, work.rebuild)),
    ("compare with the code", |work| code::link_memories(work.app, &mut work.engine).map(drop)),
    ("refresh module cards", |work| scan::refresh_cards(work.app)),
    ("write cues", |work| Ok(work.engine.write_missing_cues().map(drop)?)),
    ("count what waits for review", |work| {
        let queue = review_queue(&work.engine, work.app.now())?;
        Ok(note_waiting(&work.app.places, &queue)?)
    }),
];

/// Steps for each store.
const STORE: &[Step] = &[
    ("drop what was set aside", drop_set_aside),
    ("rebuild vectors", rebuild_vectors),
    ("embed", embed),
    ("complete rows", |work| Ok(work.engine.upgrade_rows(work.scope)?)),
    ("note common words", |work| Ok(work.engine.cache_common_terms(work.scope, MANY_MEMORIES)?)),
];

/// The options of a maintenance run.
pub struct MaintenanceRequest<'r> {
    /// Rebuild derived files even if they look intact.
    pub rebuild: bool,
    /// Called if another process maintains the same store. If it returns false, the work is left to
    /// that process.
    pub wait: &'r mut dyn FnMut() -> AppResult<bool>,
}

/// The result of maintaining a store.
#[derive(Default)]
pub struct MaintenanceReport {
    /// The number of memories that were embedded.
    pub embedded: usize,
    /// The steps that failed, in order.
    pub failed: Vec<(&'static str, AppError)>,
}

/// The state that steps share.
struct MaintenanceRun<'a> {
    app: &'a App,
    scope: StoreScope,
    engine: Engine<'a>,
    rebuild: bool,
    embedded: usize,
}

/// Maintains a store. Returns `None` if the work is left to another process.
pub fn maintain(
    app: &App,
    scope: StoreScope,
    request: &mut MaintenanceRequest<'_>,
) -> AppResult<Option<MaintenanceReport>> {
    let mut failures = FailureLog::read(app, scope);
    let opened = lock(app, scope, request.wait).and_then(|lock| {
        let Some(lock) = lock else { return Ok(None) };
        // Maintenance runs unasked, so the history credits its changes to Tacit.
        Ok(Some((lock, app.engine_with_embedder(StoreAccess::Write(scope))?.as_tacit())))
    });
    let (_lock, engine) = match opened {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(None),
        Err(error) => {
            failures.note(OPEN, Err(error));
            return failures.close().map(Some);
        }
    };
    failures.note(OPEN, Ok(()));
    let mut work = MaintenanceRun { app, scope, engine, rebuild: request.rebuild, embedded: 0 };
    if scope == StoreScope::Project {
        work.engine = app.with_generator(work.engine);
        work.run(SESSIONS, &mut failures);
        work.run(PROJECT, &mut failures);
    }
    work.run(STORE, &mut failures);
    let embedded = work.embedded;
    Ok(Some(MaintenanceReport { embedded, ..failures.close()? }))
}

impl MaintenanceRun<'_> {
    fn run(&mut self, steps: &[Step], failures: &mut FailureLog<'_>) {
        for (name, step) in steps {
            let done = panics::catch(|| {
                failpoint::reach("maintain", name);
                step(self)
            });
            failures.note(name, done.unwrap_or_else(|fault| Err(fault.into())));
        }
    }
}

/// Takes the maintenance lock of a store; `None` if the work is left to another process.
fn lock(
    app: &App,
    scope: StoreScope,
    wait: &mut dyn FnMut() -> AppResult<bool>,
) -> AppResult<Option<File>> {
    let path = app.places.maintenance_lock(scope);
    let fail = |error: std::io::Error| {
        AppError::cannot("use", &path)(error)
            .hint("check the permissions of the file and its directory")
    };
    let lock = tacit_fs::append(&path).map_err(fail)?;
    if !tacit_fs::lock(&lock, LockMode::Exclusive, Wait::NONE).map_err(fail)? {
        if !wait()? {
            return Ok(None);
        }
        tacit_fs::lock(&lock, LockMode::Exclusive, Wait::Forever).map_err(fail)?;
    }
    Ok(Some(lock))
}

/// Records the events saved beside the store, and checks that their folder is readable.
fn record_events(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    work.engine.record(ActivityBatch::default())?;
    Ok(work.app.places.event_spool().entries().map(drop)?)
}

/// Deletes old events, and old excerpts and drafts of records.
fn drop_old_events(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    work.engine.delete_events(work.app.now().plus_days(-MAX_AGE_DAYS))?;
    remove_old_files(&private_directory(work.app), work.app.now());
    Ok(())
}

fn learn(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    if work.engine.observer_enabled() {
        work.engine.observe_pending()?;
    }
    Ok(())
}

/// Writes records of ended sessions, and indexes them.
fn capture_records(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    if capture_ended(work.app, &mut work.engine)? > 0 {
        sync(work.app, false)?;
    }
    Ok(())
}

fn note_work_states(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    if work.engine.observer_enabled() {
        work.engine.capture_work_states()?;
    }
    Ok(())
}

/// Deletes old quarantined requests and events.
fn drop_set_aside(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    let oldest = work.app.now().plus_days(-MAX_AGE_DAYS).as_millis();
    let before = UNIX_EPOCH + Duration::from_millis(u64::try_from(oldest).unwrap_or(0));
    let places = &work.app.places;
    places.spool(work.scope).delete_quarantined(before);
    if work.scope == StoreScope::Project {
        places.event_spool().delete_quarantined(before);
    }
    Ok(())
}

fn rebuild_vectors(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    if work.rebuild {
        work.engine.rebuild_vectors(work.scope)?;
    }
    Ok(())
}

fn embed(work: &mut MaintenanceRun<'_>) -> AppResult<()> {
    let watcher = &work.app.watcher;
    let mut progress =
        |done: u64, waiting: u64| watcher.progress(ProgressKind::Vectors, done, done + waiting);
    work.embedded = work.engine.embed_pending(work.scope, usize::MAX, &mut progress)?;
    Ok(())
}

/// The steps that failed, in this run and before.
struct FailureLog<'a> {
    app: &'a App,
    scope: StoreScope,
    /// All failed steps, as saved beside the store.
    saved: Vec<FailedStep>,
    /// The failed steps of this run.
    failed: Vec<(&'static str, AppError)>,
    /// The error if the list could not be saved.
    save_error: Option<AppError>,
}

impl FailureLog<'_> {
    fn read(app: &App, scope: StoreScope) -> FailureLog<'_> {
        // Every step runs again, so a list that cannot be read may be replaced.
        let mut saved = app.places.failed_steps(scope).unwrap_or_default();
        let names = [SESSIONS, PROJECT, STORE].into_iter().flatten().map(|(name, _)| *name);
        let names: Vec<&str> = names.chain([OPEN]).collect();
        saved.retain(|failed| names.contains(&failed.step.as_str()));
        FailureLog { app, scope, saved, failed: Vec::new(), save_error: None }
    }

    /// Saves the result of a step at once: the process may die during the next one.
    fn note(&mut self, step: &'static str, done: AppResult<()>) {
        let before = self.saved.len();
        self.saved.retain(|failed| failed.step != step);
        if let Err(error) = done {
            let directory = self.app.places.directory(self.scope);
            log::append(directory, LOG, self.app.now(), &format!("{step}: {}", error.message));
            self.saved.push(FailedStep {
                step: step.to_owned(),
                at: self.app.now(),
                error: log::one_line(&error.message),
            });
            self.failed.push((step, error));
        } else if self.saved.len() == before {
            return;
        }
        if let Err(error) = self.app.places.keep_failed_steps(self.scope, &self.saved) {
            self.save_error = Some(error.into());
        }
    }

    fn close(self) -> AppResult<MaintenanceReport> {
        match self.save_error {
            // A failed step matters more than the list of them.
            Some(error) if self.failed.is_empty() => Err(error),
            _ => Ok(MaintenanceReport { embedded: 0, failed: self.failed }),
        }
    }
}
