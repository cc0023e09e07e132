//! Requests that could not wait for the lock, and what becomes of them.

use serde::{Deserialize, Serialize};
use tacit_core::{Author, Draft, Reasoning};
use tacit_store::ActionKind;

use super::{PreparedRequest, RememberOutcome, RememberResult, TextCleanup};
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};

/// A request as it waits: already cleaned and without secrets.
#[derive(Serialize, Deserialize)]
pub(crate) struct SpooledRequest {
    pub(crate) draft: Draft,
    pub(crate) reason: Option<Reasoning>,
    pub(crate) actor: Author,
    pub(crate) treatment: TextCleanup,
}

impl PreparedRequest {
    /// The request as it would wait.
    pub(super) fn to_waiting(&self, reason: Option<Reasoning>, actor: Author) -> SpooledRequest {
        SpooledRequest {
            draft: self.draft.clone(),
            reason,
            actor,
            treatment: self.treatment.clone(),
        }
    }
}

impl Engine<'_> {
    /// Writes a request to the spool.
    pub(super) fn spool(
        &self,
        shelf: StoreScope,
        waiting: SpooledRequest,
    ) -> EngineResult<RememberResult> {
        let bytes = serde_json::to_vec(&waiting)?;
        let spool = self.places.spool(shelf);
        spool.put(&self.ids.next_id(self.clock.now()), &bytes).map_err(|source| {
            EngineError::Io { path: self.places.directory(shelf).join("spool"), source }
        })?;
        Ok(RememberResult {
            outcome: RememberOutcome::Spooled,
            memory: None,
            treatment: waiting.treatment,
            near: None,
            left_out: Vec::new(),
        })
    }

    /// Stores what waits, in order; how many requests were stored. A request that cannot be
    /// understood, or that the gate refuses, is set aside. Unless `patient`, another process that
    /// writes is not waited for.
    pub(crate) fn drain_spool(&mut self, shelf: StoreScope, patient: bool) -> EngineResult<usize> {
        let spool = self.places.spool(shelf);
        let path = self.places.directory(shelf).join("spool");
        let fail = |source| EngineError::Io { path: path.clone(), source };
        let mut done = 0;
        for entry in spool.entries().map_err(fail)? {
            let Ok(waiting) = serde_json::from_slice::<SpooledRequest>(&entry.bytes) else {
                spool.set_aside(&entry).map_err(fail)?;
                continue;
            };
            match self.store_waiting(shelf, &entry.name, waiting, patient) {
                Ok(()) => {
                    spool.remove(&entry).map_err(fail)?;
                    done += 1;
                }
                Err(error @ EngineError::Store(_)) => return Err(error),
                Err(_) => drop(spool.set_aside(&entry).map_err(fail)?),
            }
        }
        Ok(done)
    }

    pub(crate) fn store_waiting(
        &mut self,
        shelf: StoreScope,
        name: &str,
        waiting: SpooledRequest,
        patient: bool,
    ) -> EngineResult<()> {
        let mut prepared = self.prepare(shelf, waiting.draft)?;
        prepared.treatment = waiting.treatment;
        let mut action = self.action(ActionKind::Remember, waiting.reason);
        action.actor = waiting.actor;
        let mut gate = self.open_gate(shelf, action, patient)?;
        if gate.transaction.claim_request(name)? {
            gate.pass(prepared)?;
        }
        gate.commit()?;
        Ok(())
    }
}
