//! Lookup without ranking: by identifier, and as ordered lists.

use tacit_core::{Memory, MemoryId, ShortId, Source};
use tacit_recall::is_proven;
use tacit_store::{Filter, ListOrder, ListQuery, Store};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};

/// A memory and its store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The store that holds the memory.
    pub store: StoreScope,
    /// The memory itself.
    pub memory: Memory,
}

impl StoredMemory {
    /// Returns true if the memory is proven (see [`tacit_recall::is_proven`]).
    pub fn is_proven(&self) -> bool {
        is_proven(&self.memory)
    }

    /// Returns true if the memory was observed or is proven: what an agent only claims is neither.
    pub fn is_observed_or_proven(&self) -> bool {
        self.memory.body.origin.source == Source::ObserverInferred || is_proven(&self.memory)
    }
}

impl Engine<'_> {
    /// Returns the memory that `text` identifies: a full identifier, a short one, or the start of a
    /// short one. If it is ambiguous, the error has all matches.
    pub fn find(&self, text: &str) -> EngineResult<StoredMemory> {
        let mut found = Vec::new();
        for (scope, store) in self.stores() {
            let ids: Vec<MemoryId> = match text.parse::<MemoryId>() {
                Ok(id) => vec![id],
                Err(_) => {
                    let range = ShortId::range_of_prefix(text)
                        .ok_or_else(|| EngineError::NotAnId { text: text.to_owned() })?;
                    store.find_by_short_id(range)?.into_iter().map(|found| found.id).collect()
                }
            };
            let memories = if ids.is_empty() { Vec::new() } else { store.read(&ids)? };
            found.extend(memories.into_iter().map(|memory| StoredMemory { store: scope, memory }));
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

    /// Returns a list of memories from one store, or from all open stores. A place far down costs as much
    /// as the first: only the stores with the fewest memories are read from their beginning.
    pub fn list(
        &self,
        only: Option<StoreScope>,
        filter: &Filter,
        order: ListOrder,
        limit: usize,
        offset: usize,
    ) -> EngineResult<Vec<StoredMemory>> {
        let stores = self.stores().filter(|(scope, _)| only.is_none_or(|only| only == *scope));
        let mut stores = stores.map(|store| (store, 0)).collect::<Vec<_>>();
        if let [_, _, ..] = stores.as_slice()
            && offset > 0
        {
            for ((_, store), count) in &mut stores {
                *count = store.count(filter)?;
            }
            stores.sort_by_key(|(_, count)| *count);
        }
        let largest = stores.pop();
        let mut listed: Vec<StoredMemory> = Vec::new();
        let mut read = |(scope, store): (StoreScope, &dyn Store), offset, limit| {
            let query = ListQuery { filter: filter.clone(), order, limit, offset };
            let memories = store.list(&query)?;
            listed.extend(memories.into_iter().map(|memory| StoredMemory { store: scope, memory }));
            EngineResult::Ok(())
        };
        let end = limit.saturating_add(offset);
        // At most this many memories of the other stores come before a place in the list, so the page
        // begins at most this much earlier in the largest one.
        let others: usize = stores.iter().map(|(_, count)| count).sum();
        for (store, _) in stores {
            read(store, 0, end)?;
        }
        let skipped = offset.saturating_sub(others);
        if let Some((store, _)) = largest {
            read(store, skipped, end.saturating_sub(skipped))?;
        }
        sort(&mut listed, order);
        Ok(listed.into_iter().skip(offset - skipped).take(limit).collect())
    }

    /// Returns the number of memories that pass a filter, in one store or in both.
    pub fn count(&self, only: Option<StoreScope>, filter: &Filter) -> EngineResult<usize> {
        let stores = self.stores().filter(|(scope, _)| only.is_none_or(|only| only == *scope));
        stores.map(|(_, store)| Ok(store.count(filter)?)).sum()
    }
}

/// Merges the lists of two stores, each already in this order.
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
                .effective_confidence()
                .value()
                .total_cmp(&a.body.effective_confidence().value())
                .then(b.id.cmp(&a.id)),
        }
    });
}
