//! Records for commands and hooks: their folder, their settings and capture. `files` syncs them into
//! the store.

mod capture;
mod ended_sessions;
mod session;
mod share;
mod transcript_offset;
mod triage;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tacit_core::{Config, StatusKind};
use tacit_engine::{RecallRequest, StoreAccess, StoreScope};
use tacit_records::files::{
    MAX_RECORD_BYTES, RecordWriter, RecordsFolder, file_hash, write_private,
};
use tacit_records::{
    CategorySettings, Record, RecordCategory, RecordError, RecordResult, RecordSettings,
    WINDOW_REASON, best_by_words, overlap, sessions_beyond_window, unique_items, unique_warning,
};
use tacit_store::Filter;

use crate::app::App;
use crate::environment::Environment;
use crate::error::{AppError, AppResult, ErrorCode};

pub use capture::{Drafter, RecordCapture};
pub use ended_sessions::capture_ended;
pub use session::{
    MAX_CLASSIFIED_LINES, classify_lines, read_session, read_tail, session_from_events,
};
pub use share::{ShareRequest, category_of, preview, share};
pub use transcript_offset::{TranscriptOffset, remove_old_files};
pub use triage::{ExcerptDirectory, TriageResult};

/// The maximum number of results of recall examined.
const EXAMINED: usize = 5;

/// Returns the records folder of the current worktree: records belong to the checked-out commit.
pub fn folder(app: &App) -> RecordsFolder {
    RecordsFolder::at(app.worktree())
}

/// Returns the reference by which a memory names its record.
pub fn reference(record: &Record) -> String {
    format!(".claude/memory/{}", record.path())
}

/// Returns how long to wait for another writer.
pub fn lock_timeout(app: &App) -> Duration {
    Duration::from_millis(app.config().busy_timeout_ms)
}

/// Converts the configuration of records.
pub fn settings(config: &Config) -> RecordSettings {
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
    RecordSettings {
        categories,
        max_retained: records.max_retained,
        max_per_category: records.max_per_category,
        grace_period_days: records.grace_days,
    }
}

/// Returns a short, stable hash of a path, for file names.
pub fn short_hash(directory: &Path) -> String {
    let hash = file_hash(directory.to_string_lossy().as_bytes());
    hash.chars().take(16).collect()
}

/// Returns the directory for drafts and excerpts, which only this user can read.
pub fn private_directory(app: &App) -> PathBuf {
    private_directory_of(&app.environment, app.worktree())
}

/// Returns the same directory for a worktree, without an [`App`].
pub fn private_directory_of(environment: &Environment, worktree: &Path) -> PathBuf {
    environment.data_home.join("triage").join(short_hash(worktree))
}

/// Finds the active record that new information belongs to, and how likely that is: by recall, else
/// by shared words.
pub fn best_record<'r>(
    app: &App,
    category: RecordCategory,
    new_info: &str,
    records: &'r [Record],
) -> Option<(&'r Record, f64)> {
    let recalled = || {
        let engine = app.engine_with_embedder(StoreAccess::Read(StoreScope::Project)).ok()?;
        let filter = Filter {
            types: vec![category.category().memory_type().into()],
            statuses: vec![StatusKind::Active],
            ..Filter::everything()
        };
        let answers = engine.recall(&RecallRequest::explicit(new_info, filter, EXAMINED)).ok()?;
        answers.shown.iter().find_map(|answer| {
            let references = &answer.found.memory.body.references;
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

/// Retires session summaries beyond the window, and warns about content that no other record has.
pub fn retire_beyond_window(
    folder: &RecordsFolder,
    writer: &RecordWriter<'_>,
    settings: &RecordSettings,
) -> RecordResult<Vec<String>> {
    let records = folder.load()?.records();
    let mut notes = Vec::new();
    for session in sessions_beyond_window(&records, settings) {
        let items = unique_items(session, &records);
        if !items.is_empty() {
            notes.push(unique_warning(session, &items));
        }
        writer.retire(&session.path(), WINDOW_REASON, None)?;
        notes.push(format!("retired `{}`: {WINDOW_REASON}", session.path()));
    }
    Ok(notes)
}

/// Saves a draft in the private directory and returns its name.
pub fn save_draft(
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

/// Reads the beginning of a file, up to the size limit of records.
pub fn read_limited(path: &Path) -> AppResult<String> {
    use std::io::Read;
    let fail = AppError::cannot("read", path);
    let mut text = String::new();
    let file = tacit_fs::open_user_path(path).map_err(fail)?;
    file.take(MAX_RECORD_BYTES + 1).read_to_string(&mut text).map_err(fail)?;
    Ok(text)
}

impl From<RecordError> for AppError {
    fn from(error: RecordError) -> AppError {
        let message = format!("{}: {error}", error.code());
        let (code, hint) = match &error {
            RecordError::Invalid(_) => {
                (ErrorCode::Usage, "`tacit records schema CATEGORY` shows the format")
            }
            RecordError::Protected(_) => {
                (ErrorCode::Refused, "read the record again and change only what may be changed")
            }
            RecordError::Resurrection { .. } => {
                (ErrorCode::Refused, "use another title, wait, or restore the record and update it")
            }
            RecordError::Exists { status: "active", .. } => {
                (ErrorCode::Refused, "change it with `tacit records update`")
            }
            RecordError::Exists { .. } => {
                (ErrorCode::Refused, "restore it with `tacit records restore`")
            }
            RecordError::Conflict { .. } => {
                (ErrorCode::Refused, "nothing was written; read the record again and retry")
            }
            RecordError::Transition { .. } => (ErrorCode::Refused, ""),
            RecordError::NotFound(_) => {
                (ErrorCode::NotFound, "`tacit records list --status all` lists all records")
            }
            RecordError::Ambiguous { .. } => {
                (ErrorCode::NotFound, "include the folder, such as `decisions/NAME`")
            }
            RecordError::Path { .. } => (
                ErrorCode::Usage,
                "records are plain files in the folders of their categories, not links",
            ),
            RecordError::Full { .. } => {
                (ErrorCode::Refused, "retire or archive some, or raise `records.max_per_category`")
            }
            RecordError::Disabled(_) => {
                (ErrorCode::Refused, "`tacit config explain records.CATEGORY.enabled`")
            }
            RecordError::Unmerged { .. } => {
                (ErrorCode::Refused, "resolve the conflict in the file first")
            }
            RecordError::Busy(_) => (ErrorCode::Busy, "nothing was written; try again"),
            RecordError::Io { .. } => (
                ErrorCode::Failure,
                "check that it is a file, and its permissions and those of its directory",
            ),
        };
        AppError::new(code, message).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn config_defaults_equal_record_defaults() {
        assert_eq!(settings(&Config::default()), RecordSettings::default());
    }
}
