//! What the stages before hand on to the one that works now.

use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder, WorkUnitFilter};
use tacit_work::Relay;

use super::{Wanted, text};

/// How many memories of a unit of work are looked through, and how many are handed on.
const LOOKED_AT: usize = 200;
const HANDED_ON: usize = 10;

/// What one stage hands on to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    /// The stage before.
    pub from: String,
    /// The stage after.
    pub to: String,
    /// What is handed on.
    pub memories: Vec<StoredMemory>,
    /// The text of it, in the form of the methodology.
    pub text: String,
}

/// What is handed on to the stage or phase at hand: what was learnt in the unit of work or in what is
/// around it, the newest first; and where the relay says what it is about, what has proved true of
/// that in the whole project.
pub(super) fn to(engine: &Engine<'_>, wanted: &Wanted<'_>) -> EngineResult<Vec<Relayed>> {
    let Some((word, _)) = &wanted.phase else { return Ok(Vec::new()) };
    let methodology = engine.methodology();
    let mut relays = Vec::new();
    for relay in methodology.relays_to(word) {
        let memories = handed_on(engine, wanted, relay)?;
        let told: Vec<_> = memories.iter().map(text::relayed).collect();
        if let Some(text) = methodology.format_relay(relay, &told) {
            let (from, to) = (relay.from.clone(), relay.to.clone());
            relays.push(Relayed { from, to, memories, text });
        }
    }
    Ok(relays)
}

fn handed_on(
    engine: &Engine<'_>,
    wanted: &Wanted<'_>,
    relay: &Relay,
) -> EngineResult<Vec<StoredMemory>> {
    let named = Filter {
        types: relay.types.clone(),
        min_confidence: relay.min_confidence,
        tags: relay.tags.clone(),
        stale: Some(false),
        ..Filter::default()
    };
    let unit = wanted.work.unit();
    let mut found = Vec::new();
    if let Some(unit) = unit {
        let around = unit.hierarchy().first().cloned().into_iter().collect();
        let work_unit = Some(WorkUnitFilter { methodology: None, hierarchy: around });
        let of_unit = Filter { work_unit, ..named.clone() };
        found =
            engine.list(Some(StoreScope::Project), &of_unit, ListOrder::Newest, LOOKED_AT, 0)?;
    }
    // Without a filter, everything that is known would be handed on.
    if relay.is_filtered() {
        let phase = wanted.phase.as_ref().map(|(_, phase)| *phase);
        for other in engine.top_memories(Some(StoreScope::Project), &named, phase, LOOKED_AT)? {
            if found.iter().all(|known| known.memory.id != other.memory.id) {
                found.push(other);
            }
        }
    }
    let here = wanted.work.position(wanted.session);
    found.retain(|found| relay.hands_on(&found.memory, &here));
    found.truncate(HANDED_ON);
    Ok(found)
}
