//! What the commands about records share: where the records are, what is configured, and how they
//! get into the database.

mod capture;
mod ended;
mod notes;
mod seen;
mod session;
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
use crate::error::{CliError, CliResult, Code};

pub(crate) use capture::{Capture, Drafter};
pub(crate) use ended::capture_ended;
pub(crate) use notes::NotesFile;
pub(crate) use seen::{Seen, drop_old};
pub(crate) use session::{MOST_LINES, read_end, read_session, session_of_events, understand};
pub(crate) use sync::{Synced, follow, reference, sync};
pub(crate) use triage::{Excerpts, Triage};

/// How many answers of recall are looked at.
const CONSIDERED: usize = 5;

/// The records of the worktree we are in, since they belong to what is checked out.
pub(crate) fn folder(app: &App) -> Folder {
    Folder::at(app.worktree())
}

/// How long to wait for another writer.
pub(crate) fn patience(app: &App) -> Duration {
    Duration::from_millis(app.config().busy_timeout_ms)
}

/// The settings of records, as configured.
pub(crate) fn settings(config: &Config) -> Settings {
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
pub(crate) fn name_of(directory: &Path) -> String {
    let hash = hash_of(directory.to_string_lossy().as_bytes());
    hash.chars().take(16).collect()
}

/// Where drafts and excerpts of sessions are: for this user alone.
pub(crate) fn private_directory(app: &App) -> PathBuf {
    private_directory_of(&app.environment, app.worktree())
}

/// The same for a worktree, where there is no command.
pub(crate) fn private_directory_of(environment: &Environment, worktree: &Path) -> PathBuf {
    environment.data_home.join("triage").join(name_of(worktree))
}

/// The record in use that something new belongs to, and how surely: by recall, or else by words.
pub(crate) fn best_record<'r>(
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
pub(crate) fn keep_window(
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
pub(crate) fn keep_draft(
    app: &App,
    category: RecordCategory,
    mut fields: Map<String, Value>,
) -> CliResult<String> {
    let name = format!("draft-{category}-{}.json", std::process::id());
    tacit_records::redact(&mut fields);
    let text = format!("{:#}\n", Value::Object(fields));
    write_private(&private_directory(app), &name, text.as_bytes())?;
    Ok(name)
}

/// An object of JSON from a file, a draft, or standard input.
pub(crate) fn read_object(app: &App, source: &InputArg) -> CliResult<Map<String, Value>> {
    let (name, text) = match (&source.input, &source.draft) {
        (_, Some(draft)) => {
            if draft.contains(['/', '\\']) || draft.starts_with('.') {
                return Err(CliError::usage(format!(
                    "PATH_ERROR: `{draft}` is not the name of a draft"
                ))
                .hint("name a file that `tacit records draft` wrote, without its directory"));
            }
            let path = private_directory(app).join(draft);
            (draft.clone(), read_limited(&path)?)
        }
        (Some(path), None) if path != "-" => {
            (path.clone(), read_limited(&app.directory.join(path))?)
        }
        _ => {
            use std::io::Read;
            let mut text = String::new();
            std::io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut text)?;
            ("standard input".to_owned(), text)
        }
    };
    if text.len() as u64 > MAX_BYTES {
        return Err(CliError::usage(format!("VALIDATION_ERROR: {name} is larger than 256 KiB")));
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(CliError::usage(format!("VALIDATION_ERROR: {name} is not a JSON object"))),
        Err(error) => {
            Err(CliError::usage(format!("VALIDATION_ERROR: {name} is not JSON: {error}")))
        }
    }
}

/// The beginning of a file, as much as a record may have.
pub(crate) fn read_limited(path: &Path) -> CliResult<String> {
    use std::io::Read;
    let fail = CliError::cannot("read", path);
    let mut text = String::new();
    let file = tacit_fs::open_named(path).map_err(fail)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(fail)?;
    Ok(text)
}

/// Where a record's JSON comes from.
#[derive(Debug, clap::Args)]
pub(crate) struct InputArg {
    /// The file with the record as JSON; `-` or nothing is standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<String>,
    /// A draft that `tacit records draft` wrote.
    #[arg(long, value_name = "NAME", conflicts_with = "input")]
    pub(crate) draft: Option<String>,
}

impl From<RecordError> for CliError {
    fn from(error: RecordError) -> CliError {
        let message = format!("{}: {error}", error.code());
        let (code, hint) = match &error {
            RecordError::Invalid(_) => {
                (Code::Usage, Some("`tacit records schema CATEGORY` shows what belongs in it"))
            }
            RecordError::Protected(_) => {
                (Code::Refused, Some("read the record again and change only what may be changed"))
            }
            RecordError::Resurrection { .. } => (
                Code::Refused,
                Some("use another title, wait, or `tacit records restore` it and update it"),
            ),
            RecordError::Exists { status: "active", .. } => {
                (Code::Refused, Some("`tacit records update` changes it"))
            }
            RecordError::Exists { .. } => {
                (Code::Refused, Some("`tacit records restore` brings it back"))
            }
            RecordError::Conflict { .. } => {
                (Code::Refused, Some("nothing was written; read the record again and retry"))
            }
            RecordError::Transition { .. } => (Code::Refused, None),
            RecordError::NotFound(_) => {
                (Code::NotFound, Some("`tacit records list --status all` shows what there is"))
            }
            RecordError::Ambiguous { .. } => {
                (Code::NotFound, Some("name it with its folder, such as `decisions/NAME`"))
            }
            RecordError::Path { .. } => {
                (Code::Usage, Some("records are plain files in their own folders, never links"))
            }
            RecordError::Full { .. } => {
                (Code::Refused, Some("retire or archive some, or raise `records.max_per_category`"))
            }
            RecordError::Disabled(_) => {
                (Code::Refused, Some("`tacit config explain records.CATEGORY.enabled`"))
            }
            RecordError::Unmerged { .. } => {
                (Code::Refused, Some("resolve the conflict in the file first"))
            }
            RecordError::Busy(_) => (Code::Busy, Some("nothing was written; try again")),
            RecordError::Io { .. } => (
                Code::Failure,
                Some("check that it is a file, and the permissions of it and of its directory"),
            ),
        };
        let error = CliError::new(code, message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
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
