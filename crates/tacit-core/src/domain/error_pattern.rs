//! Details of an error pattern: its fingerprint and its observed fix.

use serde::{Deserialize, Serialize};

use super::values::{FingerprintDigest, RepoPath};

/// An error that was seen in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorPattern {
    /// The fingerprint of the failing command's output.
    pub fingerprint: FingerprintDigest,
    /// The observed fix of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<ErrorFix>,
}

/// A command that failed and later passed, with the changes in between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorFix {
    /// The failing command line.
    pub failing_command: String,
    /// The line of the output that states the error.
    pub error: String,
    /// The first test that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_test: Option<String>,
    /// The number of failures before the command passed.
    pub failures: u32,
    /// The changes or commands after which the command passed.
    pub resolution: ErrorResolution,
}

/// The resolution of an error: changed files, or the commands that were run if no file changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorResolution {
    /// The files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RepoPath>,
    /// The last changes of these files, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LineChange>,
    /// The commands that were run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// A change of a file, given by the first removed and the first added line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineChange {
    /// The removed line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The added line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
}
