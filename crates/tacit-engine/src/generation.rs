//! Text from a model, within a day's budget and noted in the ledger.
//!
//! Everything in the engine that wants a text asks here, so that no call goes uncounted. Nobody is
//! asked unless the user configured a provider.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tacit_models::{GenerateError, Generated, Generator, Prompt};
use thiserror::Error;

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::ledger::{Ledger, ModelCall};

/// What a text is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerationPurpose {
    /// A supposed answer to a question that found little.
    Hyde,
    /// The draft of a record, or its verification.
    Records,
    /// What many units of work taught together.
    Consolidation,
    /// What QA found and was fixed.
    Reflexion,
    /// What a module is.
    Modules,
}

impl GenerationPurpose {
    /// The word for it in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            GenerationPurpose::Hyde => "hyde",
            GenerationPurpose::Records => "records",
            GenerationPurpose::Consolidation => "consolidation",
            GenerationPurpose::Reflexion => "reflexion",
            GenerationPurpose::Modules => "modules",
        }
    }
}

/// Why there is no text.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum GenerationError {
    #[error("nobody is configured to write text; `generation.provider` says who does")]
    Off,
    #[error("the day's budget of {limit} {what} (`{key}`) does not allow it")]
    UsedUp { limit: u64, what: &'static str, key: &'static str },
    #[error("calls cannot be noted in `{}`: {source}", path.display())]
    Ledger { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Failed(#[from] GenerateError),
}

impl StorePaths {
    /// Where calls to models are noted: with the project's store, or with the user's where the
    /// project has none.
    pub fn ledger(&self) -> Ledger {
        let with_project = self.database(StoreScope::Project).exists();
        let shelf = if with_project { StoreScope::Project } else { StoreScope::Global };
        Ledger::at(self.directory(shelf).join(Ledger::FILE))
    }
}

impl Engine<'_> {
    /// Lets text be written where that helps.
    #[must_use]
    pub fn with_generator(mut self, generator: Arc<dyn Generator>) -> Self {
        self.generator = Some(generator);
        self
    }

    /// Who writes text, if anybody does: the provider and the model.
    pub fn writer(&self) -> Option<&str> {
        self.generator.as_ref().map(|generator| generator.name())
    }

    /// Has a text written, if the day's budget allows. Processes that ask at the same moment do not
    /// see each other's calls, so that each may go over the budget by one.
    ///
    /// # Errors
    /// When nobody writes, the budget is used up, the call could not be noted, or it failed.
    pub fn generate(
        &self,
        purpose: GenerationPurpose,
        prompt: &Prompt,
    ) -> Result<Generated, GenerationError> {
        let generator = self.generator.as_ref().ok_or(GenerationError::Off)?;
        let ledger = self.places.ledger();
        let unusable =
            |source| GenerationError::Ledger { path: ledger.path().to_path_buf(), source };
        self.check_budget(&ledger, prompt).map_err(unusable)??;
        // Before anybody is asked: a call that cannot be noted is not made.
        let mut open = ledger.open().map_err(unusable)?;
        let start = Instant::now();
        let deadline = Duration::from_millis(self.config.generation_timeout_ms);
        let result = generator.generate(prompt, deadline);
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        if !result.as_ref().is_err_and(GenerateError::is_misconfigured) {
            let name = generator.name();
            let (provider, model) = name.split_once('/').unwrap_or((name, ""));
            let (tokens_in, tokens_out) = match &result {
                Ok(body) => (body.input_tokens, body.output_tokens),
                Err(_) => (0, 0),
            };
            let call = ModelCall {
                at: self.clock.now(),
                purpose: purpose.as_str().to_owned(),
                provider: provider.to_owned(),
                model: model.to_owned(),
                tokens_in,
                tokens_out,
                ms,
                outcome: result
                    .as_ref()
                    .map_or_else(GenerateError::code, |_| ModelCall::OK)
                    .to_owned(),
            };
            open.note(&call).map_err(unusable)?;
        }
        Ok(result?)
    }

    /// Whether the day's budget has room for a prompt and the longest answer to it.
    fn check_budget(
        &self,
        ledger: &Ledger,
        prompt: &Prompt,
    ) -> io::Result<Result<(), GenerationError>> {
        let (calls, tokens) =
            (self.config.generation_daily_calls, self.config.generation_daily_tokens);
        let spent = ledger.spent_on_day_of(self.clock.now(), calls)?;
        let needed = prompt.tokens().saturating_add(u64::from(prompt.max_tokens));
        Ok(if spent.calls >= calls {
            let key = "generation.daily_calls";
            Err(GenerationError::UsedUp { limit: calls, what: "calls", key })
        } else if spent.tokens.saturating_add(needed) > tokens {
            let key = "generation.daily_tokens";
            Err(GenerationError::UsedUp { limit: tokens, what: "tokens", key })
        } else {
            Ok(())
        })
    }
}
