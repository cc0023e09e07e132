//! Which generator to use, as configured.
//!
//! Nobody is asked whether they are there: settings that cannot work are told by the first call,
//! which then is not made.

use std::sync::Arc;
use std::time::Duration;

use super::anthropic::{self, Anthropic};
use super::command::CommandLine;
use super::ollama::{self, OllamaChat};
use super::openai::{self, OpenAiChat};
use super::{GenerateError, Generated, Generator, Prompt};
use crate::{EmbedError, Secret};

/// Who is to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// An Ollama server.
    Ollama,
    /// OpenAI, or a server that speaks its interface.
    OpenAi,
    /// Anthropic, or a server that speaks its interface.
    Anthropic,
    /// A program on this machine.
    Command,
}

/// What the user configured.
#[derive(Clone, Debug)]
pub struct GeneratorSettings {
    /// Who is to write.
    pub writer: Writer,
    /// The model; empty for the provider's default. A program chooses its own.
    pub model: String,
    /// The address of the server; empty for the provider's own.
    pub url: String,
    /// The program and its arguments.
    pub command: String,
    /// The key for OpenAI.
    pub openai_key: Option<Secret>,
    /// The key for Anthropic.
    pub anthropic_key: Option<Secret>,
}

/// The generator of these settings.
pub fn choose(settings: &GeneratorSettings) -> Arc<dyn Generator> {
    let GeneratorSettings { writer, openai_key, anthropic_key, .. } = settings;
    let model = |default: &'static str| given(&settings.model).unwrap_or(default);
    let url = |default: &'static str| given(&settings.url).unwrap_or(default);
    let made: Result<Arc<dyn Generator>, EmbedError> = match writer {
        Writer::Ollama => {
            OllamaChat::new(url(crate::ollama::DEFAULT_BASE), model(ollama::DEFAULT_MODEL))
                .map(|made| Arc::new(made) as _)
        }
        Writer::OpenAi => {
            let base = url(crate::openai::DEFAULT_BASE);
            keyed(base == crate::openai::DEFAULT_BASE, openai_key, "openai", "OPENAI_API_KEY")
                .and_then(|key| OpenAiChat::new(base, key, model(openai::DEFAULT_MODEL)))
                .map(|made| Arc::new(made) as _)
        }
        Writer::Anthropic => {
            let base = url(anthropic::DEFAULT_BASE);
            keyed(base == anthropic::DEFAULT_BASE, anthropic_key, "anthropic", "ANTHROPIC_API_KEY")
                .and_then(|key| Anthropic::new(base, key, model(anthropic::DEFAULT_MODEL)))
                .map(|made| Arc::new(made) as _)
        }
        Writer::Command => CommandLine::parse(&settings.command).map(|made| Arc::new(made) as _),
    };
    made.unwrap_or_else(|why| Arc::new(Unusable(why)))
}

fn given(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches('/');
    (!text.is_empty()).then_some(text)
}

/// The key, which a provider's own server insists on and compatible ones often do not want.
fn keyed(
    insists: bool,
    key: &Option<Secret>,
    provider: &str,
    variable: &str,
) -> Result<Option<Secret>, EmbedError> {
    if insists && key.is_none() {
        let message = format!("{provider} needs a key; put one into `{variable}`");
        return Err(EmbedError::Misconfigured(message));
    }
    Ok(key.clone())
}

/// Settings that cannot work.
struct Unusable(EmbedError);

impl Generator for Unusable {
    fn name(&self) -> &str {
        "none"
    }

    fn generate(&self, _: &Prompt, _: Duration) -> Result<Generated, GenerateError> {
        Err(self.0.clone().into())
    }
}
