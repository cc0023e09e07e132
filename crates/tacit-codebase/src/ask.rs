//! Asking a graph that may be missing, or behind the files it is asked about.

use crate::error::CodebaseError;
use crate::open::{Codebase, OpenGraph};
use crate::refresh::Options;

impl Codebase {
    /// An answer from a graph that knows the files it names as they are: one is built if there is
    /// none, and if any file of the answer changed since, it is brought up to date and asked again.
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
                match self.refresh(options) {
                    // Somebody else is building it, and theirs is as good.
                    Err(CodebaseError::Busy { .. }) => self.wait()?,
                    built => drop(built?),
                }
                return answer(&self.open()?);
            }
            opened => opened?,
        };
        let first = answer(&graph);
        let current = match &first {
            Ok(first) => graph.changed_since(names(first).iter().map(String::as_str)).is_empty(),
            Err(error) => !is_absence(error),
        };
        if current {
            return first;
        }
        match self.refresh(options) {
            Ok(_) => answer(&self.open()?),
            // Somebody else is at it: what there is has to do.
            Err(CodebaseError::Busy { .. }) => first,
            Err(error) => Err(error.into()),
        }
    }
}
