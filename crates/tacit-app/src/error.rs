//! Errors of use cases: a message, a hint and a code. The CLI, the hooks and the MCP server render
//! them.

use std::path::Path;

use tacit_core::{ConfigError, Memory};
use tacit_engine::{ConfigFileError, EngineError};
use tacit_store::StoreError;

/// The result of a use case.
pub type AppResult<T> = Result<T, AppError>;

/// The kinds of failure that scripts can distinguish; `docs/exit-codes.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// Any other failure, or a check that found problems.
    Failure = 1,
    /// Invalid arguments or input. The argument parser exits with the same number.
    Usage = 2,
    /// The thing does not exist, or its name is ambiguous.
    NotFound = 3,
    /// The project has no store yet.
    NotInitialised = 4,
    /// Another process holds the lock of the store, or the team's server does not answer.
    Busy = 5,
    /// The store is damaged, or was written by a newer version.
    Damaged = 6,
    /// A rule forbids it: the memory was forgotten, is already in that state, or conflicts.
    Refused = 7,
}

/// A failure to report.
#[derive(Debug)]
pub struct AppError {
    /// The message, without `error:`.
    pub message: String,
    /// The next step for the reader.
    pub hint: Option<String>,
    /// The kind of failure.
    pub code: ErrorCode,
    /// The reader of the error, and thus how it is printed.
    pub audience: Audience,
    /// The engine's own error, for doors that phrase it differently.
    pub cause: Option<EngineError>,
}

/// The reader of an error, and thus how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A person or program that reads standard error: `error: …`, then `hint: …`.
    User,
    /// An agent that expects exactly this message, without `error:`.
    Verbatim,
    /// No reader: the findings are already printed.
    AlreadyPrinted,
    /// No reader: our output was piped to a program that has ended, which is not a failure.
    BrokenPipe,
}

impl AppError {
    /// Creates an error without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> AppError {
        AppError {
            message: message.into(),
            hint: None,
            code,
            audience: Audience::User,
            cause: None,
        }
    }

    /// Creates an error about invalid arguments or input.
    pub fn usage(message: impl Into<String>) -> AppError {
        AppError::new(ErrorCode::Usage, message)
    }

    /// Converts I/O errors: "cannot VERB `PATH`: …".
    pub fn cannot(verb: &str, path: &Path) -> impl Fn(std::io::Error) -> AppError + Copy {
        move |error| {
            AppError::new(
                ErrorCode::Failure,
                format!("cannot {verb} `{}`: {error}", path.display()),
            )
        }
    }

    /// Adds a hint, unless it is empty.
    pub fn hint(mut self, hint: impl Into<String>) -> AppError {
        self.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// Creates an error that is printed as it is, without `error:`.
    pub fn verbatim(code: ErrorCode, message: impl Into<String>) -> AppError {
        AppError { audience: Audience::Verbatim, ..AppError::new(code, message) }
    }

    /// Creates an error for findings that are already printed.
    pub fn already_printed() -> AppError {
        AppError { audience: Audience::AlreadyPrinted, ..AppError::new(ErrorCode::Failure, "") }
    }
}

impl From<std::io::Error> for AppError {
    fn from(error: std::io::Error) -> AppError {
        AppError {
            audience: audience(&error),
            ..AppError::new(ErrorCode::Failure, error.to_string())
        }
    }
}

/// Treats a closed pipe as success, as in `tacit list | head`.
fn audience(error: &std::io::Error) -> Audience {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Audience::BrokenPipe,
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
        let (code, hint): (ErrorCode, String) = match &error {
            EngineError::Store(store) => store_hint(store),
            EngineError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
                return AppError::from(std::io::Error::from(source.kind()));
            }
            EngineError::Invalid(errors) => (ErrorCode::Usage, type_hint(errors)),
            EngineError::NotInitialised { .. } => (
                ErrorCode::NotInitialised,
                "run `tacit init` there, or use `tacit remember --global` to store it for all \
                     projects"
                    .into(),
            ),
            EngineError::NoSuchMemory { .. } => {
                (ErrorCode::NotFound, "`tacit list` shows the memories and their ids".into())
            }
            EngineError::NoSuchSession { .. } => {
                (ErrorCode::NotFound, "`tacit session list` lists the last ones".into())
            }
            EngineError::NotAnId { .. } => (
                ErrorCode::NotFound,
                "an id is 8 hexadecimal digits, such as `a1b2c3d4`; its beginning is enough".into(),
            ),
            EngineError::Ambiguous { matches, .. } => {
                (ErrorCode::NotFound, format!("give more of the id:{}", matching_memories(matches)))
            }
            EngineError::RecentlyForgotten { id, .. } => {
                let id = id.short();
                (
                    ErrorCode::Refused,
                    format!(
                        "`tacit restore {id}` brings it back; `tacit edit {id}` then changes it"
                    ),
                )
            }
            EngineError::AskFirst(_) => {
                (ErrorCode::Refused, "if the user agrees, store it without `--silent`".into())
            }
            EngineError::PersonOnly(_) => (
                ErrorCode::Refused,
                "run it in a terminal outside the agent".into(),
            ),
            EngineError::FollowsFile { .. } => {
                (ErrorCode::Refused, "change the file; the memory follows it".into())
            }
            EngineError::Duplicate(id) => {
                (ErrorCode::Refused, format!("`tacit show {}` shows it", id.short()))
            }
            EngineError::AlreadyInState { .. } => (ErrorCode::Refused, String::new()),
            EngineError::Serialise(_) => {
                (ErrorCode::Failure, "this is a bug in tacit; please report it".into())
            }
            EngineError::NothingToUndo => (ErrorCode::NotFound, String::new()),
            EngineError::LastWasPurge(_) => (
                ErrorCode::Refused,
                "`tacit history` lists the changes; `tacit undo NUMBER` undoes an earlier one"
                    .into(),
            ),
            EngineError::NoSuchChange(_) => {
                (ErrorCode::NotFound, "`tacit history` lists the changes".into())
            }
            EngineError::CannotUndo { .. } => {
                (ErrorCode::Refused, "`tacit history` lists the changes".into())
            }
            EngineError::Import { .. } => (
                ErrorCode::Usage,
                "nothing was imported: a file is imported completely or not at all".into(),
            ),
            EngineError::Embedding(_) => (
                ErrorCode::Failure,
                "`tacit config set embedding.provider bundled` uses the bundled model, without a server".into(),
            ),
            EngineError::Vectors(_) => (
                ErrorCode::Damaged,
                "`tacit maintain --rebuild` rebuilds it from the database".into(),
            ),
            EngineError::MayNotPurge { .. } => (
                ErrorCode::Refused,
                "a curator can, see `tacit team members`; without `--purge`, `tacit forget` takes the memory out of use".into(),
            ),
            EngineError::PurgeUnanswered(_) => (
                ErrorCode::Busy,
                "the next command that reaches the server finishes the purge; `tacit team pull` tries to".into(),
            ),
            EngineError::NotEmpty { .. } => (
                ErrorCode::Refused,
                "add this machine's memories to them with `tacit team join --share`".into(),
            ),
            EngineError::Io { .. } => (ErrorCode::Failure, String::new()),
        };
        AppError { cause: Some(error), ..AppError::new(code, message).hint(hint) }
    }
}

/// Lists the memories that an ambiguous id matches, each with its shortest unique id.
fn matching_memories(memories: &[Memory]) -> String {
    let lines = memories.iter().map(|memory| {
        let short = memory.id.short();
        let is_unique = memories.iter().filter(|other| other.id.short() == short).count() == 1;
        let id = if is_unique { short.to_string() } else { memory.id.to_string() };
        format!("\n  {id}  {}  {}", memory.memory_type(), memory.headline())
    });
    lines.collect()
}

fn store_hint(error: &StoreError) -> (ErrorCode, String) {
    let (code, hint) = match error {
        StoreError::Missing { .. } => (
            ErrorCode::NotInitialised,
            "run `tacit init`; on a team's server, the first member runs `tacit team init` once the database exists",
        ),
        StoreError::Busy => {
            (ErrorCode::Busy, "try again; `timeouts.store_ms` sets how long to wait")
        }
        StoreError::Damaged { .. } => (
            ErrorCode::Damaged,
            "`tacit doctor` shows what is wrong; `tacit doctor --fix` recovers what can be read",
        ),
        StoreError::TooNew { .. } => (ErrorCode::Damaged, "install a newer version of tacit"),
        StoreError::OldSchema { .. } => (
            ErrorCode::Damaged,
            "ask a curator who may change the schema to run `tacit team init` with this version",
        ),
        StoreError::Unreachable { .. } => (
            ErrorCode::Busy,
            "check `database.url` and the network; `tacit team status` shows what waits for the server",
        ),
        StoreError::NotConnected { .. } => (
            ErrorCode::Busy,
            "`tacit team leave` would make this machine's copy the project's own store",
        ),
        StoreError::NoPassword { .. } => (
            ErrorCode::Refused,
            "run `database.password_command` by hand, or correct your pgpass file",
        ),
        StoreError::Untrusted { .. } => (
            ErrorCode::Refused,
            "check the host name, `sslmode` and `sslrootcert` in `database.url`",
        ),
        StoreError::Denied { .. } => (
            ErrorCode::Refused,
            "check your name and password, and your role with `tacit team status`",
        ),
        StoreError::ReadOnly { .. } => (
            ErrorCode::Failure,
            "check the permissions of the file and its directory, or whether the team's server is read-only",
        ),
        StoreError::Refused { .. } => (
            ErrorCode::Failure,
            "check what it is and move it away; then the store can be used again",
        ),
        StoreError::Full { .. } => (ErrorCode::Failure, "free some space and try again"),
        StoreError::Io { .. } => (
            ErrorCode::Failure,
            "check that it is a file, and its permissions and those of its directory",
        ),
        StoreError::Failed { .. } => (ErrorCode::Failure, ""),
    };
    (code, hint.to_owned())
}

impl From<ConfigError> for AppError {
    fn from(error: ConfigError) -> AppError {
        let hint = match &error {
            ConfigError::UnknownKey { suggestion: Some(key), .. } => {
                format!("did you mean `{key}`? `tacit config explain` lists every key")
            }
            ConfigError::UnknownKey { suggestion: None, .. } | ConfigError::RemovedKey { .. } => {
                "`tacit config explain` lists every key".into()
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
            ConfigFileError::Syntax { .. } | ConfigFileError::NotATable { .. } => {
                AppError::usage(message)
                    .hint("correct the file; `tacit config path` lists the configuration files")
            }
            ConfigFileError::Read { .. } | ConfigFileError::Write { .. } => {
                AppError::new(ErrorCode::Failure, message)
            }
        }
    }
}

/// Suggests the type that a misspelt one probably means.
fn type_hint(errors: &[tacit_core::FieldError]) -> String {
    let error = errors.iter().find(|error| error.field == "type");
    match error.map(|error| &error.problem) {
        Some(tacit_core::Problem::Unexpected { value, .. }) => {
            did_you_mean(value, tacit_core::BuiltinType::ALL.iter().map(|kind| kind.as_str()))
        }
        _ => String::new(),
    }
}

/// Suggests the word most similar to `text`; empty if none is similar.
pub fn did_you_mean<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> String {
    closest(text, words).map(|word| format!("did you mean `{word}`?")).unwrap_or_default()
}

/// Returns the word most similar to `text`, if any is similar enough.
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
    fn the_documentation_lists_every_exit_code() {
        let (_, rest) = include_str!("error.rs").split_once("enum ErrorCode {").unwrap();
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
