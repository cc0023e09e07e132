//! The seventeen built-in memory types, and the custom types of methodologies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::values::HalfLife;
use super::words::{checked_text, word_enum};
use crate::field::Problem;

word_enum! {
    /// The built-in memory types.
    BuiltinType, "a memory type" {
        /// A trap or a non-obvious constraint.
        Gotcha = "gotcha",
        /// A choice and its reasons.
        Decision = "decision",
        /// A preference of the user or the project.
        Preference = "preference",
        /// An approach that works in this project.
        Pattern = "pattern",
        /// A requirement on the product.
        Requirement = "requirement",
        /// A recurring error and its fix.
        ErrorPattern = "error_pattern",
        /// The purpose or behaviour of a module.
        ModuleInsight = "module_insight",
        /// An insight into a process; prefer `workflow_recipe`.
        Workflow = "workflow",
        /// Files that are read together.
        PrefetchPattern = "prefetch_pattern",
        /// The state of unfinished work.
        WorkState = "work_state",
        /// A file that must change when another one does.
        CausalDependency = "causal_dependency",
        /// A comparison of planned and actual steps.
        TaskCalibration = "task_calibration",
        /// Behaviour that was seen in the running application.
        E2eObservation = "e2e_observation",
        /// An approach that was tried and given up.
        DeadEnd = "dead_end",
        /// The outcome of a unit of work.
        WorkUnitOutcome = "work_unit_outcome",
        /// The steps for a class of task.
        WorkflowRecipe = "workflow_recipe",
        /// The tokens that work in a module takes.
        ContextCost = "context_cost",
    }
}

checked_text! {
    /// A type that a methodology adds, written `methodology:type` so that a misspelt built-in type
    /// is not taken for a new one.
    CustomType, |text| {
        let slug = |part: &str| {
            !part.is_empty()
                && part.len() <= 64
                && part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        match text.split_once(':') {
            Some((methodology, name)) if slug(methodology) && slug(name) => Ok(text),
            _ => Err(Problem::unexpected(
                &text,
                "a methodology's own type, such as `bmad:acceptance_criterion`",
            )),
        }
    }
}

/// The type of a memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MemoryType {
    /// A built-in type.
    Builtin(BuiltinType),
    /// A type that a methodology adds.
    Custom(CustomType),
}

impl MemoryType {
    /// Returns the stored word.
    pub fn as_str(&self) -> &str {
        match self {
            MemoryType::Builtin(builtin) => builtin.as_str(),
            MemoryType::Custom(custom) => custom.as_str(),
        }
    }

    /// Returns the half-life of memories that do not set their own; `None` means that they do not
    /// decay.
    pub fn default_half_life(&self) -> Option<HalfLife> {
        let days = match self {
            MemoryType::Builtin(BuiltinType::WorkState) => 7.0,
            MemoryType::Builtin(BuiltinType::DeadEnd) => 90.0,
            _ => return None,
        };
        HalfLife::from_days(days).ok()
    }
}

impl From<BuiltinType> for MemoryType {
    fn from(builtin: BuiltinType) -> MemoryType {
        MemoryType::Builtin(builtin)
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for MemoryType {
    type Err = Problem;

    fn from_str(text: &str) -> Result<MemoryType, Problem> {
        if text.contains(':') {
            CustomType::new(text).map(MemoryType::Custom)
        } else {
            text.parse().map(MemoryType::Builtin)
        }
    }
}

impl TryFrom<String> for MemoryType {
    type Error = Problem;

    fn try_from(text: String) -> Result<MemoryType, Problem> {
        text.parse()
    }
}

impl From<MemoryType> for String {
    fn from(kind: MemoryType) -> String {
        kind.as_str().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seventeen_builtin_types() {
        assert_eq!(BuiltinType::ALL.len(), 17);
        for kind in BuiltinType::ALL {
            assert_eq!(kind.as_str().parse(), Ok(MemoryType::Builtin(*kind)));
        }
    }

    #[test]
    fn misspelt_types_are_not_custom_types() {
        assert!("gotcah".parse::<MemoryType>().is_err());
        assert!("bmad:acceptance_criterion".parse::<MemoryType>().is_ok());
        for wrong in ["bmad:", ":x", "Bmad:x", "a:b:c", "a:1b", "a:b c"] {
            assert!(wrong.parse::<MemoryType>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_two_types_decay_by_default() {
        let fading: Vec<_> = BuiltinType::ALL
            .iter()
            .filter_map(|kind| {
                MemoryType::from(*kind).default_half_life().map(|half| (kind.as_str(), half.days()))
            })
            .collect();
        assert_eq!(fading, [("work_state", 7.0), ("dead_end", 90.0)]);
    }
}
