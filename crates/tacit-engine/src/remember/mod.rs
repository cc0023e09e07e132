//! The write gate: `validate → redact` (`prepare.rs`), then `identify → resolve → persist → index`
//! (`gate.rs`, with the decision in `resolve.rs`).
//!
//! Every memory passes it. The first two steps need no store and run before any lock is taken; the
//! rest run in one short transaction, so that two processes that learn the same thing at once store
//! it once.

mod gate;
mod prepare;
mod resolve;
mod spool;

use serde::{Deserialize, Serialize};
use tacit_core::{Draft, Memory, MemoryId, Reasoning};
use tacit_store::{ActionKind, StoreError};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};

pub use gate::index_entry;
pub(crate) use gate::{WriteGate, embedded_texts, field_tokens, fingerprint, index, titled_text};
pub(crate) use prepare::{
    PreparedRequest, redact_json, redact_memory, redact_reason, reject_global_files,
};
pub use prepare::{redact_note, redact_record};
pub(crate) use resolve::merged;
pub use spool::RefusedRequest;
pub(crate) use spool::SpooledRequest;

/// A request to remember something.
#[derive(Debug, Clone)]
pub struct RememberRequest {
    /// The content to remember.
    pub draft: Draft,
    /// The reason for the history.
    pub reason: Option<Reasoning>,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum RememberOutcome {
    /// A new memory was stored.
    Stored,
    /// A known memory was reinforced.
    Reinforced,
    /// The store was locked, or the team's server did not take it; a later command stores the memory.
    Spooled,
    /// The store is read-only here; the next command that can write stores the memory as an agent's
    /// claim.
    LeftInInbox,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct RememberResult {
    /// The outcome of the request.
    pub outcome: RememberOutcome,
    /// The resulting memory; `None` while it is spooled.
    pub memory: Option<Memory>,
    /// The changes to its text.
    pub cleanup: TextCleanup,
    /// A near-duplicate that the memory may supersede, and the similarity.
    pub similar: Option<(MemoryId, f64)>,
    /// Labels that did not fit into the reinforced memory.
    pub left_out: Vec<String>,
    /// True if a private draft reinforced a memory that the team sees; it still does.
    pub stays_team: bool,
}

/// Changes made to texts before they were stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextCleanup {
    /// The number of removed control characters.
    pub removed_controls: usize,
    /// The redacted kinds of secrets, with their counts.
    pub redacted: Vec<(String, usize)>,
}

impl TextCleanup {
    /// Adds the changes to another text.
    pub(crate) fn add(&mut self, other: &TextCleanup) {
        self.removed_controls += other.removed_controls;
        for (rule, count) in &other.redacted {
            self.count(rule, *count);
        }
    }

    pub(crate) fn count(&mut self, rule: &str, found: usize) {
        match self.redacted.iter_mut().find(|(known, _)| known == rule) {
            Some((_, count)) => *count += found,
            None => self.redacted.push((rule.to_owned(), found)),
        }
    }
}

impl Engine<'_> {
    /// Remembers a draft. If the store stays locked, the request is spooled.
    pub fn remember(
        &mut self,
        scope: StoreScope,
        request: RememberRequest,
    ) -> EngineResult<RememberResult> {
        let prepared = self.prepare(scope, request.draft)?;
        let reason = request.reason.map(redact_reason);
        let spare = prepared.to_waiting(reason.clone(), self.actor.clone());
        let action = self.action(ActionKind::Remember, reason);
        let id = self.request_id(scope);
        let kept = self
            .wait_in_line(scope)
            .and_then(|()| self.open_gate(scope, action, true))
            .and_then(|mut gate| {
                gate.claim(id)?;
                let remembered = gate.submit(prepared)?;
                gate.commit()?;
                Ok(remembered)
            });
        kept.or_else(|error| self.postpone(scope, id, spare, &error)?.ok_or(error))
    }

    /// Remembers drafts as one change and returns a result for each. A rejected draft does not keep
    /// the others out. If the store stays locked, the requests are spooled.
    pub fn remember_all(
        &mut self,
        scope: StoreScope,
        drafts: Vec<Draft>,
    ) -> EngineResult<Vec<EngineResult<RememberResult>>> {
        let prepared: Vec<_> = drafts.into_iter().map(|draft| self.prepare(scope, draft)).collect();
        let accepted: Vec<(Option<MemoryId>, &PreparedRequest)> =
            prepared.iter().flatten().map(|request| (self.request_id(scope), request)).collect();
        let submitted = self.submit_all(scope, &accepted).or_else(|error| {
            let mut postponed = Vec::with_capacity(accepted.len());
            for (id, request) in accepted {
                let spare = request.to_waiting(None, self.actor.clone());
                match self.postpone(scope, id, spare, &error)? {
                    Some(result) => postponed.push(Ok(result)),
                    None => return Err(error),
                }
            }
            Ok(postponed)
        });
        let mut submitted = submitted?.into_iter();
        let result = |request: EngineResult<_>| match request {
            Ok(_) => submitted.next(),
            Err(error) => Some(Err(error)),
        };
        Ok(prepared.into_iter().filter_map(result).collect())
    }

    /// Submits requests in one transaction. A failure of the store fails all of them.
    fn submit_all(
        &mut self,
        scope: StoreScope,
        requests: &[(Option<MemoryId>, &PreparedRequest)],
    ) -> EngineResult<Vec<EngineResult<RememberResult>>> {
        if requests.is_empty() {
            return Ok(Vec::new());
        }
        self.wait_in_line(scope)?;
        let action = self.action(ActionKind::Remember, None);
        let mut gate = self.open_gate(scope, action, true)?;
        let mut results = Vec::with_capacity(requests.len());
        for (id, request) in requests {
            gate.claim(*id)?;
            match gate.submit((*request).clone()) {
                Err(error @ EngineError::Store(_)) => return Err(error),
                result => results.push(result),
            }
        }
        gate.commit()?;
        Ok(results)
    }

    /// Fails if earlier requests still wait for the team's server, which stores them in order.
    fn wait_in_line(&self, scope: StoreScope) -> EngineResult<()> {
        let is_remote = scope == StoreScope::Project && self.is_in_team();
        match is_remote && !self.paths.spool(scope).is_empty() {
            true => Err(StoreError::Busy.into()),
            false => Ok(()),
        }
    }

    /// Returns an identifier for a request to a server, whose answer may be lost: the spooled request
    /// has the same, so it is not stored twice.
    fn request_id(&self, scope: StoreScope) -> Option<MemoryId> {
        let is_remote = scope == StoreScope::Project && self.is_in_team();
        is_remote.then(|| self.ids.next_id(self.clock.now()))
    }

    /// Keeps a request that the store cannot take now in the spool or the inbox. Returns `None` if
    /// the error is another one, or there is no inbox.
    fn postpone(
        &self,
        scope: StoreScope,
        id: Option<MemoryId>,
        request: SpooledRequest,
        error: &EngineError,
    ) -> EngineResult<Option<RememberResult>> {
        // A server that is read-only or full for a while takes the request later.
        let later = matches!(
            error,
            EngineError::Store(StoreError::ReadOnly { .. } | StoreError::Full { .. })
        );
        if error.is_busy() || id.is_some() && later {
            return self.spool(scope, id, request).map(Some);
        }
        if error.is_read_only() && scope == StoreScope::Project {
            return self.leave_in_inbox(request);
        }
        Ok(None)
    }

    /// Remembers lessons that Tacit drew itself, in the project store, once per `name`; returns
    /// nothing if that was done before. Forgotten memories stay forgotten.
    pub(crate) fn remember_once(
        &mut self,
        name: &str,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> EngineResult<Vec<RememberResult>> {
        let scope = StoreScope::Project;
        let prepared = drafts
            .into_iter()
            .map(|draft| self.prepare(scope, draft))
            .collect::<EngineResult<Vec<_>>>()?;
        let action = self.tacit_action(ActionKind::Remember, "learnt from finished work");
        let mut gate = self.open_gate(scope, action, true)?;
        if !gate.transaction.claim_request(name)? {
            return Ok(Vec::new());
        }
        let mut remembered = Vec::new();
        for request in prepared {
            match gate.submit(request) {
                Err(EngineError::Store(error)) => return Err(error.into()),
                other => remembered.extend(other.ok()),
            }
        }
        gate.commit()?;
        Ok(remembered)
    }

    /// Runs the steps that need no store.
    pub(crate) fn prepare(&self, scope: StoreScope, draft: Draft) -> EngineResult<PreparedRequest> {
        self.prepare_as_is(scope, self.restrict_draft(scope, draft)?)
    }

    /// Like [`Engine::prepare`], if the draft was already restricted to its requester.
    pub(crate) fn prepare_as_is(
        &self,
        scope: StoreScope,
        draft: Draft,
    ) -> EngineResult<PreparedRequest> {
        prepare::prepare(draft, scope)
    }
}
