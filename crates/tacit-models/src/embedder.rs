//! The interface of embedders.
//!
//! The bundled model, Ollama and OpenAI differ in speed, reach and failures, but all return finite
//! vectors of length one, one per text in order, with the dimensions of the [`ModelId`]. Any other
//! answer from a server is an [`EmbedError`].

use std::fmt;
use std::time::Duration;

use crate::EmbedError;

/// The identity of a model: its name and the length of its vectors. Stored with every vector,
/// because vectors of different models are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId {
    name: String,
    dims: usize,
}

impl ModelId {
    /// Creates the identity of the model `name` whose vectors have `dims` dimensions.
    pub fn new(name: impl Into<String>, dims: usize) -> Self {
        Self { name: name.into(), dims }
    }

    /// Returns the name of the model, prefixed with the provider unless it is the bundled model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the length of the model's vectors.
    pub fn dims(&self) -> usize {
        self.dims
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} dimensions)", self.name, self.dims)
    }
}

/// The side of a search that a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A text to search for.
    Query,
    /// A text that is searched.
    Passage,
}

/// The distance that a text travels to be embedded. Hooks use only the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedderReach {
    /// The text stays in this process.
    Bundled,
    /// The text goes to a server on this machine.
    Loopback,
    /// The text leaves this machine.
    Remote,
}

/// Computes the vectors of texts.
pub trait Embedder: Send + Sync {
    /// Returns the model that the vectors are stored under.
    fn model(&self) -> &ModelId;

    /// Returns how far the texts travel.
    fn reach(&self) -> EmbedderReach;

    /// Returns the vectors of `texts`, in order. Texts longer than the model reads are cut.
    ///
    /// With a deadline, the whole call ends within it, including retries; without one, every
    /// request to a server has [`REQUEST_TIMEOUT`](crate::http::REQUEST_TIMEOUT).
    ///
    /// # Errors
    /// Fails if a server cannot be reached, times out, refuses, or sends something other than the
    /// requested vectors. There are no partial results.
    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns true if this text is already being embedded, so that `embed` only waits.
    fn has_started(&self, _text: &str, _kind: TextKind) -> bool {
        false
    }
}
