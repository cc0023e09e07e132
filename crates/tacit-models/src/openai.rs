//! Embeddings from OpenAI, and from servers that speak its interface (`/embeddings`).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::answer::{Number, Wanted};
use crate::batches::{Limits, in_batches, prepare};
use crate::budget::Deadline;
use crate::http::Client;
use crate::{EmbedError, Embedder, ModelId, Reach, Secret, TextKind};

/// OpenAI's own address.
pub const DEFAULT_BASE: &str = "https://api.openai.com/v1";
/// The model used unless told otherwise.
pub const DEFAULT_MODEL: &str = "text-embedding-3-small";
/// The dimensions asked for. Always sent: the model's own are 1536.
pub const DEFAULT_DIMS: usize = 1024;
/// The most texts in one request.
pub const BATCH_TEXTS: usize = 128;
/// The most bytes of text in one request. OpenAI takes 300,000 tokens, and a token is at least a
/// byte.
pub const BATCH_BYTES: usize = 300_000;
/// Where a text is cut. OpenAI refuses more than 8,192 tokens, of which ordinary text has three or
/// four bytes and dense text about two.
pub const TEXT_BYTES: usize = 16_000;

const ADVICE: &str = "check the address and the network, or choose another provider";

/// A model behind OpenAI's interface.
#[derive(Debug)]
pub struct OpenAi {
    client: Client,
    name: String,
    model: ModelId,
}

#[derive(Serialize)]
struct EmbedRequest<'a> {
    model: &'a str,
    input: &'a [Cow<'a, str>],
    dimensions: usize,
    encoding_format: &'a str,
}

#[derive(Deserialize)]
struct EmbedAnswer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<Number>,
}

impl OpenAi {
    /// The model `name` of the server at `base`, with `dims` dimensions.
    ///
    /// # Errors
    /// When `base` is not an address, or one to which the key would go unencrypted.
    pub fn new(
        base: &str,
        key: Option<Secret>,
        name: &str,
        dims: usize,
    ) -> Result<Self, EmbedError> {
        let client = Client::new(base, key, ADVICE)?;
        let name = name.trim().to_owned();
        let model = ModelId::new(format!("openai/{name}"), dims);
        Ok(Self { client, name, model })
    }

    /// The same embedder with another way to pass the time between tries.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    fn request(
        &self,
        texts: &[Cow<'_, str>],
        deadline: Deadline,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let dimensions = self.model.dims();
        let request =
            EmbedRequest { model: &self.name, input: texts, dimensions, encoding_format: "float" };
        let json = serde_json::to_vec(&request).expect("texts and numbers are JSON");
        let body = self.client.post("/embeddings", &json, deadline)?;
        let endpoint = self.client.endpoint().base();
        vectors(&body, Wanted { endpoint, count: texts.len(), dims: dimensions })
    }
}

impl Embedder for OpenAi {
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
        let texts: Vec<_> = texts.iter().map(|text| prepare(&self.name, cut(text), kind)).collect();
        let limits = Limits { texts: BATCH_TEXTS, bytes: BATCH_BYTES };
        in_batches(&texts, limits, deadline, |batch, deadline| self.request(batch, deadline))
    }
}

/// The vectors in an answer of `/embeddings`, by their index.
///
/// # Errors
/// When the answer is anything else than `wanted`.
pub fn vectors(body: &[u8], wanted: Wanted<'_>) -> Result<Vec<Vec<f32>>, EmbedError> {
    let mut items = wanted.parse::<EmbedAnswer>(body)?.data;
    items.sort_by_key(|item| item.index);
    let in_order = items.iter().enumerate().all(|(at, item)| item.index == at);
    if items.len() == wanted.count && !in_order {
        return Err(wanted.malformed("an index is missing or there twice".to_owned()));
    }
    wanted.vectors(items.iter().map(|item| item.embedding.as_slice()))
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES)]
}
