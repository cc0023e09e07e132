//! Spooled requests, which could not wait for the lock.

use serde::{Deserialize, Serialize};
use tacit_core::{Author, Draft, MemoryId, Reasoning};
use tacit_store::{ActionKind, StoreError};

use super::{PreparedRequest, RememberOutcome, RememberResult, TextCleanup};
use crate::engine::{Engine, StorePaths, StoreScope};
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

/// A request that the server of a team refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedRequest {
    /// The text to remember.
    pub content: String,
    /// The reason, as the server gave it.
    pub reason: String,
}

impl StorePaths {
    /// Returns the requests of this project that the server of its team refused, in order.
    pub fn refused_requests(&self) -> Vec<RefusedRequest> {
        let refused = self.spool(StoreScope::Project).refused().unwrap_or_default().into_iter();
        let request = |refused: crate::RefusedEntry| {
            let waiting = serde_json::from_slice::<SpooledRequest>(&refused.entry.bytes).ok()?;
            Some(RefusedRequest { content: waiting.draft.content, reason: refused.reason })
        };
        refused.filter_map(request).collect()
    }
}

/// Returns the reason for which a server refuses a request for good; `None` if a later attempt may
/// succeed without anybody's help.
fn refusal(error: &EngineError) -> Option<String> {
    match error {
        EngineError::Store(StoreError::Denied { detail, .. }) => Some(detail.clone()),
        EngineError::Store(StoreError::Failed { .. }) => Some(error.to_string()),
        EngineError::Store(_) => None,
        rejected => Some(rejected.to_string()),
    }
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
        id: Option<MemoryId>,
        waiting: SpooledRequest,
    ) -> EngineResult<RememberResult> {
        let bytes = serde_json::to_vec(&waiting)?;
        let spool = self.paths.spool(scope);
        let id = id.unwrap_or_else(|| self.ids.next_id(self.clock.now()));
        spool.put(&id, &bytes).map_err(|source| EngineError::Io {
            path: self.paths.directory(scope).join("spool"),
            source,
        })?;
        Ok(RememberResult {
            outcome: RememberOutcome::Spooled,
            memory: None,
            cleanup: waiting.cleanup,
            similar: None,
            left_out: Vec::new(),
            stays_team: false,
        })
    }

    /// Stores spooled requests in order and returns their number. Unreadable and rejected requests
    /// are quarantined; those that the server of a team refuses are set apart with the reason. Unless
    /// `patient`, fails at once if another process is writing.
    pub(crate) fn drain_spool(&mut self, scope: StoreScope, patient: bool) -> EngineResult<usize> {
        let in_team = scope == StoreScope::Project && self.is_in_team();
        if in_team {
            // A server that refuses the user says nothing about the requests.
            self.reach_team()?;
        }
        let spool = self.paths.spool(scope);
        let path = self.paths.directory(scope).join("spool");
        let fail = |source| EngineError::Io { path: path.clone(), source };
        let mut done = 0;
        for entry in spool.entries().map_err(fail)? {
            let Ok(waiting) = serde_json::from_slice::<SpooledRequest>(&entry.bytes) else {
                spool.quarantine(&entry).map_err(fail)?;
                continue;
            };
            match self.store_waiting(scope, entry.id(), waiting, patient) {
                Ok(()) => {
                    spool.remove(&entry).map_err(fail)?;
                    done += 1;
                }
                Err(error) if in_team => match refusal(&error) {
                    Some(reason) => spool.refuse(&entry, &reason).map_err(fail)?,
                    None => return Err(error),
                },
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
