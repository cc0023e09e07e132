//! Asking a graph that may be missing, or behind the files it is asked about.

use crate::error::{CodebaseError, CodebaseResult};
use crate::open::{Codebase, OpenGraph};
use crate::refresh::Options;

impl Codebase {
    /// The graph as it was last built; one that is damaged is made again.
    pub(crate) fn open_mended(&self) -> CodebaseResult<OpenGraph> {
        match self.open() {
            Err(CodebaseError::Damaged { .. }) => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                self.refresh(&Options { threads, all: false, progress: &|_, _| {} })?;
                self.open()
            }
            opened => opened,
        }
    }

    /// An answer from a graph that knows the files as they are: one is built if there is none, and if
    /// any file changed since, or files came or went, it is brought up to date and asked again. In a
    /// very large project, only the files that the answer names are looked at. Where nothing can be
    /// written, the graph as it was is asked, and knows that it may be behind.
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
                self.refresh(options)?;
                return answer(&self.open()?);
            }
            opened => opened?,
        };
        let first = answer(&graph);
        let last_change = match &first {
            Err(error) if is_absence(error) => None,
            Err(_) => return first,
            Ok(first) => self.last_change(&graph, || names(first)),
        };
        // Equal times say nothing: clocks of file systems are coarse.
        if last_change.is_some_and(|last| last < graph.built()) {
            return first;
        }
        match self.refresh(options) {
            Ok(_) => answer(&self.open()?),
            Err(error) if error.is_unwritable() => answer(&graph.left_behind(&error)),
            Err(error) => Err(error.into()),
        }
    }
}
