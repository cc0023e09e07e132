//! Asking a graph that may be missing, or behind the files it is asked about.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use crate::error::CodebaseError;
use crate::open::{Codebase, OpenGraph};
use crate::refresh::{Options, TOO_FRESH_NS};

/// In a project of more files than this, looking at all of them takes longer than an answer may.
const MOST_LOOKED_AT: u32 = 20_000;

impl Codebase {
    /// An answer from a graph that knows the files as they are: one is built if there is none, and if
    /// any file changed since, or files came or went, it is brought up to date and asked again. In a
    /// very large project, only the files that the answer names are looked at.
    ///
    /// `names` tells the files of an answer, `is_absence` whether a failure may come from something
    /// that is not yet in the graph.
    pub fn ask<T, E: From<CodebaseError>>(
        &self,
        options: &Options<'_>,
        answer: impl Fn(&OpenGraph) -> Result<T, E>,
        names: impl Fn(&T) -> Vec<String>,
        is_absence: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let graph = match self.open() {
            Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => {
                self.refresh_in_turn(options)?;
                return answer(&self.open()?);
            }
            opened => opened?,
        };
        let first = answer(&graph);
        let is_small = graph.packed().files() <= MOST_LOOKED_AT;
        let newest = if is_small { graph.newest() } else { None };
        let current = match &first {
            Err(error) => !is_absence(error),
            // Equal times say nothing: clocks of file systems are coarse.
            Ok(_) if is_small => newest.is_some_and(|newest| newest < graph.built()),
            Ok(first) => graph.changed_since(names(first).iter().map(String::as_str)).is_empty(),
        };
        if current {
            return first;
        }
        let done = self.refresh_in_turn(options)?;
        let settled = options.now_ms.saturating_mul(1_000_000).saturating_sub(TOO_FRESH_NS);
        let later = newest.filter(|newest| *newest >= graph.built() && *newest < settled);
        if let Some(newest) = later.filter(|_| !done.changed) {
            self.note_current(newest);
        }
        answer(&self.open()?)
    }

    /// Notes that the graph is as it should be although something was written later, so that it is
    /// not looked for again. What is written after that is later still, as long as `newest` is not so
    /// fresh that a file may be written once more at the same time.
    fn note_current(&self, newest: i64) {
        let Ok(nanoseconds) = u64::try_from(newest + 1) else { return };
        for ending in ["graph", "edits"] {
            if let Ok(file) = File::options().append(true).open(self.file(ending)) {
                // Where that cannot be noted, the next answer takes longer.
                let _ = file.set_modified(UNIX_EPOCH + Duration::from_nanos(nanoseconds));
            }
        }
    }
}
