//! The steps of `tacit maintain`. Steps are independent: one that fails or panics is logged, listed
//! until it succeeds, and does not stop the others. Each is reported with its time and what it
//! changed; a run that was killed is continued with the steps that were not done.

use std::fs::File;
use std::time::{Duration, Instant, UNIX_EPOCH};

use tacit_engine::{
    Engine, FailedStep, PlannedConfidence, PlannedLife, RunReport, StepReport, StoreAccess,
    StoreScope,
};
use tacit_fs::{LockMode, Wait, failpoint};
use tacit_store::{ActivityBatch, TeamRole};

use crate::app::App;
use crate::embed::embed_waiting;
use crate::error::{AppError, AppResult, ErrorCode};
use crate::files::sync;
use crate::hook::log;
use crate::learn::git::{self, LessonOutcome};
use crate::records::{capture_ended, private_directory, remove_old_files};
use crate::review::{note_waiting, review_queue};
use crate::team::{exchange_preferences, may_judge};
use crate::{cochange, code, graph, life, panics, scan};

/// The age at which session events and quarantined files are deleted, in days.
pub(crate) const MAX_AGE_DAYS: f64 = 90.0;
/// The number of memories from which on the most common words are noted.
const MANY_MEMORIES: u64 = 1_000;
/// The age at which a temporary file is taken for that of a dead process, in days.
const UNFINISHED_DAYS: f64 = 1.0;
/// The folders below a store in which temporary files are looked for.
const FOLDERS_DEEP: usize = 3;
/// The name of the log beside the store.
const LOG: &str = "maintain.log";
/// The step that all others depend on.
const OPEN: &str = "open the store";
/// The step that all others but the local ones depend on, in a team.
const REACH: &str = "reach the team's server";
/// The steps that need nothing but this machine.
const LOCAL: [&str; 4] = [
    "record waiting events",
    "drop old events",
    "drop what was set aside",
    "drop unfinished files",
];
/// The steps that readers of a team run beside the local ones: those that change no memory.
const READER: [&str; 7] = [
    "judge what was shown",
    "refresh the code graph",
    "count what waits for review",
    "follow the team",
    "complete rows",
    "note common words",
    "back up",
];
const PRUNE: &str = "prune memories";
/// The steps that compare memories with the checkout. In a team, not every checkout judges.
const JUDGING: [&str; 5] = [
    "learn from git",
    "follow renamed files",
    "find components",
    "compare with the code",
    "refresh module cards",
];

/// The things that a step changed, with their numbers.
type StepCounts = Vec<(&'static str, u64)>;

/// A step: its name, as users see it, and its function.
type Step = (&'static str, fn(&mut MaintenanceRun<'_>) -> AppResult<StepCounts>);

/// Steps for the project store that learn from sessions.
const SESSIONS: &[Step] = &[
    ("record waiting events", record_events),
    // Before learning, which may take long: the session that started this may be about to ask.
    ("index files", |work| {
        let done = sync(work.app, false)?;
        let indexed = done.indexed.len() + done.sections.len() + done.rules.len();
        Ok(counts([("indexed", indexed), ("removed", done.removed.len())]))
    }),
    ("drop old events", drop_old_events),
    ("learn from sessions", learn),
    // After learning, which may have replaced what was shown; also if nothing is learnt, because
    // memories that people wrote are judged too.
    ("judge what was shown", |work| Ok(counts([("fates", work.engine.judge_pending()?)]))),
    ("capture records", capture_records),
];

/// Steps for the project store about work and code.
const PROJECT: &[Step] = &[
    ("note reflexions", |work| {
        Ok(counts([("reflexions", work.engine.promote_passed_reflexions()?)]))
    }),
    ("note work states", note_work_states),
    // A project without a graph does not get one here.
    ("refresh the code graph", |work| {
        graph::refresh_existing(work.app, work.rebuild).map(|()| Vec::new())
    }),
    ("read the history", |work| {
        cochange::store_co_changes(work.app, &mut work.engine, work.rebuild).map(|()| Vec::new())
    }),
    ("learn from git", |work| {
        let learnt = git::keep_current(work.app, &mut work.engine, work.rebuild)?;
        let counted = |outcome| learnt.as_ref().map_or(0, |learnt| learnt.count(outcome));
        Ok(counts([
            ("learnt", counted(LessonOutcome::New)),
            ("changed", counted(LessonOutcome::Changed)),
            ("retired", counted(LessonOutcome::Retired)),
        ]))
    }),
    ("follow renamed files", |work| {
        let renamed = code::follow_renames(work.app, &mut work.engine, work.rebuild)?;
        Ok(counts([("renamed", renamed)]))
    }),
    ("find components", |work| {
        Ok(counts([("components", code::link_components(work.app, &mut work.engine)?)]))
    }),
    // After renames, so that a renamed file is not missing; before symbols, so that the symbols of
    // a missing file are not looked for.
    (PRUNE, prune),
    ("compare with the code", |work| {
        let linking = code::link_memories(work.app, &mut work.engine)?;
        let (linked, stale) = (linking.linked, linking.stale.len());
        Ok(counts([("linked", linked), ("stale", stale), ("fresh", linking.restored.len())]))
    }),
    ("refresh module cards", |work| scan::refresh_cards(work.app).map(|()| Vec::new())),
    ("write cues", |work| Ok(counts([("cues", work.engine.write_missing_cues()?)]))),
    ("count what waits for review", |work| {
        let queue = review_queue(&work.engine, work.app.now())?;
        note_waiting(&work.app.places, &queue)?;
        Ok(counts([("waiting", queue.items.len())]))
    }),
];

/// Steps for the global store alone.
const GLOBAL: &[Step] = &[(PRUNE, prune)];

/// Steps for each store.
const STORE: &[Step] = &[
    ("derive confidences", derive_confidences),
    ("drop what was set aside", drop_set_aside),
    ("drop unfinished files", drop_unfinished),
    ("rebuild vectors", rebuild_vectors),
    ("embed", embed),
    // After embedding, so that the copy gets the vectors, too.
    ("follow the team", follow_team),
    ("complete rows", |work| Ok(work.engine.upgrade_rows(work.scope).map(|()| Vec::new())?)),
    ("note common words", |work| {
        work.engine.cache_common_terms(work.scope, MANY_MEMORIES)?;
        Ok(Vec::new())
    }),
    // Last, so that a backup has what the other steps did.
    ("back up", back_up),
];

/// The options of a maintenance run.
pub struct MaintenanceRequest<'r> {
    /// Rebuild derived files even if they look intact.
    pub rebuild: bool,
    /// Called if another process maintains the same store. If it returns false, the work is left to
    /// that process.
    pub wait: &'r mut dyn FnMut() -> AppResult<bool>,
    /// Returns true once the run should end at the next step. The next run continues with the steps that are left.
    pub is_cancelled: &'r dyn Fn() -> bool,
}

/// The result of maintaining a store.
#[derive(Default)]
pub struct MaintenanceReport {
    /// The number of memories that were embedded.
    pub embedded: usize,
    /// The steps that failed, in order.
    pub failed: Vec<(&'static str, AppError)>,
    /// The steps that were run; `None` if the store could not be opened.
    pub run: Option<RunReport>,
}

/// The state that steps share.
struct MaintenanceRun<'a> {
    app: &'a App,
    scope: StoreScope,
    engine: Engine<'a>,
    rebuild: bool,
    /// True if memories may be compared with the checkout.
    may_judge: bool,
    is_cancelled: &'a dyn Fn() -> bool,
    embedded: usize,
    report: RunReport,
}

/// Maintains a store. Returns `None` if the work is left to another process.
pub fn maintain<'a>(
    app: &'a App,
    scope: StoreScope,
    request: &mut MaintenanceRequest<'a>,
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
    let reached = engine.reach_team();
    let is_reached = reached.is_ok();
    let role = engine.membership()?.map(|membership| membership.role);
    let only_reads =
        scope == StoreScope::Project && role.is_some_and(|role| role < TeamRole::Contributor);
    failures.note(REACH, reached.map_err(AppError::from));
    // Nobody else runs, so a run that did not end was killed.
    let killed = app.places.last_run(scope).filter(RunReport::is_interrupted);
    let mut report = RunReport::begin(app.now());
    report.steps.extend(killed.iter().flat_map(|killed| &killed.steps).cloned());
    let rebuild = request.rebuild;
    let is_cancelled = request.is_cancelled;
    let mut work = MaintenanceRun {
        app,
        scope,
        engine,
        rebuild,
        may_judge: true,
        is_cancelled,
        embedded: 0,
        report,
    };
    if scope == StoreScope::Project {
        work.engine = app.with_generator(work.engine);
    }
    if scope == StoreScope::Project && is_reached && !only_reads {
        // If this fails, the server has gone, and so will the steps.
        work.may_judge = may_judge(app, &mut work.engine).unwrap_or(false);
    }
    work.save_report();
    for step in in_order(scope, killed.as_ref()) {
        let may_run = is_reached
            && (!only_reads || READER.contains(&step.0))
            && (work.may_judge || !JUDGING.contains(&step.0));
        if is_cancelled() {
            break;
        }
        if may_run || LOCAL.contains(&step.0) {
            work.run(step, &mut failures);
        }
    }
    work.report.finished_at = Some(app.now()).filter(|_| !is_cancelled());
    work.save_report();
    let MaintenanceRun { embedded, report, .. } = work;
    Ok(Some(MaintenanceReport { embedded, run: Some(report), ..failures.close()? }))
}

/// The changes that the next run would make to the memories of a store.
pub struct MaintenancePreview {
    /// The steps in the life of memories.
    pub life: Vec<PlannedLife>,
    /// The confidences that related memories change.
    pub confidences: Vec<PlannedConfidence>,
}

/// Returns the changes that the next run would make to memories, and makes none.
pub fn preview(app: &App, scope: StoreScope) -> AppResult<MaintenancePreview> {
    let engine = app.engine(StoreAccess::Read(scope))?;
    let life = life::plan(app, &engine, scope)?;
    Ok(MaintenancePreview { life, confidences: engine.plan_confidences(scope)? })
}

/// Returns the steps for a store. After a run that was killed, those come first that it had not
/// done. The others follow, because new work may have come since.
fn in_order(scope: StoreScope, killed: Option<&RunReport>) -> Vec<Step> {
    let lists: &[&[Step]] = match scope {
        StoreScope::Project => &[SESSIONS, PROJECT, STORE],
        StoreScope::Global => &[GLOBAL, STORE],
    };
    let steps: Vec<Step> = lists.iter().copied().flatten().copied().collect();
    let is_done = |step: &Step| killed.is_some_and(|killed| killed.has_done(step.0));
    let (done, mut open): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(is_done);
    open.extend(done);
    open
}

/// Returns the numbers that are not zero.
fn counts<const N: usize>(numbers: [(&'static str, usize); N]) -> StepCounts {
    let numbers = numbers.into_iter().filter(|(_, number)| *number > 0);
    numbers.map(|(name, number)| (name, number as u64)).collect()
}

impl MaintenanceRun<'_> {
    fn run(&mut self, (name, step): Step, failures: &mut FailureLog<'_>) {
        let (at, began) = (self.app.now(), Instant::now());
        let done = panics::catch(|| {
            failpoint::reach("maintain", name);
            step(self)
        });
        let done = done.unwrap_or_else(|fault| Err(fault.into()));
        let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let changed = done.as_ref().map(|counts| counts.iter());
        self.report.steps.retain(|earlier| earlier.step != name);
        self.report.steps.push(StepReport {
            step: name.to_owned(),
            at,
            millis,
            counts: changed
                .map(|counts| counts.map(|(name, number)| ((*name).to_owned(), *number)).collect())
                .unwrap_or_default(),
            failed: done.is_err(),
        });
        failures.note(name, done.map(drop));
        self.save_report();
    }

    /// Saves the report at once: the process may die during the next step. Without it, the next run
    /// begins with the first step.
    fn save_report(&self) {
        let _ = self.app.places.keep_run(self.scope, &self.report);
    }
}

/// Takes the maintenance lock of a store; `None` if the work is left to another process.
pub(crate) fn lock(
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
fn record_events(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    work.engine.record(ActivityBatch::default())?;
    Ok(work.app.places.event_spool().entries().map(|_| Vec::new())?)
}

/// Deletes old events, and old excerpts and drafts of records.
fn drop_old_events(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let dropped = work.engine.delete_events(work.app.now().plus_days(-MAX_AGE_DAYS))?;
    remove_old_files(&private_directory(work.app), work.app.now());
    Ok(counts([("events", dropped as usize)]))
}

fn learn(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    if !work.engine.observer_enabled() {
        return Ok(Vec::new());
    }
    let learnt = work.engine.observe_pending()?;
    Ok(counts([("learnt", learnt.stored), ("reinforced", learnt.reinforced)]))
}

/// Marks memories stale and fresh, and retires, archives and purges those whose time has come.
fn prune(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let done = life::advance(work.app, &mut work.engine, work.scope, work.may_judge)?;
    Ok(counts([
        ("stale", done.stale),
        ("fresh", done.refreshed),
        ("retired", done.retired),
        ("archived", done.archived),
        ("purged", done.purged),
    ]))
}

fn derive_confidences(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    Ok(counts([("confidences", work.engine.derive_confidences(work.scope)?)]))
}

/// Writes records of ended sessions, and indexes them.
fn capture_records(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let captured = capture_ended(work.app, &mut work.engine)?;
    if captured > 0 {
        sync(work.app, false)?;
    }
    Ok(counts([("records", captured)]))
}

fn note_work_states(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    if !work.engine.observer_enabled() {
        return Ok(Vec::new());
    }
    Ok(counts([("states", work.engine.capture_work_states()?)]))
}

/// Deletes old quarantined requests and events.
fn drop_set_aside(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let oldest = work.app.now().plus_days(-MAX_AGE_DAYS).as_millis();
    let before = UNIX_EPOCH + Duration::from_millis(u64::try_from(oldest).unwrap_or(0));
    let places = &work.app.places;
    places.spool(work.scope).delete_quarantined(before);
    if work.scope == StoreScope::Project {
        places.event_spool().delete_quarantined(before);
    }
    Ok(Vec::new())
}

/// Deletes temporary files that killed processes left.
fn drop_unfinished(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let oldest = work.app.now().plus_days(-UNFINISHED_DAYS).as_millis();
    let before = UNIX_EPOCH + Duration::from_millis(u64::try_from(oldest).unwrap_or(0));
    let directory = work.app.places.directory(work.scope);
    tacit_fs::remove_abandoned(directory, FOLDERS_DEEP, before);
    Ok(Vec::new())
}

/// Brings this machine's copy of a team's memories up to date. The global store exchanges the user's own
/// memories with the server.
fn follow_team(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    if work.scope == StoreScope::Global {
        let exchanged = match exchange_preferences(work.app) {
            // The maintenance of the project tells that the server is away.
            Err(error) if error.code == ErrorCode::Busy => None,
            exchanged => exchanged?,
        };
        let exchanged = exchanged.unwrap_or_default();
        return Ok(counts([
            ("received", exchanged.received),
            ("given", exchanged.given),
            ("removed", exchanged.removed),
        ]));
    }
    let followed = work.engine.follow_team(&mut |_| ())?;
    Ok(counts([
        ("followed", followed.changed),
        ("removed", followed.removed),
        ("digests", followed.digests),
    ]))
}

fn rebuild_vectors(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    if work.rebuild {
        work.engine.rebuild_vectors(work.scope)?;
    }
    Ok(Vec::new())
}

fn embed(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let MaintenanceRun { app, engine, scope, is_cancelled, .. } = work;
    work.embedded = embed_waiting(app, engine, *scope, is_cancelled)?;
    Ok(counts([("embedded", work.embedded)]))
}

fn back_up(work: &mut MaintenanceRun<'_>) -> AppResult<StepCounts> {
    let app = work.app;
    app.places.back_up(work.scope, app.config(), app.now())?;
    Ok(Vec::new())
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
        let names = [SESSIONS, PROJECT, GLOBAL, STORE].into_iter().flatten().map(|(name, _)| *name);
        let names: Vec<&str> = names.chain([OPEN, REACH]).collect();
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
            _ => Ok(MaintenanceReport { embedded: 0, failed: self.failed, run: None }),
        }
    }
}
