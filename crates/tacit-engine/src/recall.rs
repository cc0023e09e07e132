//! The read gate: what is known about a question.

use tacit_core::{MemoryId, tokenize};
use tacit_store::{Filter, ListOrder, ListQuery, TextQuery};

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::lookup::Found;

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// In words; without any, the newest that pass the filter.
    pub query: String,
    /// Which memories may answer.
    pub filter: Filter,
    /// How many at most.
    pub limit: usize,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The memory and where it is.
    pub found: Found,
    /// How well it matches the words; larger is better.
    pub score: f64,
}

impl Engine<'_> {
    /// The memories that answer a question, best first, from every open shelf.
    pub fn recall(&self, recall: &Recall) -> EngineResult<Vec<Recalled>> {
        if recall.query.trim().is_empty() {
            let newest = self.list(None, &recall.filter, ListOrder::Newest, recall.limit, 0)?;
            return Ok(newest.into_iter().map(|found| Recalled { found, score: 0.0 }).collect());
        }
        let tokens = tokenize(&recall.query);
        let mut answers: Vec<Recalled> = Vec::new();
        for (shelf, store) in self.shelves() {
            let query = TextQuery {
                tokens: tokens.clone(),
                filter: recall.filter.clone(),
                limit: recall.limit,
            };
            let hits = store.search_text(&query)?;
            let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.id).collect();
            let memories = store.read(&ids)?;
            // A memory that was removed between the two reads is not among the memories.
            for memory in memories {
                let score =
                    hits.iter().find(|hit| hit.id == memory.id).map_or(0.0, |hit| hit.score);
                answers.push(Recalled { found: Found { shelf, memory }, score });
            }
        }
        answers.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then(a.found.memory.id.cmp(&b.found.memory.id))
        });
        answers.truncate(recall.limit);
        Ok(answers)
    }

    /// A list of memories from every open shelf, or from one.
    pub fn list(
        &self,
        only: Option<Shelf>,
        filter: &Filter,
        order: ListOrder,
        limit: usize,
        offset: usize,
    ) -> EngineResult<Vec<Found>> {
        let mut listed: Vec<Found> = Vec::new();
        for (shelf, store) in self.shelves().filter(|(shelf, _)| only.is_none_or(|o| o == *shelf)) {
            let query = ListQuery {
                filter: filter.clone(),
                order,
                limit: limit.saturating_add(offset),
                offset: 0,
            };
            let memories = store.list(&query)?;
            listed.extend(memories.into_iter().map(|memory| Found { shelf, memory }));
        }
        sort(&mut listed, order);
        Ok(listed.into_iter().skip(offset).take(limit).collect())
    }

    /// Counts one more showing of each memory, if that can be done without waiting.
    pub fn count_shown(&mut self, shown: &[Recalled]) {
        let now = self.clock.now();
        for shelf in [Shelf::Project, Shelf::Global] {
            let ids: Vec<MemoryId> = shown
                .iter()
                .filter(|recalled| recalled.found.shelf == shelf)
                .map(|recalled| recalled.found.memory.id)
                .collect();
            if !ids.is_empty()
                && let Ok(store) = self.store_mut(shelf)
            {
                // A missing count harms nobody; a failed recall would.
                let _ = store.touch(&ids, now);
            }
        }
    }
}

/// The order of a list that comes from two stores, each already in that order.
fn sort(listed: &mut [Found], order: ListOrder) {
    listed.sort_by(|a, b| {
        let (a, b) = (&a.memory, &b.memory);
        match order {
            ListOrder::Newest => (b.created_at, b.id).cmp(&(a.created_at, a.id)),
            ListOrder::Oldest => (a.created_at, a.id).cmp(&(b.created_at, b.id)),
            ListOrder::Changed => (b.updated_at, b.id).cmp(&(a.updated_at, a.id)),
            ListOrder::Used => {
                let key =
                    |m: &tacit_core::Memory| (m.usage.last_accessed_at, m.usage.access_count, m.id);
                key(b).cmp(&key(a))
            }
            ListOrder::Confidence => b
                .said
                .confidence
                .value()
                .total_cmp(&a.said.confidence.value())
                .then(b.id.cmp(&a.id)),
        }
    });
}
