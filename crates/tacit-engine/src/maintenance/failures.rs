//! The last run of `tacit maintain`, and its failed steps, kept beside the store until they succeed.

use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;

use crate::engine::{StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// The most bytes of the file.
const LARGEST: u64 = 1024 * 1024;

/// A step that failed in its last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedStep {
    /// The step's name.
    pub step: String,
    /// The time of the last failure.
    pub at: Timestamp,
    /// The error, on one line and without secrets.
    pub error: String,
}

impl StorePaths {
    /// Returns the maintenance steps of a store that failed and have not succeeded since.
    pub fn failed_steps(&self, scope: StoreScope) -> EngineResult<Vec<FailedStep>> {
        let path = self.failed_steps_file(scope);
        let fail = |source| EngineError::Io { path: path.clone(), source };
        let text = match tacit_fs::read_text(&path, LARGEST) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(fail)?,
        };
        let lines = text.lines().map(|line| serde_json::from_str(line).map_err(|e| fail(e.into())));
        lines.collect()
    }

    /// Replaces the failed maintenance steps of a store.
    pub fn keep_failed_steps(&self, scope: StoreScope, failed: &[FailedStep]) -> EngineResult<()> {
        let path = self.failed_steps_file(scope);
        let write = || match failed {
            [] => tacit_fs::remove(&path),
            failed => {
                // One per line, because a purge deletes the lines that quote a purged memory.
                let lines: Result<Vec<_>, _> = failed.iter().map(serde_json::to_string).collect();
                tacit_fs::replace(&path, (lines?.join("\n") + "\n").as_bytes())
            }
        };
        write().map_err(|source| EngineError::Io { path: path.clone(), source })
    }

    fn failed_steps_file(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join("maintain-failures.jsonl")
    }
}
