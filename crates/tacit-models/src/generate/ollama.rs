//! Text from an Ollama server, by its own interface (`/api/chat`).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{GenerateError, Generated, Generator, MAX_ANSWER_BYTES, Prompt, Spoken};
use crate::EmbedError;
use crate::answer::parse_json;
use crate::budget::Deadline;
use crate::http::Client;
use crate::ollama::KEEP_ALIVE;

/// The model used unless told otherwise: small, and quick without a graphics card.
pub const DEFAULT_MODEL: &str = "llama3.2:3b";

const ADVICE: &str = "is ollama running? start it with `ollama serve`, or choose another provider";

/// A model that an Ollama server runs.
#[derive(Debug)]
pub struct OllamaChat {
    client: Client,
    model: String,
    name: String,
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    stream: bool,
    /// The tokens are few; a model that can think is asked not to.
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<bool>,
    keep_alive: &'a str,
    options: Options,
}

#[derive(Serialize)]
struct Options {
    num_predict: u32,
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
    message: Said,
    #[serde(default)]
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: Option<u64>,
    #[serde(default)]
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct Said {
    content: String,
}

impl OllamaChat {
    /// The model of the server at `base`.
    ///
    /// # Errors
    /// When `base` is not an address.
    pub fn new(base: &str, model: &str) -> Result<Self, EmbedError> {
        let client = Client::new(base, None, ADVICE)?.for_answers_up_to(MAX_ANSWER_BYTES);
        let model = model.trim().to_owned();
        let name = format!("ollama/{model}");
        Ok(Self { client, model, name })
    }

    /// The same generator with another way to pass the time between tries.
    #[must_use]
    pub fn with_sleep(self, sleep: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self { client: self.client.with_sleep(Arc::new(sleep)), ..self }
    }

    /// Asks, and asks again without a word about thinking where the model does not know of it.
    fn ask(&self, prompt: &Prompt, deadline: Deadline) -> Result<Vec<u8>, EmbedError> {
        let mut request = ChatRequest {
            model: &self.model,
            messages: [
                Message { role: "system", content: &prompt.system },
                Message { role: "user", content: &prompt.user },
            ],
            stream: false,
            think: Some(false),
            keep_alive: KEEP_ALIVE,
            options: Options { num_predict: prompt.max_tokens, temperature: prompt.temperature },
        };
        loop {
            let json = serde_json::to_vec(&request).expect("texts and numbers are JSON");
            match self.client.post("/api/chat", &json, deadline) {
                Err(EmbedError::Refused { status: 400, message, .. })
                    if request.think.is_some() && message.contains("think") =>
                {
                    request.think = None;
                }
                other => return other,
            }
        }
    }

    /// Ollama answers 404 for a model it does not have.
    fn explain(&self, error: EmbedError) -> EmbedError {
        match error {
            EmbedError::Refused { endpoint, status: 404, .. } => {
                let message =
                    format!("ollama has no model `{0}`; run `ollama pull {0}`", self.model);
                EmbedError::Refused { endpoint, status: 404, message }
            }
            error => error,
        }
    }
}

impl Generator for OllamaChat {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError> {
        let body = self.ask(prompt, Deadline::within(deadline));
        let body = body.map_err(|error| self.explain(error))?;
        read(&body, self.client.endpoint().base(), prompt)
    }
}

/// The text in an answer of `/api/chat`.
///
/// # Errors
/// When the answer is anything else, or has no text.
pub fn read(body: &[u8], endpoint: &str, prompt: &Prompt) -> Result<Generated, GenerateError> {
    let answer: ChatAnswer = parse_json(endpoint, body)?;
    Spoken {
        text: answer.message.content,
        cut: answer.done_reason.as_deref() == Some("length"),
        input_tokens: answer.prompt_eval_count,
        output_tokens: answer.eval_count,
    }
    .generated(endpoint, prompt)
}
