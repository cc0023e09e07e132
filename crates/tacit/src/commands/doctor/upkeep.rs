//! The upkeep of a store: its backups and the clock, and whether it was ever maintained.

use tacit_app::human_time::ago;
use tacit_core::Timestamp;
use tacit_engine::{BackupFile, StoreAccess, StoreScope};

use crate::app::CliApp;
use crate::checks::{DoctorFinding, State};
use crate::commands::{count, of};

/// The difference between a row and the clock that is worth mentioning, in days.
const SKEW_DAYS: f64 = 1.0 / 24.0;

pub(super) fn check(app: &CliApp, scope: StoreScope) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> = maintenance(app, scope).into_iter().collect();
    findings.push(backups(app, scope));
    findings.extend(damaged_backups(app, scope));
    findings.extend(clock(app, scope));
    findings
}

/// Reports a store that was never maintained.
fn maintenance(app: &CliApp, scope: StoreScope) -> Option<DoctorFinding> {
    let note = "never maintained; `tacit maintain` does it";
    let finding = || DoctorFinding::new(&format!("{} upkeep", scope.as_str()), State::Note, note);
    app.places.last_run(scope).is_none().then(finding)
}

fn backups(app: &CliApp, scope: StoreScope) -> DoctorFinding {
    let what = format!("{} backups", scope.as_str());
    let backups = app.places.list_backups(scope);
    let made: Vec<&BackupFile> = backups.iter().filter(|it| it.number.is_some()).collect();
    let Some(newest) = made.first() else {
        let note = match app.config().backups_daily {
            0 => "none; `backups.daily` is 0",
            _ => "none yet; `tacit maintain` makes one a day",
        };
        return DoctorFinding::new(&what, State::Note, note);
    };
    let kilobytes = backups.iter().map(|backup| backup.bytes).sum::<u64>().div_ceil(1024);
    let note = format!(
        "{}, the last {}; {kilobytes} kB; `tacit restore --backups` lists them",
        count(made.len(), "backup", "backups"),
        ago(newest.at, app.now())
    );
    DoctorFinding::new(&what, State::Fine, note)
}

/// Names the newest backup if it has more memories than a repair saved.
pub(super) fn better_backup(app: &CliApp, scope: StoreScope, saved: u64) -> Option<String> {
    let backup = app.places.find_backup(scope, "latest")?;
    let memories = backup.check().ok().filter(|memories| *memories > saved)?;
    let flag = if scope == StoreScope::Global { " --global" } else { "" };
    Some(format!(
        "; the last backup has {}: `tacit restore --backup {}{flag}`",
        of(memories, "memory", "memories"),
        backup.name
    ))
}

/// Reports backups that cannot be read. They do not count, and are not deleted by `--fix`.
fn damaged_backups(app: &CliApp, scope: StoreScope) -> Vec<DoctorFinding> {
    let what = format!("{} backups", scope.as_str());
    let backups = app.places.list_backups(scope).into_iter();
    let finding = |backup: BackupFile| {
        let error = backup.check().err()?;
        let path = backup.path.display();
        let note = format!("`{path}` cannot be restored: {error}; `rm '{path}'` removes it");
        Some(DoctorFinding::new(&what, State::Wrong, note))
    };
    backups.filter_map(finding).collect()
}

/// Reports rows that are newer than the clock.
fn clock(app: &CliApp, scope: StoreScope) -> Option<DoctorFinding> {
    let engine = app.engine(StoreAccess::Read(scope)).ok()?;
    let newest: Timestamp = engine.store(scope)?.check(false).ok()?.newest?;
    (newest.days_since(app.now()) > SKEW_DAYS).then(|| {
        let note = format!(
            "the newest row is of {newest}, and the clock says {}; if the clock is right, the row \
             was written while it was wrong",
            app.now()
        );
        DoctorFinding::new(&format!("{} clock", scope.as_str()), State::Note, note)
    })
}
