//! The configured text generator.

use std::sync::Arc;

use tacit_engine::Engine;
use tacit_models::generate::{GeneratorProvider, GeneratorSettings, choose};
use tacit_models::{Generator, Secret};

use crate::app::App;

impl App {
    /// Gives the engine the configured text generator, if there is one.
    pub fn with_generator<'e>(&self, engine: Engine<'e>) -> Engine<'e> {
        match self.generator() {
            Some(generator) => engine.with_generator(generator),
            None => engine,
        }
    }

    /// Returns true if a text generator is configured.
    pub fn has_generator(&self) -> bool {
        self.generator().is_some()
    }

    fn generator(&self) -> Option<Arc<dyn Generator>> {
        let config = self.config();
        let provider = match config.generation_provider.as_str() {
            // A generator that Tacit runs may start Tacit again; a second one would never end.
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
