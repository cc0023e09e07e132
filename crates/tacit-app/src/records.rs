//! What the commands about records share: where the records are, what is configured, and how they
//! get into the database.

mod capture;
mod ended;
mod notes;
mod seen;
mod session;
mod share;
mod sync;
mod triage;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tacit_core::{Config, StatusKind};
use tacit_engine::{Needs, Recall, Shelf};
use tacit_records::files::{Folder, MAX_BYTES, Writer, hash_of, write_private};
use tacit_records::{
    CategorySettings, Record, RecordCategory, RecordError, RecordResult, Settings, WINDOW_REASON,
    best_by_words, beyond_window, overlap, unique_items, unique_warning,
};
use tacit_store::Filter;

use crate::app::App;
use crate::environment::Environment;
use crate::error::{AppError, AppResult, Code};

pub use capture::{Capture, Drafter};
pub use ended::capture_ended;
pub use notes::NotesFile;
pub use seen::{Seen, drop_old};
pub use session::{MOST_LINES, read_end, read_session, session_of_events, understand};
pub use share::{ShareRequest, category_of, preview, share};
pub use sync::{Synced, follow, reference, sync};
pub use triage::{Excerpts, Triage};

/// How many answers of recall are looked at.
const CONSIDERED: usize = 5;

/// The records of the worktree we are in, since they belong to what is checked out.
pub fn folder(app: &App) -> Folder {
    Folder::at(app.worktree())
}

/// How long to wait for another writer.
pub fn patience(app: &App) -> Duration {
    Duration::from_millis(app.config().busy_timeout_ms)
}

/// The settings of records, as configured.
pub fn settings(config: &Config) -> Settings {
    let records = &config.records;
    let categories = records.categories.clone().map(|category| CategorySettings {
        enabled: category.enabled,
        auto_capture: category.auto_capture,
        retention_days: category.retention_days,
        description: category.description,
        threshold: category.threshold,
        model: if category.model.is_empty() {
            records.default_model.clone()
        } else {
            category.model
        },
    });
    Settings {
        categories,
        max_retained: records.max_retained,
        max_per_category: records.max_per_category,
        grace_period_days: records.grace_days,
    }
}

/// A short name for a directory, the same every time.
pub fn name_of(directory: &Path) -> String {
    let hash = hash_of(directory.to_string_lossy().as_bytes());
    hash.chars().take(16).collect()
}

/// Where drafts and excerpts of sessions are: for this user alone.
pub fn private_directory(app: &App) -> PathBuf {
    private_directory_of(&app.environment, app.worktree())
}

/// The same for a worktree, where there is no command.
pub fn private_directory_of(environment: &Environment, worktree: &Path) -> PathBuf {
    environment.data_home.join("triage").join(name_of(worktree))
}

/// The record in use that something new belongs to, and how surely: by recall, or else by words.
pub fn best_record<'r>(
    app: &App,
    category: RecordCategory,
    new_info: &str,
    records: &'r [Record],
) -> Option<(&'r Record, f64)> {
    let recalled = || {
        let engine = app.engine_with_meaning(Needs::Read(Shelf::Project)).ok()?;
        let filter = Filter {
            types: vec![category.category().memory_type().into()],
            statuses: vec![StatusKind::Active],
            ..Filter::everything()
        };
        let answers = engine.recall(&Recall::explicit(new_info, filter, CONSIDERED)).ok()?;
        answers.shown.iter().find_map(|answer| {
            let references = &answer.found.memory.said.references;
            let record = records.iter().find(|record| {
                record.category == category
                    && record.status.is_active()
                    && references.iter().any(|place| place.as_str() == reference(record))
            })?;
            let likelihood = answer.why.map_or(0.0, |why| why.likelihood);
            Some((record, likelihood.max(overlap(new_info, record))))
        })
    };
    recalled().or_else(|| best_by_words(category, new_info, records))
}

/// Retires the sessions beyond the window, and says what only they had.
pub fn keep_window(
    folder: &Folder,
    writer: &Writer<'_>,
    settings: &Settings,
) -> RecordResult<Vec<String>> {
    let records = folder.load()?.records();
    let mut notes = Vec::new();
    for session in beyond_window(&records, settings) {
        let items = unique_items(session, &records);
        if !items.is_empty() {
            notes.push(unique_warning(session, &items));
        }
        writer.retire(&session.path(), WINDOW_REASON, None)?;
        notes.push(format!("retired `{}`: {WINDOW_REASON}", session.path()));
    }
    Ok(notes)
}

/// Keeps a draft where only this user can read it; its name.
pub fn keep_draft(
    app: &App,
    category: RecordCategory,
    mut fields: Map<String, Value>,
) -> AppResult<String> {
    let name = format!("draft-{category}-{}.json", std::process::id());
    tacit_records::redact(&mut fields);
    let text = format!("{:#}\n", Value::Object(fields));
    write_private(&private_directory(app), &name, text.as_bytes())?;
    Ok(name)
}

/// The beginning of a file, as much as a record may have.
pub fn read_limited(path: &Path) -> AppResult<String> {
    use std::io::Read;
    let fail = AppError::cannot("read", path);
    let mut text = String::new();
    let file = tacit_fs::open_named(path).map_err(fail)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(fail)?;
    Ok(text)
}

impl From<RecordError> for AppError {
    fn from(error: RecordError) -> AppError {
        let message = format!("{}: {error}", error.code());
        let (code, hint) = match &error {
            RecordError::Invalid(_) => {
                (Code::Usage, "`tacit records schema CATEGORY` shows what belongs in it")
            }
            RecordError::Protected(_) => {
                (Code::Refused, "read the record again and change only what may be changed")
            }
            RecordError::Resurrection { .. } => (
                Code::Refused,
                "use another title, wait, or `tacit records restore` it and update it",
            ),
            RecordError::Exists { status: "active", .. } => {
                (Code::Refused, "`tacit records update` changes it")
            }
            RecordError::Exists { .. } => (Code::Refused, "`tacit records restore` brings it back"),
            RecordError::Conflict { .. } => {
                (Code::Refused, "nothing was written; read the record again and retry")
            }
            RecordError::Transition { .. } => (Code::Refused, ""),
            RecordError::NotFound(_) => {
                (Code::NotFound, "`tacit records list --status all` shows what there is")
            }
            RecordError::Ambiguous { .. } => {
                (Code::NotFound, "name it with its folder, such as `decisions/NAME`")
            }
            RecordError::Path { .. } => {
                (Code::Usage, "records are plain files in their own folders, never links")
            }
            RecordError::Full { .. } => {
                (Code::Refused, "retire or archive some, or raise `records.max_per_category`")
            }
            RecordError::Disabled(_) => {
                (Code::Refused, "`tacit config explain records.CATEGORY.enabled`")
            }
            RecordError::Unmerged { .. } => {
                (Code::Refused, "resolve the conflict in the file first")
            }
            RecordError::Busy(_) => (Code::Busy, "nothing was written; try again"),
            RecordError::Io { .. } => (
                Code::Failure,
                "check that it is a file, and the permissions of it and of its directory",
            ),
        };
        AppError::new(code, message).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_same_on_both_sides() {
        assert_eq!(settings(&Config::default()), Settings::default());
    }
}
