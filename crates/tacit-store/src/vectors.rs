//! Storage of embedding vectors by model.

use tacit_core::{Memory, Timestamp};

use crate::error::StoreResult;

/// The number of a memory in its store. Smaller than an identifier and never reused.
pub type MemoryKey = u64;

/// The key of a vector: the memory, and the piece of its text or the cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorKey {
    /// The number of the memory.
    pub memory: MemoryKey,
    /// The part of the memory that was embedded.
    pub part: EmbeddedPart,
}

/// A part of a memory with a vector of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EmbeddedPart {
    /// A piece of the text, by its index.
    Piece(u8),
    /// A cue, by its index.
    Cue(u8),
}

impl EmbeddedPart {
    /// The most pieces, and the most cues.
    pub const MOST: u8 = 16;

    /// Encodes the part as one number: the pieces come first, then the cues.
    pub fn to_number(self) -> u8 {
        match self {
            EmbeddedPart::Piece(index) => index % EmbeddedPart::MOST,
            EmbeddedPart::Cue(index) => EmbeddedPart::MOST + index % EmbeddedPart::MOST,
        }
    }

    /// Decodes a part from one number.
    pub fn from_number(number: u8) -> EmbeddedPart {
        let index = number % EmbeddedPart::MOST;
        if number < EmbeddedPart::MOST {
            EmbeddedPart::Piece(index)
        } else {
            EmbeddedPart::Cue(index)
        }
    }
}

impl VectorKey {
    /// The bit that marks the vector of a cue. Keys of pieces are the same as in files from before
    /// there were cues.
    const CUE: u64 = 1 << 63;

    /// Encodes the key as one number.
    pub fn to_number(self) -> u64 {
        let (mark, index) = match self.part {
            EmbeddedPart::Piece(index) => (0, index),
            EmbeddedPart::Cue(index) => (VectorKey::CUE, index),
        };
        let most = EmbeddedPart::MOST;
        mark | (self.memory * u64::from(most) + u64::from(index % most))
    }

    /// Decodes a key from one number.
    pub fn from_number(number: u64) -> VectorKey {
        let (place, most) = (number & !VectorKey::CUE, u64::from(EmbeddedPart::MOST));
        let index = (place % most) as u8;
        let is_cue = number & VectorKey::CUE != 0;
        let part = if is_cue { EmbeddedPart::Cue(index) } else { EmbeddedPart::Piece(index) };
        VectorKey { memory: place / most, part }
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
    /// One vector per cue.
    pub cues: Vec<Vec<f32>>,
}

/// Vectors with their keys.
pub type KeyedVectors = Vec<(VectorKey, Vec<f32>)>;

/// A page of vectors, ordered by generation and key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VectorPage {
    /// The vectors and their keys.
    pub rows: KeyedVectors,
    /// The generation up to which the page is complete.
    pub generation: u64,
    /// True if there are more pages.
    pub more: bool,
}

/// The part of a store that semantic search uses.
pub trait VectorStore {
    /// Returns all models with vectors, the active one first, then in the order in which they were
    /// added.
    fn models(&self) -> StoreResult<Vec<ModelState>>;

    /// Adds a model if it is unknown. A new model has all memories pending, and is active if it is
    /// the first.
    fn add_model(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Makes a model active in place of the active one, whose vectors are kept. Does nothing if the
    /// model is unknown.
    fn activate_model(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Deletes all models but one, with their vectors. Does nothing if that one is unknown.
    fn delete_other_models(&mut self, model: &VectorModel) -> StoreResult<()>;

    /// Returns memories whose text has no current vectors of a model, the last stored one first.
    fn pending(&self, model: &VectorModel, limit: usize) -> StoreResult<Vec<(MemoryKey, Memory)>>;

    /// Stores vectors. Returns the number of memories for which they were accepted. Every call is a
    /// generation of the model, even if it accepts none.
    fn put_vectors(&mut self, model: &VectorModel, sets: &[VectorSet]) -> StoreResult<usize>;

    /// Returns the vectors after a generation, in whole generations, about `limit` of them.
    fn vectors_since(
        &self,
        model: &VectorModel,
        generation: u64,
        limit: usize,
    ) -> StoreResult<VectorPage>;

    /// Returns about `limit` vectors near to one, with what they say, if the store has an index of
    /// its own; `None` if its vectors are searched in a file that is made from them. The order is
    /// approximate: the caller compares them exactly.
    fn nearest(
        &self,
        _model: &VectorModel,
        _vector: &[f32],
        _limit: usize,
    ) -> StoreResult<Option<KeyedVectors>> {
        Ok(None)
    }

    /// Returns the vectors of these memories, ordered by key.
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
        for (memory, index) in [(0, 0), (1, 15), (123_456_789, 7)] {
            for part in [EmbeddedPart::Piece(index), EmbeddedPart::Cue(index)] {
                let key = VectorKey { memory, part };
                assert_eq!(VectorKey::from_number(key.to_number()), key);
                assert_eq!(EmbeddedPart::from_number(part.to_number()), part);
            }
        }
        // As in files from before there were cues.
        let piece = VectorKey { memory: 3, part: EmbeddedPart::Piece(2) };
        assert_eq!(piece.to_number(), 50);
    }
}
