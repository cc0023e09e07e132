//! Old names of keys: naming the new ones, and rewriting files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::settings::write;
use tacit_engine::{ConfigFile, ConfigOrigin, MigratedName, OldName};

use crate::app::CliApp;
use crate::checks::{DoctorFinding, State};

/// Warns of every old name that a file or a variable uses.
pub(super) fn warn_of_old_names(app: &CliApp) {
    for old in &app.loaded.old_names {
        let advice = match old.origin {
            ConfigOrigin::File(_) => "; `tacit config migrate` rewrites it",
            _ => "",
        };
        app.watcher.warn(&format!("{}{advice}", describe(old)));
    }
}

/// `tacit config migrate`
pub(super) fn run(app: &CliApp) -> AppResult<()> {
    let mut rows: Vec<Value> = Vec::new();
    for path in files(app) {
        let renamed = rewrite(app, &path)?;
        for name in &renamed {
            if !app.json {
                app.ui.line(match name.new {
                    Some(new) => format!("Renamed {} to {new} in {}", name.old, path.display()),
                    None => format!("Commented out {} in {}", name.old, path.display()),
                })?;
            }
            rows.push(json!({"old": name.old, "new": name.new, "file": path}));
        }
    }
    if app.json {
        return app.ui.json(&json!(rows));
    }
    if rows.is_empty() {
        app.ui.line("No file has old names.")?;
    }
    for old in &app.loaded.old_names {
        if matches!(old.origin, ConfigOrigin::Environment(_)) {
            app.watcher.warn(&describe(old));
        }
    }
    Ok(())
}

/// Notes which names changed in a file beside the change that was asked for.
pub(super) fn note(app: &CliApp, renamed: &[MigratedName], path: &Path) {
    for MigratedName { old, new } in renamed {
        app.watcher.note(&match new {
            Some(new) => format!("renamed `{old}` to `{new}` in `{}`", path.display()),
            None => format!("commented out `{old}` in `{}`", path.display()),
        });
    }
}

/// Finds old names for `tacit doctor`, and rewrites the files that have them if `fix` is set.
pub(crate) fn old_names(app: &CliApp, fix: bool) -> Vec<DoctorFinding> {
    let what = "configuration";
    let mut failures: Vec<(PathBuf, String)> = Vec::new();
    if fix {
        for path in files(app) {
            if let Err(error) = rewrite(app, &path) {
                failures.push((path, error.message));
            }
        }
    }
    let finding = |old: &OldName| {
        let found = describe(old);
        let ConfigOrigin::File(path) = &old.origin else {
            return DoctorFinding::new(what, State::Note, found);
        };
        match failures.iter().find(|(failed, _)| failed == path) {
            Some((_, error)) => DoctorFinding::new(what, State::Wrong, format!("{found}; {error}")),
            None if fix => DoctorFinding::new(what, State::Mended, format!("{found}; rewrote it")),
            None => {
                let note = format!("{found}; `tacit doctor --fix` rewrites it");
                DoctorFinding::new(what, State::Note, note)
            }
        }
    };
    app.loaded.old_names.iter().map(finding).collect()
}

/// Returns the files with old names, each once.
fn files(app: &CliApp) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for old in &app.loaded.old_names {
        if let ConfigOrigin::File(path) = &old.origin
            && !files.contains(path)
        {
            files.push(path.clone());
        }
    }
    files
}

fn rewrite(app: &CliApp, path: &Path) -> AppResult<Vec<MigratedName>> {
    let mut file = ConfigFile::read(path)?;
    let renamed = file.migrate();
    write(app, &file, path)?;
    Ok(renamed)
}

fn describe(old: &OldName) -> String {
    match &old.origin {
        ConfigOrigin::File(path) => format!("in `{}`: {old}", path.display()),
        ConfigOrigin::Environment(variable) => format!("in `${variable}`: {old}"),
        ConfigOrigin::Default => old.to_string(),
    }
}
