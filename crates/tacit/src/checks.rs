//! Checks of everything around the store: its path, the hooks of clients, ignored settings. Both
//! `tacit status` and `tacit doctor` show them.

pub(crate) mod clients;
mod methodologies;

use serde_json::{Value, json};
use tacit_app::AppError;
use tacit_app::human_time::ago;
use tacit_core::{Timestamp, visible_line};
use tacit_engine::{
    DamagedCopy, FailedStep, StepReport, StoreAccess, StorePaths, StoreScope, damaged_copies,
};
use tacit_store::{ActivityBatch, EventQuery};

use crate::app::CliApp;
use crate::commands::{self, of};
use crate::notices;

/// A finding of one check.
pub(crate) struct DoctorFinding {
    pub(crate) what: String,
    pub(crate) state: State,
    pub(crate) note: String,
}

/// The state of a finding.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum State {
    Fine,
    Wrong,
    Mended,
    /// Fine, but worth knowing.
    Note,
}

impl State {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::Wrong => "wrong",
            State::Mended => "mended",
            State::Note => "note",
        }
    }
}

impl DoctorFinding {
    pub(crate) fn new(what: &str, state: State, note: impl Into<String>) -> DoctorFinding {
        DoctorFinding { what: what.to_owned(), state, note: visible_line(&note.into()) }
    }
}

/// Returns true if no finding is wrong.
pub(crate) fn is_well(findings: &[DoctorFinding]) -> bool {
    findings.iter().all(|finding| finding.state != State::Wrong)
}

/// Renders findings for programs.
pub(crate) fn to_json(findings: &[DoctorFinding]) -> Value {
    let one =
        |f: &DoctorFinding| json!({"what": f.what, "state": f.state.as_str(), "note": f.note});
    let all: Vec<Value> = findings.iter().map(one).collect();
    json!({"healthy": is_well(findings), "findings": all})
}

/// Checks everything around the store: clients, hooks, the inbox, and files in the worktree. With
/// `fix`, brings hooks up to date.
pub(crate) fn surroundings(app: &CliApp, fix: bool) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> = team(app).into_iter().collect();
    findings.extend(clients::check(app, fix));
    findings.extend(clients::other_tools(app));
    findings.extend(last_hook(app));
    findings.extend(files_around(app));
    findings
}

/// Checks the inbox and files in the worktree.
pub(crate) fn files_around(app: &CliApp) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> = inbox(app).into_iter().collect();
    findings.extend(old_store(app));
    findings.extend(ignored_settings(app));
    findings.extend(methodologies::check(app));
    findings
}

/// Returns the path of the store, or the reason why there is none.
pub(crate) fn store(app: &CliApp) -> DoctorFinding {
    let wrong = |note: String| DoctorFinding::new("project store", State::Wrong, note);
    if let Some(obstacle) = &app.obstacle {
        let error = AppError::from(obstacle);
        return wrong(format!("{}; {}", error.message, error.hint.unwrap_or_default()));
    }
    if !app.places.database(StoreScope::Project).exists() {
        return wrong("there is no memory here; run `tacit init`".into());
    }
    let path = app.places.project.display().to_string();
    DoctorFinding::new("project store", State::Fine, path)
}

/// Tells which server the memories of this project are on, and whether it answered last.
pub(crate) fn team(app: &CliApp) -> Option<DoctorFinding> {
    let state = app.places.team_state().filter(|_| app.places.is_in_team())?;
    let spool = app.places.spool(StoreScope::Project);
    let mut waits = match spool.len().unwrap_or_default() {
        0 => String::new(),
        waiting => format!("; {} waiting for delivery", of(waiting as u64, "request", "requests")),
    };
    let refused = spool.refused_count();
    if refused > 0 {
        waits = format!("{waits}; {}", commands::refused(refused));
    }
    let server = &state.server;
    Some(match (&state.failure, state.failed_at) {
        (Some(failure), Some(at)) => {
            let note = format!("{failure} ({}){waits}", ago(at, app.now()));
            DoctorFinding::new("team", State::Note, note)
        }
        _ => {
            let updated = match state.followed_at {
                Some(at) => format!("updated {}", ago(at, app.now())),
                None => "never updated".to_owned(),
            };
            let note = format!("`{server}`, copy {updated}{waits}");
            let level = if refused > 0 { State::Note } else { State::Fine };
            DoctorFinding::new("team", level, note)
        }
    })
}

/// Reports a store of an earlier version that was left in the worktree.
fn old_store(app: &CliApp) -> Option<DoctorFinding> {
    let old = app.places.root.join(".tacit").join(StorePaths::DATABASE);
    let left = app.obstacle.is_none() && app.repository.is_some();
    (left && old.symlink_metadata().is_ok()).then(|| {
        let note = format!("`{}` is not used; remove it if you do not need it", old.display());
        DoctorFinding::new("old store", State::Note, note)
    })
}

/// Lists the settings in the repository's file that are ignored.
fn ignored_settings(app: &CliApp) -> Vec<DoctorFinding> {
    let finding = |problem: &String| {
        let first = problem.lines().next().unwrap_or_default();
        DoctorFinding::new("shared settings", State::Note, format!("ignored: {first}"))
    };
    app.loaded.ignored.iter().map(finding).collect()
}

/// Counts the requests of agents that wait in the worktree.
fn inbox(app: &CliApp) -> Option<DoctorFinding> {
    let waiting = tacit_engine::inbox_size(&app.places)?;
    let note = format!("{waiting} waiting in `{}`", app.places.inbox().display());
    Some(DoctorFinding::new("inbox", State::Note, note))
}

/// Tells when a hook last ran.
pub(crate) fn last_hook(app: &CliApp) -> Option<DoctorFinding> {
    if app.obstacle.is_some() || !app.places.database(StoreScope::Project).exists() {
        return None;
    }
    let note = match last_event(app) {
        Some(at) => ago(at, app.now()),
        None => "never; it runs when an agent works here".to_owned(),
    };
    Some(DoctorFinding::new("last hook", State::Fine, note))
}

/// Returns the time of the newest event, in the store or waiting beside it.
fn last_event(app: &CliApp) -> Option<Timestamp> {
    let engine = app.engine(StoreAccess::Read(StoreScope::Project)).ok()?;
    let query = EventQuery { limit: 1, ..EventQuery::default() };
    let stored = engine.events(&query).ok()?.pop().map(|event| event.at);
    let waiting = app.places.event_spool().entries().unwrap_or_default();
    let records = waiting.iter().filter_map(|entry| serde_json::from_slice(&entry.bytes).ok());
    let events = records.flat_map(|record: ActivityBatch| record.events);
    events.map(|event| event.at).chain(stored).max()
}

/// Lists damaged databases that were replaced and stay until the user removes them.
pub(crate) fn damaged(app: &CliApp, scope: StoreScope) -> Vec<DoctorFinding> {
    let finding = |copy: DamagedCopy| DoctorFinding {
        what: format!("{} damaged copy", scope.as_str()),
        state: State::Note,
        note: format!(
            "`{}` ({} kB) was replaced by a repair; `{}` removes it",
            copy.path.display(),
            copy.bytes.div_ceil(1024),
            notices::removal(&copy)
        ),
    };
    damaged_copies(&app.places, scope).into_iter().map(finding).collect()
}

/// Reports memories that were stored and are missing.
pub(crate) fn losses(app: &CliApp, scope: StoreScope) -> Option<DoctorFinding> {
    let lost = app.places.lost_writes(scope)?;
    let what = format!("{} database", scope.as_str());
    Some(DoctorFinding { what, state: State::Wrong, note: commands::lost(&lost) })
}

/// Lists the steps of maintenance that failed and have not succeeded since.
pub(crate) fn maintenance(app: &CliApp, scope: StoreScope) -> Vec<DoctorFinding> {
    let what = format!("{} maintenance", scope.as_str());
    let log = app.places.directory(scope).join("logs/maintain.log");
    let failed = match app.places.failed_steps(scope) {
        Ok(failed) => failed,
        Err(error) => {
            let note = format!("{error}; `tacit maintain` writes it again");
            return vec![DoctorFinding::new(&what, State::Wrong, note)];
        }
    };
    let finding = |failed: &FailedStep| {
        let step = commands::failed_step(failed, app.now());
        let note = format!("{step}; `tacit maintain` tries again; see `{}`", log.display());
        DoctorFinding::new(&what, State::Wrong, note)
    };
    failed.iter().map(finding).collect()
}

/// Describes the last run of maintenance; `None` if there was none. With `in_detail`, each step that
/// changed something is listed with the time it took.
pub(crate) fn last_run(app: &CliApp, scope: StoreScope, in_detail: bool) -> Option<DoctorFinding> {
    let run = app.places.last_run(scope)?;
    let listed = |counts: Vec<(&str, u64)>| {
        let counts = counts.into_iter().map(|(name, number)| format!("{number} {name}"));
        counts.collect::<Vec<_>>().join(", ")
    };
    let counts = |step: &StepReport| {
        listed(step.counts.iter().map(|(name, number)| (name.as_str(), *number)).collect())
    };
    let mut note = ago(run.finished_at.unwrap_or(run.started_at), app.now());
    if run.is_interrupted() {
        note.push_str(", not finished");
    }
    if in_detail {
        let steps = commands::count(run.steps.len(), "step", "steps");
        note.push_str(&format!(", {steps} in {} ms", run.millis()));
        for step in run.steps.iter().filter(|step| !step.counts.is_empty() || step.failed) {
            let what = if step.failed { "failed".to_owned() } else { counts(step) };
            note.push_str(&format!("; {} {} ms: {what}", step.step, step.millis));
        }
    } else if !run.counts().is_empty() {
        note.push_str(&format!(": {}", listed(run.counts().into_iter().collect())));
    }
    let what = match scope {
        StoreScope::Project => "maintained",
        StoreScope::Global => "own maintained",
    };
    Some(DoctorFinding::new(what, State::Fine, note))
}

/// Renders the last runs of maintenance for programs, by store.
pub(crate) fn runs_to_json(app: &CliApp) -> Value {
    let run = |scope| json!(app.places.last_run(scope));
    json!({"project": run(StoreScope::Project), "global": run(StoreScope::Global)})
}

/// Reports rows about sessions that cannot be read.
pub(crate) fn unreadable(app: &CliApp, scope: StoreScope) -> Option<DoctorFinding> {
    if !app.places.database(scope).exists() {
        return None;
    }
    // The count of the memories reports why a database cannot be opened.
    let engine = app.engine(StoreAccess::Read(scope)).ok()?;
    let found = engine.store(scope)?.unreadable();
    let note = match found {
        Ok(found) if found.is_empty() => return None,
        Ok(found) => commands::unreadable(&found) + "; `tacit doctor --fix` moves them out",
        Err(error) => error.to_string(),
    };
    Some(DoctorFinding::new(&format!("{} sessions", scope.as_str()), State::Wrong, note))
}

/// Reports the file with rows that could not be read; it stays until the user removes it.
pub(crate) fn quarantined(app: &CliApp, scope: StoreScope) -> Option<DoctorFinding> {
    let path = app.places.quarantine(scope);
    path.symlink_metadata().ok()?;
    let note = format!(
        "`{}` has rows about sessions that could not be read; remove it if you do not need them",
        path.display()
    );
    Some(DoctorFinding::new(&format!("{} quarantine", scope.as_str()), State::Note, note))
}
