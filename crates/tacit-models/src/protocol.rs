//! The interfaces of model servers as data: where to send a request, its fields, and where to find
//! the answer in the JSON that comes back.
//!
//! [`crate::server`] does the communication. A server that is compatible with one of these needs no
//! change here; a new interface is one more row.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::HeaderName;
use ureq::http::header::AUTHORIZATION;

use crate::answer::{ExpectedVectors, Number};
use crate::{EmbedError, Prompt};

/// The time that an Ollama server keeps a model loaded after a request. Longer than its default of
/// five minutes, because loading takes seconds and users pause to think.
pub const KEEP_ALIVE: &str = "15m";

const CHECK_ADDRESS: &str = "check the address and the network, or choose another provider";

/// A kind of server, independent of the request.
#[derive(Debug)]
pub struct ServerKind {
    /// The provider, which prefixes the names of its models.
    pub name: &'static str,
    /// The default address.
    pub base: &'static str,
    /// The environment variable with the key that the default address requires. Compatible servers
    /// often need none.
    pub key_variable: Option<&'static str>,
    /// The header for the key, and the prefix of its value.
    pub(crate) key_header: (HeaderName, &'static str),
    /// A header sent with every request.
    pub(crate) header: Option<(&'static str, &'static str)>,
    /// The hint for a server that does not answer.
    pub(crate) hint: &'static str,
    /// The hint for a model that the server answers 404 for; `None` if 404 has another meaning.
    pub(crate) missing_model: Option<fn(&str) -> String>,
}

/// Ollama's native interface.
pub static OLLAMA: ServerKind = ServerKind {
    name: "ollama",
    base: "http://127.0.0.1:11434",
    key_variable: None,
    key_header: (AUTHORIZATION, "Bearer "),
    header: None,
    hint: "is ollama running? start it with `ollama serve`, or choose another provider",
    missing_model: Some(|model| {
        format!("ollama has no model `{model}`; run `ollama pull {model}`")
    }),
};

/// OpenAI and compatible servers.
pub static OPENAI: ServerKind = ServerKind {
    name: "openai",
    base: "https://api.openai.com/v1",
    key_variable: Some("OPENAI_API_KEY"),
    key_header: (AUTHORIZATION, "Bearer "),
    header: None,
    hint: CHECK_ADDRESS,
    missing_model: None,
};

/// Anthropic and compatible servers; the address is without `/v1`.
pub static ANTHROPIC: ServerKind = ServerKind {
    name: "anthropic",
    base: "https://api.anthropic.com",
    key_variable: Some("ANTHROPIC_API_KEY"),
    key_header: (HeaderName::from_static("x-api-key"), ""),
    header: Some(("anthropic-version", "2023-06-01")),
    hint: CHECK_ADDRESS,
    missing_model: None,
};

/// An interface that embeds texts.
#[derive(Debug)]
pub struct EmbedProtocol {
    /// The kind of server that has this interface.
    pub server: &'static ServerKind,
    /// The default model.
    pub model: &'static str,
    pub(crate) path: &'static str,
    /// The path that lists the installed models, if there is one.
    pub(crate) models: Option<&'static str>,
    /// Maximum number of texts in one request.
    pub(crate) batch_texts: usize,
    /// Maximum total bytes of the texts in one request; a single longer text is sent alone.
    pub(crate) batch_bytes: usize,
    /// The length in bytes to which a text is cut.
    pub(crate) text_bytes: usize,
    pub(crate) request: fn(&str, &[Cow<'_, str>], usize) -> Value,
    pub(crate) answer: fn(&[u8], ExpectedVectors<'_>) -> Result<RawVectors, EmbedError>,
}

/// The default dimensions. Always sent: the default models have 1536 and 2560 of their own and are
/// trained to be truncated.
pub const DEFAULT_DIMS: usize = 1024;

/// Embeddings from Ollama. It computes texts one by one, so larger batches would only delay an
/// answer, and it cuts long texts itself.
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

/// Embeddings from OpenAI. It accepts 300,000 tokens per request, and a token is at least a byte.
/// One text may have 8,192 tokens, of three or four bytes in ordinary text and about two in dense
/// text.
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
            return Err(expected.malformed("an index is missing or duplicated".to_owned()));
        }
        Ok(items.into_iter().map(|item| item.embedding).collect())
    },
};

impl EmbedProtocol {
    /// Reads the vectors in an answer.
    ///
    /// # Errors
    /// Fails if the answer does not contain the `expected` vectors.
    pub fn vectors(
        &self,
        body: &[u8],
        expected: ExpectedVectors<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        expected.vectors(&(self.answer)(body, expected)?)
    }
}

/// Vectors as sent by the server, not yet checked.
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

/// An interface that answers prompts. Locations in the answer are JSON pointers.
#[derive(Debug)]
pub struct ChatProtocol {
    /// The kind of server that has this interface.
    pub server: &'static ServerKind,
    /// The default model.
    pub model: &'static str,
    pub(crate) path: &'static str,
    pub(crate) request: fn(&str, &Prompt) -> Value,
    /// Changes for models that refuse a field. The first one whose word is in the refusal and whose
    /// field is in the request is applied, and the request is sent again.
    pub(crate) fallbacks: &'static [RequestFallback],
    /// Extracts the text; `None` if the answer has another shape.
    pub(crate) text: fn(&Value) -> Option<String>,
    /// The field with the reason for stopping, and its value when the token limit was reached.
    pub(crate) stopped: (&'static str, &'static str),
    pub(crate) input_tokens: &'static str,
    pub(crate) output_tokens: &'static str,
}

/// A field to remove or rename in a request if a refusal contains a word.
#[derive(Debug)]
pub(crate) struct RequestFallback {
    pub(crate) word: &'static str,
    pub(crate) field: &'static str,
    pub(crate) rename: Option<&'static str>,
}

const NO_TEMPERATURE: RequestFallback =
    RequestFallback { word: "temperature", field: "temperature", rename: None };

/// Chat with Ollama. The token limit is low, so thinking is turned off. The default model is small,
/// and fast without a graphics card.
pub static OLLAMA_CHAT: ChatProtocol = ChatProtocol {
    server: &OLLAMA,
    model: "llama3.2:3b",
    path: "/api/chat",
    request: |model, prompt| {
        json!({
            "model": model, "messages": [system(prompt), user(prompt)], "stream": false,
            "think": false, "keep_alive": KEEP_ALIVE,
            "options": with_temperature(json!({ "num_predict": prompt.max_tokens }), prompt),
        })
    },
    fallbacks: &[RequestFallback { word: "think", field: "think", rename: None }],
    text: |answer| Some(answer.pointer("/message/content")?.as_str()?.to_owned()),
    stopped: ("/done_reason", "length"),
    input_tokens: "/prompt_eval_count",
    output_tokens: "/eval_count",
};

/// Chat with OpenAI. Newer models use another name for the token limit and refuse the older one.
pub static OPENAI_CHAT: ChatProtocol = ChatProtocol {
    server: &OPENAI,
    model: "gpt-4.1-mini",
    path: "/chat/completions",
    request: |model, prompt| {
        let messages = [system(prompt), user(prompt)];
        let request = json!({
            "model": model, "messages": messages, "max_tokens": prompt.max_tokens,
        });
        with_temperature(request, prompt)
    },
    fallbacks: &[
        RequestFallback {
            word: "max_completion_tokens",
            field: "max_tokens",
            rename: Some("max_completion_tokens"),
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

/// Chat with Anthropic. Blocks other than text are skipped.
pub static ANTHROPIC_CHAT: ChatProtocol = ChatProtocol {
    server: &ANTHROPIC,
    model: "claude-haiku-4-5",
    path: "/v1/messages",
    request: |model, prompt| {
        let request = json!({
            "model": model, "max_tokens": prompt.max_tokens, "system": prompt.system,
            "messages": [user(prompt)],
        });
        with_temperature(request, prompt)
    },
    fallbacks: &[NO_TEMPERATURE],
    text: |answer| {
        let blocks = answer.get("content")?.as_array()?.iter();
        let texts = blocks.filter(|block| block["type"] == "text");
        Some(texts.filter_map(|block| block["text"].as_str()).collect())
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

fn with_temperature(mut request: Value, prompt: &Prompt) -> Value {
    if let Some(temperature) = prompt.temperature {
        request["temperature"] = temperature.into();
    }
    request
}
