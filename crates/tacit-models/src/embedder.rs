//! What every embedder promises, whichever program computes the vectors.
//!
//! The bundled model, Ollama and OpenAI differ in speed, reach and failure; what they return does
//! not: finite vectors of length one, one per text in order, each with as many dimensions as the
//! [`ModelId`] says. Anything else a server sends is an [`EmbedError`].

use std::fmt;
use std::time::Duration;

use crate::EmbedError;

/// Which model made a vector, and how long the vector is. Stored beside every vector: those of
/// different models are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId {
    name: String,
    dims: usize,
}

impl ModelId {
    /// The identity of a model under `name` whose vectors have `dims` dimensions.
    pub fn new(name: impl Into<String>, dims: usize) -> Self {
        Self { name: name.into(), dims }
    }

    /// What the model is called, with the provider in front where it is not the bundled one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The length of its vectors.
    pub fn dims(&self) -> usize {
        self.dims
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} dimensions)", self.name, self.dims)
    }
}

/// Which side of a search a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// What is searched for.
    Query,
    /// What is searched.
    Passage,
}

/// How far a text travels to be embedded. A hook waits for the first two only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedderReach {
    /// It stays in this process.
    Bundled,
    /// It goes to a server on this machine.
    Loopback,
    /// It leaves this machine.
    Remote,
}

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// The model that the vectors are stored under.
    fn model(&self) -> &ModelId;

    /// How far the texts travel.
    fn reach(&self) -> EmbedderReach;

    /// The vectors of `texts`, in their order. Texts that are longer than the model reads are cut.
    ///
    /// With a deadline, the whole call ends within it, retries and all; without one, every request
    /// to a server has [`REQUEST_TIMEOUT`](crate::http::REQUEST_TIMEOUT).
    ///
    /// # Errors
    /// When a server cannot be reached, is late, refuses, or sends something other than the
    /// vectors asked for. Nothing is returned in part.
    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Whether it is at work on a text already, so that asking for its vector is only waiting.
    fn has_started(&self, _text: &str, _kind: TextKind) -> bool {
        false
    }
}
