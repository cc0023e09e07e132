//! Confidences in the light of related memories and of what followed from showing them, which
//! maintenance keeps up to date.

use tacit_core::{Confidence, LEAST_CHANGE, Memory, MemoryId, RelatedMemory, derive_confidences};
use tacit_store::ActionKind;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::life::each_memory;
use crate::lookup::StoredMemory;

/// The least confidence that fates leave a memory.
const LEAST: f64 = 0.1;

/// A confidence that is about to change.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedConfidence {
    /// The memory as it is now.
    pub found: StoredMemory,
    /// The new confidence in the light of related memories; `None` for the memory's own.
    pub derived: Option<Confidence>,
}

impl Engine<'_> {
    /// Returns the memories whose confidence differs noticeably from that which related memories
    /// give it.
    pub fn plan_confidences(&self, scope: StoreScope) -> EngineResult<Vec<PlannedConfidence>> {
        let Some(store) = self.store(scope) else { return Ok(Vec::new()) };
        let mut related = Vec::new();
        let mut outdated: Vec<MemoryId> = Vec::new();
        each_memory(store, |memory| {
            related.extend(RelatedMemory::of(&memory));
            outdated.extend(memory.body.derived_confidence.map(|_| memory.id));
            Ok(())
        })?;
        let derived = derive_confidences(&related);
        // The fates of a global memory are counted in each project apart.
        let uses = (scope == StoreScope::Project).then(|| self.uses());
        let mut ids: Vec<MemoryId> = derived.keys().copied().chain(outdated).collect();
        ids.extend(uses.iter().flat_map(|uses| uses.keys()));
        ids.sort();
        ids.dedup();
        let memories = store.read(&ids)?.into_iter();
        let planned = memories.filter_map(|memory| {
            let counts = uses.and_then(|uses| uses.get(&memory.id));
            let change = counts.map_or(0.0, |counts| counts.confidence_change(&memory));
            let related = derived.get(&memory.id).copied();
            let base = related.unwrap_or(memory.body.confidence.value());
            let derived = (related.is_some() || change != 0.0)
                .then(|| (base + change).clamp(LEAST, 1.0).max(base.min(LEAST)));
            let derived = changed(&memory, derived)?;
            Some(PlannedConfidence { found: StoredMemory { store: scope, memory }, derived })
        });
        Ok(planned.collect())
    }

    /// Writes the confidences that related memories give to memories. Returns their number.
    pub fn derive_confidences(&mut self, scope: StoreScope) -> EngineResult<usize> {
        let plan = self.plan_confidences(scope)?;
        if plan.is_empty() {
            return Ok(0);
        }
        let action = self
            .tacit_action(ActionKind::Edit, "related memories or its use changed its confidence");
        let mut transaction = self.store_mut(scope)?.begin(action)?;
        let mut written = 0;
        for PlannedConfidence { found, derived } in plan {
            let Some(before) = transaction.read(&[found.memory.id])?.pop() else { continue };
            if before.body != found.memory.body {
                continue;
            }
            let mut after = before.clone();
            // `updated_at` stays, so that the memory decays as before.
            after.body.derived_confidence = derived;
            transaction.update(&before, &after)?;
            written += 1;
        }
        transaction.commit()?;
        Ok(written)
    }
}

/// Returns the new derived confidence of a memory; `None` if it stays as it is.
fn changed(memory: &Memory, derived: Option<f64>) -> Option<Option<Confidence>> {
    let own = memory.body.confidence.value();
    let target = derived.unwrap_or(own);
    let present = memory.body.effective_confidence().value();
    if (target - present).abs() <= LEAST_CHANGE {
        return None;
    }
    let is_own = (target - own).abs() <= LEAST_CHANGE;
    let rounded = Confidence::new((target * 1_000.0).round() / 1_000.0).ok();
    Some(if is_own { None } else { rounded })
}
