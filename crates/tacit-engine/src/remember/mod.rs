//! The write gate: `validate → redact → identify → resolve → persist → index`.
//!
//! Every way in passes it. The first two steps need no store and are done before any lock is
//! taken; the rest happen in one short transaction, so that two processes that learn the same
//! thing at once still store it once.

mod identify;
mod index;
mod persist;
mod redact;
mod resolve;
mod spool;
mod validate;

use serde::{Deserialize, Serialize};
use tacit_core::{Draft, Memory, MemoryId, NewMemory, Reasoning};
use tacit_store::{ActionKind, ChangeId, Transaction};

pub use index::index_entry;
pub(crate) use index::{field_tokens, fingerprint};

use crate::engine::{Engine, Shelf};
use crate::error::{EngineError, EngineResult};

pub(crate) use index::{embedded_text, index};
pub(crate) use redact::{redact_json, redact_memory, redact_reason};
pub use redact::{redact_note, redact_record};
pub(crate) use resolve::{Resolution, joined};
pub(crate) use spool::Waiting;
pub(crate) use validate::forbid_files;

/// Something to be remembered.
#[derive(Debug, Clone)]
pub struct Request {
    /// What.
    pub draft: Draft,
    /// Why, for the history.
    pub reason: Option<Reasoning>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
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
pub struct Remembered {
    /// What became of it.
    pub outcome: Outcome,
    /// The memory as it is now; none while it waits in the spool.
    pub memory: Option<Memory>,
    /// What was done to the text.
    pub treatment: Treatment,
    /// The memory it may supersede, and how alike the two are.
    pub near: Option<(MemoryId, f64)>,
    /// Labels that did not fit into a memory that was reinforced.
    pub left_out: Vec<String>,
}

/// What was done to a text before it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Treatment {
    /// How many control characters were removed.
    pub removed_controls: usize,
    /// Which kinds of secrets were replaced, and how many of each.
    pub redacted: Vec<(String, usize)>,
}

impl Treatment {
    /// Adds what was done to another text.
    pub(crate) fn add(&mut self, other: &Treatment) {
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

/// A request that needs nothing more but the store.
pub(crate) struct Prepared {
    /// The draft it was made from, cleaned and without secrets.
    pub(crate) draft: Draft,
    pub(crate) said: NewMemory,
    pub(crate) treatment: Treatment,
}

impl Engine<'_> {
    /// Remembers one thing. If the store stays locked, the request is spooled, not lost.
    pub fn remember(&mut self, shelf: Shelf, request: Request) -> EngineResult<Remembered> {
        let prepared = self.prepare(shelf, request.draft)?;
        let reason = request.reason.map(redact_reason);
        let spare = prepared.to_waiting(reason.clone(), self.actor.clone());
        match self.admit(shelf, ActionKind::Remember, reason, [prepared]) {
            Err(error) if error.is_busy() => self.spool(shelf, spare),
            Err(error) if error.is_read_only() && shelf == Shelf::Project => {
                self.leave_in_inbox(spare, error)
            }
            Err(error) => Err(error),
            Ok((mut results, _)) => {
                results.pop().unwrap_or_else(|| unreachable!("one request has one result"))
            }
        }
    }

    /// Remembers many things in one change. Each has a result of its own.
    pub fn remember_all(
        &mut self,
        shelf: Shelf,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> EngineResult<Vec<EngineResult<Remembered>>> {
        let mut refused: Vec<Option<EngineError>> = Vec::new();
        let mut prepared = Vec::new();
        for draft in drafts {
            let ready = self.prepare(shelf, draft).map(|ready| prepared.push(ready));
            refused.push(ready.err());
        }
        let (admitted, _) = self.admit(shelf, ActionKind::Remember, None, prepared)?;
        let mut admitted = admitted.into_iter();
        let result = |refused: Option<EngineError>| match refused {
            Some(error) => Some(Err(error)),
            None => admitted.next(),
        };
        Ok(refused.into_iter().filter_map(result).collect())
    }

    /// Remembers what belongs together in the project, once for all times under this name; nothing if
    /// it was done before. What was forgotten stays forgotten.
    pub(crate) fn remember_once(
        &mut self,
        name: &str,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> EngineResult<Vec<Remembered>> {
        let shelf = Shelf::Project;
        let prepared = drafts
            .into_iter()
            .map(|draft| self.prepare(shelf, draft))
            .collect::<EngineResult<Vec<_>>>()?;
        let action = self.action(ActionKind::Remember, None);
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let mut transaction = self.store_mut(shelf)?.begin(action)?;
        if !transaction.claim_request(name)? {
            return Ok(Vec::new());
        }
        let gate = Gate { now, ids, config: &config };
        let mut remembered = Vec::new();
        for request in prepared {
            match gate.pass(transaction.as_mut(), request) {
                Err(EngineError::Store(error)) => return Err(error.into()),
                other => remembered.extend(other.ok()),
            }
        }
        transaction.commit()?;
        Ok(remembered)
    }

    /// The steps that need no store.
    pub(crate) fn prepare(&self, shelf: Shelf, draft: Draft) -> EngineResult<Prepared> {
        self.prepare_as_is(shelf, self.as_said(shelf, draft)?)
    }

    /// As [`Engine::prepare`], where it is settled who said it.
    pub(crate) fn prepare_as_is(&self, shelf: Shelf, draft: Draft) -> EngineResult<Prepared> {
        let valid = validate::validate(draft, shelf, &self.config)?;
        redact::redact(valid, &self.config)
    }

    /// The steps that need the store, in one transaction.
    fn admit(
        &mut self,
        shelf: Shelf,
        kind: ActionKind,
        reason: Option<Reasoning>,
        requests: impl IntoIterator<Item = Prepared>,
    ) -> EngineResult<(Vec<EngineResult<Remembered>>, Option<ChangeId>)> {
        let action = self.action(kind, reason);
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let mut transaction = self.store_mut(shelf)?.begin(action)?;
        let gate = Gate { now, ids, config: &config };
        let results = requests
            .into_iter()
            .map(|request| match gate.pass(transaction.as_mut(), request) {
                Err(EngineError::Store(error)) => Err(error),
                other => Ok(other),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let change = transaction.commit()?;
        Ok((results, change))
    }
}

/// What the steps inside a transaction need.
pub(crate) struct Gate<'a> {
    pub(crate) now: tacit_core::Timestamp,
    pub(crate) ids: &'a dyn tacit_core::IdSource,
    pub(crate) config: &'a tacit_core::Config,
}

impl Gate<'_> {
    /// Takes a request through identify, resolve, persist and index.
    pub(crate) fn pass(
        &self,
        transaction: &mut dyn Transaction,
        request: Prepared,
    ) -> EngineResult<Remembered> {
        let identity = identify::identify(transaction, &request.said, self.config)?;
        let resolution = resolve::resolve(identity, request.said, self.now, self.config)?;
        let kept = persist::persist(transaction, resolution, self)?;
        index(transaction, &kept.memory)?;
        Ok(Remembered {
            outcome: kept.outcome,
            memory: Some(kept.memory),
            treatment: request.treatment,
            near: kept.near,
            left_out: kept.left_out,
        })
    }
}
