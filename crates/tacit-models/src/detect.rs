//! Chooses the embedder: the best tier that the settings allow and that is available.
//!
//! The default is the bundled model, which never uses the network. Servers are contacted only if
//! the user chose a provider or `auto`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::bundled::BundledEmbedder;
use crate::protocol::{DEFAULT_DIMS, OLLAMA, OLLAMA_EMBED, OPENAI, OPENAI_EMBED};
use crate::{Embedder, EmbedderReach, Secret, ServerEmbedder};

/// Time limit for a server on this machine to answer a probe.
pub const PROBE_TIMEOUT: Duration = Duration::from_millis(50);

/// The provider of embeddings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// Ollama on this machine, else OpenAI with a key, else the bundled model.
    Auto,
    /// The bundled model, without any network.
    #[default]
    Bundled,
    /// An Ollama server.
    Ollama,
    /// OpenAI, or a server that speaks its interface.
    OpenAi,
}

/// The user's embedding settings.
#[derive(Clone, Debug)]
pub struct EmbedderSettings {
    /// The configured provider.
    pub provider: Provider,
    /// The address of the Ollama server.
    pub ollama_base: String,
    /// The name of the Ollama model.
    pub ollama_model: String,
    /// The address of OpenAI or a compatible server, including `/v1`.
    pub openai_base: String,
    /// The API key for OpenAI or the compatible server.
    pub openai_key: Option<Secret>,
    /// The name of the OpenAI model.
    pub openai_model: String,
    /// The dimensions requested from a server; the bundled model has its own.
    pub dims: usize,
}

impl Default for EmbedderSettings {
    fn default() -> Self {
        Self {
            provider: Provider::Bundled,
            ollama_base: OLLAMA.base.to_owned(),
            ollama_model: OLLAMA_EMBED.model.to_owned(),
            openai_base: OPENAI.base.to_owned(),
            openai_key: None,
            openai_model: OPENAI_EMBED.model.to_owned(),
            dims: DEFAULT_DIMS,
        }
    }
}

/// The kind of the chosen embedder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// An Ollama server.
    Ollama,
    /// OpenAI, or a server that speaks its interface.
    OpenAi,
    /// The bundled model.
    Bundled,
}

/// The chosen embedder, and why it is not a better one.
#[derive(Clone)]
pub struct EmbedderChoice {
    /// The kind of the embedder.
    pub tier: Tier,
    /// The embedder to use.
    pub embedder: Arc<dyn Embedder>,
    /// The reason why the configured embedder (for `auto`, the first choice) is not used; a
    /// sentence to show to the user.
    pub degraded: Option<String>,
    /// True if the user left the choice to `auto`: the embedder may then take over from a better one
    /// that is gone.
    pub takes_over: bool,
}

impl fmt::Debug for EmbedderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choice")
            .field("tier", &self.tier)
            .field("model", self.embedder.model())
            .field("degraded", &self.degraded)
            .finish()
    }
}

/// Chooses an embedder. Only an Ollama server is probed, once, for at most `probe_timeout`; OpenAI
/// is first contacted to embed texts.
pub fn detect(settings: &EmbedderSettings, probe_timeout: Duration) -> EmbedderChoice {
    let choice = match settings.provider {
        Provider::Bundled => return new_choice(Tier::Bundled, BundledEmbedder::new(), None),
        Provider::Auto => {
            return EmbedderChoice { takes_over: true, ..automatic(settings, probe_timeout) };
        }
        Provider::Ollama => new_ollama(settings)
            .and_then(|ollama| probe(ollama, probe_timeout))
            .map(|ollama| new_choice(Tier::Ollama, ollama, None)),
        Provider::OpenAi => {
            ready_openai(settings).map(|openai| new_choice(Tier::OpenAi, openai, None))
        }
    };
    choice.unwrap_or_else(|reason| bundled(&reason))
}

/// Chooses an embedder like [`detect`], but never contacts another machine: for callers that cannot
/// wait for the network.
pub fn detect_local(settings: &EmbedderSettings, probe_timeout: Duration) -> EmbedderChoice {
    let choice = match settings.provider {
        Provider::Bundled => return new_choice(Tier::Bundled, BundledEmbedder::new(), None),
        Provider::Ollama | Provider::Auto => local_ollama(settings, probe_timeout)
            .map(|ollama| new_choice(Tier::Ollama, ollama, None)),
        Provider::OpenAi => ready_openai(settings).and_then(|openai| {
            if openai.reach() == EmbedderReach::Loopback {
                Ok(new_choice(Tier::OpenAi, openai, None))
            } else {
                Err("openai is not on this machine".to_owned())
            }
        }),
    };
    choice.unwrap_or_else(|reason| bundled(&reason))
}

fn automatic(settings: &EmbedderSettings, probe_timeout: Duration) -> EmbedderChoice {
    let no_ollama = match local_ollama(settings, probe_timeout) {
        Ok(ollama) => return new_choice(Tier::Ollama, ollama, None),
        Err(reason) => reason,
    };
    if settings.openai_key.is_none() {
        return bundled(&format!("{no_ollama}; no openai key is configured"));
    }
    match ready_openai(settings) {
        Ok(openai) => new_choice(Tier::OpenAi, openai, Some(format!("{no_ollama}. Using openai."))),
        Err(reason) => bundled(&format!("{no_ollama}; {reason}")),
    }
}

fn local_ollama(
    settings: &EmbedderSettings,
    probe_timeout: Duration,
) -> Result<ServerEmbedder, String> {
    let ollama = new_ollama(settings)?;
    if ollama.reach() != EmbedderReach::Loopback {
        let base = ollama.endpoint();
        return Err(format!(
            "ollama at `{base}` is not on this machine; to use it, set the provider to ollama"
        ));
    }
    probe(ollama, probe_timeout)
}

fn new_ollama(settings: &EmbedderSettings) -> Result<ServerEmbedder, String> {
    let EmbedderSettings { ollama_base, ollama_model, dims, .. } = settings;
    ServerEmbedder::new(&OLLAMA_EMBED, ollama_base, None, ollama_model, *dims)
        .map_err(|error| error.to_string())
}

fn probe(ollama: ServerEmbedder, timeout: Duration) -> Result<ServerEmbedder, String> {
    ollama.probe(timeout).map(|()| ollama)
}

fn ready_openai(settings: &EmbedderSettings) -> Result<ServerEmbedder, String> {
    let EmbedderSettings { openai_base, openai_key, openai_model, dims, .. } = settings;
    // Compatible servers often want no key.
    if openai_key.is_none() && openai_base.trim_end_matches('/') == OPENAI.base {
        return Err("openai needs a key and none is configured".to_owned());
    }
    ServerEmbedder::new(&OPENAI_EMBED, openai_base, openai_key.clone(), openai_model, *dims)
        .map_err(|error| error.to_string())
}

fn new_choice(
    tier: Tier,
    embedder: impl Embedder + 'static,
    degraded: Option<String>,
) -> EmbedderChoice {
    EmbedderChoice { tier, embedder: Arc::new(embedder), degraded, takes_over: false }
}

fn bundled(reason: &str) -> EmbedderChoice {
    let degraded = format!("{reason}. Using the bundled model.");
    new_choice(Tier::Bundled, BundledEmbedder::new(), Some(degraded))
}
