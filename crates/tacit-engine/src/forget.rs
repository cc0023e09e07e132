//! Leaving use and coming back.

use tacit_core::{Reasoning, Status, StatusKind};
use tacit_store::ActionKind;

use crate::engine::Engine;
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;

/// How a memory leaves use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgetMode {
    /// It was wrong or is no longer wanted; it may be removed in time.
    Retire,
    /// It is set aside and kept.
    Archive,
}

impl Engine<'_> {
    /// Takes a memory out of use. It can be restored.
    pub fn forget(
        &mut self,
        id: &str,
        departure: ForgetMode,
        reason: Reasoning,
    ) -> EngineResult<StoredMemory> {
        let forgotten = self.forget_all(&[id], departure, reason)?.pop();
        forgotten.ok_or_else(|| EngineError::NoSuchMemory { text: id.to_owned() })
    }

    /// Takes memories out of use, all or none, as one change.
    pub fn forget_all(
        &mut self,
        ids: &[&str],
        departure: ForgetMode,
        reason: Reasoning,
    ) -> EngineResult<Vec<StoredMemory>> {
        let at = self.clock.now();
        self.change_all(ids, ActionKind::Forget, Some(reason.clone()), move |memory| {
            let reason = reason.clone();
            let status = match departure {
                ForgetMode::Retire => Status::Retired { at, reason },
                ForgetMode::Archive => Status::Archived { at, reason },
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
    pub fn restore(&mut self, id: &str) -> EngineResult<StoredMemory> {
        let restored = self.restore_all(&[id])?.pop();
        restored.ok_or_else(|| EngineError::NoSuchMemory { text: id.to_owned() })
    }

    /// Brings memories back into use, all or none, as one change.
    pub fn restore_all(&mut self, ids: &[&str]) -> EngineResult<Vec<StoredMemory>> {
        self.change_all(ids, ActionKind::Restore, None, |memory| {
            if memory.status.kind() == StatusKind::Active {
                return Err(EngineError::AlreadySo { id: memory.id, state: "in use" });
            }
            memory.status = Status::Active;
            Ok(())
        })
    }
}
