//! Errors of git commands.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The reason why a git command failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git could not be run.
    #[error("cannot run `git`: {0}")]
    Run(io::Error),
    /// Git ended with an error.
    #[error("`git {command}` failed in `{}`: {stderr}", directory.display())]
    Refused {
        /// The git subcommand.
        command: String,
        /// The directory it ran in.
        directory: PathBuf,
        /// The output of git on standard error.
        stderr: String,
    },
    /// Git exceeded its deadline and was killed.
    #[error("`git {command}` in `{}` did not end within {seconds} seconds", directory.display())]
    TimedOut {
        /// The git subcommand.
        command: String,
        /// The directory it ran in.
        directory: PathBuf,
        /// The deadline in seconds.
        seconds: u64,
    },
    /// Git printed too much and was killed.
    #[error("`git {command}` in `{}` printed more than {bytes} bytes", directory.display())]
    TooLong {
        /// The git subcommand.
        command: String,
        /// The directory it ran in.
        directory: PathBuf,
        /// The limit in bytes.
        bytes: u64,
    },
}

/// The result of a git command.
pub type GitResult<T> = Result<T, GitError>;

pub(crate) fn command_failed(directory: &Path, command: &str, output: &Output) -> GitError {
    GitError::Refused {
        command: command.to_owned(),
        directory: directory.to_path_buf(),
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }
}
