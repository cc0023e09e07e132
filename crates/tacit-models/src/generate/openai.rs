//! Text from OpenAI, and from servers that speak its interface (`/chat/completions`).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    GenerateError, Generated, Generator, MAX_ANSWER_BYTES, Prompt, Spoken, minds_temperature,
};
use crate::answer::parse_json;
use crate::budget::Deadline;
use crate::http::Client;
use crate::{EmbedError, Secret};

/// The model used unless told otherwise.
pub const DEFAULT_MODEL: &str = "gpt-4.1-mini";

const ADVICE: &str = "check the address and the network, or choose another provider";
/// What newer models of OpenAI call the limit, and refuse under its older name.
const NEWER_LIMIT: &str = "max_completion_tokens";

/// A model behind OpenAI's interface.
#[derive(Debug)]
pub struct OpenAiChat {
    client: Client,
    model: String,
    name: String,
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Deserialize)]
struct ChatAnswer {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    content: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

impl OpenAiChat {
    /// The model of the server at `base`, which ends in `/v1` for most.
    ///
    /// # Errors
    /// When `base` is not an address, or one to which the key would go unencrypted.
    pub fn new(base: &str, key: Option<Secret>, model: &str) -> Result<Self, EmbedError> {
        let client = Client::new(base, key, ADVICE)?.for_answers_up_to(MAX_ANSWER_BYTES);
        let model = model.trim().to_owned();
        let name = format!("openai/{model}");
        Ok(Self { client, model, name })
    }

    /// The same generator with another way to pass the time between tries.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    /// Asks, and asks again in other terms where the model minds these: servers and models differ
    /// in what they call the limit and in whether they take a temperature.
    fn ask(&self, prompt: &Prompt, deadline: Deadline) -> Result<Vec<u8>, EmbedError> {
        let mut request = ChatRequest {
            model: &self.model,
            messages: [
                Message { role: "system", content: &prompt.system },
                Message { role: "user", content: &prompt.user },
            ],
            max_tokens: Some(prompt.max_tokens),
            max_completion_tokens: None,
            temperature: prompt.temperature,
        };
        loop {
            let json = serde_json::to_vec(&request).expect("texts and numbers are JSON");
            match self.client.post("/chat/completions", &json, deadline) {
                Err(EmbedError::Refused { status: 400, message, .. })
                    if request.max_tokens.is_some() && message.contains(NEWER_LIMIT) =>
                {
                    request.max_completion_tokens = request.max_tokens.take();
                }
                Err(error) if request.temperature.is_some() && minds_temperature(&error) => {
                    request.temperature = None;
                }
                other => return other,
            }
        }
    }
}

impl Generator for OpenAiChat {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError> {
        let body = self.ask(prompt, Deadline::within(deadline))?;
        read(&body, self.client.endpoint().base(), prompt)
    }
}

/// The text in an answer of `/chat/completions`.
///
/// # Errors
/// When the answer is anything else, or has no text.
pub fn read(body: &[u8], endpoint: &str, prompt: &Prompt) -> Result<Generated, GenerateError> {
    let answer: ChatAnswer = parse_json(endpoint, body)?;
    let choice = answer.choices.into_iter().next();
    let (text, reason) = match choice {
        Some(choice) => (choice.message.content.unwrap_or_default(), choice.finish_reason),
        None => (String::new(), None),
    };
    Spoken {
        text,
        cut: reason.as_deref() == Some("length"),
        input_tokens: answer.usage.as_ref().and_then(|usage| usage.prompt_tokens),
        output_tokens: answer.usage.as_ref().and_then(|usage| usage.completion_tokens),
    }
    .generated(endpoint, prompt)
}
