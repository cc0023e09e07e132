//! When memories were last compared with the graph.

use tacit_graph::FACTS_VERSION;

use crate::error::CodebaseResult;
use crate::open::Codebase;
use crate::tables::Tables;

impl Codebase {
    /// When memories were last compared with the graph, in milliseconds since 1970; none if they
    /// never were, or if sums of symbols meant something else then.
    pub fn linked_at(&self) -> CodebaseResult<Option<i64>> {
        let tables = Tables::open(&self.database())?;
        let same = tables.meta("linked_version")? == Some(i64::from(FACTS_VERSION));
        Ok(tables.meta("linked_at")?.filter(|_| same))
    }

    /// Notes when memories were compared with the graph.
    pub fn note_linked(&self, at_ms: i64) -> CodebaseResult<()> {
        let tables = Tables::open(&self.database())?;
        tables.set_meta("linked_version", i64::from(FACTS_VERSION))?;
        tables.set_meta("linked_at", at_ms)
    }
}
