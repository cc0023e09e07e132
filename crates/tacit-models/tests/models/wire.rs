//! Both wire formats as one type, so that a table of cases runs on each.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tacit_models::protocol::{EmbedProtocol, OLLAMA_EMBED, OPENAI_EMBED};
use tacit_models::{Embedder, Secret, ServerEmbedder};

use tacit_testkit::server::{ScriptedReply, raw_vector};

pub(crate) const KEY: &str = "sk-proj-do-not-show-me-0123456789";
pub(crate) const DIMS: usize = 1024;

/// The wire format of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Ollama,
    OpenAi,
}

/// The pauses that an embedder made.
pub(crate) type Pauses = Arc<Mutex<Vec<Duration>>>;

impl Wire {
    pub(crate) const ALL: [Self; 2] = [Self::Ollama, Self::OpenAi];

    /// Returns an embedder that records its pauses instead of sleeping.
    pub(crate) fn embedder(self, base: &str) -> (Box<dyn Embedder>, Pauses) {
        let pauses = Pauses::default();
        let recorded = Arc::clone(&pauses);
        let sleep = move |pause| recorded.lock().expect("no panic under the lock").push(pause);
        let (protocol, key): (&EmbedProtocol, _) = match self {
            Self::Ollama => (&OLLAMA_EMBED, None),
            Self::OpenAi => (&OPENAI_EMBED, Secret::new(KEY)),
        };
        let embedder = ServerEmbedder::new(protocol, base, key, protocol.model, DIMS);
        (Box::new(embedder.expect("a good address").with_sleep(sleep)), pauses)
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Ollama => "/api/embed",
            Self::OpenAi => "/embeddings",
        }
    }

    pub(crate) fn batch(self) -> usize {
        match self {
            Self::Ollama => 32,
            Self::OpenAi => 128,
        }
    }

    /// Returns an answer with these vectors, each given as JSON.
    pub(crate) fn answer(self, vectors: &[String]) -> ScriptedReply {
        ScriptedReply::ok(match self {
            Self::Ollama => format!(r#"{{"embeddings":[{}]}}"#, vectors.join(",")),
            Self::OpenAi => {
                let item =
                    |(at, v): (usize, &String)| format!(r#"{{"index":{at},"embedding":{v}}}"#);
                let items: Vec<String> = vectors.iter().enumerate().map(item).collect();
                format!(r#"{{"data":[{}]}}"#, items.join(","))
            }
        })
    }

    /// Returns an answer that ends in the middle of its vector.
    pub(crate) fn truncated_answer(self) -> ScriptedReply {
        let ScriptedReply::Status(status, headers, mut body) = self.answer(&[vector_json(DIMS)])
        else {
            unreachable!("an answer has a status")
        };
        body.truncate(body.len() / 2);
        ScriptedReply::Status(status, headers, body)
    }

    /// Returns an answer whose vector ends with the JSON `odd`.
    pub(crate) fn odd_number(self, odd: &str) -> ScriptedReply {
        let zeros = "0.25,".repeat(DIMS - 1);
        self.answer(&[format!("[{zeros}{odd}]")])
    }
}

/// Returns a valid vector as JSON.
pub(crate) fn vector_json(dims: usize) -> String {
    Value::from(raw_vector("some text", dims)).to_string()
}

/// Returns OpenAI's answer to these texts with the items in the order of `indices`.
pub(crate) fn shuffled(texts: &[&str], indices: &[usize]) -> ScriptedReply {
    let item =
        |index: &usize| json!({ "index": index, "embedding": raw_vector(texts[*index], DIMS) });
    let data: Vec<Value> = indices.iter().map(item).collect();
    ScriptedReply::ok(json!({ "data": data }).to_string())
}

/// Returns the vector that an embedder must return for a text.
pub(crate) fn expected(sent: &str) -> Vec<f32> {
    let raw = raw_vector(sent, DIMS);
    let norm = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
    raw.iter().map(|x| (x / norm) as f32).collect()
}
