//! The bundled model as one embedder among others.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{DIMENSIONS, MODEL_ID, Model};
use crate::budget::Deadline;
use crate::{EmbedError, Embedder, ModelId, Reach, TextKind};

/// More would take the machine from the agent that is being helped.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).expect("two is not zero");
/// How many texts are embedded between looks at the clock.
const STEP: usize = 8;

/// The bundled model behind the common interface. Making one costs nothing; the weights are first
/// touched by the first text.
#[derive(Clone, Debug)]
pub struct Bundled {
    model: ModelId,
}

impl Bundled {
    /// The bundled model.
    pub fn new() -> Self {
        Self { model: ModelId::new(MODEL_ID, DIMENSIONS) }
    }
}

impl Default for Bundled {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for Bundled {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn reach(&self) -> Reach {
        Reach::Bundled
    }

    /// A deadline is kept to within the time of a few texts: what has begun is finished.
    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let deadline = deadline.map(Deadline::within);
        let mut vectors = Vec::with_capacity(texts.len());
        for step in texts.chunks(if deadline.is_some() { STEP } else { usize::MAX }) {
            if let Some(deadline) = deadline
                && deadline.left().is_none()
            {
                return Err(deadline.missed(MODEL_ID));
            }
            let done = Model::load().embed_batch(step, kind, THREADS);
            vectors.extend(done.into_iter().map(|vector| vector.to_vec()));
        }
        Ok(vectors)
    }
}
