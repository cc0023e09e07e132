//! How often each memory was of use, counted from the fates of its injections.

use std::collections::BTreeMap;

use tacit_core::{Fate, MemoryId, SessionId};
use tacit_store::{InjectionQuery, MemoryUses};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// The fates of a memory in one session.
#[derive(Default)]
struct SessionUse {
    judged: u32,
    used: bool,
    helped: bool,
}

impl Engine<'_> {
    /// Counts anew how often each memory was of use. From before the last change of a memory only
    /// uses count: its text was another one, or a session or a person has confirmed it since.
    pub(super) fn count_memory_uses(&mut self) -> EngineResult<()> {
        let all = InjectionQuery { limit: usize::MAX, ..InjectionQuery::default() };
        let mut judged = self.injections(&all)?;
        judged.retain(|one| one.memory.is_some() && one.fate.is_some() && !one.withheld);
        let memories = self.shown_memories(&judged)?;
        let mut sessions: BTreeMap<(MemoryId, SessionId), SessionUse> = BTreeMap::new();
        for one in judged {
            let (Some(id), Some(judged)) = (one.memory, one.fate) else { continue };
            let Some(memory) = memories.get(&id) else { continue };
            if one.at < memory.updated_at && !judged.fate.is_use() {
                continue;
            }
            let session = sessions.entry((id, one.session)).or_default();
            session.judged += 1;
            session.used |= judged.fate.is_use();
            session.helped |= judged.fate == Fate::Helped;
        }
        let mut uses: BTreeMap<MemoryId, MemoryUses> = BTreeMap::new();
        for ((memory, _), session) in sessions {
            let new = MemoryUses { memory, judged: 0, sessions: 0, used: 0, helped: 0 };
            let counted = uses.entry(memory).or_insert(new);
            counted.judged += session.judged;
            counted.sessions += 1;
            counted.used += u32::from(session.used);
            counted.helped += u32::from(session.helped);
        }
        let uses: Vec<MemoryUses> = uses.into_values().collect();
        if self
            .store(StoreScope::Project)
            .is_some_and(|store| store.memory_uses().is_ok_and(|known| known == uses))
        {
            return Ok(());
        }
        Ok(self.store_mut(StoreScope::Project)?.set_memory_uses(&uses)?)
    }
}
