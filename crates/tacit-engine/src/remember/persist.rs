//! The fifth step: what was decided is written.

use tacit_core::{Confidence, Memory, MemoryId, Relation, RelationKind, Target};
use tacit_store::Transaction;

use super::{Gate, Outcome, Resolution};
use crate::error::EngineResult;

/// What was written.
pub(super) struct Kept {
    pub(super) outcome: Outcome,
    pub(super) memory: Memory,
    pub(super) near: Option<(MemoryId, f64)>,
    pub(super) left_out: Vec<String>,
}

pub(super) fn persist(
    transaction: &mut dyn Transaction,
    resolution: Resolution,
    gate: &Gate<'_>,
) -> EngineResult<Kept> {
    match resolution {
        Resolution::Create { said, near } => {
            let mut memory = Memory::begin(free_id(transaction, gate)?, *said, gate.now);
            if let Some((other, similarity)) = near {
                propose_to_supersede(&mut memory, other, similarity);
            }
            transaction.insert(&memory)?;
            Ok(Kept { outcome: Outcome::Stored, memory, near, left_out: Vec::new() })
        }
        Resolution::Reinforce { before, after, left_out } => {
            transaction.update(&before, &after)?;
            Ok(Kept { outcome: Outcome::Reinforced, memory: *after, near: None, left_out })
        }
    }
}

/// An identifier whose short form no other memory has.
pub(crate) fn free_id(transaction: &dyn Transaction, gate: &Gate<'_>) -> EngineResult<MemoryId> {
    loop {
        let id = gate.ids.next_id(gate.now);
        if !transaction.is_taken(id.short())? {
            return Ok(id);
        }
    }
}

/// Links the new memory to the one it resembles. Both stay; a person or an agent decides. A
/// memory that already has all the relations it can have goes without.
fn propose_to_supersede(memory: &mut Memory, other: MemoryId, similarity: f64) {
    let relation = Relation {
        target: Target::Memory(other),
        kind: RelationKind::Supersedes,
        confidence: Confidence::new(similarity).unwrap_or(Confidence::LOW),
        auto_extracted: true,
    };
    if let Ok(relations) = memory.said.relations.with(relation) {
        memory.said.relations = relations;
    }
}
