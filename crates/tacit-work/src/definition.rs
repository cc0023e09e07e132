//! A validated definition of a methodology: its phases, levels and types.

use tacit_core::{CustomType, UniversalPhase};

use crate::completion::Completion;
use crate::relay::{Relay, RelayFormat};
use crate::work_state::StateField;

/// A methodology.
#[derive(Debug, Clone, PartialEq)]
pub struct Methodology {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) phases: Vec<(String, UniversalPhase)>,
    /// The stages of work, each with its universal phase.
    pub(crate) stages: Vec<(String, UniversalPhase)>,
    pub(crate) levels: Vec<HierarchyLevel>,
    /// The level that branches and spec files name.
    pub(crate) branch_level: usize,
    /// The level of the part before the dot in `1.2`.
    pub(crate) dotted_level: Option<usize>,
    pub(crate) relays: Vec<Relay>,
    pub(crate) relay_format: RelayFormat,
    pub(crate) state: Vec<StateField>,
    pub(crate) types: Vec<TypeDefinition>,
    pub(crate) completion: Completion,
}

/// A level of the hierarchy of units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyLevel {
    /// The name, such as `story`.
    pub name: String,
    /// The label of a unit with `{}` for its name; levels without one are left out of labels.
    pub label: Option<String>,
}

/// A type of memory that a methodology adds.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDefinition {
    /// The type, prefixed with the methodology's identifier.
    pub kind: CustomType,
    /// The purpose of the type.
    pub description: String,
    /// The weight in each phase; 1 if a phase is missing.
    pub weights: Vec<(UniversalPhase, f64)>,
}

impl Methodology {
    /// Returns the identifier in configuration and references.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the display name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a one-sentence description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the methodology's phases with their universal phases.
    pub fn phases(&self) -> &[(String, UniversalPhase)] {
        &self.phases
    }

    /// Returns the stages with their universal phases.
    pub fn stages(&self) -> &[(String, UniversalPhase)] {
        &self.stages
    }

    /// Returns the levels of the hierarchy, outermost first.
    pub fn levels(&self) -> &[HierarchyLevel] {
        &self.levels
    }

    /// Returns the relays between stages.
    pub fn relays(&self) -> &[Relay] {
        &self.relays
    }

    /// Returns the fields of a work state.
    pub fn state_fields(&self) -> &[StateField] {
        &self.state
    }

    /// Returns the types of memory it adds.
    pub fn types(&self) -> &[TypeDefinition] {
        &self.types
    }

    /// Returns the actions when a unit is finished.
    pub fn completion(&self) -> &Completion {
        &self.completion
    }

    /// Returns the universal phase of a phase of this methodology, or `explore` if it has no such
    /// phase.
    pub fn map_phase(&self, phase: &str) -> UniversalPhase {
        self.find_phase(phase).unwrap_or(UniversalPhase::Explore)
    }

    /// Returns the universal phase for a word: a phase, a stage, or a universal phase.
    pub fn find_phase(&self, word: &str) -> Option<UniversalPhase> {
        let named = |list: &[(String, UniversalPhase)]| {
            list.iter().find(|(name, _)| name == word).map(|(_, phase)| *phase)
        };
        named(&self.phases).or_else(|| named(&self.stages)).or_else(|| word.parse().ok())
    }

    /// Returns every word that [`Methodology::find_phase`] accepts, each once.
    pub fn phase_words(&self) -> Vec<&str> {
        let own = self.phases.iter().chain(&self.stages).map(|(name, _)| name.as_str());
        let mut words = Vec::new();
        for word in own.chain(UniversalPhase::ALL.iter().map(|phase| phase.as_str())) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }
}
