//! Records what memories took from the graph: whether links were made, and the digests of module
//! cards.

use tacit_graph::{FACTS_VERSION, Language};

use crate::derived::repairing;
use crate::error::CodebaseResult;
use crate::open::Codebase;
use crate::tables::Tables;
use crate::walk::walk;

impl Codebase {
    /// Returns true if memories have been compared with the graph, in the current version of symbol
    /// checksums.
    pub fn is_linked(&self) -> CodebaseResult<bool> {
        let version = self.with_tables(|tables| tables.meta("linked_version"))?;
        Ok(version == Some(i64::from(FACTS_VERSION)))
    }

    /// Records that memories were compared with the graph.
    pub fn mark_linked(&self) -> CodebaseResult<()> {
        self.with_tables(|tables| tables.set_meta("linked_version", i64::from(FACTS_VERSION)))
    }

    /// Returns the digest of the card last stored for a module.
    pub fn card_digest(&self, module: &str) -> CodebaseResult<Option<i64>> {
        self.with_tables(|tables| tables.meta(&card_name(module)))
    }

    /// Records the digest of a module's card.
    pub fn set_card_digest(&self, module: &str, digest: i64) -> CodebaseResult<()> {
        self.with_tables(|tables| tables.set_meta(&card_name(module), digest))
    }

    /// Reads or writes the tables. A damaged database is emptied; the graph is rebuilt by the next
    /// query.
    fn with_tables<T>(&self, work: impl Fn(&Tables) -> CodebaseResult<T>) -> CodebaseResult<T> {
        let path = self.database();
        let work = || Tables::open(&path).and_then(|tables| work(&tables));
        match work() {
            Err(error) if error.damaged().is_some() => self.with_lock("lock", |_| repairing(work)),
            done => done,
        }
    }

    /// Counts the source files without reading them.
    #[must_use]
    pub fn count_sources(&self, threads: usize) -> usize {
        walk(&self.root, threads, |path| Language::of_path(path).is_some()).files.len()
    }
}

fn card_name(module: &str) -> String {
    format!("card {module}")
}
