//! Errors of use cases: a message, a hint and a code. Doors render them.

use std::path::Path;

use tacit_core::{ConfigError, Memory};
use tacit_engine::{ConfigFileError, EngineError};
use tacit_store::StoreError;

/// The result of a use case.
pub type AppResult<T> = Result<T, AppError>;

/// The kinds of failure a script can tell apart; `docs/exit-codes.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
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
pub struct AppError {
    /// The problem.
    pub message: String,
    /// The next step for the reader.
    pub hint: Option<String>,
    /// The kind of failure.
    pub code: Code,
    /// The readers of the error.
    pub audience: Audience,
    /// The engine's own error, for doors that phrase it differently.
    pub cause: Option<EngineError>,
}

/// The readers of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A person or program that reads standard error.
    User,
    /// The same, but in exactly these words: agents know them.
    Verbatim,
    /// Nobody: what was found is printed already.
    Told,
    /// Nobody: whoever read our output stopped reading, which is no failure.
    Gone,
}

impl AppError {
    /// A failure of a kind.
    pub fn new(code: Code, message: impl Into<String>) -> AppError {
        AppError {
            message: message.into(),
            hint: None,
            code,
            audience: Audience::User,
            cause: None,
        }
    }

    /// A failure of whoever gave the arguments.
    pub fn usage(message: impl Into<String>) -> AppError {
        AppError::new(Code::Usage, message)
    }

    /// Explains why a file could not be read, written or used.
    pub fn cannot(verb: &str, path: &Path) -> impl Fn(std::io::Error) -> AppError + Copy {
        move |error| {
            AppError::new(Code::Failure, format!("cannot {verb} `{}`: {error}", path.display()))
        }
    }

    /// Adds what to do next, unless that is empty.
    pub fn hint(mut self, hint: impl Into<String>) -> AppError {
        self.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// A failure that is reported in its own words, without `error:` before them.
    pub fn verbatim(code: Code, message: impl Into<String>) -> AppError {
        AppError { audience: Audience::Verbatim, ..AppError::new(code, message) }
    }

    /// A failure whose findings were already printed.
    pub fn already_told() -> AppError {
        AppError { audience: Audience::Told, ..AppError::new(Code::Failure, "") }
    }
}

impl From<std::io::Error> for AppError {
    fn from(error: std::io::Error) -> AppError {
        AppError { audience: audience(&error), ..AppError::new(Code::Failure, error.to_string()) }
    }
}

/// `tacit list | head` is no failure.
fn audience(error: &std::io::Error) -> Audience {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Audience::Gone,
        _ => Audience::User,
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> AppError {
        AppError::from(EngineError::Store(error))
    }
}

impl From<EngineError> for AppError {
    fn from(error: EngineError) -> AppError {
        let message = error.to_string();
        let (code, hint): (Code, String) = match &error {
            EngineError::Store(store) => of_store(store),
            EngineError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
                return AppError::from(std::io::Error::from(source.kind()));
            }
            EngineError::Invalid(errors) => (Code::Usage, type_hint(errors)),
            EngineError::NotInitialised { .. } => (
                Code::NotInitialised,
                "run `tacit init` there; `tacit remember --global` keeps something for all \
                     projects instead"
                    .into(),
            ),
            EngineError::NoSuchMemory { .. } => {
                (Code::NotFound, "`tacit list` shows the memories and their ids".into())
            }
            EngineError::NoSuchSession { .. } => {
                (Code::NotFound, "`tacit observe sessions` lists the last ones".into())
            }
            EngineError::NotAnId { .. } => (
                Code::NotFound,
                "an id is 8 hexadecimal digits, such as `a1b2c3d4`; its beginning is enough".into(),
            ),
            EngineError::Ambiguous { matches, .. } => {
                (Code::NotFound, format!("give more of the id:{}", one_a_line(matches)))
            }
            EngineError::RecentlyForgotten { id, .. } => {
                let id = id.short();
                (
                    Code::Refused,
                    format!(
                        "`tacit restore {id}` brings it back; `tacit edit {id}` then changes it"
                    ),
                )
            }
            EngineError::AskFirst(_) => {
                (Code::Refused, "if the user agrees, store it without `--silent`".into())
            }
            EngineError::PersonOnly(_) => {
                (Code::Refused, "run it in a terminal of your own, outside of the agent".into())
            }
            EngineError::Duplicate(id) => {
                (Code::Refused, format!("`tacit show {}` shows it", id.short()))
            }
            EngineError::AlreadyInState { .. } => (Code::Refused, String::new()),
            EngineError::Serialise(_) => {
                (Code::Failure, "this is a fault of tacit; please report it".into())
            }
            EngineError::NothingToUndo => (Code::NotFound, String::new()),
            EngineError::LastWasPurge(_) => (
                Code::Refused,
                "`tacit history` lists the changes; `tacit undo NUMBER` takes back an earlier one"
                    .into(),
            ),
            EngineError::NoSuchChange(_) => {
                (Code::NotFound, "`tacit history` lists the changes".into())
            }
            EngineError::CannotUndo { .. } => {
                (Code::Refused, "`tacit history` lists the changes".into())
            }
            EngineError::Import { .. } => {
                (Code::Usage, "nothing was imported: a file is taken whole or not at all".into())
            }
            EngineError::Embedding(_) => (
                Code::Failure,
                "`tacit config set embedding.provider bundled` needs no server".into(),
            ),
            EngineError::Vectors(_) => {
                (Code::Damaged, "`tacit maintain --rebuild` makes it anew from the database".into())
            }
            EngineError::Io { .. } => (Code::Failure, String::new()),
        };
        AppError { cause: Some(error), ..AppError::new(code, message).hint(hint) }
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

fn of_store(error: &StoreError) -> (Code, String) {
    let (code, hint) = match error {
        StoreError::Missing { .. } => (Code::NotInitialised, "run `tacit init`"),
        StoreError::Busy => {
            (Code::Busy, "try again; `store.busy_timeout_ms` sets how long to wait")
        }
        StoreError::Damaged { .. } => (
            Code::Damaged,
            "`tacit doctor` says what is wrong; `tacit doctor --fix` saves what can be read",
        ),
        StoreError::TooNew { .. } => (Code::Damaged, "install a newer version of tacit"),
        StoreError::ReadOnly { .. } => {
            (Code::Failure, "check the permissions of the file and its directory")
        }
        StoreError::Refused { .. } => {
            (Code::Failure, "look at what it is; the store is used again once it is moved away")
        }
        StoreError::Full { .. } => (Code::Failure, "free some space and try again"),
        StoreError::Io { .. } => (
            Code::Failure,
            "check that it is a file, and the permissions of it and of its directory",
        ),
        StoreError::Failed { .. } => (Code::Failure, ""),
    };
    (code, hint.to_owned())
}

impl From<ConfigError> for AppError {
    fn from(error: ConfigError) -> AppError {
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
        AppError::usage(error.to_string()).hint(hint)
    }
}

impl From<ConfigFileError> for AppError {
    fn from(error: ConfigFileError) -> AppError {
        let message = error.to_string();
        match error {
            ConfigFileError::Value { source, .. } => AppError { message, ..AppError::from(source) },
            ConfigFileError::Syntax { .. } => AppError::usage(message)
                .hint("correct the file; `tacit config path` says which files there are"),
            ConfigFileError::Read { .. } | ConfigFileError::Write { .. } => {
                AppError::new(Code::Failure, message)
            }
        }
    }
}

/// For a misspelt type: the one that was probably meant.
fn type_hint(errors: &[tacit_core::FieldError]) -> String {
    let error = errors.iter().find(|error| error.field == "type");
    match error.map(|error| &error.problem) {
        Some(tacit_core::Problem::Unexpected { value, .. }) => {
            did_you_mean(value, tacit_core::BuiltinType::ALL.iter().map(|kind| kind.as_str()))
        }
        _ => String::new(),
    }
}

/// Asks for the word most like `text`; empty if none is much like it.
pub fn did_you_mean<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> String {
    closest(text, words).map(|word| format!("did you mean `{word}`?")).unwrap_or_default()
}

/// The word most like `text`, if any is much like it.
pub(crate) fn closest<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    words
        .map(|word| (strsim::levenshtein(text, word), word))
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
