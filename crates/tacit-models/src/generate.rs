//! Text from a model: what every generator promises, whichever program writes.
//!
//! Whatever comes back is text from outside: it is limited in size, and nothing here takes it for
//! an instruction. Keeping count of calls and of what they cost is the caller's.

pub mod choose;
pub mod command;

use std::time::Duration;

use crate::EmbedError;

pub use choose::{GeneratorProvider, GeneratorSettings, choose};

/// The longest answer that is read, with everything around the text.
pub const MAX_TEXT_ANSWER_BYTES: u64 = 1024 * 1024;
/// Bytes in a token, about; for those who do not count them.
const BYTES_A_TOKEN: usize = 4;

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What it is to do.
    pub system: String,
    /// What it is to do it with.
    pub user: String,
    /// How many tokens it may write.
    pub max_tokens: u32,
    /// How freely it chooses its words, from 0; none leaves that to the model. A model that takes
    /// no temperature is asked without.
    pub temperature: Option<f64>,
}

impl Prompt {
    /// About how many tokens it takes to read.
    pub fn tokens(&self) -> u64 {
        estimate(&self.system) + estimate(&self.user)
    }
}

/// What a model wrote, and what that took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The text, not empty, without space around it.
    pub text: String,
    /// The tokens it read; estimated from the length where the provider does not tell.
    pub input_tokens: u64,
    /// The tokens it wrote; estimated likewise.
    pub output_tokens: u64,
}

/// Writes text.
pub trait Generator: Send + Sync {
    /// The provider and the model, with a slash between, such as `ollama/llama3.2:3b`.
    fn name(&self) -> &str;

    /// What the model answers. The whole call ends within the deadline, retries and all.
    ///
    /// # Errors
    /// When a server cannot be reached, is late, refuses, or sends something other than a text;
    /// when a program cannot be started, fails, or is late.
    fn generate(&self, prompt: &Prompt, deadline: Duration) -> Result<Generated, GenerateError>;
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// There was no answer, or not one of the interface.
    #[error(transparent)]
    NoAnswer(#[from] EmbedError),

    /// There was an answer, and no text in it.
    #[error("`{from}` said nothing: {why}")]
    NoText {
        /// The address of the server, or the program.
        from: String,
        /// Why, as far as it is known, and what to do.
        why: String,
    },

    /// A program did not do its work.
    #[error("`{program}` {problem}")]
    Program {
        /// The program.
        program: String,
        /// What it did instead.
        problem: String,
    },
}

impl GenerateError {
    /// Whether nobody was asked at all, since the settings cannot work.
    pub fn is_misconfigured(&self) -> bool {
        matches!(self, Self::NoAnswer(EmbedError::Misconfigured(_)))
    }

    /// The kind of failure, in a word that programs can tell apart.
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

/// What an answer held, as far as it told.
#[derive(Debug, Default)]
pub(crate) struct ModelAnswer {
    pub(crate) text: String,
    /// Whether it stopped because it had written all the tokens it might.
    pub(crate) cut: bool,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
}

impl ModelAnswer {
    /// The text, if there is one.
    pub(crate) fn generated(self, from: &str, prompt: &Prompt) -> Result<Generated, GenerateError> {
        let text = self.text.trim();
        if text.is_empty() {
            let why = if self.cut {
                let most = prompt.max_tokens;
                format!("all {most} tokens went into thinking; choose a model that does not think")
            } else {
                "it sent an empty text; try another model".to_owned()
            };
            return Err(GenerateError::NoText { from: from.to_owned(), why });
        }
        Ok(Generated {
            text: text.to_owned(),
            input_tokens: self.input_tokens.unwrap_or_else(|| prompt.tokens()),
            output_tokens: self.output_tokens.unwrap_or_else(|| estimate(text)),
        })
    }
}

fn estimate(text: &str) -> u64 {
    text.len().div_ceil(BYTES_A_TOKEN) as u64
}
