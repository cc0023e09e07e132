//! Embeddings from an Ollama server, by its own interface (`/api/embed`, `/api/tags`).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::answer::{Number, Wanted};
use crate::batches::{Limits, in_batches, prepare};
use crate::budget::Deadline;
use crate::http::Client;
use crate::{EmbedError, Embedder, ModelId, Reach, TextKind};

/// Where Ollama listens unless told otherwise.
pub const DEFAULT_BASE: &str = "http://127.0.0.1:11434";
/// The model that the product recommends.
pub const DEFAULT_MODEL: &str = "qwen3-embedding:4b";
/// The dimensions asked of [`DEFAULT_MODEL`], which has 2560 of them and is trained to be cut.
pub const DEFAULT_DIMS: usize = 1024;
/// The most texts in one request. Ollama computes them one by one, so more would only make an
/// answer later.
pub const BATCH_TEXTS: usize = 32;
/// The most bytes of text in one request.
pub const BATCH_BYTES: usize = 1024 * 1024;
/// How long the server keeps the model loaded after a request: longer than its own five minutes,
/// since loading takes seconds and people stop to think.
pub const KEEP_ALIVE: &str = "15m";

const ADVICE: &str = "is ollama running? start it with `ollama serve`, or choose another provider";

/// A model that an Ollama server runs.
#[derive(Debug)]
pub struct Ollama {
    client: Client,
    name: String,
    model: ModelId,
}

#[derive(Serialize)]
struct EmbedRequest<'a> {
    model: &'a str,
    input: &'a [Cow<'a, str>],
    dimensions: usize,
    truncate: bool,
    keep_alive: &'a str,
}

#[derive(Deserialize)]
struct EmbedAnswer {
    embeddings: Vec<Vec<Number>>,
}

#[derive(Deserialize)]
struct TagsAnswer {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    /// Set when the server passes requests on to another one.
    #[serde(default)]
    remote_host: Option<String>,
}

impl Ollama {
    /// The model `name` of the server at `base`, cut to `dims` dimensions.
    ///
    /// # Errors
    /// When `base` is not an address.
    pub fn new(base: &str, name: &str, dims: usize) -> Result<Self, EmbedError> {
        let client = Client::new(base, None, ADVICE)?;
        let name = name.trim().to_owned();
        let model = ModelId::new(format!("ollama/{name}"), dims);
        Ok(Self { client, name, model })
    }

    /// The same embedder with another way to pass the time between tries.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    /// Whether the server answers within `timeout` and has the model on its own disk. One that it
    /// would pass on to another server does not count.
    ///
    /// # Errors
    /// When the server does not answer, or not as Ollama does.
    pub fn has_model(&self, timeout: Duration) -> Result<bool, EmbedError> {
        let body = self.client.get("/api/tags", Deadline::within(timeout))?;
        let answer: TagsAnswer = self.wanted(0).parse(&body)?;
        let is_ours = |tag: &Tag| {
            let elsewhere = tag.remote_host.as_ref().is_some_and(|host| !host.is_empty());
            !elsewhere && full_name(&tag.name).eq_ignore_ascii_case(&full_name(&self.name))
        };
        Ok(answer.models.iter().any(is_ours))
    }

    /// What to tell a user whose server lacks the model.
    pub fn no_model(&self) -> String {
        format!("ollama has no model `{0}`; run `ollama pull {0}`", self.name)
    }

    /// The address of the server.
    pub fn endpoint(&self) -> &str {
        self.client.endpoint().base()
    }

    fn wanted(&self, count: usize) -> Wanted<'_> {
        Wanted { endpoint: self.endpoint(), count, dims: self.model.dims() }
    }

    fn request(
        &self,
        texts: &[Cow<'_, str>],
        deadline: Deadline,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let request = EmbedRequest {
            model: &self.name,
            input: texts,
            dimensions: self.model.dims(),
            truncate: true,
            keep_alive: KEEP_ALIVE,
        };
        let json = serde_json::to_vec(&request).expect("texts and numbers are JSON");
        let body = self.client.post("/api/embed", &json, deadline);
        vectors(&body.map_err(|error| self.explain(error))?, self.wanted(texts.len()))
    }

    /// Ollama answers 404 for a model it does not have.
    fn explain(&self, error: EmbedError) -> EmbedError {
        match error {
            EmbedError::Refused { endpoint, status: 404, .. } => {
                EmbedError::Refused { endpoint, status: 404, message: self.no_model() }
            }
            error => error,
        }
    }
}

impl Embedder for Ollama {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn reach(&self) -> Reach {
        self.client.endpoint().reach()
    }

    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<_> = texts.iter().map(|text| prepare(&self.name, text, kind)).collect();
        let limits = Limits { texts: BATCH_TEXTS, bytes: BATCH_BYTES };
        in_batches(&texts, limits, deadline, |batch, deadline| self.request(batch, deadline))
    }
}

/// The vectors in an answer of `/api/embed`.
///
/// # Errors
/// When the answer is anything else than `wanted`.
pub fn vectors(body: &[u8], wanted: Wanted<'_>) -> Result<Vec<Vec<f32>>, EmbedError> {
    let answer: EmbedAnswer = wanted.parse(body)?;
    wanted.vectors(answer.embeddings.iter().map(Vec::as_slice))
}

/// A name without a tag means the latest.
fn full_name(name: &str) -> Cow<'_, str> {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.contains(':') { name.into() } else { format!("{name}:latest").into() }
}
