//! How much a type of memory matters in a phase of work.

use tacit_core::{BuiltinType, CustomType, MemoryType, UniversalPhase};

use BuiltinType as T;
use UniversalPhase as P;

/// How much each type matters in each phase: the table below, and what a methodology says of the
/// types it adds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseWeights {
    added: Vec<(CustomType, UniversalPhase, f64)>,
}

impl PhaseWeights {
    /// The table, with the weights of types that a methodology adds.
    pub fn with(
        added: impl IntoIterator<Item = (CustomType, UniversalPhase, f64)>,
    ) -> PhaseWeights {
        PhaseWeights { added: added.into_iter().collect() }
    }

    /// The weight of a type in a phase; 1 for a type of which nothing is said, so that what another
    /// methodology left is neither favoured nor buried.
    pub fn weight(&self, phase: UniversalPhase, kind: &MemoryType) -> f64 {
        let found = match kind {
            MemoryType::Builtin(kind) => TABLE
                .iter()
                .find(|(row, _)| *row == phase)
                .and_then(|(_, weights)| weights.iter().find(|(named, _)| named == kind))
                .map(|(_, weight)| *weight),
            MemoryType::Custom(kind) => self
                .added
                .iter()
                .find(|(named, row, _)| named == kind && *row == phase)
                .map(|(_, _, weight)| *weight),
        };
        found.unwrap_or(1.0)
    }
}

type Row = (UniversalPhase, &'static [(BuiltinType, f64)]);

const TABLE: [Row; 6] = [
    (
        P::Define,
        &[
            (T::Requirement, 1.5),
            (T::Decision, 1.3),
            (T::WorkflowRecipe, 1.5),
            (T::TaskCalibration, 1.4),
            (T::Pattern, 1.2),
            (T::WorkState, 1.1),
            (T::Preference, 1.0),
            (T::ModuleInsight, 1.0),
            (T::Gotcha, 0.8),
            (T::ErrorPattern, 0.7),
            (T::CausalDependency, 0.9),
            (T::DeadEnd, 1.2),
            (T::E2eObservation, 0.6),
            (T::PrefetchPattern, 0.5),
            (T::WorkUnitOutcome, 1.0),
            (T::ContextCost, 1.3),
        ],
    ),
    (
        P::Implement,
        &[
            (T::Gotcha, 1.5),
            (T::ErrorPattern, 1.3),
            (T::CausalDependency, 1.3),
            (T::Pattern, 1.2),
            (T::ModuleInsight, 1.2),
            (T::PrefetchPattern, 1.1),
            (T::WorkState, 1.0),
            (T::DeadEnd, 1.3),
            (T::WorkflowRecipe, 1.4),
            (T::WorkUnitOutcome, 0.9),
            (T::E2eObservation, 0.7),
            (T::Requirement, 0.8),
            (T::Decision, 0.7),
            (T::TaskCalibration, 0.5),
            (T::Preference, 0.9),
            (T::ContextCost, 0.4),
        ],
    ),
    (
        P::Validate,
        &[
            (T::ErrorPattern, 1.5),
            (T::Requirement, 1.4),
            (T::E2eObservation, 1.5),
            (T::Gotcha, 1.2),
            (T::Decision, 1.1),
            (T::ModuleInsight, 0.9),
            (T::DeadEnd, 0.8),
            (T::WorkState, 0.5),
            (T::PrefetchPattern, 0.3),
            (T::CausalDependency, 1.0),
            (T::TaskCalibration, 0.8),
            (T::WorkflowRecipe, 0.6),
            (T::WorkUnitOutcome, 1.1),
            (T::ContextCost, 0.3),
        ],
    ),
    (
        P::Refine,
        &[
            (T::Pattern, 1.4),
            (T::ErrorPattern, 1.3),
            (T::Gotcha, 1.2),
            (T::DeadEnd, 1.4),
            (T::Decision, 1.0),
            (T::ModuleInsight, 1.1),
            (T::WorkState, 0.9),
            (T::Requirement, 0.7),
            (T::E2eObservation, 0.8),
            (T::WorkflowRecipe, 1.0),
            (T::CausalDependency, 1.1),
            (T::WorkUnitOutcome, 0.8),
            (T::ContextCost, 0.4),
        ],
    ),
    (
        P::Explore,
        &[
            (T::Decision, 1.4),
            (T::ModuleInsight, 1.3),
            (T::Pattern, 1.2),
            (T::WorkflowRecipe, 1.1),
            (T::Requirement, 1.0),
            (T::Preference, 1.0),
            (T::DeadEnd, 0.9),
            (T::WorkUnitOutcome, 1.0),
            (T::Gotcha, 0.8),
            (T::ErrorPattern, 0.7),
            (T::E2eObservation, 0.9),
            (T::CausalDependency, 1.1),
            (T::TaskCalibration, 0.6),
            (T::ContextCost, 0.5),
        ],
    ),
    (
        P::Reflect,
        &[
            (T::WorkUnitOutcome, 1.5),
            (T::TaskCalibration, 1.4),
            (T::DeadEnd, 1.3),
            (T::ErrorPattern, 1.2),
            (T::Decision, 1.2),
            (T::ModuleInsight, 1.1),
            (T::E2eObservation, 1.0),
            (T::WorkState, 0.7),
            (T::Gotcha, 0.8),
            (T::ContextCost, 1.3),
            (T::WorkflowRecipe, 0.6),
            (T::PrefetchPattern, 0.4),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_has_its_row() {
        for phase in UniversalPhase::ALL {
            assert!(TABLE.iter().any(|(row, _)| row == phase), "{phase}");
        }
        for (_, weights) in TABLE {
            assert!(weights.iter().all(|(_, weight)| (0.3..=1.5).contains(weight)));
        }
    }

    #[test]
    fn what_matters_when() {
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
