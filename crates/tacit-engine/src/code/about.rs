//! What is known about a place in the code that is about to change.

use tacit_core::{BuiltinType, MemoryType, RepoPath, SymbolRef};
use tacit_store::{Filter, ListOrder};

use crate::engine::Engine;
use crate::error::EngineResult;
use crate::lookup::Found;

/// What says how things must be, rather than how they are.
const INVARIANTS: [BuiltinType; 3] =
    [BuiltinType::Requirement, BuiltinType::Decision, BuiltinType::CausalDependency];

/// What is known about a place, each memory once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownAbout {
    /// About the place itself, those first that are linked to its symbols, then the surest.
    pub memories: Vec<Found>,
    /// What must hold in the files that depend on it.
    pub invariants: Vec<Found>,
    /// What was seen in the running application of it and of those files.
    pub observations: Vec<Found>,
}

impl Engine<'_> {
    /// What is known about a file, or symbols of it, and about files that depend on it.
    pub fn known_about(
        &self,
        path: &RepoPath,
        symbols: &[SymbolRef],
        affected: &[RepoPath],
        limit: usize,
    ) -> EngineResult<KnownAbout> {
        let list = |filter: Filter| self.list(None, &filter, ListOrder::Confidence, limit, 0);
        let mut known = KnownAbout::default();
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
}

/// Adds what is not there yet.
fn add(to: &mut Vec<Found>, found: Vec<Found>, told: &[Found]) {
    for one in found {
        let same = |other: &Found| other.memory.id == one.memory.id;
        if !to.iter().any(same) && !told.iter().any(same) {
            to.push(one);
        }
    }
}
