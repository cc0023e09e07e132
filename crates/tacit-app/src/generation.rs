//! Who writes text, as configured.

use std::sync::Arc;

use tacit_engine::Engine;
use tacit_models::generate::{GeneratorProvider, GeneratorSettings, choose};
use tacit_models::{Generator, Secret};

use crate::app::App;

impl App {
    /// An engine that can have text written, if somebody is configured to do so.
    pub fn with_generator<'e>(&self, engine: Engine<'e>) -> Engine<'e> {
        match self.generator() {
            Some(generator) => engine.with_generator(generator),
            None => engine,
        }
    }

    /// Whether somebody is configured to write text.
    pub fn has_generator(&self) -> bool {
        self.generator().is_some()
    }

    fn generator(&self) -> Option<Arc<dyn Generator>> {
        let config = self.config();
        let provider = match config.generation_provider.as_str() {
            // Below a program that writes text for us, asking it again could go on for ever.
            _ if self.environment.nested => return None,
            "ollama" => GeneratorProvider::Ollama,
            "openai" => GeneratorProvider::OpenAi,
            "anthropic" => GeneratorProvider::Anthropic,
            "command" => GeneratorProvider::Command,
            _ => return None,
        };
        let key = |text: &Option<String>| text.as_deref().and_then(Secret::new);
        Some(choose(&GeneratorSettings {
            provider,
            model: config.generation_model.clone(),
            url: config.generation_url.clone(),
            command: config.generation_command.clone(),
            openai_key: key(&self.environment.openai_key),
            anthropic_key: key(&self.environment.anthropic_key),
        }))
    }
}
