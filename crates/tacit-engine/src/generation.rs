//! Text generation within a daily budget, recorded in the ledger.
//!
//! All generation in the engine goes through this module, so that every call is counted. No
//! provider is called unless the user configured one.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tacit_models::{GenerateError, Generated, Generator, Prompt};
use thiserror::Error;

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::ledger::{Ledger, ModelCall};

/// The purpose of a generated text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerationPurpose {
    /// A hypothetical answer to a query that found little.
    Hyde,
    /// The draft of a record, or its verification.
    Records,
    /// The combined lessons of several units of work.
    Consolidation,
    /// The lesson of a failure that QA found and that was fixed.
    Reflexion,
    /// The description of a module.
    Modules,
    /// The lessons of a session.
    Lessons,
    /// The observations of a running application.
    Observations,
    /// The state in which a session left its work.
    WorkState,
    /// The situations in which a memory helps.
    Cues,
    /// The answer to a person's question.
    Chat,
}

impl GenerationPurpose {
    /// Returns the word for the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            GenerationPurpose::Hyde => "hyde",
            GenerationPurpose::Records => "records",
            GenerationPurpose::Consolidation => "consolidation",
            GenerationPurpose::Reflexion => "reflexion",
            GenerationPurpose::Modules => "modules",
            GenerationPurpose::Lessons => "lessons",
            GenerationPurpose::Observations => "observations",
            GenerationPurpose::WorkState => "work_state",
            GenerationPurpose::Cues => "cues",
            GenerationPurpose::Chat => "chat",
        }
    }
}

/// The reason why no text was generated.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum GenerationError {
    #[error("no text generator is configured; set `generation.provider`")]
    Off,
    #[error("the daily budget of {limit} {what} (`{key}`) is spent")]
    BudgetExceeded { limit: u64, what: &'static str, key: &'static str },
    #[error("cannot record calls in `{}`: {source}", path.display())]
    Ledger { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Failed(#[from] GenerateError),
}

impl StorePaths {
    /// Returns the ledger of the project store, or of the global store if the project has none.
    pub fn ledger(&self) -> Ledger {
        let with_project = self.database(StoreScope::Project).exists();
        let scope = if with_project { StoreScope::Project } else { StoreScope::Global };
        Ledger::at(self.directory(scope).join(Ledger::FILE))
    }
}

impl Engine<'_> {
    /// Sets the text generator.
    #[must_use]
    pub fn with_generator(mut self, generator: Arc<dyn Generator>) -> Self {
        self.generator = Some(generator);
        self
    }

    /// Returns the provider and model of the generator, if one is configured.
    pub fn generator_name(&self) -> Option<&str> {
        self.generator.as_ref().map(|generator| generator.name())
    }

    /// Generates a text if the daily budget permits. Concurrent processes do not see each other's
    /// calls, so each may exceed the budget by one.
    ///
    /// # Errors
    ///
    /// Fails if no generator is configured, the budget is spent, the call cannot be recorded, or
    /// the call fails.
    pub fn generate(
        &self,
        purpose: GenerationPurpose,
        prompt: &Prompt,
    ) -> Result<Generated, GenerationError> {
        let generator = self.generator.as_ref().ok_or(GenerationError::Off)?;
        let ledger = self.paths.ledger();
        let unusable =
            |source| GenerationError::Ledger { path: ledger.path().to_path_buf(), source };
        self.check_budget(&ledger, prompt).map_err(unusable)??;
        // Opened before the call: a call that cannot be recorded is not made.
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
            open.append(&call).map_err(unusable)?;
        }
        Ok(result?)
    }

    /// Checks that the daily budget has room for a prompt and its longest answer.
    fn check_budget(
        &self,
        ledger: &Ledger,
        prompt: &Prompt,
    ) -> io::Result<Result<(), GenerationError>> {
        let (calls, tokens) =
            (self.config.generation_daily_calls, self.config.generation_daily_tokens);
        let spent = ledger.daily_spend(self.clock.now(), calls)?;
        let needed = prompt.tokens().saturating_add(u64::from(prompt.max_tokens));
        Ok(if spent.calls >= calls {
            let key = "generation.daily.calls";
            Err(GenerationError::BudgetExceeded { limit: calls, what: "calls", key })
        } else if spent.tokens.saturating_add(needed) > tokens {
            let key = "generation.daily.tokens";
            Err(GenerationError::BudgetExceeded { limit: tokens, what: "tokens", key })
        } else {
            Ok(())
        })
    }
}
