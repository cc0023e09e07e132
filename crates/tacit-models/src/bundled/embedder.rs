//! The bundled model as an [`Embedder`].

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{BundledModel, DIMENSIONS, MODEL_ID};
use crate::budget::RequestDeadline;
use crate::{EmbedError, Embedder, EmbedderReach, ModelId, TextKind};

/// More threads would slow down the agent on the same machine.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).expect("two is not zero");
/// The number of texts to embed between checks of the deadline.
const STEP: usize = 8;

/// The bundled model as an [`Embedder`]. Creating one costs nothing; the first text touches the
/// weights.
#[derive(Clone, Debug)]
pub struct BundledEmbedder {
    model: ModelId,
}

impl BundledEmbedder {
    /// Creates an embedder.
    pub fn new() -> Self {
        Self { model: ModelId::new(MODEL_ID, DIMENSIONS) }
    }
}

impl Default for BundledEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for BundledEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn reach(&self) -> EmbedderReach {
        EmbedderReach::Bundled
    }

    /// Checks the deadline between batches, so a call may exceed it by the time of a few texts.
    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let deadline = deadline.map(RequestDeadline::within);
        let mut vectors = Vec::with_capacity(texts.len());
        for chunk in texts.chunks(if deadline.is_some() { STEP } else { usize::MAX }) {
            if let Some(deadline) = deadline
                && deadline.remaining().is_none()
            {
                return Err(deadline.timeout_error(MODEL_ID));
            }
            let batch = BundledModel::load().embed_batch(chunk, kind, THREADS);
            vectors.extend(batch.into_iter().map(|vector| vector.to_vec()));
        }
        Ok(vectors)
    }
}
