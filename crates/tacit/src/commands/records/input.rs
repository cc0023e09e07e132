//! The JSON of a record, from a file, a draft or standard input.

use std::io::Read;

use serde_json::{Map, Value};
use tacit_app::records::{private_directory, read_limited};
use tacit_app::{AppError, AppResult};
use tacit_records::files::MAX_RECORD_BYTES;

use crate::app::CliApp;

/// The source of a record's JSON.
#[derive(Debug, clap::Args)]
pub(super) struct InputArg {
    /// The file with the record as JSON; `-` or nothing is standard input.
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// A draft that `tacit records draft` wrote.
    #[arg(long, value_name = "NAME", conflicts_with = "input")]
    draft: Option<String>,
}

/// Reads a JSON object from its source.
pub(super) fn read_object(app: &CliApp, source: &InputArg) -> AppResult<Map<String, Value>> {
    let (name, text) = match (&source.input, &source.draft) {
        (_, Some(draft)) => {
            if draft.contains(['/', '\\']) || draft.starts_with('.') {
                return Err(AppError::usage(format!(
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
            let mut text = String::new();
            std::io::stdin().lock().take(MAX_RECORD_BYTES + 1).read_to_string(&mut text)?;
            ("standard input".to_owned(), text)
        }
    };
    if text.len() as u64 > MAX_RECORD_BYTES {
        return Err(AppError::usage(format!("VALIDATION_ERROR: {name} is larger than 256 KiB")));
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(AppError::usage(format!("VALIDATION_ERROR: {name} is not a JSON object"))),
        Err(error) => {
            Err(AppError::usage(format!("VALIDATION_ERROR: {name} is not JSON: {error}")))
        }
    }
}
