//! What a store keeps for search by meaning: the vectors of each model, and what still lacks them.

use tacit_core::{Memory, Timestamp};

use crate::error::StoreResult;

/// The number by which a store names a memory. It is smaller than an identifier and never given
/// to another memory.
pub type MemoryKey = u64;

/// The number of a vector: the memory's key and the piece of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorKey {
    /// The memory.
    pub memory: MemoryKey,
    /// Which piece of its text.
    pub piece: u8,
}

impl VectorKey {
    /// How many pieces the text of a memory can have.
    pub const PIECES: u64 = 16;

    /// As one number.
    pub fn to_number(self) -> u64 {
        self.memory * VectorKey::PIECES + u64::from(self.piece) % VectorKey::PIECES
    }

    /// From one number.
    pub fn from_number(number: u64) -> VectorKey {
        VectorKey { memory: number / VectorKey::PIECES, piece: (number % VectorKey::PIECES) as u8 }
    }
}

/// A model whose vectors are kept. Vectors of different models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VectorModel {
    /// Its name, which tells everything that makes vectors incomparable when it changes.
    pub name: String,
    /// The length of its vectors.
    pub dims: usize,
}

/// A model and how far its vectors have come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelState {
    /// The model.
    pub model: VectorModel,
    /// Whether it answers questions.
    pub active: bool,
    /// How many transactions have changed its vectors.
    pub generation: u64,
    /// How many memories have no vectors of it yet.
    pub pending: u64,
}

/// The vectors of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSet {
    /// The memory.
    pub key: MemoryKey,
    /// When the memory had last changed as its text was read. If it has changed since, the vectors
    /// are not kept, and it stays pending.
    pub memory_updated_at: Timestamp,
    /// One vector for each piece of its text.
    pub pieces: Vec<Vec<f32>>,
}

/// Vectors in the order in which they came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VectorPage {
    /// Each vector with its number.
    pub rows: Vec<(VectorKey, Vec<f32>)>,
    /// The generation up to which these rows are complete.
    pub generation: u64,
    /// Whether there are more.
    pub more: bool,
}

/// The part of a store that search by meaning needs.
pub trait VectorStore {
    /// Every model with vectors, the active one first.
    fn models(&self) -> StoreResult<Vec<ModelState>>;

    /// Makes sure that a model is known; a new one has everything pending, and is active if it is
    /// the first.
    fn add_model(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Lets a model answer questions from now on, and drops the vectors of all others.
    fn activate_model(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Memories whose text has no vectors of a model yet, or has changed, the newest first.
    fn pending(&self, model: &VectorModel, limit: usize) -> StoreResult<Vec<(MemoryKey, Memory)>>;

    /// Keeps vectors; how many memories they were kept for.
    fn put_vectors(&mut self, model: &VectorModel, sets: &[VectorSet]) -> StoreResult<usize>;

    /// Vectors that came after a generation, in whole generations, about `limit` of them.
    fn vectors_since(
        &self,
        model: &VectorModel,
        generation: u64,
        limit: usize,
    ) -> StoreResult<VectorPage>;

    /// The vectors of these memories.
    fn vectors_of(
        &self,
        model: &VectorModel,
        keys: &[MemoryKey],
    ) -> StoreResult<Vec<(VectorKey, Vec<f32>)>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_numbers() {
        for (memory, piece) in [(0, 0), (1, 15), (123_456_789, 7)] {
            let key = VectorKey { memory, piece };
            assert_eq!(VectorKey::from_number(key.to_number()), key);
        }
    }
}
