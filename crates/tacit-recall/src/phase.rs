//! Weights of memory types by phase.

use tacit_core::{BuiltinType, CustomType, MemoryType, UniversalPhase};

use BuiltinType as T;
use UniversalPhase as P;

/// The weight of each type in each phase: a built-in table, plus the types of a methodology.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseWeights {
    added: Vec<(CustomType, UniversalPhase, f64)>,
}

impl PhaseWeights {
    /// Creates weights from the table and the types of a methodology.
    pub fn with(
        added: impl IntoIterator<Item = (CustomType, UniversalPhase, f64)>,
    ) -> PhaseWeights {
        PhaseWeights { added: added.into_iter().collect() }
    }

    /// Returns the weight of a type in a phase; 1 for an unknown type, such as one of another
    /// methodology.
    pub fn weight(&self, phase: UniversalPhase, kind: &MemoryType) -> f64 {
        let found = match kind {
            MemoryType::Builtin(kind) => {
                let column = PHASES.iter().position(|column| *column == phase);
                let row = TABLE.iter().find(|(named, _)| named == kind);
                row.zip(column).map(|((_, weights), column)| weights[column])
            }
            MemoryType::Custom(kind) => self
                .added
                .iter()
                .find(|(named, row, _)| named == kind && *row == phase)
                .map(|(_, _, weight)| *weight),
        };
        found.unwrap_or(1.0)
    }
}

/// The columns of [`TABLE`].
const PHASES: [UniversalPhase; 6] =
    [P::Define, P::Implement, P::Validate, P::Refine, P::Explore, P::Reflect];

const TABLE: [(BuiltinType, [f64; 6]); 16] = [
    (T::Requirement, [1.5, 0.8, 1.4, 0.7, 1.0, 1.0]),
    (T::Decision, [1.3, 0.7, 1.1, 1.0, 1.4, 1.2]),
    (T::WorkflowRecipe, [1.5, 1.4, 0.6, 1.0, 1.1, 0.6]),
    (T::TaskCalibration, [1.4, 0.5, 0.8, 1.0, 0.6, 1.4]),
    (T::Pattern, [1.2, 1.2, 1.0, 1.4, 1.2, 1.0]),
    (T::WorkState, [1.1, 1.0, 0.5, 0.9, 1.0, 0.7]),
    (T::Preference, [1.0, 0.9, 1.0, 1.0, 1.0, 1.0]),
    (T::ModuleInsight, [1.0, 1.2, 0.9, 1.1, 1.3, 1.1]),
    (T::Gotcha, [0.8, 1.5, 1.2, 1.2, 0.8, 0.8]),
    (T::ErrorPattern, [0.7, 1.3, 1.5, 1.3, 0.7, 1.2]),
    (T::CausalDependency, [0.9, 1.3, 1.0, 1.1, 1.1, 1.0]),
    (T::DeadEnd, [1.2, 1.3, 0.8, 1.4, 0.9, 1.3]),
    (T::E2eObservation, [0.6, 0.7, 1.5, 0.8, 0.9, 1.0]),
    (T::PrefetchPattern, [0.5, 1.1, 0.3, 1.0, 1.0, 0.4]),
    (T::WorkUnitOutcome, [1.0, 0.9, 1.1, 0.8, 1.0, 1.5]),
    (T::ContextCost, [1.3, 0.4, 0.3, 0.4, 0.5, 1.3]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_has_a_column() {
        for phase in UniversalPhase::ALL {
            assert!(PHASES.contains(phase), "{phase}");
        }
        for (_, weights) in TABLE {
            assert!(weights.iter().all(|weight| (0.3..=1.5).contains(weight)));
        }
    }

    #[test]
    fn weights_depend_on_phase_and_type() {
        let added = CustomType::new("bmad:acceptance_criterion").unwrap();
        let weights = PhaseWeights::with([(added, P::Validate, 1.5)]);
        let weight = |phase, kind: &str| {
            let kind: MemoryType = kind.parse().unwrap();
            weights.weight(phase, &kind)
        };
        assert_eq!(weight(P::Implement, "gotcha"), 1.5);
        assert_eq!(weight(P::Define, "gotcha"), 0.8);
        assert_eq!(weight(P::Validate, "e2e_observation"), 1.5);
        assert_eq!(weight(P::Reflect, "work_unit_outcome"), 1.5);
        assert_eq!(weight(P::Validate, "preference"), 1.0, "not in the table");
        assert_eq!(weight(P::Validate, "bmad:acceptance_criterion"), 1.5);
        assert_eq!(weight(P::Define, "bmad:acceptance_criterion"), 1.0, "nothing is said");
        assert_eq!(weight(P::Validate, "tdd:test_contract"), 1.0, "of another methodology");
    }
}
