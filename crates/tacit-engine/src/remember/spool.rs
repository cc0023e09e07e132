//! Spooled requests, which could not wait for the lock.

use serde::{Deserialize, Serialize};
use tacit_core::{Author, Draft, Reasoning};
use tacit_store::ActionKind;

use super::{PreparedRequest, RememberOutcome, RememberResult, TextCleanup};
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};

/// A spooled request, already cleaned and redacted.
#[derive(Serialize, Deserialize)]
pub(crate) struct SpooledRequest {
    pub(crate) draft: Draft,
    pub(crate) reason: Option<Reasoning>,
    pub(crate) actor: Author,
    #[serde(rename = "treatment")]
    pub(crate) cleanup: TextCleanup,
}

impl PreparedRequest {
    /// Returns the request in its spooled form.
    pub(super) fn to_waiting(&self, reason: Option<Reasoning>, actor: Author) -> SpooledRequest {
        SpooledRequest { draft: self.draft.clone(), reason, actor, cleanup: self.cleanup.clone() }
    }
}

impl Engine<'_> {
    /// Writes a request to the spool.
    pub(super) fn spool(
        &self,
        scope: StoreScope,
        waiting: SpooledRequest,
    ) -> EngineResult<RememberResult> {
        let bytes = serde_json::to_vec(&waiting)?;
        let spool = self.paths.spool(scope);
        spool.put(&self.ids.next_id(self.clock.now()), &bytes).map_err(|source| {
            EngineError::Io { path: self.paths.directory(scope).join("spool"), source }
        })?;
        Ok(RememberResult {
            outcome: RememberOutcome::Spooled,
            memory: None,
            cleanup: waiting.cleanup,
            similar: None,
            left_out: Vec::new(),
        })
    }

    /// Stores spooled requests in order and returns their number. Unreadable and rejected requests
    /// are quarantined. Unless `patient`, fails at once if another process is writing.
    pub(crate) fn drain_spool(&mut self, scope: StoreScope, patient: bool) -> EngineResult<usize> {
        let spool = self.paths.spool(scope);
        let path = self.paths.directory(scope).join("spool");
        let fail = |source| EngineError::Io { path: path.clone(), source };
        let mut done = 0;
        for entry in spool.entries().map_err(fail)? {
            let Ok(waiting) = serde_json::from_slice::<SpooledRequest>(&entry.bytes) else {
                spool.quarantine(&entry).map_err(fail)?;
                continue;
            };
            match self.store_waiting(scope, &entry.name, waiting, patient) {
                Ok(()) => {
                    spool.remove(&entry).map_err(fail)?;
                    done += 1;
                }
                Err(error @ EngineError::Store(_)) => return Err(error),
                Err(_) => drop(spool.quarantine(&entry).map_err(fail)?),
            }
        }
        Ok(done)
    }

    pub(crate) fn store_waiting(
        &mut self,
        scope: StoreScope,
        name: &str,
        waiting: SpooledRequest,
        patient: bool,
    ) -> EngineResult<()> {
        let mut prepared = self.prepare(scope, waiting.draft)?;
        prepared.cleanup = waiting.cleanup;
        let mut action = self.action(ActionKind::Remember, waiting.reason);
        action.actor = waiting.actor;
        let mut gate = self.open_gate(scope, action, patient)?;
        if gate.transaction.claim_request(name)? {
            gate.submit(prepared)?;
        }
        gate.commit()?;
        Ok(())
    }
}
