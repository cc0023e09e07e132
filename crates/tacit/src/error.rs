//! What went wrong, as a message, a hint and an exit code.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use tacit_core::{ConfigError, edit_distance};
use tacit_engine::{ConfigFileError, EngineError};
use tacit_store::StoreError;

use crate::render;

pub(crate) type CliResult<T> = Result<T, CliError>;

/// The kinds of failure a script can tell apart; `docs/exit-codes.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// Anything without a code of its own, and a check that found problems.
    Failure = 1,
    /// The arguments or the input are wrong. The argument parser uses the same number.
    Usage = 2,
    /// No such memory or change, or several that could be meant.
    NotFound = 3,
    /// There is no store here yet.
    NotInitialised = 4,
    /// The store is locked by another process.
    Busy = 5,
    /// The store is damaged, or from a newer version.
    Damaged = 6,
    /// A rule of the gate forbids it: forgotten, already so, or in conflict.
    Refused = 7,
}

/// A failure to report.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) code: Code,
    /// Whether there is nobody left to read what we print.
    quiet: bool,
}

impl CliError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> CliError {
        CliError { message: message.into(), hint: None, code, quiet: false }
    }

    pub(crate) fn usage(message: impl Into<String>) -> CliError {
        CliError::new(Code::Usage, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> CliError {
        self.hint = Some(hint.into());
        self
    }

    /// A failure whose findings were already printed.
    pub(crate) fn already_told() -> CliError {
        CliError { quiet: true, ..CliError::new(Code::Failure, "") }
    }

    /// Prints the failure to standard error and gives the exit code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        let message = render::visible(&self.message);
        let text = match &self.hint {
            _ if self.quiet => String::new(),
            hint if json => {
                format!("{}\n", json!({"error": message, "hint": hint, "code": self.code as u8}))
            }
            None => format!("error: {message}\n"),
            Some(hint) => format!("error: {message}\nhint: {}\n", render::visible(hint)),
        };
        // With nowhere to say it, the exit code still tells.
        let _ = std::io::stderr().write_all(text.as_bytes());
        ExitCode::from(self.code as u8)
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> CliError {
        // Whoever reads our output may stop reading: `tacit list | head` is no failure.
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        CliError { quiet, ..CliError::new(Code::Failure, error.to_string()) }
    }
}

impl From<&clap::Error> for CliError {
    /// The first paragraph is the message; a tip is the hint; how to use the command is left out.
    fn from(error: &clap::Error) -> CliError {
        let text = error.render().to_string();
        let mut paragraphs = text.split("\n\n").map(str::trim);
        let message = paragraphs.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let hint = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
        CliError { hint: hint.map(Into::into), ..CliError::usage(message) }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> CliError {
        CliError::from(EngineError::Store(error))
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> CliError {
        let (code, hint) = match &error {
            EngineError::Store(store) => return from_store(store),
            EngineError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
                return CliError::from(std::io::Error::from(source.kind()));
            }
            EngineError::Invalid(errors) => (Code::Usage, type_hint(errors)),
            EngineError::NotInitialised { .. } => (
                Code::NotInitialised,
                Some("run `tacit init` there, or use `--global` for your own memories".into()),
            ),
            EngineError::NoSuchMemory { .. } => {
                (Code::NotFound, Some("`tacit list` shows the memories and their ids".into()))
            }
            EngineError::NotAnId { .. } => (
                Code::NotFound,
                Some(
                    "an id is 8 hexadecimal digits, such as `a1b2c3d4`; its beginning is enough"
                        .into(),
                ),
            ),
            EngineError::Ambiguous { matches, .. } => {
                let lines = matches.iter().map(|memory| {
                    format!("\n  {} {} {}", memory.id, memory.memory_type(), memory.headline())
                });
                let hint = format!(
                    "give more of the id, or one of these in full:{}",
                    lines.collect::<String>()
                );
                (Code::NotFound, Some(hint))
            }
            EngineError::Resurrection { id, .. } => {
                let id = id.short();
                (
                    Code::Refused,
                    Some(format!(
                        "`tacit restore {id}` brings it back; `tacit edit {id}` then changes it"
                    )),
                )
            }
            EngineError::SameAs(id) => {
                (Code::Refused, Some(format!("`tacit show {}` shows it", id.short())))
            }
            EngineError::AlreadySo { .. } => (Code::Refused, None),
            EngineError::NothingToUndo => (Code::NotFound, None),
            EngineError::NoSuchChange(_) => {
                (Code::NotFound, Some("`tacit history` lists the changes".into()))
            }
            EngineError::CannotUndo { .. } => {
                (Code::Refused, Some("`tacit history` lists the changes".into()))
            }
            EngineError::Import { .. } => (
                Code::Usage,
                Some("nothing was imported; correct the line and run it again".into()),
            ),
            EngineError::Io { .. } => (Code::Failure, None),
        };
        CliError { message: error.to_string(), hint, code, quiet: false }
    }
}

fn from_store(error: &StoreError) -> CliError {
    let (code, hint) = match error {
        StoreError::Missing { .. } => (Code::NotInitialised, Some("run `tacit init`")),
        StoreError::Busy => {
            (Code::Busy, Some("try again; `store.busy_timeout_ms` sets how long to wait"))
        }
        StoreError::Damaged { .. } => (
            Code::Damaged,
            Some("`tacit doctor` says what is wrong; `tacit doctor --fix` saves what can be read"),
        ),
        StoreError::TooNew { .. } => (Code::Damaged, Some("install a newer version of tacit")),
        StoreError::ReadOnly { .. } => {
            (Code::Failure, Some("check the permissions of the file and its directory"))
        }
        StoreError::Full { .. } => (Code::Failure, Some("free some space and try again")),
        StoreError::Io { .. } => (
            Code::Failure,
            Some("check that it is a file, and the permissions of it and of its directory"),
        ),
        StoreError::Failed { .. } => (Code::Failure, None),
    };
    CliError { message: error.to_string(), hint: hint.map(Into::into), code, quiet: false }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> CliError {
        let hint = match &error {
            ConfigError::UnknownKey { suggestion: Some(key), .. } => {
                format!("did you mean `{key}`?")
            }
            ConfigError::UnknownKey { suggestion: None, .. } => {
                "`tacit config list` shows every key".into()
            }
            ConfigError::WrongValue { name, .. } => format!("`tacit config explain {name}`"),
        };
        CliError::usage(error.to_string()).hint(hint)
    }
}

impl From<ConfigFileError> for CliError {
    fn from(error: ConfigFileError) -> CliError {
        let message = error.to_string();
        match error {
            ConfigFileError::Value { source, .. } => CliError { message, ..CliError::from(source) },
            _ => CliError::usage(message),
        }
    }
}

/// For a misspelt type or another word from a fixed set: the one that was probably meant.
fn type_hint(errors: &[tacit_core::FieldError]) -> Option<String> {
    let error = errors.iter().find(|error| error.field == "type")?;
    let tacit_core::Problem::Unexpected { value, .. } = &error.problem else { return None };
    let words = tacit_core::BuiltinType::ALL.iter().map(|kind| kind.as_str());
    closest(value, words).map(|word| format!("did you mean `{word}`?"))
}

/// The word most like `text`, if any is much like it.
pub(crate) fn closest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|word| (edit_distance(text, word), word))
        .min()
        .filter(|(distance, word)| *distance <= 1 + word.len() / 4)
        .map(|(_, word)| word)
}
