//! A definition that was read and checked, and what it says of phases and types.

use tacit_core::{CustomType, UniversalPhase};

use crate::completion::Completion;
use crate::relay::{Relay, RelayFormat};
use crate::work_state::StateField;

/// A way of working.
#[derive(Debug, Clone, PartialEq)]
pub struct Methodology {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) phases: Vec<(String, UniversalPhase)>,
    pub(crate) unknown_phase: UniversalPhase,
    /// Who works in which phase; each phase is the methodology's own or a universal one.
    pub(crate) stages: Vec<(String, UniversalPhase)>,
    pub(crate) levels: Vec<HierarchyLevel>,
    /// The level that branches and spec files name.
    pub(crate) branch_level: usize,
    /// The level that gets what stands before the dot of `1.2`.
    pub(crate) dotted_level: Option<usize>,
    pub(crate) relays: Vec<Relay>,
    pub(crate) relay_format: RelayFormat,
    pub(crate) state: Vec<StateField>,
    pub(crate) types: Vec<TypeDefinition>,
    pub(crate) completion: Completion,
}

/// A level of the hierarchy in which units of work nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyLevel {
    /// Its name, such as `story`.
    pub name: String,
    /// How a unit is labelled, with `{}` for its own name; a level without is left out of labels.
    pub label: Option<String>,
}

/// A type of memory that a methodology adds.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDefinition {
    /// The type, with the methodology's name in front.
    pub kind: CustomType,
    /// What it is for.
    pub description: String,
    /// How much it matters in a phase; 1 in those that are not named.
    pub weights: Vec<(UniversalPhase, f64)>,
}

impl Methodology {
    /// What it is called in configuration and references.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a sentence.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Its own phases, and the universal phase that each is.
    pub fn phases(&self) -> &[(String, UniversalPhase)] {
        &self.phases
    }

    /// Its stages, and the universal phase in which each works.
    pub fn stages(&self) -> &[(String, UniversalPhase)] {
        &self.stages
    }

    /// The levels of its hierarchy, outermost first.
    pub fn levels(&self) -> &[HierarchyLevel] {
        &self.levels
    }

    /// What its stages hand on.
    pub fn relays(&self) -> &[Relay] {
        &self.relays
    }

    /// What its account of unfinished work has.
    pub fn state_fields(&self) -> &[StateField] {
        &self.state
    }

    /// The types of memory it adds.
    pub fn types(&self) -> &[TypeDefinition] {
        &self.types
    }

    /// What is done when a unit of work is finished.
    pub fn completion(&self) -> &Completion {
        &self.completion
    }

    /// The universal phase of one of its own. A phase that it does not know is the one it takes
    /// unknown phases for.
    pub fn map_phase(&self, phase: &str) -> UniversalPhase {
        self.find_phase(phase).unwrap_or(self.unknown_phase)
    }

    /// The universal phase that a word means: a phase of its own, a stage, or a universal phase.
    pub fn find_phase(&self, word: &str) -> Option<UniversalPhase> {
        let named = |list: &[(String, UniversalPhase)]| {
            list.iter().find(|(name, _)| name == word).map(|(_, phase)| *phase)
        };
        named(&self.phases).or_else(|| named(&self.stages)).or_else(|| word.parse().ok())
    }

    /// Every word that [`Methodology::find_phase`] knows, each once.
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
