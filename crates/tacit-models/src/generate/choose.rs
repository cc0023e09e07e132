//! Creates the configured generator.
//!
//! Servers are not probed. Invalid settings are reported by the first call to the generator.

use std::sync::Arc;
use std::time::Duration;

use super::command::CommandLine;
use super::{GenerateError, Generated, Generator, Prompt};
use crate::protocol::{ANTHROPIC_CHAT, ChatProtocol, OLLAMA_CHAT, OPENAI_CHAT};
use crate::{EmbedError, Secret, ServerGenerator};

/// The provider of generated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorProvider {
    /// An Ollama server.
    Ollama,
    /// OpenAI, or a server that speaks its interface.
    OpenAi,
    /// Anthropic, or a server that speaks its interface.
    Anthropic,
    /// A program on this machine.
    Command,
}

/// The user's settings for text generation.
#[derive(Clone, Debug)]
pub struct GeneratorSettings {
    /// The configured provider.
    pub provider: GeneratorProvider,
    /// The model; empty for the provider's default. Unused for a program.
    pub model: String,
    /// The address of the server; empty for the provider's default.
    pub url: String,
    /// The program and its arguments.
    pub command: String,
    /// The key for OpenAI.
    pub openai_key: Option<Secret>,
    /// The key for Anthropic.
    pub anthropic_key: Option<Secret>,
}

/// Creates the generator for these settings.
pub fn choose(settings: &GeneratorSettings) -> Arc<dyn Generator> {
    let generator: Result<Arc<dyn Generator>, EmbedError> = match settings.provider {
        GeneratorProvider::Ollama => server(settings, &OLLAMA_CHAT, None),
        GeneratorProvider::OpenAi => server(settings, &OPENAI_CHAT, settings.openai_key.as_ref()),
        GeneratorProvider::Anthropic => {
            server(settings, &ANTHROPIC_CHAT, settings.anthropic_key.as_ref())
        }
        GeneratorProvider::Command => {
            CommandLine::parse(&settings.command).map(|generator| Arc::new(generator) as _)
        }
    };
    generator.unwrap_or_else(|error| Arc::new(Unusable(error)))
}

fn server(
    settings: &GeneratorSettings,
    protocol: &'static ChatProtocol,
    key: Option<&Secret>,
) -> Result<Arc<dyn Generator>, EmbedError> {
    let kind = protocol.server;
    let base = non_empty(&settings.url).unwrap_or(kind.base);
    if let (Some(variable), None, true) = (kind.key_variable, key, base == kind.base) {
        let message = format!("{} needs a key; set `{variable}`", kind.name);
        return Err(EmbedError::Misconfigured(message));
    }
    let model = non_empty(&settings.model).unwrap_or(protocol.model);
    Ok(Arc::new(ServerGenerator::new(protocol, base, key.cloned(), model)?))
}

fn non_empty(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches('/');
    (!text.is_empty()).then_some(text)
}

/// A generator for invalid settings: every call fails.
struct Unusable(EmbedError);

impl Generator for Unusable {
    fn name(&self) -> &str {
        "none"
    }

    fn generate(&self, _: &Prompt, _: Duration) -> Result<Generated, GenerateError> {
        Err(self.0.clone().into())
    }
}
