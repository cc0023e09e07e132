//! Lessons and observations of the application that the text model writes about sessions, beside
//! what the rules find.

use tacit_core::SessionId;
use tacit_observer::lessons::{MAX_TOKENS, TASK, read};
use tacit_observer::{ExaminedTree, observations};
use tacit_work::ModelQuestion;

use crate::engine::Engine;
use crate::error::EngineResult;
use crate::generation::GenerationPurpose;

impl Engine<'_> {
    /// Returns true if a text model is configured and permitted to write about sessions.
    pub(crate) fn asks_for_lessons(&self) -> bool {
        self.generator_name().is_some()
            && matches!(self.config.capture_extractor.as_str(), "auto" | "model")
    }

    /// Adds the model's lessons to a tree. Each session is asked about once, and a model that gives
    /// no usable answer is not asked again: `asks` becomes false.
    pub(super) fn add_lessons(
        &mut self,
        examined: &mut ExaminedTree<'_>,
        asks: &mut bool,
    ) -> EngineResult<()> {
        if !*asks {
            return Ok(());
        }
        let sessions = self.claim_each("lessons", examined.teaching_sessions())?;
        let Some(lessons) = examined.lessons_question(&sessions) else { return Ok(()) };
        let question = ModelQuestion { task: TASK, about: lessons.data(), max_tokens: MAX_TOKENS };
        let answer = self.generate_answer(GenerationPurpose::Lessons, &question, read);
        *asks = answer.is_some();
        examined.add_lessons(&lessons, answer);
        Ok(())
    }

    /// Adds the model's observations of the application to a tree, as [`Engine::add_lessons`] does.
    pub(super) fn add_observations(
        &mut self,
        examined: &mut ExaminedTree<'_>,
        asks: &mut bool,
    ) -> EngineResult<()> {
        if !*asks {
            return Ok(());
        }
        let sessions = self.claim_each("observations", examined.testing_sessions())?;
        let Some(calls) = examined.observations_question(&sessions) else { return Ok(()) };
        let question = ModelQuestion {
            task: observations::TASK,
            about: calls.data(),
            max_tokens: observations::MAX_TOKENS,
        };
        let purpose = GenerationPurpose::Observations;
        let answer = self.generate_answer(purpose, &question, observations::read);
        *asks = answer.is_some();
        examined.add_observations(&calls, answer);
        Ok(())
    }

    /// Returns the sessions that nobody has asked about in this respect, and notes that somebody does.
    fn claim_each(
        &mut self,
        respect: &str,
        sessions: Vec<SessionId>,
    ) -> EngineResult<Vec<SessionId>> {
        let mut claimed = Vec::new();
        for session in sessions {
            if self.claim(&format!("{respect} {session}"))? {
                claimed.push(session);
            }
        }
        Ok(claimed)
    }
}
