//! What an agent stores unasked: within a budget that the store counts, so that it holds however
//! many processes a session has and whatever the agent believes of its own count.

use tacit_core::{SessionId, Source};
use tacit_store::{ActionKind, Transaction};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{RememberOutcome, RememberRequest, RememberResult};

/// The value of `capture.mode` in which anything may be stored unasked.
const SILENT: &str = "silent";

impl Engine<'_> {
    /// How much a session stored unasked, and how much it may: nothing, unless `capture.mode` is
    /// `silent`.
    pub fn silent_captures(&self, session: &SessionId) -> EngineResult<(u64, u64)> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        Ok((store.count_requests(&claims(session))?, self.silent_budget()))
    }

    /// Remembers something that nobody asked for, on the project's shelf: the user's own is not
    /// written to unasked. What is known already is reinforced and costs nothing. It is counted in
    /// the transaction that stores it; if the store stays locked, it is not spooled but refused.
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
        let remembered = gate.pass(prepared)?;
        let transaction = gate.transaction.as_mut();
        if remembered.outcome == RememberOutcome::Stored && !claim(transaction, session, budget)? {
            // Dropping the transaction takes back what it stored.
            return Err(EngineError::AskFirst(format!(
                "this session has stored {budget} of the {budget} memories it may store unasked"
            )));
        }
        gate.commit()?;
        Ok(remembered)
    }

    fn silent_budget(&self) -> u64 {
        if self.config.capture_mode == SILENT { self.config.capture_silent_budget } else { 0 }
    }
}

/// How the names of a session's claims begin. A session's name has no spaces, so that none begins
/// like another's.
fn claims(session: &SessionId) -> String {
    format!("silent {session} ")
}

/// Takes the first free place of the budget; whether there was one.
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
