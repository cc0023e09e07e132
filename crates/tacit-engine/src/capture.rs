//! Silent captures: memories that an agent stores without asking. The store counts them against a
//! budget, so it holds across processes.

use tacit_core::{SessionId, Source};
use tacit_store::{ActionKind, Transaction};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{RememberOutcome, RememberRequest, RememberResult};

/// The value of `capture.mode` that permits silent captures.
const SILENT: &str = "silent";

impl Engine<'_> {
    /// Returns the number of silent captures of a session and its budget, which is 0 unless
    /// `capture.mode` is `silent`.
    pub fn silent_captures(&self, session: &SessionId) -> EngineResult<(u64, u64)> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        Ok((store.count_requests(&claims(session))?, self.silent_budget()))
    }

    /// Remembers a draft in the project store without asking the user; the global store is never
    /// written silently. A duplicate is reinforced and costs nothing. The capture is counted in the
    /// same transaction. If the store stays locked, it is rejected instead of spooled.
    pub fn remember_silently(
        &mut self,
        session: &SessionId,
        request: RememberRequest,
    ) -> EngineResult<RememberResult> {
        let mode = self.config.capture_mode.as_str();
        if mode != SILENT {
            return Err(EngineError::AskFirst(format!("`capture.mode` is `{mode}`")));
        }
        let mut draft = request.draft;
        draft.session = Some(session.to_string());
        draft.source.get_or_insert_with(|| Source::AgentExplicit.to_string());
        let prepared = self.prepare(StoreScope::Project, draft)?;
        let budget = self.silent_budget();
        let action = self.action(ActionKind::Remember, request.reason);
        let mut gate = self.open_gate(StoreScope::Project, action, true)?;
        let remembered = gate.submit(prepared)?;
        let transaction = gate.transaction.as_mut();
        if remembered.outcome == RememberOutcome::Stored && !claim(transaction, session, budget)? {
            // Dropping the transaction rolls back.
            return Err(EngineError::AskFirst(format!(
                "this session has stored {budget} of the {budget} memories it may store without asking"
            )));
        }
        gate.commit()?;
        Ok(remembered)
    }

    fn silent_budget(&self) -> u64 {
        if self.config.capture_mode == SILENT { self.config.capture_silent_budget } else { 0 }
    }
}

/// Returns the prefix of a session's claims. Session identifiers have no spaces, so no prefix
/// starts another.
fn claims(session: &SessionId) -> String {
    format!("silent {session} ")
}

/// Claims the first free slot of the budget. Returns false if there is none.
fn claim(
    transaction: &mut dyn Transaction,
    session: &SessionId,
    budget: u64,
) -> EngineResult<bool> {
    let beginning = claims(session);
    for place in 1..=budget {
        if transaction.claim_request(&format!("{beginning}{place}"))? {
            return Ok(true);
        }
    }
    Ok(false)
}
