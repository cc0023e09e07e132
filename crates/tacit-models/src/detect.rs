//! Which embedder to use: the best tier that the settings allow and that is there.
//!
//! The product's default is the bundled model, and then nothing here touches the network. Only a
//! user who chose a provider, or `auto`, has one asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::bundled::BundledEmbedder;
use crate::protocol::{DEFAULT_DIMS, OLLAMA, OLLAMA_EMBED, OPENAI, OPENAI_EMBED};
use crate::{Embedder, EmbedderReach, Secret, ServerEmbedder};

/// How long a server on this machine has to say that it is there.
pub const PROBE_TIMEOUT: Duration = Duration::from_millis(50);

/// Who is to compute the vectors.
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

/// What the user configured.
#[derive(Clone, Debug)]
pub struct EmbedderSettings {
    /// Who is to compute the vectors.
    pub provider: Provider,
    /// The address of the Ollama server.
    pub ollama_base: String,
    /// The model it is to run.
    pub ollama_model: String,
    /// The address of OpenAI or a compatible server, with its `/v1`.
    pub openai_base: String,
    /// The key for it.
    pub openai_key: Option<Secret>,
    /// The model it is to run.
    pub openai_model: String,
    /// The dimensions asked of a server; the bundled model has its own.
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

/// Which kind of embedder was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// An Ollama server.
    Ollama,
    /// OpenAI, or a server that speaks its interface.
    OpenAi,
    /// The bundled model.
    Bundled,
}

/// The embedder to use, and what stood in the way of a better one.
#[derive(Clone)]
pub struct EmbedderChoice {
    /// Which kind it is.
    pub tier: Tier,
    /// The embedder itself.
    pub embedder: Arc<dyn Embedder>,
    /// Why it is not the one configured, or for `auto` not the first; a sentence to show.
    pub degraded: Option<String>,
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

/// Chooses an embedder. Only an Ollama server is asked whether it is there, once, for at most
/// `probe_timeout`; OpenAI shows itself with the first texts.
pub fn detect(settings: &EmbedderSettings, probe_timeout: Duration) -> EmbedderChoice {
    let made = match settings.provider {
        Provider::Bundled => return chosen(Tier::Bundled, BundledEmbedder::new(), None),
        Provider::Auto => return automatic(settings, probe_timeout),
        Provider::Ollama => new_ollama(settings)
            .and_then(|ollama| probed(ollama, probe_timeout))
            .map(|ollama| chosen(Tier::Ollama, ollama, None)),
        Provider::OpenAi => ready_openai(settings).map(|openai| chosen(Tier::OpenAi, openai, None)),
    };
    made.unwrap_or_else(|why| bundled(&why))
}

/// As [`detect`], for somebody who cannot wait for another machine: who is not on this one is not
/// asked.
pub fn detect_local(settings: &EmbedderSettings, probe_timeout: Duration) -> EmbedderChoice {
    let here = match settings.provider {
        Provider::Bundled => return chosen(Tier::Bundled, BundledEmbedder::new(), None),
        Provider::Ollama | Provider::Auto => {
            local_ollama(settings, probe_timeout).map(|ollama| chosen(Tier::Ollama, ollama, None))
        }
        Provider::OpenAi => ready_openai(settings).and_then(|openai| {
            if openai.reach() == EmbedderReach::Loopback {
                Ok(chosen(Tier::OpenAi, openai, None))
            } else {
                Err("openai is not on this machine".to_owned())
            }
        }),
    };
    here.unwrap_or_else(|why| bundled(&why))
}

fn automatic(settings: &EmbedderSettings, probe_timeout: Duration) -> EmbedderChoice {
    let no_ollama = match local_ollama(settings, probe_timeout) {
        Ok(ollama) => return chosen(Tier::Ollama, ollama, None),
        Err(why) => why,
    };
    if settings.openai_key.is_none() {
        return bundled(&format!("{no_ollama}; no openai key is configured"));
    }
    match ready_openai(settings) {
        Ok(openai) => chosen(Tier::OpenAi, openai, Some(format!("{no_ollama}. Using openai."))),
        Err(why) => bundled(&format!("{no_ollama}; {why}")),
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
    probed(ollama, probe_timeout)
}

fn new_ollama(settings: &EmbedderSettings) -> Result<ServerEmbedder, String> {
    let EmbedderSettings { ollama_base, ollama_model, dims, .. } = settings;
    ServerEmbedder::new(&OLLAMA_EMBED, ollama_base, None, ollama_model, *dims)
        .map_err(|error| error.to_string())
}

fn probed(ollama: ServerEmbedder, timeout: Duration) -> Result<ServerEmbedder, String> {
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

fn chosen(
    tier: Tier,
    embedder: impl Embedder + 'static,
    degraded: Option<String>,
) -> EmbedderChoice {
    EmbedderChoice { tier, embedder: Arc::new(embedder), degraded }
}

fn bundled(why: &str) -> EmbedderChoice {
    let degraded = format!("{why}. Using the bundled model.");
    chosen(Tier::Bundled, BundledEmbedder::new(), Some(degraded))
}
