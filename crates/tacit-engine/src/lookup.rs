//! Memories without ranking: the one that somebody names, and lists in a given order.

use tacit_core::{Memory, MemoryId, ShortId};
use tacit_store::{Filter, ListOrder, ListQuery};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};

/// A memory and the shelf it is on.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// Where.
    pub shelf: StoreScope,
    /// What.
    pub memory: Memory,
}

impl Engine<'_> {
    /// The one memory that `text` means: a full identifier, a short one, or the beginning of a
    /// short one. If it can mean several, all of them are in the error.
    pub fn find(&self, text: &str) -> EngineResult<StoredMemory> {
        let mut found = Vec::new();
        for (shelf, store) in self.shelves() {
            let ids: Vec<MemoryId> = match text.parse::<MemoryId>() {
                Ok(id) => vec![id],
                Err(_) => {
                    let range = ShortId::range_of_prefix(text)
                        .ok_or_else(|| EngineError::NotAnId { text: text.to_owned() })?;
                    store.find_short(range)?.into_iter().map(|found| found.id).collect()
                }
            };
            let memories = if ids.is_empty() { Vec::new() } else { store.read(&ids)? };
            found.extend(memories.into_iter().map(|memory| StoredMemory { shelf, memory }));
        }
        match found.len() {
            0 => Err(EngineError::NoSuchMemory { text: text.to_owned() }),
            1 => Ok(found.remove(0)),
            _ => Err(EngineError::Ambiguous {
                text: text.to_owned(),
                matches: found.into_iter().map(|found| found.memory).collect(),
            }),
        }
    }

    /// A list of memories from every open shelf, or from one.
    pub fn list(
        &self,
        only: Option<StoreScope>,
        filter: &Filter,
        order: ListOrder,
        limit: usize,
        offset: usize,
    ) -> EngineResult<Vec<StoredMemory>> {
        let mut listed: Vec<StoredMemory> = Vec::new();
        for (shelf, store) in self.shelves().filter(|(shelf, _)| only.is_none_or(|o| o == *shelf)) {
            let query = ListQuery {
                filter: filter.clone(),
                order,
                limit: limit.saturating_add(offset),
                offset: 0,
            };
            let memories = store.list(&query)?;
            listed.extend(memories.into_iter().map(|memory| StoredMemory { shelf, memory }));
        }
        sort(&mut listed, order);
        Ok(listed.into_iter().skip(offset).take(limit).collect())
    }
}

/// The order of a list that comes from two stores, each already in that order.
pub(crate) fn sort(listed: &mut [StoredMemory], order: ListOrder) {
    listed.sort_by(|a, b| {
        let (a, b) = (&a.memory, &b.memory);
        match order {
            ListOrder::Newest => (b.created_at, b.id).cmp(&(a.created_at, a.id)),
            ListOrder::Oldest => (a.created_at, a.id).cmp(&(b.created_at, b.id)),
            ListOrder::Changed => (b.updated_at, b.id).cmp(&(a.updated_at, a.id)),
            ListOrder::Used => {
                (b.usage.last_accessed_at, b.id).cmp(&(a.usage.last_accessed_at, a.id))
            }
            ListOrder::Confidence => b
                .body
                .confidence
                .value()
                .total_cmp(&a.body.confidence.value())
                .then(b.id.cmp(&a.id)),
        }
    });
}
