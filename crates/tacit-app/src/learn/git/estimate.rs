//! Estimates how long learning from the commits takes, from a few of them.

use std::time::{Duration, Instant};

use tacit_codebase::CodebaseError;

use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;
use crate::learn::about;

/// The number of commits that are read to measure how long one takes.
const SAMPLED: usize = 150;
/// The time that drawing lessons takes for each commit, and for the start of programs.
const DRAWING: Duration = Duration::from_micros(60);
const START: Duration = Duration::from_millis(150);

/// The work that learning from git would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnEstimate {
    /// The number of commits that are not read yet.
    pub commits: usize,
    /// The time that reading and learning would take.
    pub time: Duration,
}

impl LearnEstimate {
    /// Returns the time in words, such as `about 2 s`.
    #[must_use]
    pub fn in_words(&self) -> String {
        about(self.time)
    }
}

/// Measures how long some commits take; `None` if there are none, or no git.
pub fn estimate(app: &App) -> AppResult<Option<LearnEstimate>> {
    if app.repository.is_none() {
        return Ok(None);
    }
    let (commits, sample) = main_codebase(app).unread_commits(SAMPLED)?;
    if commits == 0 {
        return Ok(None);
    }
    let began = Instant::now();
    tacit_git::read_log(&app.places.root, &sample).map_err(CodebaseError::from)?;
    let each = began.elapsed() / u32::try_from(sample.len().max(1)).unwrap_or(u32::MAX);
    let count = u32::try_from(commits).unwrap_or(u32::MAX);
    Ok(Some(LearnEstimate { commits, time: START + (each + DRAWING) * count }))
}
