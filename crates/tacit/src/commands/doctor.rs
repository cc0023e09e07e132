//! `tacit doctor`

mod permissions;
mod quick;
mod upkeep;

use std::io::Write;

use tacit_app::{AppError, AppResult};
use tacit_core::visible_line;
use tacit_engine::{Engine, EngineError, StoreAccess, StoreScope};
use tacit_store::StoreError;

use crate::app::CliApp;
use crate::checks::{self, DoctorFinding, State};
use crate::commands::{count, lost, of, pending, unindexed, unreadable};
use crate::ui::Tone;

/// Find problems and fix them.
///
/// Checks the configuration, the permissions of every file, the spool, every page of the databases
/// and their backups, every row about sessions, missing vectors, the clock, whether maintenance
/// succeeds, the hooks of each agent client, and your methodologies. With `--fix`, repairs what it can: it
/// copies everything readable to a new database, verifies it and replaces the damaged one, which
/// stays beside it until you remove it. If that fails, the damaged one stays in place, unchanged.
/// Rows about sessions that cannot be read are moved to `quarantine.jsonl` beside the database. It
/// waits for background maintenance and other commands.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit doctor
  tacit doctor --fix
  tacit doctor --quick || tacit doctor     in a script")]
pub(crate) struct DoctorArgs {
    /// Fix what can be fixed.
    #[arg(long)]
    fix: bool,
    /// Check the stores alone, without reading every page; the exit code is 1 if something is wrong.
    #[arg(long, conflicts_with = "fix")]
    quick: bool,
}

impl DoctorArgs {
    /// Returns true if only the stores are checked.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.quick {
            return quick::check(app);
        }
        let what = "configuration".to_owned();
        let mut findings = vec![match &app.config_problem {
            None => DoctorFinding {
                what,
                state: State::Fine,
                note: "every key and value is known".into(),
            },
            Some(problem) => {
                let problem = problem.message.lines().next().unwrap_or_default();
                DoctorFinding {
                    what,
                    state: State::Wrong,
                    note: format!("{problem}; correct it there"),
                }
            }
        }];
        findings.extend(super::config::old_names(app, self.fix));
        findings.push(checks::store(app));
        for scope in [StoreScope::Project, StoreScope::Global] {
            let blocked = scope == StoreScope::Project && app.obstacle.is_some();
            if app.places.database(scope).exists() && !blocked {
                findings.push(permissions::check(app, scope, self.fix));
                findings.push(self.database(app, scope)?);
                findings.push(self.spool(app, scope));
                findings.extend(events(app, scope));
                findings.extend(checks::damaged(app, scope));
                findings.extend(checks::quarantined(app, scope));
                findings.extend(checks::maintenance(app, scope));
                findings.extend(checks::last_run(app, scope, true));
                findings.extend(upkeep::check(app, scope));
            }
        }
        findings.extend(checks::surroundings(app, self.fix));
        report(app, &findings)
    }

    /// Reads every page and every row.
    fn database(&self, app: &CliApp, scope: StoreScope) -> AppResult<DoctorFinding> {
        let what = format!("{} database", scope.as_str());
        let found = |state, note: String| DoctorFinding { what: what.clone(), state, note };
        // Stop maintenance first: a database that is being written to looks busy, not damaged.
        let mut waiting = |whom: &str| say_waiting(scope, whom);
        let maintenance =
            self.fix.then(|| app.places.stop_maintenance(scope, app.config(), &mut waiting));
        let _maintenance = match maintenance {
            Some(Err(error)) if error.is_busy() => return Err(error.into()),
            // If no lock can be made, no other process can maintain the store either.
            other => other.and_then(Result::ok),
        };
        let health =
            match app.engine(StoreAccess::Read(scope)).map_err(Trouble::from).and_then(|engine| {
                engine.health(scope, true).map_err(|error| Trouble::from(AppError::from(error)))
            }) {
                Ok(health) => health,
                Err(Trouble::Other(note)) if !self.fix => {
                    let note = format!("{note}; `tacit doctor --fix` saves what can be read");
                    return Ok(found(State::Wrong, note));
                }
                Err(Trouble::Final(note)) => return Ok(found(State::Wrong, note)),
                Err(Trouble::Other(_)) => return self.repair(app, scope),
            };
        if !health.check.problems.is_empty() {
            if self.fix {
                return self.repair(app, scope);
            }
            let note = format!(
                "{}; `tacit doctor --fix` saves what can be read",
                health.check.problems.join("; ")
            );
            return Ok(found(State::Wrong, note));
        }
        if !health.check.unreadable.is_empty() {
            let note = unreadable(&health.check.unreadable);
            let file = app.places.quarantine(scope);
            if !self.fix {
                let note =
                    format!("{note}; `tacit doctor --fix` moves them to `{}`", file.display());
                return Ok(found(State::Wrong, note));
            }
            let moved = app.engine(StoreAccess::Write(scope))?.quarantine(scope)?;
            let moved = format!("moved {} to `{}`", of(moved, "row", "rows"), file.display());
            return Ok(found(State::Mended, format!("{note}; {moved}")));
        }
        if let Some(losses) = &health.lost_writes {
            let note = lost(losses);
            if !self.fix {
                let note = format!(
                    "{note}; store them again if you know them, then run `tacit doctor --fix` \
                     to acknowledge the loss"
                );
                return Ok(found(State::Wrong, note));
            }
            app.places.acknowledge_lost_writes(scope)?;
            return Ok(found(State::Mended, format!("acknowledged: {note}")));
        }
        if health.pending_purges > 0 {
            return Ok(found(State::Wrong, pending(&health)));
        }
        if health.check.unindexed > 0 {
            if !self.fix {
                let note = unindexed(health.check.unindexed) + "; `tacit doctor --fix` does it";
                return Ok(found(State::Wrong, note));
            }
            let indexed = app.engine(StoreAccess::Write(scope))?.reindex(scope)?;
            let what = count(indexed, "memory", "memories");
            return Ok(found(State::Mended, format!("indexed {what} again")));
        }
        if health.check.without_vectors > 0 {
            let memories = of(health.check.without_vectors, "memory", "memories");
            let note = format!("{memories} without vectors, found by words alone");
            if !self.fix {
                let note = format!("{note}; `tacit doctor --fix` has them embedded");
                return Ok(found(State::Wrong, note));
            }
            app.engine(StoreAccess::Write(scope))?.queue_missing_vectors(scope)?;
            let note = format!("{note}; `tacit maintain` embeds them now");
            return Ok(found(State::Mended, note));
        }
        Ok(found(State::Fine, "every page and every memory can be read".into()))
    }

    fn repair(&self, app: &CliApp, scope: StoreScope) -> AppResult<DoctorFinding> {
        let mut waiting = |whom: &str| say_waiting(scope, whom);
        let repair = Engine::repair(
            &app.places,
            scope,
            app.config(),
            app.environment.clock.as_ref(),
            app.environment.ids.as_ref(),
            app.actor(),
            &mut waiting,
        )?;
        let mut note = format!(
            "saved {}, {} more from the history, and {} of history, sessions and vectors",
            count(repair.intact, "memory", "memories"),
            repair.from_history,
            count(repair.rows, "row", "rows"),
        );
        if repair.unreadable > 0 {
            let rows = count(repair.unreadable, "row", "rows");
            note.push_str(&format!("; {rows} could not be read"));
        }
        note.push_str(&format!("; the damaged file is `{}`", repair.damaged_copy.display()));
        let saved = (repair.intact + repair.from_history) as u64;
        note.extend(upkeep::better_backup(app, scope, saved));
        Ok(DoctorFinding {
            what: format!("{} database", scope.as_str()),
            state: State::Mended,
            note,
        })
    }

    fn spool(&self, app: &CliApp, scope: StoreScope) -> DoctorFinding {
        let spool = app.places.spool(scope);
        let what = format!("{} spool", scope.as_str());
        // What waits for the server of a team is told with the team.
        let for_team = scope == StoreScope::Project && app.places.is_in_team();
        let waiting = if for_team { 0 } else { spool.len().unwrap_or(0) };
        let (state, note) = match (waiting, spool.quarantined_count()) {
            (0, 0) => (State::Fine, "empty".to_owned()),
            (waiting, 0) => (State::Wrong, super::waiting(waiting)),
            (_, aside) => {
                let path = app.places.directory(scope).join("spool");
                let note = format!("{}; see `{}`", super::set_aside(aside), path.display());
                (State::Wrong, note)
            }
        };
        DoctorFinding { what, state, note }
    }
}

/// Reports events that could not be read. `tacit maintain` removes them after 90 days.
fn events(app: &CliApp, scope: StoreScope) -> Option<DoctorFinding> {
    let aside = app.places.event_spool().quarantined_count();
    let path = app.places.directory(scope).join("events");
    (scope == StoreScope::Project && aside > 0).then(|| {
        let note = format!(
            "{}; look at `{}` and remove what you do not need",
            super::set_aside_events(aside),
            path.display()
        );
        DoctorFinding::new("project events", State::Wrong, note)
    })
}

/// Prints what a repair waits for, so that it does not look hung.
fn say_waiting(scope: StoreScope, whom: &str) {
    // The repair waits even if the message cannot be printed.
    let _ = writeln!(std::io::stderr(), "{}: waiting for {whom}", scope.as_str());
}

/// The reason why a database cannot be checked.
enum Trouble {
    /// A repair may help.
    Other(String),
    /// A repair would not help.
    Final(String),
}

impl From<AppError> for Trouble {
    fn from(error: AppError) -> Trouble {
        match error.cause {
            Some(EngineError::Store(StoreError::Damaged { .. }) | EngineError::Vectors(_)) => {
                Trouble::Other(error.message)
            }
            _ => Trouble::Final(error.message),
        }
    }
}

fn report(app: &CliApp, findings: &[DoctorFinding]) -> AppResult<()> {
    if app.json {
        let mut value = checks::to_json(findings);
        value["maintenance"] = checks::runs_to_json(app);
        app.ui.json(&value)?;
    } else {
        for finding in findings {
            let tone = if finding.state == State::Wrong { Tone::Warn } else { Tone::Good };
            let state = app.ui.paint(tone, &format!("{:<6}", finding.state.as_str()));
            let note = visible_line(&finding.note);
            app.ui.line(format!("{state} {:<20} {note}", finding.what))?;
        }
    }
    app.ui.flush()?;
    if checks::is_well(findings) { Ok(()) } else { Err(AppError::already_printed()) }
}
