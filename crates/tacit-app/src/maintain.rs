//! The long work of `tacit maintain`: a list of steps, each on its own. One that fails or panics
//! keeps no other from being done; it is logged, and kept until it succeeds.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use tacit_engine::{Engine, FailedStep, Needs, Shelf};
use tacit_fs::{Hold, Wait, failpoint};
use tacit_store::Record;

use crate::app::App;
use crate::environment::Work as Watched;
use crate::error::{AppError, AppResult};
use crate::hook::log;
use crate::records::{capture_ended, drop_old, private_directory, sync};
use crate::{cochange, code, graph, panics, scan};

/// Events in the log of sessions, and what could not be stored, are of no use when they are older.
const KEPT_DAYS: f64 = 90.0;
/// From how many memories on the commonest words are noted.
const MANY_MEMORIES: u64 = 1_000;
/// The name of the log beside the store.
const LOG: &str = "maintain.log";
/// The step without which no other can be done.
const OPEN: &str = "open the store";

/// A step: its name, as users read it, and what it does.
type Step = (&'static str, fn(&mut Work<'_>) -> AppResult<()>);

/// Steps for the project's memory that need no generated text: nothing that sessions are compared
/// with is worth a model.
const SESSIONS: &[Step] = &[
    ("record waiting events", record_events),
    ("drop old events", drop_old_events),
    ("learn from sessions", learn),
    ("capture records", |work| capture_ended(work.app, &mut work.engine).map(drop)),
    ("index records", |work| sync(work.app, false).map(drop)),
];

/// Steps for the project's memory that may have text generated, and those about its code.
const PROJECT: &[Step] = &[
    ("note reflexions", |work| Ok(work.engine.settle_reflexions().map(drop)?)),
    ("note work states", |work| Ok(work.engine.capture_work_states().map(drop)?)),
    // A graph that nobody asked for is not kept up to date.
    ("refresh the code graph", |work| graph::refresh_known(work.app, work.rebuild)),
    ("read the history", |work| cochange::learn(work.app, &mut work.engine, work.rebuild)),
    ("follow renamed files", |work| code::follow(work.app, &mut work.engine, work.rebuild)),
    ("compare with the code", |work| code::link(work.app, &mut work.engine).map(drop)),
    ("refresh module cards", |work| scan::refresh(work.app)),
];

/// Steps for every shelf.
const SHELF: &[Step] = &[
    ("drop what was set aside", drop_set_aside),
    ("rebuild vectors", rebuild_vectors),
    ("embed", embed),
    ("complete rows", |work| Ok(work.engine.complete_rows(work.shelf)?)),
    ("note common words", |work| Ok(work.engine.note_common_terms(work.shelf, MANY_MEMORIES)?)),
];

/// A request to maintain a shelf.
pub struct Request<'r> {
    /// Make derived files anew, even if they look whole.
    pub rebuild: bool,
    /// Called if another process maintains the shelf. If it returns false, the work is left to that
    /// process.
    pub wait: &'r mut dyn FnMut() -> AppResult<bool>,
}

/// The result of maintaining a shelf.
#[derive(Default)]
pub struct Maintained {
    /// Number of memories that got vectors.
    pub embedded: usize,
    /// The steps that failed, in order.
    pub failed: Vec<(&'static str, AppError)>,
}

/// The state that steps share.
struct Work<'a> {
    app: &'a App,
    shelf: Shelf,
    engine: Engine<'a>,
    rebuild: bool,
    embedded: usize,
}

/// Maintains a shelf. Returns `None` if another process does.
pub fn maintain(
    app: &App,
    shelf: Shelf,
    request: &mut Request<'_>,
) -> AppResult<Option<Maintained>> {
    let mut ledger = Ledger::read(app, shelf);
    let opened = lock(app, shelf, request.wait).and_then(|lock| {
        let Some(lock) = lock else { return Ok(None) };
        // Nobody asked for what it does: the history credits it to Tacit.
        Ok(Some((lock, app.engine_with_meaning(Needs::Write(shelf))?.unasked())))
    });
    let (_lock, engine) = match opened {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(None),
        Err(error) => {
            ledger.note(OPEN, Err(error));
            return ledger.close().map(Some);
        }
    };
    ledger.note(OPEN, Ok(()));
    let mut work = Work { app, shelf, engine, rebuild: request.rebuild, embedded: 0 };
    if shelf == Shelf::Project {
        work.run(SESSIONS, &mut ledger);
        work.engine = app.with_generator(work.engine);
        work.run(PROJECT, &mut ledger);
    }
    work.run(SHELF, &mut ledger);
    let embedded = work.embedded;
    Ok(Some(Maintained { embedded, ..ledger.close()? }))
}

impl Work<'_> {
    fn run(&mut self, steps: &[Step], ledger: &mut Ledger<'_>) {
        for (name, step) in steps {
            let done = panics::caught(|| {
                failpoint::reach("maintain", name);
                step(self)
            });
            ledger.note(name, done.unwrap_or_else(|fault| Err(fault.into())));
        }
    }
}

/// Takes the lock of a shelf, which one process has at a time; none if it is left to another.
fn lock(
    app: &App,
    shelf: Shelf,
    wait: &mut dyn FnMut() -> AppResult<bool>,
) -> AppResult<Option<File>> {
    let path = app.places.maintenance_lock(shelf);
    let fail = |error: std::io::Error| {
        AppError::cannot("use", &path)(error)
            .hint("check the permissions of the file and its directory")
    };
    let lock = tacit_fs::append(&path).map_err(fail)?;
    if !tacit_fs::lock(&lock, Hold::Alone, Wait::NONE).map_err(fail)? {
        if !wait()? {
            return Ok(None);
        }
        tacit_fs::lock(&lock, Hold::Alone, Wait::Forever).map_err(fail)?;
    }
    Ok(Some(lock))
}

/// Records the events that wait beside the store, and makes sure that they can be looked at.
fn record_events(work: &mut Work<'_>) -> AppResult<()> {
    work.engine.record(Record::default())?;
    Ok(work.app.places.events().entries().map(drop)?)
}

/// Also what was kept of sessions for records.
fn drop_old_events(work: &mut Work<'_>) -> AppResult<()> {
    work.engine.drop_events(work.app.now().plus_days(-KEPT_DAYS))?;
    drop_old(&private_directory(work.app), work.app.now());
    Ok(())
}

fn learn(work: &mut Work<'_>) -> AppResult<()> {
    if work.engine.observes() {
        work.engine.observe_pending()?;
    }
    Ok(())
}

/// Removes requests and events that could not be understood, once nobody will look any more.
fn drop_set_aside(work: &mut Work<'_>) -> AppResult<()> {
    let then = work.app.now().plus_days(-KEPT_DAYS).as_millis();
    let before = UNIX_EPOCH + Duration::from_millis(u64::try_from(then).unwrap_or(0));
    let places = &work.app.places;
    places.spool(work.shelf).drop_set_aside(before);
    if work.shelf == Shelf::Project {
        places.events().drop_set_aside(before);
    }
    Ok(())
}

fn rebuild_vectors(work: &mut Work<'_>) -> AppResult<()> {
    if work.rebuild {
        work.engine.rebuild_vectors(work.shelf)?;
    }
    Ok(())
}

fn embed(work: &mut Work<'_>) -> AppResult<()> {
    let watcher = &work.app.watcher;
    let mut progress =
        |done: u64, waiting: u64| watcher.progress(Watched::Vectors, done, done + waiting);
    work.embedded = work.engine.embed_pending(work.shelf, usize::MAX, &mut progress)?;
    Ok(())
}

/// The steps that failed, now and before.
struct Ledger<'a> {
    app: &'a App,
    shelf: Shelf,
    /// As it is kept beside the store.
    kept: Vec<FailedStep>,
    /// Of this run.
    failed: Vec<(&'static str, AppError)>,
    /// Set if what failed could not be kept.
    unkept: Option<AppError>,
}

impl Ledger<'_> {
    fn read(app: &App, shelf: Shelf) -> Ledger<'_> {
        // All steps are run: what cannot be read is written anew.
        let mut kept = app.places.failed_steps(shelf).unwrap_or_default();
        let names = [SESSIONS, PROJECT, SHELF].into_iter().flatten().map(|(name, _)| *name);
        let names: Vec<&str> = names.chain([OPEN]).collect();
        kept.retain(|failed| names.contains(&failed.step.as_str()));
        Ledger { app, shelf, kept, failed: Vec::new(), unkept: None }
    }

    /// Notes the result of a step at once: the next one may be the end of this process.
    fn note(&mut self, step: &'static str, done: AppResult<()>) {
        let before = self.kept.len();
        self.kept.retain(|failed| failed.step != step);
        if let Err(error) = done {
            let directory = self.app.places.directory(self.shelf);
            log::append(directory, LOG, self.app.now(), &format!("{step}: {}", error.message));
            self.kept.push(FailedStep {
                step: step.to_owned(),
                at: self.app.now(),
                error: log::one_line(&error.message),
            });
            self.failed.push((step, error));
        } else if self.kept.len() == before {
            return;
        }
        if let Err(error) = self.app.places.keep_failed_steps(self.shelf, &self.kept) {
            self.unkept = Some(error.into());
        }
    }

    fn close(self) -> AppResult<Maintained> {
        match self.unkept {
            // With a step that failed, that is what matters more.
            Some(error) if self.failed.is_empty() => Err(error),
            _ => Ok(Maintained { embedded: 0, failed: self.failed }),
        }
    }
}
