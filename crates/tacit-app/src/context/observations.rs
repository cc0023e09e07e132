//! What the running application was seen to do, for those who check it.

use tacit_core::{BuiltinType, Confidence, Details, ObservationType, UniversalPhase};
use tacit_engine::{Engine, EngineResult, RecallRequest, StoredMemory};
use tacit_store::Filter;

use super::Wanted;

/// How many are shown.
const LIMIT: usize = 8;
/// How sure they must be.
const CONFIDENCE: f64 = 0.7;

/// What each group of observations is called, in the order in which they are of use.
const GROUPS: [(ObservationType, &str); 5] = [
    (ObservationType::Precondition, "Preconditions required before testing"),
    (ObservationType::TestSequence, "Known test sequences"),
    (ObservationType::Timing, "Timing constraints"),
    (ObservationType::McpGotcha, "MCP tool gotchas"),
    (ObservationType::UiBehavior, "Known UI behaviours (not bugs)"),
];

/// Observations about what is checked; the best known, if that is not said.
pub(super) fn of(engine: &Engine<'_>, wanted: &Wanted<'_>) -> EngineResult<Vec<StoredMemory>> {
    let filter = Filter {
        types: vec![BuiltinType::E2eObservation.into()],
        min_confidence: Confidence::new(CONFIDENCE).ok(),
        stale: Some(false),
        ..Filter::default()
    };
    let phase = Some(UniversalPhase::Validate);
    match wanted.task.filter(|task| !task.trim().is_empty()) {
        None => engine.top_memories(None, &filter, phase, LIMIT),
        Some(task) => {
            let recall = RecallRequest {
                phase,
                strictness: wanted.strictness,
                ..RecallRequest::explicit(task, filter, LIMIT)
            };
            let shown = engine.recall(&recall)?.shown;
            Ok(shown.into_iter().map(|recalled| recalled.found).collect())
        }
    }
}

/// Observations in their groups, each with its name.
pub(super) fn grouped(observations: &[StoredMemory]) -> Vec<(&'static str, Vec<&StoredMemory>)> {
    let kind = |found: &StoredMemory| match found.memory.body.subject.details() {
        Details::E2eObservation(observation) => Some(observation.observation_type),
        _ => None,
    };
    GROUPS
        .into_iter()
        .map(|(group, name)| {
            (name, observations.iter().filter(|found| kind(found) == Some(group)).collect())
        })
        .filter(|(_, group): &(_, Vec<&StoredMemory>)| !group.is_empty())
        .collect()
}
