//! From what a person types to the memory it means.

use tacit_core::{Memory, MemoryId, ShortId};

use crate::engine::{Engine, Shelf};
use crate::error::{EngineError, EngineResult};

/// A memory and the shelf it is on.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Where.
    pub shelf: Shelf,
    /// What.
    pub memory: Memory,
}

impl Engine<'_> {
    /// The one memory that `text` means: a full identifier, a short one, or the beginning of a
    /// short one. If it can mean several, all of them are in the error.
    pub fn find(&self, text: &str) -> EngineResult<Found> {
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
            found.extend(memories.into_iter().map(|memory| Found { shelf, memory }));
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
}
