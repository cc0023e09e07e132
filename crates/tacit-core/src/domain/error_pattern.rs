//! An error that was met: by what it is recognised, and what put an end to it.

use serde::{Deserialize, Serialize};

use super::values::{FingerprintDigest, RepoPath};

/// An error that was met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorPattern {
    /// The fingerprint of what the failing command printed.
    pub fingerprint: FingerprintDigest,
    /// The observed fix of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<ErrorFix>,
}

/// A command that failed and passed later, and what was done in between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorFix {
    /// The command line.
    pub failing_command: String,
    /// The line of its output that tells what went wrong.
    pub error: String,
    /// The first test that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_test: Option<String>,
    /// Number of failures before the command passed.
    pub failures: u32,
    /// The changes or commands after which it passed.
    pub resolution: ErrorResolution,
}

/// The resolution of an error: changed files or, if there are none, commands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorResolution {
    /// The files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RepoPath>,
    /// The last of their changes, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LineChange>,
    /// The commands that were run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// A change of a file, by the first line that went and the first that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineChange {
    /// The line that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The line that came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
}
