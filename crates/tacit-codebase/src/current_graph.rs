//! Opens a graph that may be missing or out of date.

use crate::error::{CodebaseError, CodebaseResult};
use crate::open::{Codebase, OpenGraph};
use crate::refresh::RefreshOptions;

impl Codebase {
    /// Opens the graph as last built, and rebuilds it if it is damaged.
    pub(crate) fn open_or_repair(&self) -> CodebaseResult<OpenGraph> {
        match self.open() {
            Err(CodebaseError::Damaged { .. }) => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from);
                self.refresh(&RefreshOptions { threads, reread_all: false, progress: &|_, _| {} })?;
                self.open()
            }
            opened => opened,
        }
    }

    /// Opens the graph as last built, and builds it if it is missing or damaged.
    pub fn open_or_build(&self, options: &RefreshOptions<'_>) -> CodebaseResult<OpenGraph> {
        match self.open() {
            Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => {
                self.refresh(options)?;
                self.open()
            }
            opened => opened,
        }
    }

    /// Returns a newer graph if any file was added, changed or removed since this one was built. In
    /// very large projects only the files that an answer names are checked; if an answer names none
    /// (`None`), the graph is always refreshed. If nothing can be written, returns the old graph
    /// with the reason why it may be stale.
    pub fn refresh_if_stale(
        &self,
        graph: &OpenGraph,
        named: Option<&[String]>,
        options: &RefreshOptions<'_>,
    ) -> CodebaseResult<Option<OpenGraph>> {
        let last_change = named.and_then(|named| self.last_change(graph, || named.to_vec()));
        // Equal times prove nothing: the clocks of file systems are coarse.
        if last_change.is_some_and(|last| last < graph.built()) {
            return Ok(None);
        }
        match self.refresh(options) {
            Ok(_) => self.open().map(Some),
            Err(error) if error.is_unwritable() => {
                self.open().map(|graph| Some(graph.with_stale_reason(&error)))
            }
            Err(error) => Err(error),
        }
    }
}
