//! Embeddings and text from a server, by any [protocol](crate::protocol).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::answer::{ExpectedVectors, parse_json, wrong_shape};
use crate::budget::RequestDeadline;
use crate::generate::{MAX_TEXT_ANSWER_BYTES, ModelAnswer};
use crate::http::{HttpClient, MAX_ANSWER_BYTES, REQUEST_TIMEOUT};
use crate::protocol::{ChatProtocol, EmbedProtocol, ServerKind};
use crate::{
    EmbedError, Embedder, EmbedderReach, GenerateError, Generated, Generator, ModelId, Prompt,
    Secret, TextKind,
};

/// The instruction for queries to Qwen3's embedding models, whose authors measured a gain of 1 to
/// 5% from it. It can be changed without re-indexing, because only queries carry it.
const QWEN3_TASK: &str = "Given what a programmer asks or is about to do, retrieve the notes \
                          about the project that help";

/// An embedding model on a server.
#[derive(Debug)]
pub struct ServerEmbedder {
    protocol: &'static EmbedProtocol,
    client: HttpClient,
    name: String,
    model: ModelId,
}

#[derive(Deserialize)]
struct ModelList {
    models: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    name: String,
    /// Set if the server forwards requests for this model to another server.
    #[serde(default)]
    remote_host: Option<String>,
}

impl ServerEmbedder {
    /// Creates an embedder for the model `name` of the server at `base`, with `dims` dimensions.
    ///
    /// # Errors
    /// Fails if `base` is not a valid address, or the key would be sent unencrypted.
    pub fn new(
        protocol: &'static EmbedProtocol,
        base: &str,
        key: Option<Secret>,
        name: &str,
        dims: usize,
    ) -> Result<Self, EmbedError> {
        let client = HttpClient::new(protocol.server, base, key, MAX_ANSWER_BYTES)?;
        let name = name.trim().to_owned();
        let model = ModelId::new(format!("{}/{name}", protocol.server.name), dims);
        Ok(Self { protocol, client, name, model })
    }

    /// Replaces the function that sleeps between attempts.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    /// Checks, within `timeout`, that a server that lists its models has this one installed. A
    /// model that it would forward to another server does not count.
    ///
    /// # Errors
    /// Fails if the server lacks the model or gives no valid answer; a message for the user.
    pub fn probe(&self, timeout: Duration) -> Result<(), String> {
        let Some(path) = self.protocol.models else { return Ok(()) };
        let list = self.client.get(path, RequestDeadline::within(timeout));
        let list = list.and_then(|body| self.expect(0).parse::<ModelList>(&body));
        let list = list.map_err(|error| error.to_string())?;
        let is_this = |listed: &ListedModel| {
            let forwarded = listed.remote_host.as_ref().is_some_and(|host| !host.is_empty());
            !forwarded && full_name(&listed.name).eq_ignore_ascii_case(&full_name(&self.name))
        };
        if list.models.iter().any(is_this) {
            return Ok(());
        }
        Err(missing_model(self.protocol.server, &self.name).unwrap_or_default())
    }

    /// Returns the address of the server.
    pub fn endpoint(&self) -> &str {
        &self.client.endpoint.base
    }

    fn expect(&self, count: usize) -> ExpectedVectors<'_> {
        ExpectedVectors { endpoint: self.endpoint(), count, dims: self.model.dims() }
    }

    /// Prepares a text for the model: cut to the protocol's limit, and never empty, because OpenAI
    /// refuses empty texts and Ollama drops them.
    fn prepare<'a>(&self, text: &'a str, kind: TextKind) -> Cow<'a, str> {
        let text = &text[..text.floor_char_boundary(self.protocol.text_bytes)];
        if kind == TextKind::Query && self.name.to_ascii_lowercase().contains("qwen3-embedding") {
            return format!("Instruct: {QWEN3_TASK}\nQuery:{text}").into();
        }
        if text.is_empty() { " ".into() } else { text.into() }
    }

    /// Returns how many texts, from the first on, fit in one request; at least one.
    fn batch_len(&self, texts: &[Cow<'_, str>]) -> usize {
        let mut bytes = 0;
        let fitting = texts.iter().take(self.protocol.batch_texts).take_while(|text| {
            bytes += text.len();
            bytes <= self.protocol.batch_bytes
        });
        fitting.count().max(1)
    }
}

impl Embedder for ServerEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn reach(&self) -> EmbedderReach {
        self.client.endpoint.reach
    }

    /// Sends the texts in batches, in order. A given deadline covers them all; without one, each
    /// request has its own.
    fn embed(
        &self,
        texts: &[&str],
        kind: TextKind,
        deadline: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let EmbedProtocol { server, path, request, .. } = self.protocol;
        let texts: Vec<_> = texts.iter().map(|text| self.prepare(text, kind)).collect();
        let overall = deadline.map(RequestDeadline::within);
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = &texts[..];
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(self.batch_len(rest));
            let deadline = overall.unwrap_or_else(|| RequestDeadline::within(REQUEST_TIMEOUT));
            let json = request(&self.name, batch, self.model.dims());
            let body = self.client.post(path, &json, deadline);
            let body = body.map_err(|error| explain(server, &self.name, error))?;
            vectors.extend(self.protocol.vectors(&body, self.expect(batch.len()))?);
            rest = later;
        }
        Ok(vectors)
    }
}

/// A generative model on a server.
#[derive(Debug)]
pub struct ServerGenerator {
    protocol: &'static ChatProtocol,
    client: HttpClient,
    model: String,
    name: String,
}

impl ServerGenerator {
    /// Creates a generator for the model of the server at `base`.
    ///
    /// # Errors
    /// Fails if `base` is not a valid address, or the key would be sent unencrypted.
    pub fn new(
        protocol: &'static ChatProtocol,
        base: &str,
        key: Option<Secret>,
        model: &str,
    ) -> Result<Self, EmbedError> {
        let client = HttpClient::new(protocol.server, base, key, MAX_TEXT_ANSWER_BYTES)?;
        let model = model.trim().to_owned();
        let name = format!("{}/{model}", protocol.server.name);
        Ok(Self { protocol, client, model, name })
    }

    /// Replaces the function that sleeps between attempts.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    /// Sends the prompt, and again without the fields that the model refuses.
    fn ask(&self, prompt: &Prompt, deadline: RequestDeadline) -> Result<Vec<u8>, EmbedError> {
        let ChatProtocol { path, request, fallbacks, .. } = self.protocol;
        let mut request = request(&self.model, prompt);
        loop {
            let answer = self.client.post(path, &request, deadline);
            let Err(EmbedError::Refused { status: 400, message, .. }) = &answer else {
                return answer;
            };
            let fallback = fallbacks
                .iter()
                .find(|one| message.contains(one.word) && request.get(one.field).is_some());
            let Some(fallback) = fallback else { return answer };
            let value = request.as_object_mut().and_then(|object| object.remove(fallback.field));
            if let (Some(name), Some(value)) = (fallback.rename, value) {
                request[name] = value;
            }
        }
    }
}

impl Generator for ServerGenerator {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError> {
        let body = self.ask(prompt, RequestDeadline::within(deadline));
        let body = body.map_err(|error| explain(self.protocol.server, &self.model, error))?;
        self.protocol.read(&body, &self.client.endpoint.base, prompt)
    }
}

impl ChatProtocol {
    /// Reads the text in an answer.
    ///
    /// # Errors
    /// Fails if the answer has another shape or no text.
    pub fn read(
        &self,
        body: &[u8],
        endpoint: &str,
        prompt: &Prompt,
    ) -> Result<Generated, GenerateError> {
        let answer: Value = parse_json(endpoint, body)?;
        let tokens = |pointer| answer.pointer(pointer).and_then(Value::as_u64);
        let (stopped, limit) = self.stopped;
        ModelAnswer {
            text: (self.text)(&answer).ok_or_else(|| wrong_shape(endpoint))?,
            truncated: answer.pointer(stopped).is_some_and(|reason| reason == limit),
            input_tokens: tokens(self.input_tokens),
            output_tokens: tokens(self.output_tokens),
        }
        .generated(endpoint, prompt)
    }
}

/// Adds a hint to the error for a missing model, if the server answers 404 for that.
fn explain(server: &ServerKind, model: &str, error: EmbedError) -> EmbedError {
    match (error, missing_model(server, model)) {
        (EmbedError::Refused { endpoint, status: 404, .. }, Some(message)) => {
            EmbedError::Refused { endpoint, status: 404, message }
        }
        (error, _) => error,
    }
}

fn missing_model(server: &ServerKind, model: &str) -> Option<String> {
    server.missing_model.map(|message| message(model))
}

/// Adds the tag `latest` to a name without a tag.
fn full_name(name: &str) -> Cow<'_, str> {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.contains(':') { name.into() } else { format!("{name}:latest").into() }
}
