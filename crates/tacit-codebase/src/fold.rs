//! The graph without what edits took out of it. A graph with edits still has the names of what is
//! gone, which nobody reads but whoever looks at its bytes.

use tacit_graph::{FileFacts, Language};

use crate::edit::Written;
use crate::error::{CodebaseResult, io};
use crate::facts::{FactStore, Hash};
use crate::locate::ask::Depth;
use crate::open::Codebase;
use crate::outlines;
use crate::tables::Tables;

impl Codebase {
    /// Writes the graph anew, if edits changed it since it was built.
    pub fn fold(&self) -> CodebaseResult<()> {
        if !self.file("edits").exists() {
            return Ok(());
        }
        let path = self.file("graph");
        let lock = self.lock_file("lock")?;
        lock.lock().map_err(io(&path))?;
        let folded = self.holding_stores(|| self.fold_locked());
        // Closing it is not enough: a program that another thread is just starting has it open too.
        lock.unlock().map_err(io(&path))?;
        folded
    }

    fn fold_locked(&self) -> CodebaseResult<()> {
        let graph = self.open_for(Depth::Thorough)?;
        let Some(bytes) = graph.packed().folded() else { return Ok(()) };
        self.publish(&Written::Graph(bytes), graph.built())?;
        let mut files: Vec<(String, Hash)> = Tables::open(&self.file("db"))?
            .files()?
            .into_iter()
            .filter(|(path, _)| Language::of_path(path).is_some())
            .map(|(path, known)| (path, known.hash))
            .collect();
        files.sort();
        let store = FactStore::open(&self.directory)?;
        let facts = |hash: &Hash| store.get(hash).ok().flatten()?.read()?.ok();
        let facts: Vec<Option<FileFacts>> = files.iter().map(|(_, hash)| facts(hash)).collect();
        let path = self.file("outlines");
        let hashes = files.iter().map(|(_, hash)| hash);
        if outlines::write(&path, hashes.zip(facts.iter().map(Option::as_ref))).is_err() {
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }
}
