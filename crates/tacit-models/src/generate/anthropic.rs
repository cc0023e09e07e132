//! Text from Anthropic, and from servers that speak its interface (`/v1/messages`).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use ureq::http::HeaderName;

use super::{
    GenerateError, Generated, Generator, MAX_ANSWER_BYTES, Prompt, Spoken, minds_temperature,
};
use crate::answer::parse_json;
use crate::budget::Deadline;
use crate::http::Client;
use crate::{EmbedError, Secret};

/// Anthropic's own address.
pub const DEFAULT_BASE: &str = "https://api.anthropic.com";
/// The model used unless told otherwise.
pub const DEFAULT_MODEL: &str = "claude-haiku-4-5";

const ADVICE: &str = "check the address and the network, or choose another provider";
const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");
/// The version of the interface that is spoken here.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A model behind Anthropic's interface.
#[derive(Debug)]
pub struct Anthropic {
    client: Client,
    model: String,
    name: String,
}

#[derive(Serialize)]
struct MessagesRequest<'a> {
    model: &'a str,
    max_tokens: u32,
    system: &'a str,
    messages: [Message<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Deserialize)]
struct MessagesAnswer {
    content: Vec<Block>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
}

/// Blocks of other kinds than text have no text, and are passed over.
#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

impl Anthropic {
    /// The model of the server at `base`, without `/v1`.
    ///
    /// # Errors
    /// When `base` is not an address, or one to which the key would go unencrypted.
    pub fn new(base: &str, key: Option<Secret>, model: &str) -> Result<Self, EmbedError> {
        let client = Client::with_key(base, key, KEY_HEADER, ADVICE)?
            .for_answers_up_to(MAX_ANSWER_BYTES)
            .with_header(VERSION.0, VERSION.1);
        let model = model.trim().to_owned();
        let name = format!("anthropic/{model}");
        Ok(Self { client, model, name })
    }

    /// The same generator with another way to pass the time between tries.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    /// Asks, and asks again without a temperature where the model takes none.
    fn ask(&self, prompt: &Prompt, deadline: Deadline) -> Result<Vec<u8>, EmbedError> {
        let mut request = MessagesRequest {
            model: &self.model,
            max_tokens: prompt.max_tokens,
            system: &prompt.system,
            messages: [Message { role: "user", content: &prompt.user }],
            temperature: prompt.temperature,
        };
        loop {
            let json = serde_json::to_vec(&request).expect("texts and numbers are JSON");
            match self.client.post("/v1/messages", &json, deadline) {
                Err(error) if request.temperature.is_some() && minds_temperature(&error) => {
                    request.temperature = None;
                }
                other => return other,
            }
        }
    }
}

impl Generator for Anthropic {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError> {
        let body = self.ask(prompt, Deadline::within(deadline))?;
        read(&body, self.client.endpoint().base(), prompt)
    }
}

/// The text in an answer of `/v1/messages`.
///
/// # Errors
/// When the answer is anything else, or has no text.
pub fn read(body: &[u8], endpoint: &str, prompt: &Prompt) -> Result<Generated, GenerateError> {
    let answer: MessagesAnswer = parse_json(endpoint, body)?;
    let text = answer.content.iter().filter(|block| block.kind == "text");
    Spoken {
        text: text.map(|block| block.text.as_str()).collect(),
        cut: answer.stop_reason.as_deref() == Some("max_tokens"),
        input_tokens: answer.usage.as_ref().and_then(|usage| usage.input_tokens),
        output_tokens: answer.usage.as_ref().and_then(|usage| usage.output_tokens),
    }
    .generated(endpoint, prompt)
}
