//! Relays: what earlier stages of the methodology hand over to the current one.

use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder, WorkUnitFilter};
use tacit_work::Relay;

use super::{BriefingRequest, text};

/// The number of memories examined of a unit of work, and handed over.
const EXAMINED: usize = 200;
const LIMIT: usize = 10;

/// The content that one stage hands over to another.
#[derive(Debug, Clone, PartialEq)]
pub struct RelayContent {
    /// The earlier stage.
    pub from: String,
    /// The later stage.
    pub to: String,
    /// The memories that are handed over.
    pub memories: Vec<StoredMemory>,
    /// The text of the memories, in the format of the methodology.
    pub text: String,
}

/// Returns the relays to the current phase. Each has the memories of the unit of work and its
/// parents, newest first; a relay with a filter also has the project's best memories that match it.
pub(super) fn find(
    engine: &Engine<'_>,
    request: &BriefingRequest<'_>,
) -> EngineResult<Vec<RelayContent>> {
    let Some((phase, _)) = &request.phase else { return Ok(Vec::new()) };
    let methodology = engine.methodology();
    let mut relays = Vec::new();
    for relay in methodology.relays_to(phase) {
        let memories = handed_over(engine, request, relay)?;
        let texts: Vec<_> = memories.iter().map(text::relayed).collect();
        if let Some(text) = methodology.format_relay(relay, &texts) {
            let (from, to) = (relay.from.clone(), relay.to.clone());
            relays.push(RelayContent { from, to, memories, text });
        }
    }
    Ok(relays)
}

fn handed_over(
    engine: &Engine<'_>,
    request: &BriefingRequest<'_>,
    relay: &Relay,
) -> EngineResult<Vec<StoredMemory>> {
    let filter = Filter {
        types: relay.types.clone(),
        min_confidence: relay.min_confidence,
        tags: relay.tags.clone(),
        stale: Some(false),
        ..Filter::default()
    };
    let unit = request.work.unit();
    let mut found = Vec::new();
    if let Some(unit) = unit {
        let root_entry = unit.hierarchy().first().cloned().into_iter().collect();
        let work_unit = Some(WorkUnitFilter { methodology: None, hierarchy: root_entry });
        let unit_filter = Filter { work_unit, ..filter.clone() };
        found =
            engine.list(Some(StoreScope::Project), &unit_filter, ListOrder::Newest, EXAMINED, 0)?;
    }
    // Without a filter, this would hand over every memory.
    if relay.is_filtered() {
        let phase = request.phase.as_ref().map(|(_, phase)| *phase);
        for other in engine.top_memories(Some(StoreScope::Project), &filter, phase, EXAMINED)? {
            if found.iter().all(|known| known.memory.id != other.memory.id) {
                found.push(other);
            }
        }
    }
    let here = request.work.position(request.session);
    found.retain(|found| relay.hands_on(&found.memory, &here));
    found.truncate(LIMIT);
    Ok(found)
}
