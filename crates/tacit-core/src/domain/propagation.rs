//! Confidence in the light of related memories.
//!
//! The confidence of a memory is the mean of its own confidence, with the weight 1, and the
//! confidences of the memories that bear on it, each with the factor of its relation times the
//! confidence of the relation as weight. A memory that conflicts counts with what is missing from
//! its confidence. Replaced and derived memories can only lose.
//!
//! All values are computed from the memories' own confidences in a fixed number of rounds, and each
//! round only from the one before. The result therefore depends neither on the order of memories nor
//! on earlier results, and cycles end.

use std::collections::BTreeMap;

use super::memory::Memory;
use super::relation::{RelationKind, RelationTarget};
use super::status::StatusKind;
use crate::id::MemoryId;

/// The number of relations that confidence follows from one memory to others.
const ROUNDS: usize = 4;
/// The least difference that is worth a change.
pub const LEAST_CHANGE: f64 = 0.05;

/// The part of a memory that decides on the confidence of others.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedMemory {
    id: MemoryId,
    own: f64,
    is_claim: bool,
    relations: Vec<(RelationKind, MemoryId, f64)>,
}

impl RelatedMemory {
    /// Returns the part of an active memory. Only relations that somebody stated count.
    pub fn of(memory: &Memory) -> Option<RelatedMemory> {
        let stated = memory.body.relations.iter().filter(|relation| !relation.auto_extracted);
        let relations = stated.filter_map(|relation| match &relation.target {
            RelationTarget::Memory(id) => Some((relation.kind, *id, relation.confidence.value())),
            RelationTarget::File(_) => None,
        });
        (memory.status.kind() == StatusKind::Active).then(|| RelatedMemory {
            id: memory.id,
            own: memory.body.confidence.value(),
            is_claim: memory.is_unconfirmed_claim(),
            relations: relations.collect(),
        })
    }
}

/// Returns the share of a confidence that a relation passes on.
fn factor(kind: RelationKind) -> f64 {
    match kind {
        RelationKind::Validates => 0.6,
        RelationKind::RequiredWith => 0.3,
        RelationKind::ConflictsWith => -0.4,
        RelationKind::Supersedes => 0.8,
        RelationKind::DerivedFrom => 0.5,
    }
}

/// Returns the confidences of all memories that others bear on.
pub fn derive_confidences(memories: &[RelatedMemory]) -> BTreeMap<MemoryId, f64> {
    let known: BTreeMap<MemoryId, &RelatedMemory> =
        memories.iter().map(|memory| (memory.id, memory)).collect();
    // By the memory that is affected, the one that affects it, and the relation.
    let mut influences: BTreeMap<(MemoryId, MemoryId, RelationKind), f64> = BTreeMap::new();
    let mut add = |on: MemoryId, by: MemoryId, kind: RelationKind, confidence: f64| {
        let (Some(target), Some(source)) = (known.get(&on), known.get(&by)) else { return };
        // A claim says nothing about what people or sessions bear out.
        if on == by || (source.is_claim && !target.is_claim) {
            return;
        }
        let weight = influences.entry((on, by, kind)).or_default();
        *weight = weight.max(factor(kind).abs() * confidence);
    };
    for memory in memories {
        for (kind, other, confidence) in &memory.relations {
            match kind {
                RelationKind::Validates | RelationKind::Supersedes => {
                    add(*other, memory.id, *kind, *confidence);
                }
                RelationKind::DerivedFrom => add(memory.id, *other, *kind, *confidence),
                RelationKind::RequiredWith | RelationKind::ConflictsWith => {
                    add(*other, memory.id, *kind, *confidence);
                    add(memory.id, *other, *kind, *confidence);
                }
            }
        }
    }
    let own = |id: &MemoryId| known.get(id).map_or(0.0, |memory| memory.own);
    let mut now: BTreeMap<MemoryId, f64> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let mut sums: BTreeMap<MemoryId, (f64, f64)> = BTreeMap::new();
        for ((on, by, kind), weight) in &influences {
            let source = now.get(by).copied().unwrap_or_else(|| own(by));
            let value = match kind {
                RelationKind::ConflictsWith => 1.0 - source,
                RelationKind::Supersedes | RelationKind::DerivedFrom => source.min(own(on)),
                RelationKind::Validates | RelationKind::RequiredWith => source,
            };
            let (sum, weights) = sums.entry(*on).or_insert((own(on), 1.0));
            *sum += weight * value;
            *weights += weight;
        }
        now = sums.into_iter().map(|(id, (sum, weights))| (id, sum / weights)).collect();
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn id(number: u8) -> MemoryId {
        MemoryId::from_parts(Timestamp::MIN.plus_days(800_000.0), [number; 10])
    }

    fn memory(number: u8, own: f64, relations: &[(RelationKind, u8)]) -> RelatedMemory {
        let relations = relations.iter().map(|(kind, other)| (*kind, id(*other), 1.0)).collect();
        RelatedMemory { id: id(number), own, is_claim: false, relations }
    }

    /// Returns the confidence of the first memory, given its own and that of a second one that is
    /// related to it.
    fn derived(own: f64, kind: RelationKind, from_second: bool, other: f64) -> Option<f64> {
        let (first, second) = match from_second {
            true => (memory(1, own, &[]), memory(2, other, &[(kind, 1)])),
            false => (memory(1, own, &[(kind, 2)]), memory(2, other, &[])),
        };
        let derived = derive_confidences(&[first, second]);
        derived.get(&id(1)).map(|value| (value * 100.0).round() / 100.0)
    }

    #[test]
    fn each_relation_passes_on_its_share() {
        use RelationKind::{ConflictsWith, DerivedFrom, RequiredWith, Supersedes, Validates};
        for (kind, from_second, own, other, expected) in [
            (Validates, true, 0.6, 0.9, Some(0.71)),
            (Validates, true, 0.7, 0.3, Some(0.55)),
            (Validates, false, 0.7, 0.9, None),
            (ConflictsWith, true, 0.9, 0.9, Some(0.72)),
            (ConflictsWith, false, 0.9, 0.9, Some(0.72)),
            (Supersedes, true, 0.7, 0.9, Some(0.7)),
            (Supersedes, true, 0.9, 0.4, Some(0.68)),
            (Supersedes, false, 0.9, 0.1, None),
            (DerivedFrom, false, 0.8, 0.9, Some(0.8)),
            (DerivedFrom, false, 0.8, 0.2, Some(0.6)),
            (DerivedFrom, true, 0.8, 0.2, None),
            (RequiredWith, true, 0.9, 0.3, Some(0.79)),
        ] {
            let found = derived(own, kind, from_second, other);
            assert_eq!(found, expected, "{kind} {from_second} {own} {other}");
        }
    }

    #[test]
    fn cycles_end_and_the_order_does_not_matter() {
        use RelationKind::{ConflictsWith, DerivedFrom, Validates};
        let mut memories = vec![
            memory(1, 0.9, &[(Validates, 2), (ConflictsWith, 3)]),
            memory(2, 0.5, &[(Validates, 3)]),
            memory(3, 0.3, &[(Validates, 1), (DerivedFrom, 2), (Validates, 3), (Validates, 9)]),
        ];
        let first = derive_confidences(&memories);
        assert_eq!(first.len(), 3);
        assert!(first.values().all(|value| (0.0..=1.0).contains(value)), "{first:?}");
        memories.reverse();
        assert_eq!(derive_confidences(&memories), first);
    }

    #[test]
    fn doubt_follows_a_chain() {
        let chain = |source: f64| {
            let derived = derive_confidences(&[
                memory(1, source, &[]),
                memory(2, 0.9, &[(RelationKind::DerivedFrom, 1)]),
                memory(3, 0.9, &[(RelationKind::DerivedFrom, 2)]),
            ]);
            (derived[&id(2)], derived[&id(3)])
        };
        let (near, far) = (chain(0.2), chain(0.9));
        assert!(near.0 < near.1 && near.1 < far.1, "{near:?} {far:?}");
    }

    #[test]
    fn claims_do_not_bear_on_what_is_known() {
        let mut claim = memory(2, 1.0, &[(RelationKind::ConflictsWith, 1)]);
        claim.is_claim = true;
        let derived = derive_confidences(&[memory(1, 0.9, &[]), claim]);
        assert_eq!(derived.get(&id(1)), None);
        assert!(derived.contains_key(&id(2)), "what is known bears on a claim");
    }
}
