//! The report of the last run of `tacit maintain`, saved after each step. A run that was killed is
//! continued with the steps that its report lacks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;

use crate::engine::{StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// The most bytes of the file.
const LARGEST: u64 = 256 * 1024;

/// A step that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepReport {
    /// The step's name.
    pub step: String,
    /// The time it began.
    pub at: Timestamp,
    /// The time it took, in milliseconds.
    pub millis: u64,
    /// The things it changed, with their numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
    /// True if it failed; the failed steps have the reason.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// The report of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReport {
    /// The time the run began.
    pub started_at: Timestamp,
    /// The time it ended; `None` while it runs, or if it was killed.
    pub finished_at: Option<Timestamp>,
    /// The steps, in the order in which they were run.
    pub steps: Vec<StepReport>,
}

impl RunReport {
    /// Creates the report of a run that begins.
    pub fn begin(now: Timestamp) -> RunReport {
        RunReport { started_at: now, finished_at: None, steps: Vec::new() }
    }

    /// Returns true if the run was killed before it ended, given that it no longer runs.
    pub fn is_interrupted(&self) -> bool {
        self.finished_at.is_none()
    }

    /// Returns true if a step was run without failing.
    pub fn has_done(&self, step: &str) -> bool {
        self.steps.iter().any(|done| done.step == step && !done.failed)
    }

    /// Returns the time of the run in milliseconds: that of all steps together.
    pub fn millis(&self) -> u64 {
        self.steps.iter().map(|step| step.millis).sum()
    }

    /// Returns the numbers of all steps together.
    pub fn counts(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for (name, number) in self.steps.iter().flat_map(|step| &step.counts) {
            *counts.entry(name.as_str()).or_default() += number;
        }
        counts
    }
}

impl StorePaths {
    /// Returns the report of the last run; `None` if there is none that can be read.
    pub fn last_run(&self, scope: StoreScope) -> Option<RunReport> {
        let text = tacit_fs::read_text(&self.run_report_file(scope), LARGEST).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Replaces the report of the last run.
    pub fn keep_run(&self, scope: StoreScope, report: &RunReport) -> EngineResult<()> {
        let path = self.run_report_file(scope);
        let write = || tacit_fs::replace(&path, &serde_json::to_vec(report)?);
        write().map_err(|source| EngineError::Io { path: path.clone(), source })
    }

    fn run_report_file(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join("maintain-report.json")
    }
}
