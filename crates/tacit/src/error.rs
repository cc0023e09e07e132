//! Failures as text for people or as JSON for programs.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use tacit_app::{AppError, Audience};

use crate::{render, ui};

/// Prints a failure to standard error and returns the exit code.
pub(crate) fn report(error: &AppError, json: bool) -> ExitCode {
    if error.audience == Audience::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    let message = render::visible(error.message.trim_end());
    let text = match &error.hint {
        _ if error.audience == Audience::AlreadyPrinted => String::new(),
        hint if json => {
            format!("{}\n", json!({"error": message, "hint": hint, "code": error.code as u8}))
        }
        _ if error.audience == Audience::Verbatim => format!("{message}\n"),
        None => format!("error: {message}\n"),
        Some(hint) => format!("error: {message}\nhint: {}\n", render::visible(hint)),
    };
    if json || error.audience == Audience::Verbatim {
        // The exit code reports the error even if printing fails.
        let _ = std::io::stderr().write_all(text.as_bytes());
    } else {
        ui::tell(&text);
    }
    ExitCode::from(error.code as u8)
}

/// Converts an error of the argument parser: the first paragraph becomes the message, a tip becomes
/// the hint, and the usage is left out.
pub(crate) fn of_arguments(error: &clap::Error) -> AppError {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(str::trim);
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let hint = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
    AppError { hint: hint.map(Into::into), ..AppError::usage(message) }
}
