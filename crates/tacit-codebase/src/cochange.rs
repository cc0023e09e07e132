//! What changes together, from the history and the graph as they were last read.

use std::collections::HashMap;

use tacit_graph::{EdgeKind, PackedGraph};

use crate::error::CodebaseResult;
use crate::history::{EstimateWeights, Estimator, History, Structure};
use crate::open::Codebase;

/// So many files that change with one are told to those who rank by it.
const MAX_PARTNERS: usize = 200;

impl Codebase {
    /// Answers a question about what changes together. Without a graph, commits and names have to
    /// do.
    pub fn estimate<T>(
        &self,
        answer: impl FnOnce(&History, &Estimator<'_>) -> T,
    ) -> CodebaseResult<T> {
        let history = self.history()?;
        let graph = self.open_or_repair().ok();
        let edges = graph.as_ref().map(|graph| import_pairs(&graph.packed())).unwrap_or_default();
        let structure = Structure::new(&history.names, edges);
        Ok(answer(&history, &Estimator::new(&history, &structure, EstimateWeights::default())))
    }

    /// How likely files change with one, by their paths; nothing where no history was read.
    #[must_use]
    pub fn partners(&self, path: &str) -> HashMap<String, f32> {
        let estimated = self.estimate(|history, estimator| {
            let Some(file) = history.names.find(path) else { return HashMap::new() };
            let partners = estimator.partners(file, &[], MAX_PARTNERS).into_iter();
            let named = partners.filter_map(|partner| {
                let path = history.names.path(partner.file)?;
                Some((path.to_owned(), partner.probability as f32))
            });
            named.collect()
        });
        estimated.unwrap_or_default()
    }
}

/// The imports between files that a graph knows, as names: a file, and one that it imports.
#[must_use]
pub fn import_pairs<'g>(graph: &PackedGraph<'g>) -> Vec<(&'g str, &'g str)> {
    let mut found = Vec::new();
    for file in 0..graph.files() {
        for edge in graph.range(file).flat_map(|node| graph.dependencies(node)) {
            if edge.kind == EdgeKind::Imports
                && let Some(to) = graph.file_of(edge.to)
                && to != file
            {
                found.push((graph.path(file), graph.path(to)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
