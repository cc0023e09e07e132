//! The interface of text generators.
//!
//! Generated text is untrusted: it is limited in size and never treated as an instruction. Callers
//! keep track of calls and their cost.

pub mod choose;
pub mod command;

use std::time::Duration;

use crate::EmbedError;

pub use choose::{GeneratorProvider, GeneratorSettings, choose};

/// Maximum size of a response, including everything around the text.
pub const MAX_TEXT_ANSWER_BYTES: u64 = 1024 * 1024;
/// Approximate bytes per token, for estimates.
const BYTES_PER_TOKEN: usize = 4;

/// The input for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The instructions.
    pub system: String,
    /// The data to work on.
    pub user: String,
    /// Maximum number of tokens to generate.
    pub max_tokens: u32,
    /// The sampling temperature, from 0; `None` for the model's default. It is dropped for models
    /// that do not accept one.
    pub temperature: Option<f64>,
}

impl Prompt {
    /// Estimates the number of tokens in the prompt.
    pub fn tokens(&self) -> u64 {
        estimate(&self.system) + estimate(&self.user)
    }
}

/// Generated text and the tokens it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The text, trimmed and never empty.
    pub text: String,
    /// The tokens in the prompt, estimated if the provider does not report them.
    pub input_tokens: u64,
    /// The tokens in the text, estimated likewise.
    pub output_tokens: u64,
}

/// Generates text.
pub trait Generator: Send + Sync {
    /// Returns the provider and the model, such as `ollama/llama3.2:3b`.
    fn name(&self) -> &str;

    /// Returns the model's answer. The whole call ends within the deadline, including retries.
    ///
    /// # Errors
    /// Fails if a server cannot be reached, times out, refuses, or sends something other than text;
    /// when a program cannot be started, fails, or times out.
    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError>;
}

/// The reason why no text was generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The server or program gave no valid answer.
    #[error(transparent)]
    NoAnswer(#[from] EmbedError),

    /// The answer contained no text.
    #[error("`{generator}` returned no text: {reason}")]
    NoText {
        /// The address of the server, or the program.
        generator: String,
        /// The reason, as far as known, and what to do.
        reason: String,
    },

    /// A program failed.
    #[error("`{program}` {problem}")]
    Program {
        /// The program that failed.
        program: String,
        /// The problem, and what to do about it.
        problem: String,
    },
}

impl GenerateError {
    /// Returns true if the settings are invalid, so that nothing was sent.
    pub fn is_misconfigured(&self) -> bool {
        matches!(self, Self::NoAnswer(EmbedError::Misconfigured(_)))
    }

    /// Returns the stable identifier of this kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoAnswer(error) => match error {
                EmbedError::Misconfigured(_) => "misconfigured",
                EmbedError::Unreachable { .. } => "unreachable",
                EmbedError::TimedOut { .. } => "timed_out",
                EmbedError::Refused { .. } => "refused",
                EmbedError::RateLimited { .. } => "rate_limited",
                _ => "malformed",
            },
            Self::NoText { .. } => "silent",
            Self::Program { .. } => "failed",
        }
    }
}

/// The content of an answer; `None` for what the provider does not report.
#[derive(Debug, Default)]
pub(crate) struct ModelAnswer {
    pub(crate) text: String,
    /// True if generation stopped at the token limit.
    pub(crate) truncated: bool,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
}

impl ModelAnswer {
    /// Converts the answer, unless its text is empty.
    pub(crate) fn generated(
        self,
        generator: &str,
        prompt: &Prompt,
    ) -> Result<Generated, GenerateError> {
        let text = self.text.trim();
        if text.is_empty() {
            let reason = if self.truncated {
                let limit = prompt.max_tokens;
                format!(
                    "all {limit} tokens were spent on thinking; choose a model that does not think"
                )
            } else {
                "the text is empty; try another model".to_owned()
            };
            return Err(GenerateError::NoText { generator: generator.to_owned(), reason });
        }
        Ok(Generated {
            text: text.to_owned(),
            input_tokens: self.input_tokens.unwrap_or_else(|| prompt.tokens()),
            output_tokens: self.output_tokens.unwrap_or_else(|| estimate(text)),
        })
    }
}

fn estimate(text: &str) -> u64 {
    text.len().div_ceil(BYTES_PER_TOKEN) as u64
}
