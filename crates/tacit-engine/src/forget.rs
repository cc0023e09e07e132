//! Leaving use, coming back, and going for good.

use tacit_core::{Memory, Reasoning, Status, StatusKind};
use tacit_store::ActionKind;

use crate::engine::{Engine, Shelf};
use crate::error::{EngineError, EngineResult};
use crate::lookup::Found;

/// How a memory leaves use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// It was wrong or is no longer wanted; it may be removed in time.
    Retire,
    /// It is set aside and kept.
    Archive,
}

/// A memory that is gone for good.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten(pub Memory);

impl Engine<'_> {
    /// Takes a memory out of use. It can be restored.
    pub fn forget(
        &mut self,
        id: &str,
        departure: Departure,
        reason: Reasoning,
    ) -> EngineResult<Found> {
        let at = self.clock.now();
        self.change(id, ActionKind::Forget, Some(reason.clone()), |memory| {
            let status = match departure {
                Departure::Retire => Status::Retired { at, reason },
                Departure::Archive => Status::Archived { at, reason },
            };
            if memory.status.kind() == status.kind() {
                let state = status.kind().as_str();
                return Err(EngineError::AlreadySo { id: memory.id, state });
            }
            memory.status = status;
            Ok(())
        })
    }

    /// Brings a memory back into use.
    pub fn restore(&mut self, id: &str) -> EngineResult<Found> {
        self.change(id, ActionKind::Restore, None, |memory| {
            if memory.status.kind() == StatusKind::Active {
                return Err(EngineError::AlreadySo { id: memory.id, state: "in use" });
            }
            memory.status = Status::Active;
            Ok(())
        })
    }

    /// Removes a memory and everything the history says of it. This cannot be undone.
    pub fn purge(&mut self, id: &str, reason: Reasoning) -> EngineResult<Forgotten> {
        let Found { shelf, memory } = self.find(id)?;
        let action = self.action(ActionKind::Purge, Some(reason));
        let mut transaction = self.store_mut(shelf)?.begin(action)?;
        let memory = transaction
            .read(&[memory.id])?
            .pop()
            .ok_or_else(|| EngineError::NoSuchMemory { text: id.to_owned() })?;
        transaction.remove(&memory)?;
        transaction.erase_history(&memory.id)?;
        transaction.commit()?;
        // Sessions are those of the project, whichever shelf the memory was on.
        if self.store(Shelf::Project).is_some() {
            self.settle_events()?;
            let shown = self.store_mut(Shelf::Project)?.forget_shown(&memory.id)?;
            if shown > 0 && shelf != Shelf::Project {
                self.store_mut(Shelf::Project)?.scrub()?;
            }
        }
        self.store_mut(shelf)?.scrub()?;
        self.rebuild_vectors(shelf)?;
        Ok(Forgotten(memory))
    }
}
