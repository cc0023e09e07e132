//! `tacit maintain`

use std::fs::File;
use std::io::Write;
use std::time::{Duration, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use tacit_engine::{Needs, Shelf};
use tacit_fs::{Hold, Wait};
use tacit_store::Record;

use crate::app::App;
use crate::commands::count;
use crate::error::{CliError, CliResult};
use crate::render::visible;
use tacit_app::records::{capture_ended, drop_old, private_directory, sync};

/// Events in the log of sessions, and what could not be stored, are of no use when they are older.
const KEPT_DAYS: f64 = 90.0;
/// From how many memories on the commonest words are noted.
const MANY_MEMORIES: u64 = 1_000;

/// Do the long work: embed what has no vectors yet, and bring derived files up to date.
///
/// Commands start this in the background when they leave something behind; it can be stopped and
/// started again at any time. If another one is at work, this one waits for it and does what it left.
/// After `embedding.provider` or a model was changed, it embeds
/// everything again and then switches over.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit maintain
  tacit maintain --rebuild      make the index of vectors anew")]
pub(crate) struct Maintain {
    /// Print nothing.
    #[arg(long, short)]
    quiet: bool,
    /// Make derived files anew, even if they look whole.
    #[arg(long)]
    rebuild: bool,
    /// Nobody waits for this one: leave the work to another that is at it.
    #[arg(long, hide = true)]
    background: bool,
}

impl Maintain {
    /// Returns true if nothing should be printed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let mut done = Vec::new();
        if let Some(why) = app.embedder().and_then(|choice| choice.degraded)
            && !self.quiet
            && !app.json
        {
            app.ui.line(format!("{why} Vectors of another model are left as they are."))?;
        }
        for shelf in [Shelf::Project, Shelf::Global] {
            if app.places.database(shelf).exists() {
                done.extend(self.one(app, shelf)?.map(|embedded| (shelf, embedded)));
            }
        }
        if self.quiet {
            return Ok(());
        }
        if app.json {
            let values: Vec<Value> = done
                .iter()
                .map(|(shelf, embedded)| json!({"shelf": shelf.as_str(), "embedded": embedded}))
                .collect();
            return Ok(app.ui.json(&json!(values))?);
        }
        for (shelf, embedded) in done {
            let what = count(embedded, "memory", "memories");
            app.ui
                .line(format!("{}: embedded {what}; everything is up to date", shelf.as_str()))?;
        }
        Ok(())
    }

    /// Takes the lock of a shelf, which one process has at a time; none if it is left to another.
    fn lock(&self, app: &App, shelf: Shelf) -> CliResult<Option<File>> {
        let path = app.places.maintenance_lock(shelf);
        let fail = |error: std::io::Error| {
            CliError::cannot("use", &path)(error)
                .hint("check the permissions of the file and its directory")
        };
        let lock = tacit_fs::append(&path).map_err(fail)?;
        if !tacit_fs::lock(&lock, Hold::Alone, Wait::NONE).map_err(fail)? {
            if self.background {
                return Ok(None);
            }
            if !self.quiet {
                let shelf = shelf.as_str();
                let waits = "another `tacit maintain` is at work; waiting for it";
                writeln!(std::io::stderr(), "{shelf}: {waits}")?;
            }
            tacit_fs::lock(&lock, Hold::Alone, Wait::Forever).map_err(fail)?;
        }
        Ok(Some(lock))
    }

    /// Removes requests and events that could not be understood, once nobody will look any more.
    fn drop_set_aside(&self, app: &App, shelf: Shelf) {
        let then = app.now().plus_days(-KEPT_DAYS).as_millis();
        let before = UNIX_EPOCH + Duration::from_millis(u64::try_from(then).unwrap_or(0));
        app.places.spool(shelf).drop_set_aside(before);
        if shelf == Shelf::Project {
            app.places.events().drop_set_aside(before);
        }
    }

    /// Maintains one shelf; none if another process does.
    fn one(&self, app: &App, shelf: Shelf) -> CliResult<Option<usize>> {
        let Some(_lock) = self.lock(app, shelf)? else { return Ok(None) };
        let mut engine = app.engine_with_meaning(Needs::Write(shelf))?;
        self.drop_set_aside(app, shelf);
        if shelf == Shelf::Project {
            // Events that wait beside the store.
            engine.record(Record::default())?;
            engine.drop_events(app.now().plus_days(-KEPT_DAYS))?;
            if engine.observes() {
                engine.observe_pending()?;
            }
            // Files that cannot be used keep nothing else from being done.
            let records = capture_ended(app, &mut engine).and_then(|_| sync(app, false));
            if let Err(error) = records
                && !self.quiet
            {
                writeln!(std::io::stderr(), "records: {}", visible(&error.message))?;
            }
            drop_old(&private_directory(app), app.now());
            // Only now: nothing that sessions are compared with is worth a model.
            engine = app.with_generator(engine);
            engine.settle_reflexions()?;
            engine.capture_work_states()?;
        }
        if shelf == Shelf::Project {
            // A graph that nobody asked for is not kept up to date.
            tacit_app::graph::refresh_known(app, self.rebuild);
            // A repository that cannot be read keeps nothing else from being done.
            let read = tacit_app::cochange::learn(app, &mut engine, self.rebuild)
                .and_then(|()| tacit_app::code::follow(app, &mut engine, self.rebuild));
            if let Err(error) = read
                && !self.quiet
            {
                writeln!(std::io::stderr(), "history: {}", visible(&error.message))?;
            }
            let linked = tacit_app::code::link(app, &mut engine);
            if let Err(error) = linked.and_then(|_| tacit_app::scan::refresh(app))
                && !self.quiet
            {
                writeln!(std::io::stderr(), "code: {}", visible(&error.message))?;
            }
        }
        if self.rebuild {
            engine.rebuild_vectors(shelf)?;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if self.quiet || !app.terminal.stderr_is_terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} embedded, {eta} left")
        {
            bar.set_style(style);
        }
        let embedded = engine.embed_pending(shelf, usize::MAX, &mut |done, waiting| {
            bar.set_length(done + waiting);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        engine.complete_rows(shelf)?;
        engine.note_common_terms(shelf, MANY_MEMORIES)?;
        Ok(Some(embedded))
    }
}
