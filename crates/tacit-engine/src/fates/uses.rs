//! The uses of each memory, counted from the fates of its injections.

use std::collections::BTreeMap;

use tacit_core::{EventName, Fate, Memory, MemoryId, SessionId, Silence, Usefulness};
use tacit_store::{InjectionQuery, MemoryUses};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// Layers at which a memory is shown although nothing concerns it in particular.
const GENERAL: [EventName; 4] = [
    EventName::SessionStarted,
    EventName::SubagentStarted,
    EventName::PromptSubmitted,
    EventName::Compacted,
];

/// The fates of a memory in one session.
#[derive(Default)]
struct SessionUse {
    judged: u32,
    direct: u32,
    fates: Vec<Fate>,
}

impl SessionUse {
    /// Adds the session to the counts of its memory, by its weightiest fate.
    fn count(&self, counts: &mut Usefulness) {
        let has = |fate: Fate| self.fates.contains(&fate);
        counts.judged += self.judged;
        counts.sessions += 1;
        counts.direct_judged += self.direct;
        counts.direct_sessions += u32::from(self.direct > 0);
        if has(Fate::Flagged) {
            counts.flagged += 1;
        } else if has(Fate::Contradicted) {
            counts.contradicted += 1;
        } else {
            counts.helped += u32::from(has(Fate::Helped));
            counts.used += u32::from(self.fates.iter().any(|fate| fate.is_use()));
        }
    }
}

impl Engine<'_> {
    /// Returns how often memories were of use, as maintenance counted it.
    pub fn uses(&self) -> &BTreeMap<MemoryId, Usefulness> {
        self.uses.get_or_init(|| {
            let Some(store) = self.store(StoreScope::Project) else { return BTreeMap::new() };
            // Without the counts, memories are shown as if nothing was known of their use.
            let uses = store.memory_uses().unwrap_or_default().into_iter();
            uses.map(|one| (one.memory, one.counts)).collect()
        })
    }

    /// Returns how often a memory was of use.
    pub fn uses_of(&self, id: MemoryId) -> Usefulness {
        self.uses().get(&id).copied().unwrap_or_default()
    }

    /// Returns where a memory is no longer shown unasked, because it was shown often and never used.
    pub fn silence(&self, memory: &Memory) -> Option<Silence> {
        self.uses_of(memory.id).silence(memory)
    }

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
            let is_earlier = one.at < memory.updated_at;
            if is_earlier && judged.fate == Fate::Ignored {
                continue;
            }
            let session = sessions.entry((id, one.session)).or_default();
            session.judged += 1;
            session.direct += u32::from(!GENERAL.iter().any(|name| name.as_str() == one.layer));
            session.fates.push(judged.fate);
        }
        let mut counts: BTreeMap<MemoryId, Usefulness> = BTreeMap::new();
        for ((memory, _), session) in &sessions {
            session.count(counts.entry(*memory).or_default());
        }
        let uses = counts.into_iter().map(|(memory, counts)| MemoryUses { memory, counts });
        let uses: Vec<MemoryUses> = uses.collect();
        let store = self.store_mut(StoreScope::Project)?;
        if store.memory_uses().is_ok_and(|known| known == uses) {
            return Ok(());
        }
        store.set_memory_uses(&uses)?;
        self.uses.take();
        Ok(())
    }
}
