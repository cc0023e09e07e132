//! What went wrong, as a message, a hint and an exit code.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use tacit_core::{ConfigError, Memory, edit_distance};
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
    audience: Audience,
}

/// Who is to be told of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Whoever reads standard error.
    User,
    /// Whoever reads standard error, in exactly these words: agents know them.
    Verbatim,
    /// Nobody: what was found is printed already.
    Told,
    /// Nobody: whoever read our output stopped reading, which is no failure.
    Gone,
}

impl CliError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> CliError {
        CliError { message: message.into(), hint: None, code, audience: Audience::User }
    }

    pub(crate) fn usage(message: impl Into<String>) -> CliError {
        CliError::new(Code::Usage, message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> CliError {
        self.hint = Some(hint.into());
        self
    }

    /// A failure that is reported in its own words, without `error:` before them.
    pub(crate) fn verbatim(code: Code, message: impl Into<String>) -> CliError {
        CliError { audience: Audience::Verbatim, ..CliError::new(code, message) }
    }

    /// A failure whose findings were already printed.
    pub(crate) fn already_told() -> CliError {
        CliError { audience: Audience::Told, ..CliError::new(Code::Failure, "") }
    }

    /// Prints the failure to standard error and gives the exit code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        if self.audience == Audience::Gone {
            return ExitCode::SUCCESS;
        }
        let message = render::visible(self.message.trim_end());
        let text = match &self.hint {
            _ if self.audience == Audience::Told => String::new(),
            hint if json => {
                format!("{}\n", json!({"error": message, "hint": hint, "code": self.code as u8}))
            }
            _ if self.audience == Audience::Verbatim => format!("{message}\n"),
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
        CliError { audience: audience(&error), ..CliError::new(Code::Failure, error.to_string()) }
    }
}

/// `tacit list | head` is no failure.
fn audience(error: &std::io::Error) -> Audience {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Audience::Gone,
        _ => Audience::User,
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
                Some(
                    "run `tacit init` there; `tacit remember --global` keeps something for all \
                     projects instead"
                        .into(),
                ),
            ),
            EngineError::NoSuchMemory { .. } => {
                (Code::NotFound, Some("`tacit list` shows the memories and their ids".into()))
            }
            EngineError::NoSuchSession { .. } => {
                (Code::NotFound, Some("`tacit observe sessions` lists the last ones".into()))
            }
            EngineError::NotAnId { .. } => (
                Code::NotFound,
                Some(
                    "an id is 8 hexadecimal digits, such as `a1b2c3d4`; its beginning is enough"
                        .into(),
                ),
            ),
            EngineError::Ambiguous { matches, .. } => {
                (Code::NotFound, Some(format!("give more of the id:{}", one_a_line(matches))))
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
            EngineError::AskFirst(_) => {
                (Code::Refused, Some("if the user agrees, store it without `--silent`".into()))
            }
            EngineError::PersonOnly(_) => (
                Code::Refused,
                Some("run it in a terminal of your own, outside of the agent".into()),
            ),
            EngineError::SameAs(id) => {
                (Code::Refused, Some(format!("`tacit show {}` shows it", id.short())))
            }
            EngineError::AlreadySo { .. } => (Code::Refused, None),
            EngineError::Serialise(_) => {
                (Code::Failure, Some("this is a fault of tacit; please report it".into()))
            }
            EngineError::NothingToUndo => (Code::NotFound, None),
            EngineError::LastWasPurge(_) => (
                Code::Refused,
                Some(
                    "`tacit history` lists the changes; `tacit undo NUMBER` takes back an earlier one"
                        .into(),
                ),
            ),
            EngineError::NoSuchChange(_) => {
                (Code::NotFound, Some("`tacit history` lists the changes".into()))
            }
            EngineError::CannotUndo { .. } => {
                (Code::Refused, Some("`tacit history` lists the changes".into()))
            }
            EngineError::Import { .. } => (
                Code::Usage,
                Some("nothing was imported: a file is taken whole or not at all".into()),
            ),
            EngineError::Embedding(_) => (
                Code::Failure,
                Some("`tacit config set embedding.provider bundled` needs no server".into()),
            ),
            EngineError::Vectors(_) => (
                Code::Damaged,
                Some("`tacit maintain --rebuild` makes it anew from the database".into()),
            ),
            EngineError::Io { source, .. } => {
                let message = error.to_string();
                return CliError {
                    audience: audience(source),
                    ..CliError::new(Code::Failure, message)
                };
            }
        };
        CliError { hint, ..CliError::new(code, error.to_string()) }
    }
}

/// Memories that one id can mean, each by the shortest name that means only it.
fn one_a_line(memories: &[Memory]) -> String {
    let lines = memories.iter().map(|memory| {
        let short = memory.id.short();
        let alone = memories.iter().filter(|other| other.id.short() == short).count() == 1;
        let id = if alone { short.to_string() } else { memory.id.to_string() };
        format!("\n  {id}  {}  {}", memory.memory_type(), memory.headline())
    });
    lines.collect()
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
        StoreError::Refused { .. } => (
            Code::Failure,
            Some("look at what it is; the store is used again once it is moved away"),
        ),
        StoreError::Full { .. } => (Code::Failure, Some("free some space and try again")),
        StoreError::Io { .. } => (
            Code::Failure,
            Some("check that it is a file, and the permissions of it and of its directory"),
        ),
        StoreError::Failed { .. } => (Code::Failure, None),
    };
    CliError { hint: hint.map(Into::into), ..CliError::new(code, error.to_string()) }
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
            ConfigError::OnlyYours { name } => {
                format!("`tacit config set {name} VALUE --global`, or an environment variable")
            }
        };
        CliError::usage(error.to_string()).hint(hint)
    }
}

impl From<ConfigFileError> for CliError {
    fn from(error: ConfigFileError) -> CliError {
        let message = error.to_string();
        match error {
            ConfigFileError::Value { source, .. } => CliError { message, ..CliError::from(source) },
            ConfigFileError::Syntax { .. } => CliError::usage(message)
                .hint("correct the file; `tacit config path` says which files there are"),
            ConfigFileError::Read { .. } | ConfigFileError::Write { .. } => {
                CliError::new(Code::Failure, message)
            }
        }
    }
}

/// For a misspelt type: the one that was probably meant.
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_lists_every_code() {
        let (_, rest) = include_str!("error.rs").split_once("enum Code {").unwrap();
        let (variants, _) = rest.split_once('}').unwrap();
        let mut codes: Vec<&str> = variants
            .lines()
            .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
            .map(|(_, code)| code)
            .collect();
        codes.insert(0, "0");
        let listed: Vec<&str> = include_str!("../../../docs/exit-codes.md")
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
            .map(|(code, _)| code)
            .filter(|code| code.parse::<u8>().is_ok())
            .collect();
        assert_eq!(listed, codes);
    }
}
