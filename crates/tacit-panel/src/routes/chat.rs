//! Questions about what is known.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacit_app::chat::{self, Turn};
use tacit_engine::StoreAccess;

use crate::error::ApiError;
use crate::phrase::Sentence;
use crate::route::{ApiCall, Route};
use crate::wire::memory::{Item, Items};

/// The characters of a question, and the earlier turns that are read.
const LONGEST: usize = 2_000;
const MOST_TURNS: usize = 6;
/// The text if no memory answers.
const UNKNOWN: &str = "No memory answers that.";

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new(Method::POST, "/chat", "Ask what is known.", ask).waiting()]
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    question: String,
    #[serde(default)]
    history: Vec<Earlier>,
    /// False to let no text model answer.
    model: Option<bool>,
}

/// An earlier question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Earlier {
    question: String,
    answer: String,
}

/// An answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Answer {
    known: bool,
    /// Plain text; `[1]` is the first citation.
    text: String,
    /// The text model; null if the text quotes the memories.
    by: Option<String>,
    citations: Vec<Citation>,
    notes: Vec<Sentence>,
}

/// A memory that an answer rests on.
#[derive(Debug, Serialize, JsonSchema)]
struct Citation {
    n: usize,
    item: Item,
    likely: Option<f64>,
}

fn ask(call: &ApiCall<'_>, input: Question) -> Result<Answer, ApiError> {
    let question = input.question.trim();
    if question.is_empty() || question.chars().count() > LONGEST {
        return Err(ApiError::usage(format!("`question` must have 1 to {LONGEST} characters")));
    }
    if input.history.len() > MOST_TURNS {
        return Err(ApiError::usage(format!("`history` has more than {MOST_TURNS} entries")));
    }
    let cut = |text: String| text.chars().take(LONGEST).collect();
    let before = input.history.into_iter();
    let before: Vec<Turn> = before
        .map(|turn| Turn { question: cut(turn.question), answer: cut(turn.answer) })
        .collect();
    let is_stopped = || call.is_abandoned();
    let with_model = input.model.unwrap_or(true);
    let answer = chat::answer(call.app, question, &before, with_model, &is_stopped)?;
    let items = Items::read(&call.app.engine(StoreAccess::ReadBoth)?)?;
    let citations = answer.cited.iter().enumerate().map(|(at, result)| Citation {
        n: at + 1,
        item: items.one(&result.found),
        likely: result.why.as_ref().map(|why| why.likelihood),
    });
    let known = !answer.cited.is_empty();
    Ok(Answer {
        known,
        citations: citations.collect(),
        text: if known { answer.text } else { UNKNOWN.to_owned() },
        by: answer.by,
        notes: answer.notes.into_iter().map(Sentence::from).collect(),
    })
}
