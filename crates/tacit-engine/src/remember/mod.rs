//! The write gate: `validate → redact` (`prepare.rs`), then
//! `identify → resolve → persist → index` (`gate.rs`, with the decision in `resolve.rs`).
//!
//! Every way in passes it. The first two steps need no store and are done before any lock is
//! taken; the rest happen in one short transaction, so that two processes that learn the same
//! thing at once still store it once.

mod gate;
mod prepare;
mod resolve;
mod spool;

use serde::{Deserialize, Serialize};
use tacit_core::{Draft, Memory, MemoryId, Reasoning};
use tacit_store::ActionKind;

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};

pub use gate::index_entry;
pub(crate) use gate::{WriteGate, embedded_text, field_tokens, fingerprint, index, titled_text};
pub(crate) use prepare::{
    PreparedRequest, forbid_files, redact_json, redact_memory, redact_reason,
};
pub use prepare::{redact_note, redact_record};
pub(crate) use resolve::joined;
pub(crate) use spool::SpooledRequest;

/// Something to be remembered.
#[derive(Debug, Clone)]
pub struct RememberRequest {
    /// What.
    pub draft: Draft,
    /// Why, for the history.
    pub reason: Option<Reasoning>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum RememberOutcome {
    /// It was new.
    Stored,
    /// It was known; this is what is now known.
    Reinforced,
    /// The store was locked for too long; the next command stores it.
    Spooled,
    /// The store cannot be written from here; the next command that can stores it, as told by an
    /// agent.
    LeftInInbox,
}

/// What became of a request, and everything that was done to it on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct RememberResult {
    /// What became of it.
    pub outcome: RememberOutcome,
    /// The memory as it is now; none while it waits in the spool.
    pub memory: Option<Memory>,
    /// What was done to the text.
    pub treatment: TextCleanup,
    /// The memory it may supersede, and how alike the two are.
    pub near: Option<(MemoryId, f64)>,
    /// Labels that did not fit into a memory that was reinforced.
    pub left_out: Vec<String>,
}

/// What was done to a text before it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextCleanup {
    /// How many control characters were removed.
    pub removed_controls: usize,
    /// Which kinds of secrets were replaced, and how many of each.
    pub redacted: Vec<(String, usize)>,
}

impl TextCleanup {
    /// Adds what was done to another text.
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
    /// Remembers one thing. If the store stays locked, the request is spooled, not lost.
    pub fn remember(
        &mut self,
        shelf: StoreScope,
        request: RememberRequest,
    ) -> EngineResult<RememberResult> {
        let prepared = self.prepare(shelf, request.draft)?;
        let reason = request.reason.map(redact_reason);
        let spare = prepared.to_waiting(reason.clone(), self.actor.clone());
        let action = self.action(ActionKind::Remember, reason);
        let kept = self.open_gate(shelf, action, true).and_then(|mut gate| {
            let remembered = gate.pass(prepared)?;
            gate.commit()?;
            Ok(remembered)
        });
        match kept {
            Err(error) if error.is_busy() => self.spool(shelf, spare),
            Err(error) if error.is_read_only() && shelf == StoreScope::Project => {
                self.leave_in_inbox(spare, error)
            }
            kept => kept,
        }
    }

    /// Remembers what belongs together in the project, once for all times under this name; nothing if
    /// it was done before. What was forgotten stays forgotten.
    pub(crate) fn remember_once(
        &mut self,
        name: &str,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> EngineResult<Vec<RememberResult>> {
        let shelf = StoreScope::Project;
        let prepared = drafts
            .into_iter()
            .map(|draft| self.prepare(shelf, draft))
            .collect::<EngineResult<Vec<_>>>()?;
        let action = self.action(ActionKind::Remember, None);
        let mut gate = self.open_gate(shelf, action, true)?;
        if !gate.transaction.claim_request(name)? {
            return Ok(Vec::new());
        }
        let mut remembered = Vec::new();
        for request in prepared {
            match gate.pass(request) {
                Err(EngineError::Store(error)) => return Err(error.into()),
                other => remembered.extend(other.ok()),
            }
        }
        gate.commit()?;
        Ok(remembered)
    }

    /// The steps that need no store.
    pub(crate) fn prepare(&self, shelf: StoreScope, draft: Draft) -> EngineResult<PreparedRequest> {
        self.prepare_as_is(shelf, self.as_said(shelf, draft)?)
    }

    /// As [`Engine::prepare`], where it is settled who said it.
    pub(crate) fn prepare_as_is(
        &self,
        shelf: StoreScope,
        draft: Draft,
    ) -> EngineResult<PreparedRequest> {
        prepare::prepare(draft, shelf, &self.config)
    }
}
