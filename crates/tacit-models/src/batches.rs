//! Many texts as few requests.

use std::borrow::Cow;
use std::time::Duration;

use crate::budget::Deadline;
use crate::http::REQUEST_TIMEOUT;
use crate::{EmbedError, TextKind};

/// What one request may carry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) texts: usize,
    /// Of all texts together; a single longer text goes alone.
    pub(crate) bytes: usize,
}

/// What Qwen3's embedding models are told a query is for; their makers measured 1 to 5% from it.
/// Changing it needs no new index, since only queries carry it.
const QWEN3_TASK: &str = "Given what a programmer asks or is about to do, retrieve the notes \
                          about the project that help";

/// A text as a model wants to see it.
///
/// Empty texts become a space, since OpenAI refuses them and Ollama drops them.
pub(crate) fn prepare<'a>(model: &str, text: &'a str, kind: TextKind) -> Cow<'a, str> {
    if kind == TextKind::Query && model.to_ascii_lowercase().contains("qwen3-embedding") {
        return format!("Instruct: {QWEN3_TASK}\nQuery:{text}").into();
    }
    if text.is_empty() { " ".into() } else { text.into() }
}

/// Embeds texts request by request, in order. A given deadline spans them all; without one, each
/// request has its own.
pub(crate) fn in_batches(
    texts: &[Cow<'_, str>],
    limits: Limits,
    deadline: Option<Duration>,
    mut request: impl FnMut(&[Cow<'_, str>], Deadline) -> Result<Vec<Vec<f32>>, EmbedError>,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let whole = deadline.map(Deadline::within);
    let mut vectors = Vec::with_capacity(texts.len());
    let mut rest = texts;
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(batch_len(rest, limits));
        vectors.extend(request(batch, whole.unwrap_or_else(|| Deadline::within(REQUEST_TIMEOUT)))?);
        rest = later;
    }
    Ok(vectors)
}

/// How many of the first texts fit one request; at least one.
fn batch_len(texts: &[Cow<'_, str>], limits: Limits) -> usize {
    let mut bytes = 0;
    let fitting = texts.iter().take(limits.texts).take_while(|text| {
        bytes += text.len();
        bytes <= limits.bytes
    });
    fitting.count().max(1)
}
