//! Memories about a place in the code that is about to change, and the places that memories like a
//! text are about.

use std::collections::BTreeMap;

use tacit_core::{BuiltinType, MemoryType, RepoPath, SymbolRef};
use tacit_store::{Filter, ListOrder};

use crate::engine::Engine;
use crate::error::EngineResult;
use crate::lookup::StoredMemory;
use crate::recall::{RecallRequest, SearchChannels};

/// What says how things must be, rather than how they are.
const INVARIANTS: [BuiltinType; 3] =
    [BuiltinType::Requirement, BuiltinType::Decision, BuiltinType::CausalDependency];

/// So many memories are believed.
const LIKE: usize = 5;
/// A memory about more files than this tells nothing about any of them.
const MOST_FILES: usize = 10;
/// So much of a text is compared.
const LONGEST_TEXT: usize = 2_000;

/// What is known about a place, each memory once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocationMemories {
    /// About the place itself, those first that are linked to its symbols, then the surest.
    pub memories: Vec<StoredMemory>,
    /// What must hold in the files that depend on it.
    pub invariants: Vec<StoredMemory>,
    /// What was seen in the running application of it and of those files.
    pub observations: Vec<StoredMemory>,
}

impl Engine<'_> {
    /// What is known about a file, or symbols of it, and about files that depend on it.
    pub fn known_about(
        &self,
        path: &RepoPath,
        symbols: &[SymbolRef],
        affected: &[RepoPath],
        limit: usize,
    ) -> EngineResult<LocationMemories> {
        let list = |filter: Filter| self.list(None, &filter, ListOrder::Confidence, limit, 0);
        let mut known = LocationMemories::default();
        if !symbols.is_empty() {
            known.memories = list(Filter { symbols: symbols.to_vec(), ..Filter::default() })?;
        }
        let about = list(Filter { files: vec![path.clone()], ..Filter::default() })?;
        add(&mut known.memories, about, &[]);
        known.memories.truncate(limit);
        let files: Vec<RepoPath> = std::iter::once(path).chain(affected).cloned().collect();
        let of = |types: &[BuiltinType]| Filter {
            types: types.iter().copied().map(MemoryType::Builtin).collect(),
            files: files.clone(),
            ..Filter::default()
        };
        add(&mut known.invariants, list(of(&INVARIANTS))?, &known.memories);
        let observed = list(of(&[BuiltinType::E2eObservation]))?;
        add(&mut known.observations, observed, &known.memories);
        Ok(known)
    }

    /// The files of memories that are like a text, each with how likely the memory is about it, from 0
    /// to 1, and the short id of the memory. Searched by words, so that no model is loaded.
    pub fn files_about(&self, text: &str) -> EngineResult<Vec<(String, f32, String)>> {
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        let recall = RecallRequest {
            channels: SearchChannels::Words,
            ..RecallRequest::explicit(text, Filter::default(), LIKE)
        };
        let mut best: BTreeMap<String, (f32, String)> = BTreeMap::new();
        for recalled in self.recall(&recall)?.shown {
            let memory = &recalled.found.memory;
            let likely = recalled.why.map_or(0.0, |why| why.likelihood) as f32;
            let files: Vec<String> = memory.body.files.iter().map(ToString::to_string).collect();
            if files.len() > MOST_FILES {
                continue;
            }
            let strength = likely / (files.len().max(1) as f32).sqrt();
            for file in files {
                let id = memory.id.short().to_string();
                let known = best.entry(file).or_default();
                if strength > known.0 {
                    *known = (strength, id);
                }
            }
        }
        Ok(best.into_iter().map(|(file, (strength, id))| (file, strength, id)).collect())
    }
}

/// Adds what is not there yet.
fn add(to: &mut Vec<StoredMemory>, found: Vec<StoredMemory>, told: &[StoredMemory]) {
    for one in found {
        let same = |other: &StoredMemory| other.memory.id == one.memory.id;
        if !to.iter().any(same) && !told.iter().any(same) {
            to.push(one);
        }
    }
}
