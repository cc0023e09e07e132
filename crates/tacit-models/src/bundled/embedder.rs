//! The bundled model as one embedder among others.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{BundledModel, DIMENSIONS, MODEL_ID};
use crate::budget::RequestDeadline;
use crate::{EmbedError, Embedder, EmbedderReach, ModelId, TextKind};

/// More would take the machine from the agent that is being helped.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).expect("two is not zero");
/// How many texts are embedded between looks at the clock.
const STEP: usize = 8;

/// The bundled model behind the common interface. Making one costs nothing; the weights are first
/// touched by the first text.
#[derive(Clone, Debug)]
pub struct BundledEmbedder {
    model: ModelId,
}

impl BundledEmbedder {
    /// The bundled model.
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

    /// A deadline is kept to within the time of a few texts: what has begun is finished.
    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let deadline = deadline.map(RequestDeadline::within);
        let mut vectors = Vec::with_capacity(texts.len());
        for step in texts.chunks(if deadline.is_some() { STEP } else { usize::MAX }) {
            if let Some(deadline) = deadline
                && deadline.left().is_none()
            {
                return Err(deadline.missed(MODEL_ID));
            }
            let done = BundledModel::load().embed_batch(step, kind, THREADS);
            vectors.extend(done.into_iter().map(|vector| vector.to_vec()));
        }
        Ok(vectors)
    }
}
