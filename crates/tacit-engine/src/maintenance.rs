//! The steps of `tacit maintain` that failed, kept beside the store until they succeed.

use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;

use crate::engine::{StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// A larger file is none of ours.
const LARGEST: u64 = 1024 * 1024;

/// A step that failed when it was last run.
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
    /// Returns the steps of a shelf's maintenance that failed and have not succeeded since.
    pub fn failed_steps(&self, shelf: StoreScope) -> EngineResult<Vec<FailedStep>> {
        let path = self.failed_steps_file(shelf);
        let fail = |source| EngineError::Io { path: path.clone(), source };
        let text = match tacit_fs::read_text(&path, LARGEST) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(fail)?,
        };
        let lines = text.lines().map(|line| serde_json::from_str(line).map_err(|e| fail(e.into())));
        lines.collect()
    }

    /// Replaces the steps of a shelf's maintenance that failed.
    pub fn keep_failed_steps(&self, shelf: StoreScope, failed: &[FailedStep]) -> EngineResult<()> {
        let path = self.failed_steps_file(shelf);
        let write = || match failed {
            [] => tacit_fs::remove(&path),
            failed => {
                // One a line: a purge drops the lines that quote what is purged.
                let lines: Result<Vec<_>, _> = failed.iter().map(serde_json::to_string).collect();
                tacit_fs::replace(&path, (lines?.join("\n") + "\n").as_bytes())
            }
        };
        write().map_err(|source| EngineError::Io { path: path.clone(), source })
    }

    fn failed_steps_file(&self, shelf: StoreScope) -> PathBuf {
        self.directory(shelf).join("maintain-failures.jsonl")
    }
}
