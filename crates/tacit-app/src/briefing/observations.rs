//! End-to-end observations: how the running application behaves, for agents that validate it.

use tacit_core::{BuiltinType, Confidence, Details, ObservationType, UniversalPhase};
use tacit_engine::{Engine, EngineResult, RecallRequest, StoredMemory};
use tacit_store::Filter;

use super::BriefingRequest;
use crate::recall;

/// The maximum number of observations shown.
const LIMIT: usize = 8;
/// The least confidence of an observation.
const CONFIDENCE: f64 = 0.7;

/// The heading of each group of observations, the most useful group first.
const GROUPS: [(ObservationType, &str); 5] = [
    (ObservationType::Precondition, "Preconditions required before testing"),
    (ObservationType::TestSequence, "Known test sequences"),
    (ObservationType::Timing, "Timing constraints"),
    (ObservationType::McpGotcha, "MCP tool gotchas"),
    (ObservationType::UiBehavior, "Known UI behaviours (not bugs)"),
];

fn filter() -> Filter {
    Filter {
        types: vec![BuiltinType::E2eObservation.into()],
        min_confidence: Confidence::new(CONFIDENCE).ok(),
        stale: Some(false),
        ..Filter::default()
    }
}

/// Returns the best observations that are proven.
pub(crate) fn best(engine: &Engine<'_>) -> EngineResult<Vec<StoredMemory>> {
    engine.top_memories(None, &filter(), Some(UniversalPhase::Validate), LIMIT)
}

/// Returns observations about the task; without a task, the best ones.
pub(super) fn find(
    engine: &Engine<'_>,
    request: &BriefingRequest<'_>,
) -> EngineResult<Vec<StoredMemory>> {
    match request.task.filter(|task| !task.trim().is_empty()) {
        None => best(engine),
        Some(task) => {
            let request = RecallRequest {
                phase: Some(UniversalPhase::Validate),
                strictness: request.strictness,
                ..RecallRequest::explicit(task, filter(), LIMIT)
            };
            let shown = recall::search(engine, request)?.shown;
            Ok(shown.into_iter().map(|recalled| recalled.found).collect())
        }
    }
}

/// Groups observations by kind, with the heading of each group. Empty groups are left out.
pub(crate) fn grouped(observations: &[StoredMemory]) -> Vec<(&'static str, Vec<&StoredMemory>)> {
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
