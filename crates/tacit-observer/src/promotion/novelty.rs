//! The third stage: what is known already is not kept twice.

use tacit_core::MemoryId;

/// A cosine from which on two texts about the same say the same.
pub const SAME_SIMILARITY: f64 = 0.88;

/// The nearest memory about the same: of the same type, and about one of the same files if either
/// names files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestMemory {
    /// Which.
    pub id: MemoryId,
    /// How alike the two are, from 0 to 1.
    pub similarity: f64,
}

/// How new something is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Novelty {
    /// It is known: this memory says it.
    Known(MemoryId),
    /// So much of it is new, from 0 to 1.
    New(f64),
}

/// How new something is, given the nearest that is known.
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
