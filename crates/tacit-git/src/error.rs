//! Failures of git.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A failure of a command of git.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git could not be run.
    #[error("cannot run `git`: {0}")]
    Run(io::Error),
    /// Git refused.
    #[error("`git {command}` failed in `{}`: {stderr}", directory.display())]
    Refused {
        /// The command.
        command: String,
        /// The directory it ran in.
        directory: PathBuf,
        /// The text on standard error.
        stderr: String,
    },
    /// Git did not end in time, and was killed.
    #[error("`git {command}` in `{}` did not end within {seconds} seconds", directory.display())]
    TimedOut {
        /// The command.
        command: String,
        /// The directory it ran in.
        directory: PathBuf,
        /// The time it had.
        seconds: u64,
    },
    /// Git printed more than is read.
    #[error("`git {command}` in `{}` printed more than {bytes} bytes", directory.display())]
    TooLong {
        /// The command.
        command: String,
        /// The directory it ran in.
        directory: PathBuf,
        /// The most that is read.
        bytes: u64,
    },
}

/// The result of asking git.
pub type GitResult<T> = Result<T, GitError>;

pub(crate) fn refusal(directory: &Path, command: &str, output: &Output) -> GitError {
    GitError::Refused {
        command: command.to_owned(),
        directory: directory.to_path_buf(),
        stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }
}
