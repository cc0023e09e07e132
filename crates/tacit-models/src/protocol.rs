//! Interfaces of model servers as data: where to send a request, what is in it, and where the
//! answer is in the JSON that comes back.
//!
//! [`crate::server`] does the talking. Another server that speaks one of these needs nothing here;
//! another interface is one more row.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::HeaderName;
use ureq::http::header::AUTHORIZATION;

use crate::answer::{ExpectedVectors, Number};
use crate::{EmbedError, Prompt};

/// Time an Ollama server keeps a model loaded after a request: longer than its own five minutes,
/// since loading takes seconds and people stop to think.
pub const KEEP_ALIVE: &str = "15m";

const CHECK_ADDRESS: &str = "check the address and the network, or choose another provider";

/// A kind of server, whatever it is asked for.
#[derive(Debug)]
pub struct ServerKind {
    /// The provider, in front of the names of its models.
    pub name: &'static str,
    /// The default address.
    pub base: &'static str,
    /// The variable with the key that its own address insists on; compatible servers often want
    /// none.
    pub key_variable: Option<&'static str>,
    /// The header that carries the key, and what stands before the key in it.
    pub(crate) key_header: (HeaderName, &'static str),
    /// Sent with every request.
    pub(crate) header: Option<(&'static str, &'static str)>,
    /// Advice for a server that does not answer.
    pub(crate) advice: &'static str,
    /// Advice for a model that the server answers 404 for; `None` if 404 has another meaning.
    pub(crate) missing_model: Option<fn(&str) -> String>,
}

/// An Ollama server, by its own interface.
pub static OLLAMA: ServerKind = ServerKind {
    name: "ollama",
    base: "http://127.0.0.1:11434",
    key_variable: None,
    key_header: (AUTHORIZATION, "Bearer "),
    header: None,
    advice: "is ollama running? start it with `ollama serve`, or choose another provider",
    missing_model: Some(|model| {
        format!("ollama has no model `{model}`; run `ollama pull {model}`")
    }),
};

/// OpenAI, and servers that speak its interface.
pub static OPENAI: ServerKind = ServerKind {
    name: "openai",
    base: "https://api.openai.com/v1",
    key_variable: Some("OPENAI_API_KEY"),
    key_header: (AUTHORIZATION, "Bearer "),
    header: None,
    advice: CHECK_ADDRESS,
    missing_model: None,
};

/// Anthropic, and servers that speak its interface; the address is without `/v1`.
pub static ANTHROPIC: ServerKind = ServerKind {
    name: "anthropic",
    base: "https://api.anthropic.com",
    key_variable: Some("ANTHROPIC_API_KEY"),
    key_header: (HeaderName::from_static("x-api-key"), ""),
    header: Some(("anthropic-version", "2023-06-01")),
    advice: CHECK_ADDRESS,
    missing_model: None,
};

/// An interface that turns texts into vectors.
#[derive(Debug)]
pub struct EmbedProtocol {
    /// The server that has it.
    pub server: &'static ServerKind,
    /// The model used unless told otherwise.
    pub model: &'static str,
    pub(crate) path: &'static str,
    /// The path that lists the models on the server's disk, if there is one.
    pub(crate) models: Option<&'static str>,
    /// The most texts in one request.
    pub(crate) batch_texts: usize,
    /// The most bytes of all texts in one request; a single longer text goes alone.
    pub(crate) batch_bytes: usize,
    /// Number of bytes at which a text is cut.
    pub(crate) text_bytes: usize,
    pub(crate) request: fn(&str, &[Cow<'_, str>], usize) -> Value,
    pub(crate) answer: fn(&[u8], ExpectedVectors<'_>) -> Result<RawVectors, EmbedError>,
}

/// The dimensions asked for unless told otherwise. Always sent: the default models have 1536 and
/// 2560 of their own, and are trained to be cut.
pub const DEFAULT_DIMS: usize = 1024;

/// Vectors of Ollama. It computes texts one by one, so larger batches would only make an answer
/// later, and it cuts long texts itself.
pub static OLLAMA_EMBED: EmbedProtocol = EmbedProtocol {
    server: &OLLAMA,
    model: "qwen3-embedding:4b",
    path: "/api/embed",
    models: Some("/api/tags"),
    batch_texts: 32,
    batch_bytes: 1024 * 1024,
    text_bytes: usize::MAX,
    request: |model, texts, dims| {
        json!({
            "model": model, "input": texts, "dimensions": dims, "truncate": true,
            "keep_alive": KEEP_ALIVE,
        })
    },
    answer: |body, expected| Ok(expected.parse::<OllamaVectors>(body)?.embeddings),
};

/// Vectors of OpenAI. It takes 300,000 tokens a request, and a token is at least a byte; of one
/// text 8,192 tokens, of which ordinary text has three or four bytes and dense text about two.
pub static OPENAI_EMBED: EmbedProtocol = EmbedProtocol {
    server: &OPENAI,
    model: "text-embedding-3-small",
    path: "/embeddings",
    models: None,
    batch_texts: 128,
    batch_bytes: 300_000,
    text_bytes: 16_000,
    request: |model, texts, dims| json!({ "model": model, "input": texts, "dimensions": dims, "encoding_format": "float" }),
    answer: |body, expected| {
        let mut items = expected.parse::<OpenAiVectors>(body)?.data;
        items.sort_by_key(|item| item.index);
        let in_order = items.iter().enumerate().all(|(at, item)| item.index == at);
        if items.len() == expected.count && !in_order {
            return Err(expected.malformed("an index is missing or there twice".to_owned()));
        }
        Ok(items.into_iter().map(|item| item.embedding).collect())
    },
};

impl EmbedProtocol {
    /// The vectors in an answer.
    ///
    /// # Errors
    /// When the answer is anything else than `expected`.
    pub fn vectors(
        &self,
        body: &[u8],
        expected: ExpectedVectors<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        expected.vectors(&(self.answer)(body, expected)?)
    }
}

/// Vectors as a server sent them, not checked yet.
type RawVectors = Vec<Vec<Number>>;

#[derive(Deserialize)]
struct OllamaVectors {
    embeddings: RawVectors,
}

#[derive(Deserialize)]
struct OpenAiVectors {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: usize,
    embedding: Vec<Number>,
}

/// An interface that answers prompts. Places in the answer are JSON pointers.
#[derive(Debug)]
pub struct ChatProtocol {
    /// The server that has it.
    pub server: &'static ServerKind,
    /// The model used unless told otherwise.
    pub model: &'static str,
    pub(crate) path: &'static str,
    pub(crate) request: fn(&str, &Prompt) -> Value,
    /// Terms that some models do not take. The first that a refusal mentions and that the request
    /// still has is changed, and the model is asked again.
    pub(crate) fallbacks: &'static [RequestFallback],
    /// The text; none if the answer has another shape.
    pub(crate) text: fn(&Value) -> Option<String>,
    /// The field with the reason for stopping, and its value when the token limit was reached.
    pub(crate) stopped: (&'static str, &'static str),
    pub(crate) input_tokens: &'static str,
    pub(crate) output_tokens: &'static str,
}

/// A field of a request that is left out, or sent under another name, where a refusal mentions
/// a word.
#[derive(Debug)]
pub(crate) struct RequestFallback {
    pub(crate) word: &'static str,
    pub(crate) field: &'static str,
    pub(crate) instead: Option<&'static str>,
}

const NO_TEMPERATURE: RequestFallback =
    RequestFallback { word: "temperature", field: "temperature", instead: None };

/// Text from Ollama. The tokens are few, so a model that can think is asked not to. The model is
/// small, and quick without a graphics card.
pub static OLLAMA_CHAT: ChatProtocol = ChatProtocol {
    server: &OLLAMA,
    model: "llama3.2:3b",
    path: "/api/chat",
    request: |model, prompt| {
        json!({
            "model": model, "messages": [system(prompt), user(prompt)], "stream": false,
            "think": false, "keep_alive": KEEP_ALIVE,
            "options": tempered(json!({ "num_predict": prompt.max_tokens }), prompt),
        })
    },
    fallbacks: &[RequestFallback { word: "think", field: "think", instead: None }],
    text: |answer| Some(answer.pointer("/message/content")?.as_str()?.to_owned()),
    stopped: ("/done_reason", "length"),
    input_tokens: "/prompt_eval_count",
    output_tokens: "/eval_count",
};

/// Text from OpenAI. Its newer models have another name for the limit, and refuse the older one.
pub static OPENAI_CHAT: ChatProtocol = ChatProtocol {
    server: &OPENAI,
    model: "gpt-4.1-mini",
    path: "/chat/completions",
    request: |model, prompt| {
        let messages = [system(prompt), user(prompt)];
        let request = json!({
            "model": model, "messages": messages, "max_tokens": prompt.max_tokens,
        });
        tempered(request, prompt)
    },
    fallbacks: &[
        RequestFallback {
            word: "max_completion_tokens",
            field: "max_tokens",
            instead: Some("max_completion_tokens"),
        },
        NO_TEMPERATURE,
    ],
    text: |answer| {
        let first = answer.get("choices")?.as_array()?.first();
        let text = first.and_then(|choice| choice.pointer("/message/content")?.as_str());
        Some(text.unwrap_or_default().to_owned())
    },
    stopped: ("/choices/0/finish_reason", "length"),
    input_tokens: "/usage/prompt_tokens",
    output_tokens: "/usage/completion_tokens",
};

/// Text from Anthropic. Blocks of other kinds than text are passed over.
pub static ANTHROPIC_CHAT: ChatProtocol = ChatProtocol {
    server: &ANTHROPIC,
    model: "claude-haiku-4-5",
    path: "/v1/messages",
    request: |model, prompt| {
        let request = json!({
            "model": model, "max_tokens": prompt.max_tokens, "system": prompt.system,
            "messages": [user(prompt)],
        });
        tempered(request, prompt)
    },
    fallbacks: &[NO_TEMPERATURE],
    text: |answer| {
        let blocks = answer.get("content")?.as_array()?.iter();
        let said = blocks.filter(|block| block["type"] == "text");
        Some(said.filter_map(|block| block["text"].as_str()).collect())
    },
    stopped: ("/stop_reason", "max_tokens"),
    input_tokens: "/usage/input_tokens",
    output_tokens: "/usage/output_tokens",
};

fn system(prompt: &Prompt) -> Value {
    json!({ "role": "system", "content": prompt.system })
}

fn user(prompt: &Prompt) -> Value {
    json!({ "role": "user", "content": prompt.user })
}

fn tempered(mut request: Value, prompt: &Prompt) -> Value {
    if let Some(temperature) = prompt.temperature {
        request["temperature"] = temperature.into();
    }
    request
}
