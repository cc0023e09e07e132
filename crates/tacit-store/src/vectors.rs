//! Storage of embedding vectors by model.

use tacit_core::{Memory, Timestamp};

use crate::error::StoreResult;

/// The number of a memory in its store. Smaller than an identifier and never reused.
pub type MemoryKey = u64;

/// The key of a vector: the memory and the piece of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorKey {
    /// The number of the memory.
    pub memory: MemoryKey,
    /// The index of the piece.
    pub piece: u8,
}

impl VectorKey {
    /// The most pieces of a memory's text.
    pub const PIECES: u64 = 16;

    /// Encodes the key as one number.
    pub fn to_number(self) -> u64 {
        self.memory * VectorKey::PIECES + u64::from(self.piece) % VectorKey::PIECES
    }

    /// Decodes a key from one number.
    pub fn from_number(number: u64) -> VectorKey {
        VectorKey { memory: number / VectorKey::PIECES, piece: (number % VectorKey::PIECES) as u8 }
    }
}

/// An embedding model. Vectors of different models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VectorModel {
    /// The name, which must change whenever vectors become incomparable.
    pub name: String,
    /// The length of its vectors.
    pub dims: usize,
}

/// A model and the progress of its vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelState {
    /// The embedding model.
    pub model: VectorModel,
    /// True if queries use this model.
    pub active: bool,
    /// The number of transactions that changed its vectors.
    pub generation: u64,
    /// The number of memories without vectors of this model.
    pub pending: u64,
}

/// The vectors of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSet {
    /// The number of the memory.
    pub key: MemoryKey,
    /// The `updated_at` of the memory when its text was read. If the memory has changed since, the
    /// vectors are discarded and it stays pending.
    pub memory_updated_at: Timestamp,
    /// One vector per piece of the text.
    pub pieces: Vec<Vec<f32>>,
}

/// A page of vectors in the order of their creation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VectorPage {
    /// The vectors and their keys.
    pub rows: Vec<(VectorKey, Vec<f32>)>,
    /// The generation up to which the page is complete.
    pub generation: u64,
    /// True if there are more pages.
    pub more: bool,
}

/// The part of a store that semantic search uses.
pub trait VectorStore {
    /// Returns all models with vectors, the active one first.
    fn models(&self) -> StoreResult<Vec<ModelState>>;

    /// Adds a model if it is unknown. A new model has all memories pending, and is active if it is
    /// the first.
    fn add_model(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Makes a model active and deletes the vectors of all others.
    fn activate_model(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Returns memories whose text has no current vectors of a model, newest first.
    fn pending(&self, model: &VectorModel, limit: usize) -> StoreResult<Vec<(MemoryKey, Memory)>>;

    /// Stores vectors. Returns the number of memories for which they were accepted.
    fn put_vectors(&mut self, model: &VectorModel, sets: &[VectorSet]) -> StoreResult<usize>;

    /// Returns the vectors after a generation, in whole generations, about `limit` of them.
    fn vectors_since(
        &self,
        model: &VectorModel,
        generation: u64,
        limit: usize,
    ) -> StoreResult<VectorPage>;

    /// Returns the vectors of these memories.
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
    fn vector_keys_survive_a_number_round_trip() {
        for (memory, piece) in [(0, 0), (1, 15), (123_456_789, 7)] {
            let key = VectorKey { memory, piece };
            assert_eq!(VectorKey::from_number(key.to_number()), key);
        }
    }
}
