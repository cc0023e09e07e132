//! Asking a graph that may be missing, or behind the files it is asked about.

use crate::error::{CodebaseError, CodebaseResult};
use crate::open::{Codebase, OpenGraph};
use crate::refresh::RefreshOptions;

impl Codebase {
    /// The graph as it was last built; one that is damaged is made again.
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

    /// The graph as it was last built; one is built if there is none.
    pub fn open_or_build(&self, options: &RefreshOptions<'_>) -> CodebaseResult<OpenGraph> {
        match self.open() {
            Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => {
                self.refresh(options)?;
                self.open()
            }
            opened => opened,
        }
    }

    /// A newer graph, if any file changed since this one was built, or files came or went. In a very
    /// large project, only the files that an answer named are looked at; whoever found nothing
    /// (`None`) gets a newer one in any case. Where nothing can be written, the graph is as it was,
    /// and knows that it may be behind.
    pub fn refresh_if_stale(
        &self,
        graph: &OpenGraph,
        named: Option<&[String]>,
        options: &RefreshOptions<'_>,
    ) -> CodebaseResult<Option<OpenGraph>> {
        let last_change = named.and_then(|named| self.last_change(graph, || named.to_vec()));
        // Equal times say nothing: clocks of file systems are coarse.
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
