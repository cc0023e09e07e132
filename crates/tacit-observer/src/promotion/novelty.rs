//! Third promotion stage: recognises what is already known.

use tacit_core::MemoryId;

/// Minimum similarity of two memories that say the same.
pub const SAME_SIMILARITY: f64 = 0.88;

/// The nearest memory of the same type that shares a file with the candidate, if either names
/// files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestMemory {
    /// The memory.
    pub id: MemoryId,
    /// The similarity to the candidate, from 0 to 1.
    pub similarity: f64,
}

/// The novelty of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Novelty {
    /// Already stated by this memory.
    Known(MemoryId),
    /// New, by a share from 0 to 1.
    New(f64),
}

/// Computes the novelty from the nearest memory.
pub fn novelty(near: Option<NearestMemory>) -> Novelty {
    match near {
        Some(near) if near.similarity >= SAME_SIMILARITY => Novelty::Known(near.id),
        Some(near) => Novelty::New(1.0 - near.similarity.max(0.0)),
        None => Novelty::New(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_inclusive() {
        let id = MemoryId::from_parts(tacit_core::Timestamp::MIN, [7; 10]);
        let near = |similarity| novelty(Some(NearestMemory { id, similarity }));
        assert_eq!(near(0.88), Novelty::Known(id));
        assert_eq!(near(0.99), Novelty::Known(id));
        assert_eq!(near(0.5), Novelty::New(0.5));
        assert!(matches!(near(0.879), Novelty::New(share) if share > 0.12 && share < 0.122));
        assert_eq!(near(-0.2), Novelty::New(1.0));
        assert_eq!(novelty(None), Novelty::New(1.0));
    }
}
