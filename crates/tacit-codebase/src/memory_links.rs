//! What was taken from the graph into memories: whether links were found, and which cards of modules
//! were kept.

use tacit_graph::{FACTS_VERSION, Language};

use crate::derived::repairing;
use crate::error::CodebaseResult;
use crate::open::Codebase;
use crate::tables::Tables;
use crate::walk::walk;

impl Codebase {
    /// Whether memories were compared with the graph before, when sums of symbols meant what they
    /// mean now.
    pub fn is_linked(&self) -> CodebaseResult<bool> {
        let version = self.with_tables(|tables| tables.meta("linked_version"))?;
        Ok(version == Some(i64::from(FACTS_VERSION)))
    }

    /// Notes that memories were compared with the graph.
    pub fn mark_linked(&self) -> CodebaseResult<()> {
        self.with_tables(|tables| tables.set_meta("linked_version", i64::from(FACTS_VERSION)))
    }

    /// The digest of the card of a module that was last kept.
    pub fn card_digest(&self, module: &str) -> CodebaseResult<Option<i64>> {
        self.with_tables(|tables| tables.meta(&card_name(module)))
    }

    /// Notes the digest of the card of a module that was kept.
    pub fn set_card_digest(&self, module: &str, digest: i64) -> CodebaseResult<()> {
        self.with_tables(|tables| tables.set_meta(&card_name(module), digest))
    }

    /// Reads or writes what is noted. From a database that is damaged nothing is known; the graph is
    /// made again when it is next asked for.
    fn with_tables<T>(&self, work: impl Fn(&Tables) -> CodebaseResult<T>) -> CodebaseResult<T> {
        let path = self.database();
        let work = || Tables::open(&path).and_then(|tables| work(&tables));
        match work() {
            Err(error) if error.damaged().is_some() => self.with_lock("lock", |_| repairing(work)),
            done => done,
        }
    }

    /// How many source files there are, without reading any.
    #[must_use]
    pub fn count_sources(&self, threads: usize) -> usize {
        walk(&self.root, threads, |path| Language::of_path(path).is_some()).files.len()
    }
}

fn card_name(module: &str) -> String {
    format!("card {module}")
}
