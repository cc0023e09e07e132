//! Long work.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;

use crate::phrase::Sentence;

/// The work to start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewJob {
    /// maintain, reindex, index, scan or compare.
    pub(crate) job: String,
}

/// Long work that was started.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Job {
    pub(crate) id: String,
    /// The kind of job, or `change`: a change of many memories, which its own request began.
    pub(crate) job: String,
    pub(crate) state: JobState,
    /// True while it is asked to stop.
    pub(crate) cancelling: bool,
    /// The units that are counted: `files`, `vectors`, `modules`, `commits`, `memories`, `rows` or `sessions`.
    pub(crate) step: Option<String>,
    pub(crate) done: u64,
    pub(crate) total: u64,
    pub(crate) started_at: String,
    pub(crate) ended_at: Option<String>,
    /// The result or the error.
    pub(crate) message: Option<Sentence>,
    pub(crate) result: BTreeMap<String, u64>,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobState {
    Running,
    Done,
    Failed,
    Cancelled,
}

impl Job {
    pub(crate) fn new(id: String, job: &str, now: Timestamp) -> Job {
        Job {
            id,
            job: job.to_owned(),
            state: JobState::Running,
            cancelling: false,
            step: None,
            done: 0,
            total: 0,
            started_at: now.to_string(),
            ended_at: None,
            message: None,
            result: BTreeMap::new(),
        }
    }
}
